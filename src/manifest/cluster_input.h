// ClusterInput: everything that a run starts from, out of snapshots, manifests and events.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/objects.h"
#include "state/pod_store.h"

namespace ksched {

// A pod of the input, in the store already, with everything that admission adds (priority, RuntimeClass).
struct InputPod {
  PodId id = kNoPod;
  bool from_manifest = false;  // of -f, not of a snapshot
  std::string source;          // what made it: "Deployment shop/web"; "" for a pod on its own
};

// A change of the cluster at a time of the virtual clock (docs/report.md, "Events").
struct TimedEvent {
  enum class Type { kAdd, kUpdate, kDelete };
  int64_t at_ms = 0;
  Type type = Type::kAdd;
  std::string kind, ns, name;  // of the object
  api::Object object;          // of a delete only its metadata is set
  bool keeps_status = false;   // an update without a status
};

struct ClusterInput {
  std::vector<api::Node> nodes;  // in the order of the input
  // Those that have a node come with the nodes; those without wait, in this order. Terminal pods are left out.
  std::vector<InputPod> pods;
  std::vector<api::Namespace> namespaces;
  std::vector<api::DeviceClass> device_classes;
  std::vector<TimedEvent> events;  // sorted by time
  // The whole object of each pod that an event updates, by "namespace/name": what the event does not say is kept of it.
  std::map<std::string, api::Pod> event_pods;
};

}  // namespace ksched
