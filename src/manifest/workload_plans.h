// WorkloadPlans: the workloads of manifests, and what the cluster has of them already. Out of both come the controllers
// that make their pods in the run.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/types_policy.h"
#include "api/types_storage.h"
#include "api/types_workload.h"
#include "base/result.h"
#include "controllers/controller.h"
#include "manifest/cluster_source.h"

namespace ksched {

// What applying a manifest's workload does to the cluster, in the words of the report.
struct WorkloadPlan {
  std::unique_ptr<controllers::WorkloadController> controller;
  std::string change;                          // New, Unchanged, Scaled, Rollout
  std::string changed_field;                   // the first field of the template that differs from the live object's
  std::optional<std::string> refused;          // why the API server refuses the change; there is no controller then
  std::vector<std::string> pods;               // names of those that exist
  std::map<std::string, api::Pod> whole_pods;  // the same by name; only with KeepPods
};

class WorkloadPlans {
 public:
  // First the manifests: only what belongs to their workloads is kept of the cluster. `text` is the whole object as
  // JSON; pods of the cluster are kept whole with `keep_pods` (quotas need them when they leave).
  void Want(const api::Workload& workload, std::string text);
  bool empty() const { return wanted_.empty(); }
  void KeepPods() { keep_pods_ = true; }

  // Then the cluster. A workload's `text` is the whole object as JSON, as far as it is at hand (files); else it is
  // fetched when it is needed.
  void SeePod(const api::Pod& pod);
  void SeeWorkload(const api::Workload& workload, std::string text);
  bool WantsText(const api::Workload& workload) const;
  // A ControllerRevision as JSON.
  void SeeRevision(std::string text);
  void SeeAutoscaler(api::HorizontalPodAutoscaler autoscaler) { autoscalers_.push_back(std::move(autoscaler)); }
  void SeeClaim(const api::PersistentVolumeClaim& claim);
  // Everything of the kind is void.
  void Forget(const std::string& kind);

  // The pods of the cluster that belong to wanted workloads, when everything has been seen: names by namespace, and
  // with KeepPods the pods themselves.
  struct Owned {
    std::vector<std::string> names;  // "namespace/name"
    std::vector<api::Pod> whole;
  };
  Owned TakeOwnedPods();
  // Gets from the cluster the whole objects that lists did not bring: the wanted workloads, and the ReplicaSets of a
  // Deployment whose template changes.
  Result<void> FetchObjects(ClusterSource& cluster);

  struct Options {
    bool fresh = false;                              // the cluster has nothing of it
    bool template_is_final = false;                  // the template is what the API server makes of it
    std::span<const controllers::DaemonNode> nodes;  // for DaemonSets
    api::TimeNs now = 0;
    std::function<bool(const std::string& ns, const std::string& name)> is_taken;  // pods; outlives the controllers
  };
  // Of a wanted workload (with what admission made of it). Errors: a workload that no controller can make sense of.
  Result<WorkloadPlan> Plan(const api::Workload& workload, const Options& options);

 private:
  struct Object {
    api::Workload workload;
    std::string text;
  };
  struct Wanted {
    std::string kind, ns, name, text;  // of the manifest
    std::optional<Object> live;        // the same object in the cluster
    std::vector<Object> related;       // of a Deployment its ReplicaSets, of a CronJob the Jobs of the namespace
    std::vector<controllers::ManagedPod> pods;
    std::vector<api::Pod> whole_pods;
  };

  Wanted* FindOwner(const std::string& ns, const api::OwnerReference& owner);
  static bool Owns(const Wanted& wanted, const controllers::ManagedPod& pod);
  static Result<void> FetchTexts(std::vector<Object*> objects, ClusterSource& cluster);
  std::string FindRevision(const Wanted& wanted, const api::Workload& workload) const;
  static std::optional<size_t> FindReplicaSet(const Wanted& wanted, const api::Workload& workload);
  void LookAtCluster(const api::Workload& workload, Wanted& wanted, controllers::Request& request,
                     WorkloadPlan& plan) const;
  const api::HorizontalPodAutoscaler* AutoscalerOf(const api::Workload& workload) const;

  std::map<std::string, Wanted> wanted_;  // by "Kind namespace/name"
  bool keep_pods_ = false;
  std::vector<api::HorizontalPodAutoscaler> autoscalers_;
  std::vector<std::string> revisions_;                      // ControllerRevisions as JSON
  std::map<std::string, std::vector<std::string>> claims_;  // names by namespace
};

}  // namespace ksched
