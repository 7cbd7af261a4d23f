// Objects as they will be once the API has what was decided: what is assumed of an object counts as long as the API's
// object is the version that it was assumed from.
// Reference: pkg/scheduler/framework/plugins/volumebinding/passive_assume_cache.go, v1.37.2.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>

#include "state/cluster_objects.h"

namespace ksched {

template <typename T>
class AssumeCache {
 public:
  using Pointer = std::shared_ptr<const T>;
  explicit AssumeCache(const ObjectTable<T>& table) : table_(table) {}

  // What is assumed of it, or else itself. Null stays null.
  const Pointer& Current(const Pointer& stored) const {
    if (assumed_.empty() || stored == nullptr) return stored;
    const auto found = assumed_.find(stored.get());
    return found != assumed_.end() ? found->second.object : stored;
  }
  Pointer Get(std::string_view ns, std::string_view name) const { return Current(table_.Find(ns, name)); }

  // False: the API does not have the object.
  bool Assume(T object) {
    Pointer stored = table_.Find(object.metadata.ns, object.metadata.name);
    if (stored == nullptr) return false;
    if (assumed_.size() > 2 * table_.size()) DropExpired();
    const T* const key = stored.get();
    assumed_[key] = {std::move(stored), std::make_shared<const T>(std::move(object))};
    return true;
  }
  void Restore(const T& object) {
    const Pointer stored = table_.Find(object.metadata.ns, object.metadata.name);
    if (stored != nullptr) assumed_.erase(stored.get());
  }

 private:
  struct Entry {
    Pointer from;  // keeps the version that is the key
    Pointer object;
  };
  void DropExpired() {
    boost::unordered::erase_if(assumed_, [this](const auto& entry) {
      const T& from = *entry.second.from;
      return table_.Find(from.metadata.ns, from.metadata.name) != entry.second.from;
    });
  }

  const ObjectTable<T>& table_;
  boost::unordered_flat_map<const T*, Entry> assumed_;  // by the version that it is assumed of
};

}  // namespace ksched
