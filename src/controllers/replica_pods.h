// The pods of one ReplicaSet, or of all ReplicaSets of a Deployment, and what the ReplicaSet controller does to have as
// many as each wants. Reference: pkg/controller/replicaset/replica_set.go, v1.37.2 (manageReplicas).
#pragma once

#include <list>
#include <unordered_map>

#include "controllers/controller.h"
#include "controllers/pod_maker.h"
#include "controllers/victim_order.h"

namespace ksched::controllers {

struct ReplicaSetState {
  std::string name, uid;
  std::optional<api::TimeNs> created;
  int32_t replicas = 0;                                   // spec.replicas
  std::optional<int32_t> desired_replicas, max_replicas;  // annotations of a Deployment's, where they are numbers
  api::Pod pattern;                                       // of pods that it makes

  // Kept by ReplicaPods, like the status is by the controller.
  int32_t active = 0;     // neither terminal nor being deleted
  int32_t available = 0;  // of these: ready
  int32_t present = 0;    // all that are not terminal
  int32_t rejected = 0;   // that admission refused
};

class ReplicaPods {
 public:
  // `related`: whether a pod's place on one node with others counts for who leaves first, which it does for the
  // ReplicaSets of a Deployment.
  ReplicaPods(const Request& request, std::string base_name, bool related);

  size_t AddSet(ReplicaSetState set);  // its place, from 0 on
  void AddPod(size_t set, const ManagedPod& pod);
  std::vector<ReplicaSetState>& sets() { return sets_; }
  const std::vector<ReplicaSetState>& sets() const { return sets_; }

  // Makes and removes pods until each set has as many active ones as its replicas, but for those that were rejected.
  // A pod that was only made in this step disappears from it. Returns whether there was anything to do.
  bool Manage(Step& step);

  void Started(const std::string& name, const std::string& node_name);
  void Gone(const std::string& name);
  void Rejected(const std::string& name);
  void RetryRejected();

 private:
  struct Member {
    ManagedPod pod;
    size_t set = 0;
  };
  using Members = std::list<Member>;  // in the order of their making

  bool Manage(size_t set, Step& step);
  void Create(size_t set, int32_t count, Step& step);
  void Remove(size_t set, int32_t count, Step& step);
  void Count(const Member& member, int32_t by);
  void Erase(std::unordered_map<std::string, Members::iterator>::iterator found);

  PodMaker maker_;
  std::string base_name_;
  bool related_ = false;
  api::TimeNs now_ = 0;
  std::vector<ReplicaSetState> sets_;
  Members members_;
  std::unordered_map<std::string, Members::iterator> by_name_;
  PodsOnNodes active_on_node_;  // if related_
};

}  // namespace ksched::controllers
