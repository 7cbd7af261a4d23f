// StringMap: a hash map by string that is looked up by string_view, without making a string.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include <boost/unordered/unordered_flat_map.hpp>

namespace ksched {

struct StringHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return boost::hash<std::string_view>()(text); }
};

template <typename T>
using StringMap = boost::unordered_flat_map<std::string, T, StringHash, std::equal_to<>>;

}  // namespace ksched
