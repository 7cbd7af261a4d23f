// Interner: gives each distinct string a small number, so that comparing and indexing need no string.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include <boost/unordered/unordered_flat_map.hpp>

namespace ksched {

// Numbers are dense from 0 in the order of first use and never change. Not thread-safe.
class Interner {
 public:
  uint32_t Intern(std::string_view text) {
    if (auto found = ids_.find(text); found != ids_.end()) return found->second;
    texts_.emplace_back(text);
    const auto id = static_cast<uint32_t>(texts_.size() - 1);
    ids_.emplace(std::string_view(texts_.back()), id);
    return id;
  }

  std::optional<uint32_t> Find(std::string_view text) const {
    auto found = ids_.find(text);
    if (found == ids_.end()) return std::nullopt;
    return found->second;
  }

  // Valid as long as the Interner.
  std::string_view Text(uint32_t id) const { return texts_[id]; }
  uint32_t size() const { return static_cast<uint32_t>(texts_.size()); }

 private:
  std::deque<std::string> texts_;  // its strings never move
  boost::unordered_flat_map<std::string_view, uint32_t> ids_;
};

}  // namespace ksched
