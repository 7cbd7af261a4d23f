// Deployment: its ReplicaSets' sizes, and through them its pods. Reference: pkg/controller/deployment, v1.37.2.
#pragma once

#include "controllers/replica_pods.h"
#include "controllers/rollout_bounds.h"

namespace ksched::controllers {

class DeploymentController final : public WorkloadController {
 public:
  static Result<std::unique_ptr<WorkloadController>> Create(const Request& request);

  Step Sync() override;
  void PodStarted(const std::string& name, const std::string& node_name) override { pods_.Started(name, node_name); }
  void PodGone(const std::string& name) override { pods_.Gone(name); }
  void PodRejected(const std::string& name) override { pods_.Rejected(name); }
  void RetryRejected() override { pods_.RetryRejected(); }
  Progress progress() const override;

 private:
  DeploymentController(const Request& request, RolloutBounds bounds);
  void AddReplicaSets(const Request& request);
  // Which of the ReplicaSets that are there has the wanted template.
  std::optional<size_t> FindNew(const Request& request) const;
  void PlanNew(const Request& request, const std::string& hash);

  // One pass of the controller: changes sizes of ReplicaSets; false if all stays as it is.
  bool Pass();
  bool Scale();  // for a change of replicas, and while paused; deployment_scale.cc
  bool ScaleProportionally();
  bool RollOut();
  bool Recreate();
  bool GrowNew();
  bool ShrinkOld();
  int32_t RemoveUnhealthy(const std::vector<size_t>& old_sets, int32_t at_most);
  int32_t RemoveOldest(const std::vector<size_t>& old_sets);

  bool IsScalingEvent() const;
  bool IsSaturated() const;
  std::optional<size_t> FindActiveOrLatest() const;  // nothing if more than one is active, or there is none
  int32_t Proportion(const ReplicaSetState& set, int32_t to_add, int32_t added) const;
  int32_t Fraction(const ReplicaSetState& set) const;
  void AddNew();                                                  // the ReplicaSet of the wanted template comes to be
  bool Resize(size_t set, int32_t replicas, bool force = false);  // true if its size changed
  std::vector<size_t> Active(bool with_new) const;                // those with replicas, in the order of their making
  bool IsOlder(size_t a, size_t b) const;
  int32_t TotalReplicas() const;
  int32_t max_surge() const { return rolling_ ? bounds_.max_surge : 0; }
  int32_t max_unavailable() const;

  ReplicaPods pods_;
  RolloutBounds bounds_;
  int32_t replicas_ = 0;         // wanted
  int32_t status_replicas_ = 0;  // the live status says
  bool rolling_ = true, paused_ = false, deleting_ = false;
  std::optional<size_t> new_;  // the ReplicaSet of the wanted template, once it is there
  ReplicaSetState planned_;    // what it will be
};

}  // namespace ksched::controllers
