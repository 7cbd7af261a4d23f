// BindingRun: the PreBind plugins of a pod's profile and then its Bind plugins, each when the one before is done.
// Reference: RunPreBindPlugins and RunBindPlugins in pkg/scheduler/framework/runtime/framework.go, v1.37.2; PreBind
// plugins that say so run at the same time there, here one after the other.
#pragma once

#include <cstddef>
#include <optional>

#include "framework/framework.h"
#include "framework/observer.h"

namespace ksched {

class BindingRun final : private StatusReceiver {
 public:
  // Everything lives until `done` is told: Success, or which plugin failed or turned the pod down. That may be within
  // this call.
  void Start(const Framework& framework, CycleState& cycle, const PodInfo& pod, NodeId node, StatusReceiver& done);
  // Who hears of the two points; null: nobody.
  void set_observer(Observer* observer) { observer_ = observer; }
  // The pod must not be bound any more: once its PreBind plugins are done, this is how it ended. False if it is too
  // late.
  bool StopBeforeBind(Status status);

 private:
  void OnStatus(const Status& status) override;
  void NextPreBind();
  void NextBind();
  void Ended(const Status& status);
  void Tell(ObservedPoint point, Code code);

  const Framework* framework_ = nullptr;
  CycleState* cycle_ = nullptr;
  const PodInfo* pod_ = nullptr;
  NodeId node_ = kNoNode;
  StatusReceiver* done_ = nullptr;
  bool binds_ = false;  // the PreBind plugins are done
  size_t next_ = 0;     // in the list of the plugins
  std::optional<Status> stopped_;
  Observer* observer_ = nullptr;
  Observer::Time began_;  // the point that runs
};

}  // namespace ksched
