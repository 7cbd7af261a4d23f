// Scoring nodes by how much of their resources is taken: what NodeResourcesFit and NodeResourcesBalancedAllocation
// share. Reference: pkg/scheduler/framework/plugins/noderesources/resource_allocation.go, v1.37.2.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/wrapping.h"
#include "framework/registry.h"

namespace ksched {

// One resource on one node.
struct ResourceUse {
  int64_t weight = 0;
  int64_t allocatable = 0;  // never 0
  int64_t allocated = 0;    // by the pods that are there
  int64_t requested = 0;    // and by the pod in question
};

// What the pod in question asks for of the resources that are scored; made once per cycle by PreScore.
struct ScoredRequests final : StateData {
  struct Item {
    ResourceId resource = 0;
    int64_t weight = 0, request = 0;
    const api::DeviceClass* device_class = nullptr;  // that stands behind the resource
  };
  std::vector<Item> items;  // of those resources that can count on some node
  bool best_effort = true;  // the pod asks for none of the resources
};

// The resources that a plugin's arguments name.
class ScoredResources {
 public:
  // Which amounts of cpu and memory count as allocated: what pods request, or that with defaults for containers
  // without a request.
  enum class Allocated { kRequested, kNonzeroRequested };

  ScoredResources(const std::vector<config::ResourceSpec>& resources, Allocated allocated,
                  const PluginContext& context);

  bool empty() const { return resources_.empty(); }

  // `requests` are the pod's, by name.
  void Prepare(const api::ResourceList& requests, ScoredRequests& result) const;

  // Calls visit(const ResourceUse&) for each resource that counts on the node, in the order of the arguments.
  template <typename Visit>
  void ForEach(const ScoredRequests& requests, const NodeView& node, Visit&& visit) const {
    for (const ScoredRequests::Item& item : requests.items) {
      const int64_t allocatable = node.allocatable(item.resource);
      if (allocatable == 0) continue;
      const int64_t allocated = AllocatedOn(node, item.resource);
      visit(ResourceUse{item.weight, allocatable, allocated, WrapAdd(allocated, item.request)});
    }
  }

  // Why the pod cannot be scored on the node: a resource that it asks for comes from a DeviceClass. Success if it can.
  Status CheckSupported(const ScoredRequests& requests, const NodeView& node) const;

 private:
  struct Resource {
    std::string name;
    ResourceId id = 0;
    int64_t weight = 0;
    bool scalar = false;  // counts only for pods that ask for it
    bool counts = false;  // cpu, memory, ephemeral storage or scalar: nodes can have it
    bool dra = false;     // a DeviceClass can stand behind it
  };
  int64_t AllocatedOn(const NodeView& node, ResourceId resource) const {
    if (allocated_ == Allocated::kNonzeroRequested) {
      if (resource == kCpu) return node.nonzero_requested_milli_cpu();
      if (resource == kMemory) return node.nonzero_requested_memory();
    }
    return node.requested(resource);
  }

  std::vector<Resource> resources_;
  Allocated allocated_;
  const DeviceClassLister* device_classes_;  // null: DRAExtendedResource is off
  ReasonTable& reasons_;
};

// The DeviceClasses behind extended resources, null when DRAExtendedResource is off.
const DeviceClassLister* DeviceClassesOf(const PluginContext& context);

// ksched has no DynamicResources yet: a pod that needs it is in error, neither placed nor told that it does not fit.
std::string DraNotSupported(std::string_view resource, std::string_view device_class);

// What SignPod of both plugins says: the pod's requests. False if a DeviceClass stands behind one of them.
bool SignRequests(const PodClass& pod, const ResourceNames& names, const DeviceClassLister* device_classes,
                  std::string& signature);

}  // namespace ksched
