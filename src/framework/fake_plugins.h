// For unit tests: plugins that answer what they are told, and a profile made of them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "framework/framework.h"
#include "framework/testing.h"

namespace ksched::testing_support {

// What a fake plugin does; what is left out succeeds.
struct FakeBehaviour {
  Dependencies dependencies;
  std::function<Status(CycleState&, PreFilterResult&)> pre_filter;
  std::function<Status(const PodInfo&, const NodeView&)> filter;
  std::function<Status(PostFilterResult&)> post_filter;
  std::function<Status()> pre_score;
  std::function<Status(const NodeView&, int64_t&)> score;
  std::function<void(std::span<int64_t>)> normalize;
  std::function<Status()> pre_enqueue, reserve, permit, pre_bind, bind;
  std::chrono::nanoseconds permit_timeout{};
  // PreBind or Bind takes its time: it is over when the test tells the receiver.
  StatusReceiver** pre_bind_pending = nullptr;
  StatusReceiver** bind_pending = nullptr;
  std::function<void()> unreserve;
};

class FakePlugin final : public Plugin,
                         public PreEnqueuePlugin,
                         public QueueSortPlugin,
                         public PreFilterPlugin,
                         public FilterPlugin,
                         public PostFilterPlugin,
                         public PreScorePlugin,
                         public ScorePlugin,
                         public ReservePlugin,
                         public PermitPlugin,
                         public PreBindPlugin,
                         public BindPlugin {
 public:
  FakePlugin(std::string name, std::shared_ptr<FakeBehaviour> behaviour)
      : name_(std::move(name)), does_(std::move(behaviour)) {}
  std::string_view name() const override { return name_; }
  Dependencies dependencies() const override { return does_->dependencies; }
  Status PreEnqueue(const PodInfo&) const override { return Call(does_->pre_enqueue); }
  bool Less(const QueueSortKey& a, const QueueSortKey& b) const override {
    return a.priority > b.priority || (a.priority == b.priority && a.timestamp < b.timestamp);
  }
  Status PreFilter(CycleState& cycle, const PodInfo&, PreFilterResult& result) const override {
    return Call(does_->pre_filter, cycle, result);
  }
  Status Filter(const CycleState&, const PodInfo& pod, const NodeView& node) const override {
    return Call(does_->filter, pod, node);
  }
  Status PostFilter(CycleState&, const PodInfo&, const NodeStatuses&, PostFilterResult& result) override {
    return Call(does_->post_filter, result);
  }
  Status PreScore(CycleState&, const PodInfo&, std::span<const NodeId>) const override {
    return Call(does_->pre_score);
  }
  Status Score(const CycleState&, const PodInfo&, const NodeView& node, int64_t& score) const override {
    return Call(does_->score, node, score);
  }
  bool normalizes() const override { return static_cast<bool>(does_->normalize); }
  Status NormalizeScore(const CycleState&, const PodInfo&, std::span<int64_t> scores) const override {
    does_->normalize(scores);
    return {};
  }
  Status Reserve(CycleState&, const PodInfo&, NodeId) override { return Call(does_->reserve); }
  void Unreserve(CycleState&, const PodInfo&, NodeId) override {
    if (does_->unreserve) does_->unreserve();
  }
  Status Permit(CycleState&, const PodInfo&, NodeId, std::chrono::nanoseconds& timeout) override {
    timeout = does_->permit_timeout;
    return Call(does_->permit);
  }
  Status PreBindPreFlight(CycleState&, const PodInfo&, NodeId) override { return {}; }
  void PreBind(CycleState&, const PodInfo&, NodeId, StatusReceiver& done) override {
    if (does_->pre_bind_pending != nullptr) {
      *does_->pre_bind_pending = &done;
    } else {
      done.OnStatus(Call(does_->pre_bind));
    }
  }
  void Bind(CycleState&, const PodInfo&, NodeId, StatusReceiver& done) override {
    if (does_->bind_pending != nullptr) {
      *does_->bind_pending = &done;
    } else {
      done.OnStatus(Call(does_->bind));
    }
  }

 private:
  template <typename F, typename... Args>
  static Status Call(const F& function, Args&&... args) {
    return function ? function(std::forward<Args>(args)...) : Status();
  }

  std::string name_;
  std::shared_ptr<FakeBehaviour> does_;
};

// Fake plugins by name, in the order in which they are added; PluginId is that order. Each is enabled at the extension
// points given.
class FakeProfile {
 public:
  FakeBehaviour& Add(const std::string& name, const std::vector<config::ExtensionPoint>& points, int32_t weight = 1) {
    auto behaviour = std::make_shared<FakeBehaviour>();
    uint32_t mask = 0;
    for (const config::ExtensionPoint point : points) {
      mask |= config::MaskOf(point);
      profile.plugins.At(point).enabled.push_back({name, point == config::ExtensionPoint::kScore ? weight : 0, false});
    }
    registry.push_back({name, mask, [name, behaviour](const config::PluginArgs&, const PluginContext&) {
                          return Result<std::unique_ptr<Plugin>>(std::make_unique<FakePlugin>(name, behaviour));
                        }});
    return *behaviour;
  }
  // What every profile has to have.
  FakeProfile() {
    profile.scheduler_name = "default-scheduler";
    Add("Sort", {config::ExtensionPoint::kQueueSort});
    Add("Binder", {config::ExtensionPoint::kBind});
  }

  // Its framework on the cluster. Borrows both.
  Result<std::unique_ptr<Framework>> CreateFramework(TestCluster& cluster) const {
    return Framework::Create(
        profile, registry,
        {cluster.state, cluster.reasons, cluster.features, cluster.device_classes, {}, cluster.waiting_pods});
  }

  PluginRegistry registry;
  config::Profile profile;
};

}  // namespace ksched::testing_support
