// A number with what it counts, for messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ksched {

// "1 node", "3 nodes".
inline std::string CountOf(size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace ksched
