// PodClass: what scheduling reads of a pod, interned, so that the replicas of a workload share one, and what can be
// worked out from it once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "api/types.h"
#include "state/host_ports.h"
#include "state/pod_requests.h"
#include "state/resources.h"

namespace ksched {

struct PodClass {
  uint64_t serial = 0;  // never used again, also when the class is gone
  uint32_t id = 0;      // dense (PodClassTable), used again
  // The same for classes that differ in namespace, labels and owner only (the pods of a StatefulSet have labels of
  // their own).
  uint64_t spec_serial = 0;
  uint32_t spec_id = 0;

  std::string ns;
  api::StringMap labels;
  api::OwnerReference controller;  // kind, name and uid of the controlling owner; empty kind: none
  // Without node_name, and of the volumes only images: claims are a matter of each pod, and so are the names of
  // volumes.
  api::PodSpec spec;
  int32_t priority = 0;

  // What a new pod asks for (of its spec alone), and what it takes on its node (its status counts too).
  ResourceAmounts requests;
  ResourceAmounts assigned_requests;
  int64_t nonzero_milli_cpu = 0, nonzero_memory_bytes = 0;  // assigned_requests with defaults for containers without

  // By name. To see what an update changed: assigned_requests, with pod-level resources whatever their gate says.
  api::ResourceList assigned_request_list;
  // What NodeResourcesBalancedAllocation scores by: assigned_requests.
  api::ResourceList balanced_request_list;
  // What NodeResourcesFit scores by: the spec's, without pod-level resources, with defaults for containers without.
  api::ResourceList fit_score_request_list;

  std::vector<HostPort> host_ports;
  std::vector<std::string> images;      // of init containers, containers and image volumes, normalised, in this order
  bool has_node_name_selector = false;  // node affinity by metadata.name: verdicts are no matter of node classes

  const std::string& scheduler_name() const { return spec.scheduler_name; }
};

// A class lives as long as somebody has a pointer to it, also when the table has let it go and gives its id to another.
using PodClassPtr = std::shared_ptr<const PodClass>;

// Whose classes a table makes. The two kinds have different ids and serials, so that a reader of snapshots uses the
// cluster's classes as they are, beside those of its own pods.
enum class ClassesOf : uint32_t { kCluster = 0, kReader = 1 };

// The classes in use, counted. Not thread-safe: a table belongs to one thread. What it gives out may go to others.
class PodClassTable {
 public:
  PodClassTable(ResourceNames& names, ResourceFeatures features, ClassesOf kind = ClassesOf::kCluster)
      : names_(names), features_(features), kind_(static_cast<uint32_t>(kind)) {}
  PodClassTable(const PodClassTable&) = delete;
  PodClassTable& operator=(const PodClassTable&) = delete;

  // The class of this pod, one reference more. The pod is moved from if the class is new. The class stays at its
  // address.
  PodClassPtr Acquire(api::Pod&& pod);
  // Classes of the other kind are not counted here.
  void Retain(const PodClass* pod_class);
  void Release(const PodClass* pod_class);  // the last one frees its id

  uint32_t capacity() const { return static_cast<uint32_t>(kKinds * slots_.size()); }  // ids are below this
  uint32_t size() const { return static_cast<uint32_t>(by_key_.size()); }              // classes in use

 private:
  struct Slot {
    PodClassPtr value;
    std::unique_ptr<const std::string> key;  // what by_key_ views
    uint64_t references = 0;
  };
  // What classes share that have the same spec.
  struct SpecSlot {
    std::unique_ptr<const std::string> key;
    uint64_t serial = 0, references = 0;
  };
  // Every second number is a kind's.
  static constexpr uint32_t kKinds = 2;
  template <typename Number>
  Number NumberOf(Number n) const {
    return n * kKinds + kind_;
  }
  bool IsOwn(const PodClass* pod_class) const { return pod_class->id % kKinds == kind_; }
  std::shared_ptr<PodClass> Make(api::Pod&& pod);
  uint32_t NewSlot();
  uint32_t AcquireSpec(std::string_view key);
  void ReleaseSpec(uint32_t id);

  ResourceNames& names_;
  ResourceFeatures features_;
  uint32_t kind_;
  boost::unordered_flat_map<std::string_view, uint32_t> by_key_;  // places in slots_
  std::vector<Slot> slots_;                                       // of the class with the number of the place
  std::vector<uint32_t> free_;
  boost::unordered_flat_map<std::string_view, uint32_t> spec_by_key_;
  std::vector<SpecSlot> spec_slots_;
  std::vector<uint32_t> spec_free_;
  uint64_t next_serial_ = 1;
  std::string scratch_;
};

// The bytes that tell classes apart: equal bytes, equal scheduling. Appended to `out`. What the pod's status says of
// resources is in them only where it differs from the spec, so that a pod that waits and one that runs can be alike.
size_t AppendPodClassKey(const api::Pod& pod, const ResourceFeatures& features, std::string& out);

// As container runtimes name images: ":latest" is added where there is no tag.
std::string NormalizedImageName(const std::string& name);

}  // namespace ksched
