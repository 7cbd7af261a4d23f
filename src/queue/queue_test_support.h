// For the tests of the queue: a clock that is set by hand, plugins that do as they are told, and a queue around them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/manual_clock.h"
#include "queue/scheduling_queue.h"

namespace ksched {

// As PrioritySort: higher priority first, then the earlier one.
class TestQueueSort final : public QueueSortPlugin {
 public:
  bool Less(const QueueSortKey& a, const QueueSortKey& b) const override {
    return a.priority != b.priority ? a.priority > b.priority : a.timestamp < b.timestamp;
  }
};

// Holds back the pods that have the gate.
class TestGate final : public PreEnqueuePlugin {
 public:
  explicit TestGate(std::string gate) : gate_(std::move(gate)) {}
  Status PreEnqueue(const PodInfo& pod) const override {
    ++calls;
    for (const std::string& gate : pod.pod_class->spec.scheduling_gates) {
      if (gate == gate_) return Status(Code::kUnschedulableAndUnresolvable);
    }
    return {};
  }
  mutable int calls = 0;

 private:
  std::string gate_;
};

// Plugins of the tests, by number.
inline constexpr PluginId kGateA = 1, kGateB = 2, kFit = 3, kTaints = 4, kDevices = 5, kDeaf = 6;

inline constexpr ClusterEvent kNodeAdd{EventResource::kNode, kAdd};
inline constexpr ClusterEvent kNodeLabel{EventResource::kNode, kUpdateNodeLabel};

inline QueueingHintFn Hint(QueueingHint hint) {
  return [hint](const PodInfo&, const EventObjects&) { return Result<QueueingHint>(hint); };
}

inline PluginSet Plugins(std::initializer_list<PluginId> ids) {
  PluginSet set;
  for (PluginId id : ids) set.Insert(id);
  return set;
}

// A queue with one profile "default-scheduler", which has the gates A and B; a test adds events, then calls Start.
class QueueHarness {
 public:
  QueueHarness() : pods(names, {}) {
    profile.scheduler_name = "default-scheduler";
    profile.queue_sort = &sort;
    profile.pre_enqueue = {{kGateA, &gate_a}, {kGateB, &gate_b}};
  }

  void Listen(PluginId plugin, const ClusterEvent& event, QueueingHintFn hint = nullptr) {
    profile.events.push_back({plugin, {{event, std::move(hint)}}});
  }
  SchedulingQueue& Start() {
    std::vector<QueueProfile> profiles = other_profiles;
    profiles.insert(profiles.begin(), profile);
    queue = std::make_unique<SchedulingQueue>(pods, clock, options, std::move(profiles));
    return *queue;
  }

  using Edit = std::function<void(api::Pod&)>;
  // Into the store only.
  PodId Make(const std::string& name, const Edit& edit = nullptr) {
    api::Pod pod;
    pod.metadata.name = pod.metadata.uid = name;
    pod.metadata.ns = "default";
    pod.spec.scheduler_name = "default-scheduler";
    if (edit) edit(pod);
    const PodId id = pods.Add(api::Pod(pod)).id;
    objects[id] = std::move(pod);
    return id;
  }
  // Into the queue, too; a microsecond passes.
  PodId Add(const std::string& name, const Edit& edit = nullptr) {
    const PodId id = Make(name, edit);
    queue->Add(id);
    clock.now += kNsPerUs;
    return id;
  }
  void Update(PodId id, const Edit& edit) {
    api::Pod& pod = objects[id];
    if (edit) edit(pod);
    const PodInfo old_pod = pods.Update(id, api::Pod(pod));
    queue->Update(old_pod, id);
  }
  // Pops a pod, which has to be this one, and brings it back as turned down by these plugins (none: an error).
  void Fail(PodId id, PluginSet unschedulable, PluginSet pending = {}) {
    QueuedPodInfo* info = queue->Pop();
    if (info == nullptr || info->id != id) return;  // what a test asks next will tell
    Return(*info, unschedulable, pending);
  }
  bool Return(QueuedPodInfo& info, PluginSet unschedulable, PluginSet pending = {}) {
    info.ClearRejectors();
    info.unschedulable_plugins = unschedulable;
    info.pending_plugins = pending;
    return queue->AddUnschedulableIfNotPresent(info);
  }

  std::string Where(PodId id) const {
    const QueuedPodInfo* info = queue->Find(id);
    if (info == nullptr) return "nowhere";
    std::string places;
    const auto add = [&](bool here, const char* place) {
      if (here) places += (places.empty() ? "" : "+") + std::string(place);
    };
    add(info->links.in_active != QueuedPodInfo::kNowhere, "active");
    add(info->links.in_backoff != QueuedPodInfo::kNowhere, "backoff");
    add(info->links.in_error_backoff != QueuedPodInfo::kNowhere, "error backoff");
    add(UnschedulablePods::Has(*info), info->gated() ? "gated" : "unschedulable");
    add(info->links.in_flight, "in flight");
    return places;
  }
  std::vector<std::string> PopAll() {
    std::vector<std::string> order;
    while (QueuedPodInfo* info = queue->Pop()) {
      order.push_back(info->pod->name());
      queue->Done(info->id);
    }
    return order;
  }

  ResourceNames names;
  PodStore pods;
  ManualClock clock;
  TestQueueSort sort;
  TestGate gate_a{"a"}, gate_b{"b"};
  QueueOptions options;
  QueueProfile profile;
  std::vector<QueueProfile> other_profiles;
  std::map<PodId, api::Pod> objects;
  std::unique_ptr<SchedulingQueue> queue;
};

}  // namespace ksched
