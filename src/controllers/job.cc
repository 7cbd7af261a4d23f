#include "controllers/job.h"

#include <algorithm>
#include <map>

#include "controllers/progress_text.h"
#include "controllers/victim_order.h"
#include "controllers/workload_util.h"

namespace ksched::controllers {
namespace {

constexpr const char* kJobNameLabels[] = {"batch.kubernetes.io/job-name", "job-name"};
constexpr const char* kJobUidLabels[] = {"batch.kubernetes.io/controller-uid", "controller-uid"};
constexpr const char* kCompletionIndex = "batch.kubernetes.io/job-completion-index";

// A uid that is made of namespace and name is no valid label.
std::string LabelOfUid(std::string uid) {
  std::ranges::replace(uid, '/', '.');
  return uid;
}

// "1,3-5"; what is no index ends it.
std::set<std::pair<int32_t, int32_t>> ParseIndexes(std::string_view text) {
  std::set<std::pair<int32_t, int32_t>> ranges;
  while (!text.empty()) {
    const std::string_view range = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), range.size() + 1));
    const size_t dash = range.find('-');
    const std::optional<int64_t> first = NumberOf(range.substr(0, dash));
    const std::optional<int64_t> last = dash == range.npos ? first : NumberOf(range.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last > INT32_MAX) break;
    ranges.emplace(static_cast<int32_t>(*first), static_cast<int32_t>(*last));
  }
  return ranges;
}

}  // namespace

api::Workload RunOfCronJob(const api::Workload& cron_job, const std::vector<api::Workload>& jobs) {
  api::Workload job = cron_job;
  const std::string name = cron_job.metadata.name + "-manual";
  const auto is_taken = [&](const std::string& taken) {
    return std::any_of(jobs.begin(), jobs.end(),
                       [&](const api::Workload& other) { return other.metadata.name == taken; });
  };
  job.kind = "Job";
  job.metadata = cron_job.job_metadata;
  job.metadata.name = name;
  for (int number = 1; is_taken(job.metadata.name); ++number) job.metadata.name = name + "-" + std::to_string(number);
  job.metadata.ns = cron_job.metadata.ns;
  job.metadata.uid = job.metadata.ns + "/" + job.metadata.name;
  job.suspend = cron_job.job_suspend;
  job.status = {};
  return job;
}

JobController::JobController(const Request& request) : maker_(request) {
  const bool cron = request.desired->kind == "CronJob";
  const api::Workload job = cron ? RunOfCronJob(*request.desired, request.existing.replica_sets) : *request.desired;
  api::OwnerReference owner{job.api_version, job.kind, job.metadata.name, job.metadata.uid, true};
  if (!cron) owner = OwnerOf(request);
  base_name_ = job.metadata.name;
  indexed_ = job.completion_mode == "Indexed";
  suspended_ = job.suspend;
  parallelism_ = std::max(0, job.parallelism.value_or(1));
  completions_ = job.completions;
  pattern_ = PatternOf(job.pod_template, job.metadata.ns, base_name_, owner);
  if (!job.manual_selector) {
    for (const char* label : kJobNameLabels) pattern_.metadata.labels[label] = base_name_;
    for (const char* label : kJobUidLabels) pattern_.metadata.labels[label] = LabelOfUid(owner.uid);
  }
  const api::Workload* live = cron ? nullptr : request.existing.workload;
  if (live == nullptr) return;
  deleting_ = live->metadata.deletion_timestamp.has_value();
  succeeded_ = live->status.succeeded;
  if (indexed_) {
    completed_ = ParseIndexes(live->status.completed_indexes);
    succeeded_ = 0;
    for (const auto& [first, last] : completed_) succeeded_ += static_cast<int64_t>(last) - first + 1;
  }
  for (const ManagedPod& pod : request.existing.pods) {
    if (IsOwnedBy(pod, owner)) pods_.push_back(pod);
  }
}

int64_t JobController::WantedActive(int64_t active) const {
  if (suspended_) return 0;
  if (!completions_) return succeeded_ > 0 ? active : parallelism_;
  return std::clamp<int64_t>(*completions_ - succeeded_, 0, parallelism_);
}

std::vector<ManagedPod*> JobController::ActivePods() {
  std::vector<ManagedPod*> active;
  for (ManagedPod& pod : pods_) {
    if (pod.active()) active.push_back(&pod);
  }
  return active;
}

Step JobController::Sync() {
  Step step;
  if (deleting_) return step;
  for (;;) {
    const std::vector<ManagedPod*> active = ActivePods();
    const auto count = static_cast<int64_t>(active.size());
    const int64_t wanted = WantedActive(count);
    if (Remove(std::max<int64_t>(0, count - wanted), active, step)) continue;
    const int64_t missing = wanted - count - static_cast<int64_t>(rejected_.size());
    if (missing <= 0 || suspended_) return step;
    if (!indexed_) {
      for (int64_t i = 0; i < missing; ++i) Create(std::nullopt, step);
      return step;
    }
    for (const int32_t index : FreeIndexes(missing, active)) Create(index, step);
    return step;
  }
}

std::vector<ManagedPod*> JobController::Superfluous(const std::vector<ManagedPod*>& active) const {
  std::map<int32_t, std::vector<const ManagedPod*>> by_index;
  std::vector<ManagedPod*> superfluous;
  for (ManagedPod* pod : active) {
    if (pod->completion_index && *pod->completion_index < completions_.value_or(0)) {
      by_index[*pod->completion_index].push_back(pod);
    } else {
      superfluous.push_back(pod);
    }
  }
  for (auto& [index, pods] : by_index) {
    SortJobVictims(pods);
    for (size_t i = 0; i + 1 < pods.size(); ++i) {
      superfluous.push_back(*std::find(active.begin(), active.end(), pods[i]));
    }
  }
  return superfluous;
}

bool JobController::Remove(int64_t at_least, std::vector<ManagedPod*> active, Step& step) {
  std::vector<ManagedPod*> victims;
  if (indexed_ && !suspended_) victims = Superfluous(active);
  if (static_cast<int64_t>(victims.size()) < at_least) {
    std::erase_if(active, [&](ManagedPod* pod) { return std::ranges::count(victims, pod) > 0; });
    std::vector<const ManagedPod*> order(active.begin(), active.end());
    SortJobVictims(order);
    order.resize(static_cast<size_t>(at_least) - victims.size());
    for (const ManagedPod* pod : order) victims.push_back(*std::find(active.begin(), active.end(), pod));
  }
  for (ManagedPod* pod : victims) {
    pod->deleting = true;
    step.remove.push_back(pod->name);
  }
  return !victims.empty();
}

// The lowest that no pod has and that are not done. What was rejected keeps its index.
std::vector<int32_t> JobController::FreeIndexes(int64_t count, const std::vector<ManagedPod*>& active) const {
  std::set<int32_t> used;
  for (const ManagedPod* pod : active) used.insert(pod->completion_index.value_or(-1));
  for (const std::optional<int32_t>& index : rejected_) used.insert(index.value_or(-1));
  std::vector<int32_t> free;
  auto range = completed_.begin();
  for (int64_t index = 0; index < completions_.value_or(0) && static_cast<int64_t>(free.size()) < count; ++index) {
    while (range != completed_.end() && range->second < index) ++range;
    if (range != completed_.end() && range->first <= index) {
      index = range->second;
    } else if (!used.contains(static_cast<int32_t>(index))) {
      free.push_back(static_cast<int32_t>(index));
    }
  }
  return free;
}

// Of an indexed Job: NAME-INDEX, or NAME-INDEX-0, ... if that is taken, as by the pod before.
void JobController::Create(std::optional<int32_t> index, Step& step) {
  std::string name;
  if (index) {
    const std::string base = base_name_ + "-" + std::to_string(*index);
    const auto is_known = [&](const std::string& known) {
      return std::any_of(pods_.begin(), pods_.end(), [&](const ManagedPod& pod) { return pod.name == known; });
    };
    name = base;
    for (int number = 0; !maker_.IsFree(name) || is_known(name); ++number) name = base + "-" + std::to_string(number);
  } else {
    name = maker_.NextName(base_name_);
  }
  NewPod made = maker_.Make(pattern_, name);
  if (index) {
    made.pod.metadata.labels[kCompletionIndex] = std::to_string(*index);
    made.pod.metadata.annotations[kCompletionIndex] = std::to_string(*index);
  }
  pods_.push_back(FromPod(made.pod));
  step.create.push_back(std::move(made));
}

void JobController::PodStarted(const std::string& name, const std::string& node_name) {
  for (ManagedPod& pod : pods_) {
    if (pod.name != name) continue;
    pod.node_name = node_name;
    pod.phase = "Running";
    pod.ready = true;
  }
}

void JobController::PodGone(const std::string& name) {
  if (pods_.remove_if([&](const ManagedPod& pod) { return pod.name == name; }) > 0) rejected_.clear();
}

void JobController::PodRejected(const std::string& name) {
  const auto found = std::find_if(pods_.begin(), pods_.end(), [&](const ManagedPod& pod) { return pod.name == name; });
  if (found == pods_.end()) return;
  rejected_.push_back(found->completion_index);
  pods_.erase(found);
}

Progress JobController::progress() const {
  Progress progress;
  int64_t active = 0, leaving = 0;
  for (const ManagedPod& pod : pods_) {
    active += pod.active();
    progress.ready += pod.active() && pod.ready;
    leaving += pod.deleting;
  }
  progress.desired = WantedActive(active);
  progress.updated = active;
  progress.complete = active == progress.desired && progress.ready == active && leaving == 0;
  if (!progress.complete) {
    progress.waiting_for =
        WhatIsMissing(progress.desired, progress.ready, static_cast<int64_t>(rejected_.size()), leaving);
  }
  return progress;
}

OnePodController::OnePodController(const Request& request)
    : maker_(request),
      pattern_(
          PatternOf(request.desired->pod_template, request.desired->metadata.ns, request.desired->metadata.name, {})),
      base_name_(request.desired->metadata.name) {}

Step OnePodController::Sync() {
  Step step;
  if (stage_ != Stage::kNone) return step;
  name_ = maker_.NextName(base_name_);
  stage_ = Stage::kCreated;
  step.create.push_back(maker_.Make(pattern_, name_));
  return step;
}

void OnePodController::PodStarted(const std::string& name, const std::string&) {
  if (name == name_) stage_ = Stage::kStarted;
}

// Nobody makes it again.
void OnePodController::PodGone(const std::string& name) {
  if (name == name_) stage_ = Stage::kGone;
}

void OnePodController::PodRejected(const std::string& name) {
  if (name == name_) stage_ = Stage::kRejected;
}

void OnePodController::RetryRejected() {
  if (stage_ == Stage::kRejected) stage_ = Stage::kNone;
}

Progress OnePodController::progress() const {
  Progress progress{.desired = 1,
                    .updated = stage_ == Stage::kCreated || stage_ == Stage::kStarted,
                    .ready = stage_ == Stage::kStarted};
  progress.complete = stage_ == Stage::kStarted;
  if (!progress.complete) progress.waiting_for = WhatIsMissing(1, 0, stage_ == Stage::kRejected, 0);
  return progress;
}

}  // namespace ksched::controllers
