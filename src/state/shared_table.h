// SharedTable: a table of objects by namespace and name, as a value that is cheap to copy and never changes: what two
// versions have in common they share. A version costs in proportion to what changed, and so does to compare two.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/container_hash/hash.hpp>

namespace ksched {

template <typename T>
class SharedTable {
 public:
  using Pointer = std::shared_ptr<const T>;
  using Key = std::pair<std::string_view, std::string_view>;  // namespace, name

  // Another version, in which the objects with these keys are what `find(key)` says (null: not there). Objects that
  // have been copied (their pointers, that is) are added to `copied`.
  template <typename Keys, typename Find>
  SharedTable With(const Keys& keys, Find&& find, uint64_t& copied) const {
    SharedTable next = *this;
    if (keys.empty()) return next;
    auto shards = shards_ == nullptr ? std::make_shared<Shards>() : std::make_shared<Shards>(*shards_);
    std::array<std::shared_ptr<Shard>, kShards> changed;
    for (const auto& key : keys) {
      const Key view(key.first, key.second);
      const size_t at = ShardOf(view);
      if (changed[at] == nullptr) {
        const std::shared_ptr<const Shard>& old = (*shards)[at];
        changed[at] = old == nullptr ? std::make_shared<Shard>() : std::make_shared<Shard>(*old);
        copied += changed[at]->size();
        (*shards)[at] = changed[at];
      }
      Put(*changed[at], view, find(view));
    }
    next.shards_ = std::move(shards);
    return next;
  }

  Pointer Find(const Key& key) const {
    if (shards_ == nullptr) return nullptr;
    const std::shared_ptr<const Shard>& shard = (*shards_)[ShardOf(key)];
    if (shard == nullptr) return nullptr;
    const auto place = std::lower_bound(shard->begin(), shard->end(), key, IsBefore);
    return place != shard->end() && KeyOf(**place) == key ? *place : nullptr;
  }

  // Calls visit(before, now) with the objects that differ; one of the two may be null.
  template <typename Visit>
  static void Compare(const SharedTable& before, const SharedTable& now, Visit&& visit) {
    if (before.shards_ == now.shards_) return;
    static const Shard kEmpty;
    for (size_t at = 0; at < kShards; ++at) {
      const Shard* a = before.shards_ == nullptr ? nullptr : (*before.shards_)[at].get();
      const Shard* b = now.shards_ == nullptr ? nullptr : (*now.shards_)[at].get();
      if (a != b) CompareShards(a == nullptr ? kEmpty : *a, b == nullptr ? kEmpty : *b, visit);
    }
  }

 private:
  static constexpr size_t kShards = 256;
  using Shard = std::vector<Pointer>;  // sorted by key
  using Shards = std::array<std::shared_ptr<const Shard>, kShards>;

  static Key KeyOf(const T& object) {
    if constexpr (requires { object.metadata; }) {
      return {object.metadata.ns, object.metadata.name};
    } else {
      return {std::string_view(), object.name};
    }
  }
  static bool IsBefore(const Pointer& object, const Key& key) { return KeyOf(*object) < key; }
  static size_t ShardOf(const Key& key) {
    size_t hash = boost::hash<std::string_view>()(key.first);
    boost::hash_combine(hash, boost::hash<std::string_view>()(key.second));
    return hash % kShards;
  }
  static void Put(Shard& shard, const Key& key, Pointer object) {
    const auto place = std::lower_bound(shard.begin(), shard.end(), key, IsBefore);
    const bool there = place != shard.end() && KeyOf(**place) == key;
    if (object == nullptr) {
      if (there) shard.erase(place);
    } else if (there) {
      *place = std::move(object);
    } else {
      shard.insert(place, std::move(object));
    }
  }
  template <typename Visit>
  static void CompareShards(const Shard& before, const Shard& now, Visit&& visit) {
    const Pointer none;
    auto a = before.begin();
    auto b = now.begin();
    while (a != before.end() || b != now.end()) {
      const bool take_a = b == now.end() || (a != before.end() && KeyOf(**a) <= KeyOf(**b));
      const bool take_b = a == before.end() || (b != now.end() && KeyOf(**b) <= KeyOf(**a));
      if (!take_a || !take_b || *a != *b) visit(take_a ? *a : none, take_b ? *b : none);
      if (take_a) ++a;
      if (take_b) ++b;
    }
  }

  std::shared_ptr<const Shards> shards_;  // null: empty
};

}  // namespace ksched
