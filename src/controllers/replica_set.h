// ReplicaSet and ReplicationController: as many pods as wanted; a changed template is for new pods only.
#pragma once

#include "controllers/replica_pods.h"

namespace ksched::controllers {

class ReplicaSetController final : public WorkloadController {
 public:
  explicit ReplicaSetController(const Request& request);

  Step Sync() override;
  void PodStarted(const std::string& name, const std::string& node_name) override { pods_.Started(name, node_name); }
  void PodGone(const std::string& name) override { pods_.Gone(name); }
  void PodRejected(const std::string& name) override { pods_.Rejected(name); }
  void RetryRejected() override { pods_.RetryRejected(); }
  Progress progress() const override;

 private:
  ReplicaPods pods_;
  bool deleting_ = false;
};

}  // namespace ksched::controllers
