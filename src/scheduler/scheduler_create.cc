// Scheduler::Create: the profiles and the queue of a configuration.

#include <fmt/format.h>

#include "scheduler/binding.h"

namespace ksched {

class Scheduler::DeviceClasses final : public DeviceClassLister {
 public:
  explicit DeviceClasses(const ClusterObjects& objects) : objects_(objects) {}
  const api::DeviceClass* ForExtendedResource(std::string_view resource) const override {
    return objects_.ProviderOf(resource);
  }

 private:
  const ClusterObjects& objects_;
};

Scheduler::Scheduler(const SchedulerOptions& options, const SchedulerWorld& world)
    : world_(world),
      device_classes_(std::make_unique<DeviceClasses>(world.state.objects())),
      configuration_(options.configuration),
      features_(options.features),
      use_class_cache_(options.use_class_cache),
      record_scores_(options.record_scores),
      observer_(options.observer),
      max_in_unschedulable_(options.max_in_unschedulable),
      only_node_(options.only_node),
      force_node_(options.force_node),
      cache_(world.state),
      waiting_pods_(reasons_),
      expects_(options.features.Enabled(config::Gate::kNominatedNodeNameForExpectation)) {
  if (options.tie_seed) ties_.emplace(*options.tie_seed);
}

Scheduler::~Scheduler() = default;

Result<std::unique_ptr<Scheduler>> Scheduler::Create(const SchedulerOptions& options, const SchedulerWorld& world) {
  std::unique_ptr<Scheduler> scheduler(new Scheduler(options, world));
  if (auto created = scheduler->CreateProfiles(); !created) return std::move(created).error();
  scheduler->CreateQueue();
  return scheduler;
}

Result<void> Scheduler::CreateProfiles() {
  const FrameworkContext context{world_.state, reasons_, features_, *device_classes_, world_.ports, waiting_pods_};
  std::vector<config::ExpandedProfile> expanded;
  for (const config::Profile& profile : configuration_.profiles) {
    auto framework = Framework::Create(profile, world_.registry, context);
    if (!framework) {
      return Error{fmt::format("initializing profiles: creating profile for scheduler name {}: {}",
                               profile.scheduler_name, framework.error().message)};
    }
    Profile created{std::move(*framework), nullptr};
    if (use_class_cache_) created.cache = std::make_unique<ClassCache>(*created.framework, verdicts_);
    expanded.push_back(created.framework->expanded());
    profiles_.push_back(std::move(created));
  }
  if (auto checked = config::CheckQueueSort(configuration_, expanded); !checked) {
    return Error{"initializing profiles: " + checked.error().message};
  }
  return {};
}

void Scheduler::CreateQueue() {
  QueueOptions options;
  options.initial_backoff_ns = configuration_.pod_initial_backoff_seconds * kNsPerSecond;
  options.max_backoff_ns = configuration_.pod_max_backoff_seconds * kNsPerSecond;
  options.observer = observer_;
  if (max_in_unschedulable_) options.max_in_unschedulable_ns = *max_in_unschedulable_;
  options.pop_from_backoff_q = features_.Enabled(config::Gate::kSchedulerPopFromBackoffQ);
  std::vector<QueueProfile> profiles;
  for (const Profile& profile : profiles_) {
    QueueProfile& queued = profiles.emplace_back();
    queued.scheduler_name = profile.framework->scheduler_name();
    queued.queue_sort = &profile.framework->queue_sort();
    for (const auto& entry : profile.framework->pre_enqueue()) queued.pre_enqueue.emplace_back(entry.id, entry.plugin);
    queued.events = profile.framework->QueueingHints();
    for (const auto& [plugin, events] : queued.events) {
      for (const ClusterEventWithHint& one : events) listened_[one.event.resource] |= one.event.action;
    }
  }
  queue_ = std::make_unique<SchedulingQueue>(world_.state.pod_store(), world_.clock, options, std::move(profiles));
  for (Profile& profile : profiles_) profile.framework->set_nominator(queue_->nominator());
}

Scheduler::Profile* Scheduler::ProfileOf(const std::string& scheduler_name) {
  for (Profile& profile : profiles_) {
    if (profile.framework->scheduler_name() == scheduler_name) return &profile;
  }
  return nullptr;
}

const Framework* Scheduler::FindProfile(const std::string& scheduler_name) const {
  for (const Profile& profile : profiles_) {
    if (profile.framework->scheduler_name() == scheduler_name) return profile.framework.get();
  }
  return nullptr;
}

void Scheduler::ClearClassCaches() {
  for (Profile& profile : profiles_) {
    if (profile.cache != nullptr) profile.cache->Clear();
  }
}

CacheCounters Scheduler::cache_counters() const {
  CacheCounters sum;
  for (const Profile& profile : profiles_) {
    if (profile.cache == nullptr) continue;
    const CacheCounters& one = profile.cache->counters();
    sum.filters_computed += one.filters_computed;
    sum.scores_computed += one.scores_computed;
    sum.entries_made += one.entries_made;
    sum.entries_dropped += one.entries_dropped;
  }
  return sum;
}

}  // namespace ksched
