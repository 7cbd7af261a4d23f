// What one object of the input may be at most. Far above anything that an API server stores (1.5 MiB, a few dozen
// levels), and low enough that hostile input ends in an error within a gigabyte of memory.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>

namespace ksched::api {

inline constexpr int kMaxNesting = 256;                       // levels of objects and arrays
inline constexpr size_t kMaxObjectBytes = size_t{128} << 20;  // text of one object
inline constexpr size_t kMaxObjectValues = 4'000'000;         // values in one object, keys counted

inline std::string TooDeepMessage() { return fmt::format("nested deeper than {} levels", kMaxNesting); }
inline std::string TooManyValuesMessage() { return fmt::format("more than {} values in one object", kMaxObjectValues); }
inline std::string TooLargeMessage() { return fmt::format("an object is larger than {} MiB", kMaxObjectBytes >> 20); }
inline std::string DuplicateKeyMessage(const std::string& key, int first_line) {
  return fmt::format("duplicate key \"{}\" (first on line {})", key, first_line);
}

}  // namespace ksched::api
