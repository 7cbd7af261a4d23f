// ClusterObjects: what scheduling reads besides nodes and pods, by kind and name.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/types.h"
#include "api/types_policy.h"
#include "api/types_workload.h"
#include "state/kept_objects.h"
#include "state/pod_selector.h"

namespace ksched {

// Objects of one kind, in the order of namespace and name. An object that is replaced lives as long as somebody has
// its pointer, so that a pointer tells versions apart.
template <typename T>
class ObjectTable {
 public:
  using Pointer = std::shared_ptr<const T>;
  using Key = std::pair<std::string, std::string>;  // namespace ("" of kinds without), name
  struct Less {
    using is_transparent = void;
    template <typename A, typename B>
    bool operator()(const A& a, const B& b) const {
      const int by_namespace = std::string_view(a.first).compare(std::string_view(b.first));
      return by_namespace != 0 ? by_namespace < 0 : std::string_view(a.second) < std::string_view(b.second);
    }
  };
  using Map = std::map<Key, Pointer, Less>;

  // From now on it is noted which objects change (TakeChanges).
  void TrackChanges() { tracks_ = true; }
  // The keys of those that have changed since the last call, some of them more than once.
  std::vector<Key> TakeChanges() { return std::exchange(changes_, {}); }

  // Null if it is not there.
  Pointer Find(std::string_view ns, std::string_view name) const {
    const auto found = objects_.find(std::pair(ns, name));
    return found == objects_.end() ? nullptr : found->second;
  }
  Pointer Find(std::string_view name) const { return Find("", name); }
  // Only what scheduling reads of it is kept (state/kept_objects.h). Returns what was there before, or null.
  Pointer Put(T object) {
    KeepWhatIsRead(object);
    return Put(std::make_shared<const T>(std::move(object)));
  }
  // The same with an object that others have too.
  Pointer Put(Pointer object) {
    ++version_;
    Key key(object->metadata.ns, object->metadata.name);
    if (tracks_) changes_.push_back(key);
    return std::exchange(objects_[std::move(key)], std::move(object));
  }
  Pointer Remove(std::string_view ns, std::string_view name) {
    const auto found = objects_.find(std::pair(ns, name));
    if (found == objects_.end()) return nullptr;
    ++version_;
    if (tracks_) changes_.push_back(found->first);
    Pointer removed = std::move(found->second);
    objects_.erase(found);
    return removed;
  }
  void Clear() {
    ++version_;
    for (const auto& entry : objects_) {
      if (tracks_) changes_.push_back(entry.first);
    }
    objects_.clear();
  }
  const Map& all() const { return objects_; }
  size_t size() const { return objects_.size(); }
  uint64_t version() const { return version_; }  // of the table: another one after every change

 private:
  Map objects_;
  uint64_t version_ = 0;
  bool tracks_ = false;
  std::vector<Key> changes_;
};

// A table of each kind that scheduling reads besides nodes and pods.
template <template <typename> typename Table>
struct ObjectTables {
  Table<api::Namespace> namespaces;
  Table<api::PersistentVolume> volumes;
  Table<api::PersistentVolumeClaim> claims;
  Table<api::StorageClass> storage_classes;
  Table<api::CsiNode> csi_nodes;
  Table<api::CsiDriver> csi_drivers;
  Table<api::CsiStorageCapacity> storage_capacities;
  Table<api::VolumeAttachment> volume_attachments;
  Table<api::Service> services;
  Table<api::Workload> replication_controllers, replica_sets, stateful_sets;
  Table<api::PodDisruptionBudget> disruption_budgets;
  Table<api::DeviceClass> device_classes;
};

// Calls visit(kind, table...) for every kind, with the tables of it in all of `tables`.
template <typename Visit, typename... Tables>
void ForEachTable(Visit&& visit, Tables&... tables) {
  visit("Namespace", tables.namespaces...);
  visit("PersistentVolume", tables.volumes...);
  visit("PersistentVolumeClaim", tables.claims...);
  visit("StorageClass", tables.storage_classes...);
  visit("CSINode", tables.csi_nodes...);
  visit("CSIDriver", tables.csi_drivers...);
  visit("CSIStorageCapacity", tables.storage_capacities...);
  visit("VolumeAttachment", tables.volume_attachments...);
  visit("Service", tables.services...);
  visit("ReplicationController", tables.replication_controllers...);
  visit("ReplicaSet", tables.replica_sets...);
  visit("StatefulSet", tables.stateful_sets...);
  visit("PodDisruptionBudget", tables.disruption_budgets...);
  visit("DeviceClass", tables.device_classes...);
}

struct ClusterObjects final : NamespaceLabels, ObjectTables<ObjectTable> {
  const api::StringMap* LabelsOf(std::string_view ns) const override {
    const auto found = namespaces.Find(ns);
    return found == nullptr ? nullptr : &found->metadata.labels;  // the table holds it
  }
  // The DeviceClass that provides the extended resource (DRAExtendedResource); null if none does.
  const api::DeviceClass* ProviderOf(std::string_view resource) const;
};

// Calls visit(ObjectTable<T>&) with the table of the kind; false if there is none.
template <typename F>
bool VisitTable(ClusterObjects& objects, std::string_view kind, F&& visit) {
  bool found = false;
  ForEachTable(
      [&](std::string_view name, auto& table) {
        if (name != kind) return;
        found = true;
        visit(table);
      },
      objects);
  return found;
}

}  // namespace ksched
