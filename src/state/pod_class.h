// PodClass: what scheduling reads of a pod, interned, so that the replicas of a workload share one, and what can be
// worked out from it once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "api/types.h"
#include "state/host_ports.h"
#include "state/pod_requests.h"
#include "state/resources.h"

namespace ksched {

struct PodClass {
  uint64_t serial = 0;  // never used again, also when the class is gone
  uint32_t id = 0;      // dense, used again

  std::string ns;
  api::StringMap labels;
  api::OwnerReference controller;  // kind, name and uid of the controlling owner; empty kind: none
  api::PodSpec spec;               // without node_name
  int32_t priority = 0;

  // What a new pod asks for (of its spec alone), and what it takes on its node (its status counts too).
  ResourceAmounts requests;
  ResourceAmounts assigned_requests;
  int64_t nonzero_milli_cpu = 0, nonzero_memory_bytes = 0;  // assigned_requests with defaults for containers without
  api::ResourceList assigned_request_list;                  // assigned_requests by name, to see what an update changed
  std::vector<HostPort> host_ports;
  std::vector<std::string> images;  // of init containers, containers and image volumes, normalised, in this order
  bool has_node_name_selector = false;  // node affinity by metadata.name: verdicts are no matter of node classes

  const std::string& scheduler_name() const { return spec.scheduler_name; }
};

// The classes in use, counted. Not thread-safe.
class PodClassTable {
 public:
  PodClassTable(ResourceNames& names, ResourceFeatures features) : names_(names), features_(features) {}
  PodClassTable(const PodClassTable&) = delete;
  PodClassTable& operator=(const PodClassTable&) = delete;

  // The class of this pod, one reference more. The pod's spec is moved from. The class stays at its address.
  const PodClass* Acquire(api::Pod&& pod);
  void Retain(const PodClass* pod_class);
  void Release(const PodClass* pod_class);  // the last one frees it

  uint32_t capacity() const { return static_cast<uint32_t>(slots_.size()); }  // ids are below this

 private:
  struct Slot {
    std::unique_ptr<PodClass> value;
    const std::string* key = nullptr;  // in by_key_, which keeps its nodes in place
    uint64_t references = 0;
  };
  std::unique_ptr<PodClass> Make(api::Pod&& pod);

  ResourceNames& names_;
  ResourceFeatures features_;
  boost::unordered_flat_map<std::string, uint32_t> by_key_;
  std::vector<Slot> slots_;
  std::vector<uint32_t> free_;
  uint64_t next_serial_ = 1;
  std::string scratch_;
};

// The bytes that tell classes apart: equal bytes, equal scheduling. Appended to `out`.
void AppendPodClassKey(const api::Pod& pod, const ResourceFeatures& features, std::string& out);

// As container runtimes name images: ":latest" is added where there is no tag.
std::string NormalizedImageName(const std::string& name);

}  // namespace ksched
