// Objects by name: each name once.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ksched {

template <typename T>
auto FindByName(T& objects, std::string_view name) {
  return std::ranges::find(objects, name, [](const auto& one) -> std::string_view { return one.metadata.name; });
}

// In the order in which they came; a replacement takes the place of what it replaces.
template <typename T>
void PutByName(std::vector<T>& objects, T one) {
  const auto found = FindByName(objects, one.metadata.name);
  if (found == objects.end()) {
    objects.push_back(std::move(one));
  } else {
    *found = std::move(one);
  }
}

// In the order of their names.
template <typename T>
void PutSorted(std::vector<T>& objects, T one) {
  const auto place = std::ranges::lower_bound(objects, one.metadata.name, {},
                                              [](const T& other) -> const std::string& { return other.metadata.name; });
  if (place != objects.end() && place->metadata.name == one.metadata.name) {
    *place = std::move(one);
  } else {
    objects.insert(place, std::move(one));
  }
}

template <typename T>
void RemoveByName(std::vector<T>& objects, std::string_view name) {
  if (const auto found = FindByName(objects, name); found != objects.end()) objects.erase(found);
}

}  // namespace ksched
