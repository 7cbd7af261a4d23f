#include "framework/binding_run.h"

#include <utility>

namespace ksched {

void BindingRun::Start(const Framework& framework, CycleState& cycle, const PodInfo& pod, NodeId node,
                       StatusReceiver& done) {
  framework_ = &framework;
  cycle_ = &cycle;
  pod_ = &pod;
  node_ = node;
  done_ = &done;
  binds_ = false;
  next_ = 0;
  stopped_.reset();
  if (observer_ != nullptr) began_ = Observer::Now();
  NextPreBind();
}

bool BindingRun::StopBeforeBind(Status status) {
  if (binds_ || stopped_) return false;
  stopped_ = std::move(status);
  return true;
}

void BindingRun::OnStatus(const Status& status) {
  if (!binds_) {
    if (status.ok()) return NextPreBind();
    const PluginId plugin = framework_->pre_binders()[next_ - 1].id;
    return Ended(framework_->FailureOf("running PreBind plugin", plugin, status));
  }
  if (status.IsSkip()) return NextBind();
  if (status.ok()) return Ended(status);
  const PluginId plugin = framework_->binders()[next_ - 1].id;
  Ended(framework_->FailureOf("running Bind plugin", plugin, status));
}

void BindingRun::Ended(const Status& status) {
  Tell(binds_ ? ObservedPoint::kBind : ObservedPoint::kPreBind, status.code());
  done_->OnStatus(status);
}

void BindingRun::Tell(ObservedPoint point, Code code) {
  if (observer_ == nullptr) return;
  const Observer::Time now = Observer::Now();
  observer_->Ran(point, framework_->scheduler_name(), code, now - began_);
  began_ = now;
}

void BindingRun::NextPreBind() {
  const auto& plugins = framework_->pre_binders();
  while (next_ < plugins.size() && cycle_->skip_pre_bind.Has(plugins[next_].id)) ++next_;
  if (next_ < plugins.size()) return plugins[next_++].plugin->PreBind(*cycle_, *pod_, node_, *this);
  if (stopped_) return Ended(*stopped_);
  Tell(ObservedPoint::kPreBind, Code::kSuccess);
  binds_ = true;
  next_ = 0;
  NextBind();
}

void BindingRun::NextBind() {
  const auto& plugins = framework_->binders();
  if (next_ == plugins.size()) return Ended(Status::Skip());  // nobody wanted to
  plugins[next_++].plugin->Bind(*cycle_, *pod_, node_, *this);
}

}  // namespace ksched
