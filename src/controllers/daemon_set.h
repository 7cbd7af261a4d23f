// DaemonSet: one pod on each node where its pods may run. Reference: pkg/controller/daemon, v1.37.2.
#pragma once

#include <map>
#include <set>
#include <unordered_map>

#include "controllers/controller.h"
#include "controllers/daemon_placement.h"
#include "controllers/pod_maker.h"

namespace ksched::controllers {

class DaemonSetController final : public WorkloadController {
 public:
  static Result<std::unique_ptr<WorkloadController>> Create(const Request& request);

  Step Sync() override;
  void PodStarted(const std::string& name, const std::string& node_name) override;
  void PodGone(const std::string& name) override;
  void PodRejected(const std::string& name) override;
  void RetryRejected() override { rejected_.clear(); }
  Progress progress() const override;

 private:
  struct Place {
    std::string name;
    bool exists = true;  // pods may be tied to a node that is gone
    DaemonVerdict verdict;
    std::vector<ManagedPod> pods;
  };
  // The pods of a place that are not being deleted: at most one of each, or `excess`.
  struct Pair {
    ManagedPod* updated = nullptr;
    ManagedPod* old = nullptr;
    bool excess = false;
  };

  explicit DaemonSetController(const Request& request);
  void ChooseRevision(const Request& request);
  std::string RevisionOfPods() const;
  Place& PlaceOf(const std::string& node_name);

  bool Manage(Step& step);  // a pod where there is none, none where there is to be none; true if it did something
  bool ManagePlace(Place& place, Step& step);
  bool RemoveExcess(Place& place, std::vector<ManagedPod*> running, Step& step);
  bool RollOut(Step& step);
  bool RollOutSurging(Step& step);
  struct Surge {
    int64_t surging = 0, available = 0;       // nodes with an extra pod; with a pod that is ready
    std::vector<ManagedPod*> doomed;          // ready, on nodes where none is to run any more
    std::vector<Place*> allowed, candidates;  // where a new pod may come beside the old: broken, ready
  };
  void CollectForSurge(Place& place, Surge& surge, Step& step);
  Pair PairOn(Place& place) const;
  bool IsUpdated(const ManagedPod& pod) const;
  bool Create(Place& place, Step& step);  // false if admission refused it before
  void Remove(ManagedPod& pod, Step& step);
  // The place that the pod was at, without it; nullptr if there is no such pod.
  Place* Drop(const std::string& name);

  PodMaker maker_;
  std::string base_name_, revision_, generation_;
  api::Pod pattern_;
  bool rolling_ = true, deleting_ = false, surges_ = false;
  int64_t desired_ = 0;
  int32_t max_surge_ = 0, max_unavailable_ = 0;
  std::vector<Place> places_;  // nodes in their order, then those that are gone
  std::map<std::string, size_t> by_node_;
  std::unordered_map<std::string, size_t> by_pod_;  // the places of pods
  std::set<std::string> rejected_;                  // nodes
};

}  // namespace ksched::controllers
