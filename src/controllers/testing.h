// For tests: workloads and pods in few words, and what a controller does as a line of text.
#pragma once

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "controllers/controller.h"

namespace ksched::controllers {

inline api::Workload WorkloadOf(const std::string& kind, int32_t replicas) {
  api::Workload workload;
  workload.api_version = kind == "Job" || kind == "CronJob" ? "batch/v1" : "apps/v1";
  workload.kind = kind;
  workload.metadata.name = "web";
  workload.metadata.ns = "shop";
  workload.metadata.uid = "shop/web";
  workload.replicas = replicas;
  workload.replicas_given = true;
  workload.strategy = "RollingUpdate";
  workload.pod_template.metadata.labels["app"] = "web";
  return workload;
}

// A pod that `owner` (a name, and its uid after "uid-") has: running and ready.
inline ManagedPod PodOf(const std::string& kind, const std::string& owner, const std::string& name) {
  ManagedPod pod;
  pod.name = name;
  pod.uid = "uid-" + name;
  pod.node_name = pod.target_node = "node-" + name;
  pod.owner_kind = kind;
  pod.owner_name = owner;
  pod.owner_uid = "uid-" + owner;
  pod.phase = "Running";
  pod.ready = true;
  pod.created = pod.ready_since = 1;
  return pod;
}
inline ManagedPod Broken(ManagedPod pod) {
  pod.ready = false;
  pod.ready_since.reset();
  return pod;
}
inline ManagedPod Pending(ManagedPod pod) {
  pod.node_name.clear();
  pod.phase = "Pending";
  return Broken(std::move(pod));
}

// Does what the controller says: pods that are made start, pods that are removed go, at once.
class Play {
 public:
  explicit Play(const Request& request) {
    auto made = MakeController(request);
    if (made) {
      controller_ = std::move(*made);
    } else {
      ADD_FAILURE() << made.error().message;
    }
  }

  std::set<std::string> stuck;     // these are not placed
  std::set<std::string> rejected;  // these are refused by admission
  std::set<std::string> lingers;   // these do not go when they are removed

  // "create web-0 web-1; remove web-2": one step, done. Empty: nothing more happens.
  std::string Next() {
    const Step step = controller_->Sync();
    std::string text;
    for (const NewPod& made : step.create) {
      text += (text.empty() ? "create " : " ") + made.pod.metadata.name;
      created.push_back(made);
    }
    if (!step.remove.empty()) text += text.empty() ? "remove" : "; remove";
    for (const std::string& name : step.remove) text += " " + name;
    for (const std::string& name : step.remove) {
      if (!lingers.contains(name)) controller_->PodGone(name);
    }
    for (const NewPod& made : step.create) {
      const std::string& name = made.pod.metadata.name;
      if (rejected.contains(name)) {
        controller_->PodRejected(name);
      } else if (!stuck.contains(name)) {
        controller_->PodStarted(name, "node-" + name);
      }
    }
    return text;
  }
  // All steps until nothing more happens: "create web-0 | remove web-1".
  std::string All() {
    std::string all;
    for (int step = 0; step < 1000; ++step) {
      const std::string text = Next();
      if (text.empty()) return all;
      all += (all.empty() ? "" : " | ") + text;
    }
    ADD_FAILURE() << "it does not come to an end: " << all.substr(0, 300);
    return all;
  }
  WorkloadController& controller() { return *controller_; }
  std::vector<NewPod> created;

 private:
  std::unique_ptr<WorkloadController> controller_;
};

}  // namespace ksched::controllers
