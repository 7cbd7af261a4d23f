// The controllers of workloads as pure decisions: which pods they make and remove next. Reference:
// pkg/controller/{deployment,replicaset,replication,statefulset,daemon,job,cronjob}, v1.37.2.
//
// A driver calls Sync(), does what the step says, tells the controller what became of it, and calls Sync() again, until
// a step is empty: then nothing more happens without news. Sync() goes as far as the controllers go without waiting,
// so that what has to wait for a pod to be ready or gone comes in a later step. Within a step, `create` and `remove`
// do not depend on each other: either may be done first.
//
// Two assumptions of the simulation, here and nowhere else: a pod that has been placed is Ready and available at once
// (PodStarted), and a pod that is ready is available: minReadySeconds pass.
// Deliberate differences from the reference: names of pods are numbered where it draws random ones; hashes of templates
// are other than Go's; burst limits (500 pods per sync) and back-off after failures are left out, as is what only
// deletes objects that are no pods (old ReplicaSets, revisions, claims by retention policy).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/types_policy.h"
#include "api/types_storage.h"
#include "api/types_workload.h"
#include "base/result.h"
#include "controllers/managed_pod.h"

namespace ksched::controllers {

// A pod as its controller makes it: named, labelled, owned, its uid "NAMESPACE/NAME". Claims are those that do not
// exist yet: of the volumeClaimTemplates of a StatefulSet (TEMPLATE-POD) and of the pod's ephemeral volumes
// (POD-VOLUME, owned by it). ResourceClaims from templates (spec.resourceClaims) are left to whoever loads the pod.
struct NewPod {
  api::Pod pod;
  std::vector<api::PersistentVolumeClaim> claims;
};

struct Step {
  std::vector<NewPod> create;
  std::vector<std::string> remove;  // names, in the order in which the controllers remove them
  bool empty() const { return create.empty() && remove.empty(); }
};

// How far a workload has come.
struct Progress {
  int64_t desired = 0, updated = 0, ready = 0;  // pods: wanted; of the wanted template; ready, of any template
  int64_t old = 0;                              // of another template, that an update has yet to replace
  bool complete = false;
  std::string waiting_for;  // why it is not complete, in words for the user; empty if it is
};

// What the cluster has of the workload. Absent as a whole: it is new. Everything is borrowed for the call only.
struct Existing {
  const api::Workload* workload = nullptr;  // the live object
  std::vector<api::Workload> replica_sets;  // owned by the Deployment; of a CronJob: the Jobs of its namespace
  std::vector<ManagedPod> pods;             // of the namespace; those that others own are passed over
  std::vector<std::string> claims;          // names of the PersistentVolumeClaims in the namespace
  const api::HorizontalPodAutoscaler* autoscaler = nullptr;  // the one whose target is this workload
};

// A node, as the DaemonSet controller looks at it. spec.unschedulable does not count: daemon pods tolerate its taint.
struct DaemonNode {
  std::string name;
  api::StringMap labels;
  std::vector<api::Taint> taints;
};

struct Request {
  // What is wanted: the manifest's object, defaulted; for what is not in any manifest, the live object itself.
  const api::Workload* desired = nullptr;
  Existing existing;
  // Whether the wanted template differs from the live object's (controllers/apply_diff.h says so). Without a live
  // object it does not matter.
  bool template_changed = false;
  // The place in existing.replica_sets of the one that already has the wanted template, when that has changed: a
  // Deployment that goes back to an earlier revision.
  std::optional<size_t> reused_replica_set;
  // The same for a StatefulSet or DaemonSet: the controller-revision-hash of pods that have the wanted template
  // already.
  std::string reused_revision;
  // The template as text, equal for equal templates: canonical JSON. Only the made-up hash depends on it. Empty: what
  // scheduling reads of the template stands for it.
  std::string template_text;
  std::span<const DaemonNode> nodes;  // in the order in which the cluster lists them
  // Whether the namespace has a pod of that name. Called as long as the controller lives.
  std::function<bool(const std::string& name)> is_taken;
  api::TimeNs now = 0;  // for the order of victims, which goes by ages
};

class WorkloadController {
 public:
  virtual ~WorkloadController() = default;

  virtual Step Sync() = 0;
  // News about pods that the controller made or that existed. Names that it does not know are passed over.
  virtual void PodStarted(const std::string& name, const std::string& node_name) = 0;  // placed: Ready and available
  virtual void PodGone(const std::string& name) = 0;                                   // removed, by whomever
  virtual void PodRejected(const std::string& name) = 0;  // of the last step, refused by admission: not created
  // What was rejected is tried again by the next Sync(). PodGone() does that too: it may have made room in a quota.
  virtual void RetryRejected() = 0;
  virtual Progress progress() const = 0;
};

// Fails for a kind that makes no pods, and for a maxSurge or maxUnavailable of another form than 3 or "25%".
Result<std::unique_ptr<WorkloadController>> MakeController(const Request& request);

// spec.replicas that counts: the live object's when an autoscaler has it or when the manifest gives none; within the
// autoscaler's bounds, unless it is 0 (scaled to nothing by hand).
int32_t EffectiveReplicas(const api::Workload& desired, const Existing& existing);

}  // namespace ksched::controllers
