// ClusterInput: everything that a run starts from, out of snapshots, manifests and events.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include "admission/admission.h"
#include "api/objects.h"
#include "controllers/controller.h"
#include "state/cluster_objects.h"
#include "state/pod_store.h"

namespace ksched {

// A pod of the input, in the store already, with everything that admission adds (priority, RuntimeClass).
struct InputPod {
  PodId id = kNoPod;           // kNoPod: here the pods of a workload come, InputWorkload number `workload`
  bool from_manifest = false;  // of -f, not of a snapshot
  std::string source;          // what made it: "Deployment shop/web"; "" for a pod on its own
  uint32_t workload = 0;
};

// A workload of a manifest: its controller makes and removes pods while the run goes on.
struct InputWorkload {
  std::string ns, source;                                       // source: "Deployment shop/web"
  std::unique_ptr<controllers::WorkloadController> controller;  // null: the API server refuses the change
  std::string change;                                           // New, Unchanged, Scaled, Rollout
  std::string changed_field;                   // of a Rollout: the first field of the template that differs
  std::vector<std::string> pods;               // names of those that exist
  std::map<std::string, api::Pod> whole_pods;  // the same by name, if admission has quotas
  // Of a Deployment: its selector, of which its ReplicaSets have theirs. They become objects with their first pods.
  std::optional<api::LabelSelector> selector_of_replica_sets;
};

// A pod that admission refuses.
struct InputRejection {
  std::string ns, name, source, message;
};

// A change of the cluster at a time of the virtual clock (docs/report.md, "Events").
struct TimedEvent {
  enum class Type { kAdd, kUpdate, kDelete };
  int64_t at_ms = 0;
  Type type = Type::kAdd;
  std::string kind, ns, name;  // of the object
  api::Object object;          // of a delete only its metadata is set
  bool keeps_status = false;   // an update without a status
  bool replayed = false;       // of a recording: it may not fit what the run has made of the cluster
  // What the scheduler of then did with this pod is left out: the run does it anew.
  bool replayed_pod = false;
};

// Which pods' names are taken, by "namespace/name", pods that are over among them.
using PodNames = boost::unordered_flat_set<std::string>;

struct ClusterInput {
  std::vector<api::Node> nodes;  // in the order of the input
  // Those that have a node come with the nodes; those without wait, in this order. Terminal pods are left out.
  std::vector<InputPod> pods;
  std::vector<InputWorkload> workloads;
  // For the workloads, whose controllers look names up in it; absent without workloads. The run keeps it true.
  std::shared_ptr<PodNames> pod_names;
  std::vector<InputRejection> rejections;         // pods of manifests that are no workload's
  Admission admission{AdmissionPlugins::none()};  // for the pods that workloads will make; it has the cluster's objects
  // What new pods bring with them: claims of ephemeral volumes and of volumeClaimTemplates, and from
  // resourceClaimTemplates. Of a name that is there already, that of the cluster counts.
  std::vector<api::PersistentVolumeClaim> claims;
  std::vector<api::OtherObject> resource_claims;
  ClusterObjects objects;          // namespaces among them, but not the new claims
  std::vector<TimedEvent> events;  // sorted by time
  // The whole object of each pod that an event updates, by "namespace/name": what the event does not say is kept of it.
  std::map<std::string, api::Pod> event_pods;
};

}  // namespace ksched
