// From a JSON name to the field's place in its table: a hash table made by the compiler.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "api/fields.h"

namespace ksched::api {

template <typename T>
class FieldIndex {
 public:
  static constexpr size_t kCount = std::tuple_size_v<decltype(Fields<T>::kTable)>;

  // -1: no field of the table.
  static int Find(std::string_view name) {
    for (size_t slot = Hash(name);; ++slot) {
      const int index = kSlots[slot % kSlotCount];
      if (index < 0 || kNames[static_cast<size_t>(index)] == name) return index;
    }
  }

 private:
  static constexpr size_t kSlotCount = 128;  // sparse, so that names of no field mostly meet an empty slot
  static_assert(kCount < kSlotCount / 2);

  static constexpr size_t Hash(std::string_view name) {
    if (name.empty()) return 0;
    const auto first = static_cast<unsigned char>(name.front()), last = static_cast<unsigned char>(name.back());
    const auto middle = static_cast<unsigned char>(name[name.size() / 2]);
    return name.size() * 7 + first * 31 + middle * 5 + last;
  }

  static constexpr auto kNames = std::apply(
      [](const auto&... fields) { return std::array<std::string_view, kCount>{fields.json...}; }, Fields<T>::kTable);
  static constexpr auto kSlots = [] {
    std::array<int8_t, kSlotCount> slots{};
    slots.fill(-1);
    for (size_t i = 0; i < kCount; ++i) {
      size_t slot = Hash(kNames[i]);
      while (slots[slot % kSlotCount] >= 0) ++slot;
      slots[slot % kSlotCount] = static_cast<int8_t>(i);
    }
    return slots;
  }();
};

}  // namespace ksched::api
