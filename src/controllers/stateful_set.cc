#include "controllers/stateful_set.h"

#include <algorithm>

#include "controllers/rollout_bounds.h"
#include "controllers/template_hash.h"
#include "controllers/workload_util.h"

namespace ksched::controllers {
namespace {

bool IsRunningAndReady(const ManagedPod& pod) { return pod.phase == "Running" && pod.ready; }
bool IsGoneOrBroken(const ManagedPod& pod) { return !pod.ready || pod.deleting; }

}  // namespace

Result<std::unique_ptr<WorkloadController>> StatefulSetController::Create(const Request& request) {
  const int32_t replicas = EffectiveReplicas(*request.desired, request.existing);
  const api::IntOrString one{.number = 1, .text = {}};
  const Result<int32_t> max_unavailable =
      ScaledValue(request.desired->max_unavailable.value_or(one), replicas, /*round_up=*/false);
  if (!max_unavailable) return Error{max_unavailable.error()}.Within("maxUnavailable");
  return std::unique_ptr<WorkloadController>(new StatefulSetController(request, std::max(1, *max_unavailable)));
}

StatefulSetController::StatefulSetController(const Request& request, int32_t max_unavailable)
    : maker_(request),
      name_(request.desired->metadata.name),
      ns_(request.desired->metadata.ns),
      claim_templates_(request.desired->claim_templates),
      start_(request.desired->ordinals_start.value_or(0)),
      replicas_(EffectiveReplicas(*request.desired, request.existing)),
      partition_(request.desired->partition.value_or(0)),
      max_unavailable_(max_unavailable),
      ordered_(request.desired->pod_management_policy != "Parallel"),
      rolling_(request.desired->strategy != "OnDelete") {
  const api::Workload& desired = *request.desired;
  const api::Workload* live = request.existing.workload;
  if (desired.selector) claim_labels_ = desired.selector->match_labels;
  if (!rolling_) partition_ = 0;
  const api::OwnerReference owner = OwnerOf(request);
  update_pattern_ = PatternOf(desired.pod_template, ns_, name_, owner);
  current_pattern_ =
      live != nullptr && request.template_changed ? PatternOf(live->pod_template, ns_, name_, owner) : update_pattern_;
  if (live != nullptr) {
    deleting_ = live->metadata.deletion_timestamp.has_value();
    for (const ManagedPod& pod : request.existing.pods) {
      const std::optional<int64_t> ordinal = OrdinalOf(pod.name);
      if (ordinal && IsOwnedBy(pod, owner)) pods_.emplace(*ordinal, pod);
    }
  }
  ChooseRevisions(request);
  settled_until_ = start_;
  outdated_until_ = end();
}

void StatefulSetController::ChooseRevisions(const Request& request) {
  const api::Workload* live = request.existing.workload;
  std::set<std::string> known;
  for (const auto& [ordinal, pod] : pods_) known.insert(pod.revision);
  if (live != nullptr) {
    current_revision_ = live->status.current_revision;
    known.insert({live->status.current_revision, live->status.update_revision});
    if (request.template_changed) {
      update_revision_ = request.reused_revision;
    } else {
      update_revision_ = live->status.update_revision.empty() ? RevisionOfLatestPod() : live->status.update_revision;
    }
  }
  const std::string text = TemplateTextOf(request);
  for (uint32_t collisions = 0; update_revision_.empty(); ++collisions) {
    const std::string revision = name_ + "-" + HashOfTemplate(text, collisions);
    if (!known.contains(revision)) update_revision_ = revision;
  }
  if (current_revision_.empty()) current_revision_ = update_revision_;
}

// Where a snapshot has no status.
std::string StatefulSetController::RevisionOfLatestPod() const {
  const ManagedPod* latest = nullptr;
  for (const auto& [ordinal, pod] : pods_) {
    if (latest == nullptr || latest->created < pod.created) latest = &pod;
  }
  return latest == nullptr ? std::string() : latest->revision;
}

std::optional<int64_t> StatefulSetController::OrdinalOf(const std::string& pod_name) const {
  if (!pod_name.starts_with(name_ + "-")) return std::nullopt;
  const std::string digits = pod_name.substr(name_.size() + 1);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  return NumberOf(digits);
}

Step StatefulSetController::Sync() {
  Step step;
  if (deleting_) return step;
  while (Pass(step)) continue;
  return step;
}

bool StatefulSetController::Pass(Step& step) {
  bool stop = false;
  bool acted = ProcessReplicas(step, stop);
  if (!stop) acted |= ProcessCondemned(step, stop);
  if (!stop && rolling_) acted |= Update(step);
  CompleteUpdate();
  return acted;
}

bool StatefulSetController::ProcessReplicas(Step& step, bool& stop) {
  bool acted = false, failed = false;
  for (int64_t ordinal = ordered_ ? settled_until_ : start_; ordinal < end(); ++ordinal) {
    const Outcome outcome = ProcessReplica(ordinal, step);
    acted |= outcome == Outcome::kActed;
    failed |= !pods_.contains(ordinal);
    if (ordered_ && outcome != Outcome::kGoOn) {
      stop = true;
      return acted;
    }
    settled_until_ = ordinal + 1;
  }
  stop = failed;
  return acted;
}

StatefulSetController::Outcome StatefulSetController::ProcessReplica(int64_t ordinal, Step& step) {
  const auto found = pods_.find(ordinal);
  if (found == pods_.end()) {
    if (!CanCreate(ordinal)) return Outcome::kStop;
    CreatePod(ordinal, step);
    return Outcome::kActed;
  }
  ManagedPod& pod = found->second;
  if (pod.terminal()) {
    if (pod.deleting) return Outcome::kStop;
    Remove(pod, step);
    return Outcome::kActed;
  }
  return ordered_ && (pod.deleting || !IsRunningAndReady(pod)) ? Outcome::kStop : Outcome::kGoOn;
}

bool StatefulSetController::CanCreate(int64_t ordinal) const {
  return !rejected_.contains(ordinal) && maker_.IsFree(NameOf(ordinal));
}

void StatefulSetController::CreatePod(int64_t ordinal, Step& step) {
  const std::string name = NameOf(ordinal);
  const bool current = rolling_ && ordinal < first_to_update();
  NewPod made = maker_.Make(current ? current_pattern_ : update_pattern_, name);
  api::StringMap& labels = made.pod.metadata.labels;
  labels["controller-revision-hash"] = current ? current_revision_ : update_revision_;
  labels["statefulset.kubernetes.io/pod-name"] = name;
  labels["apps.kubernetes.io/pod-index"] = std::to_string(ordinal);
  AddClaims(name, made);
  pods_[ordinal] = FromPod(made.pod);
  step.create.push_back(std::move(made));
}

// The claims of its templates become volumes, in place of those that have the same name.
void StatefulSetController::AddClaims(const std::string& pod_name, NewPod& made) {
  std::vector<api::Volume> volumes;
  for (const api::ClaimTemplate& claim_template : claim_templates_) {
    api::Volume volume;
    volume.name = claim_template.metadata.name;
    volume.claim_name = volume.name + "-" + pod_name;
    std::erase_if(made.pod.spec.volumes, [&](const api::Volume& other) { return other.name == volume.name; });
    if (maker_.ClaimIsMissing(volume.claim_name)) {
      api::PersistentVolumeClaim claim{.metadata = claim_template.metadata, .spec = claim_template.spec, .status = {}};
      claim.metadata.name = volume.claim_name;
      claim.metadata.ns = ns_;
      claim.metadata.uid = ns_ + "/" + volume.claim_name;
      claim.metadata.resource_version = "1";
      for (const auto& [key, value] : claim_labels_) claim.metadata.labels[key] = value;
      claim.status.phase = "Pending";
      made.claims.push_back(std::move(claim));
    }
    volumes.push_back(std::move(volume));
  }
  made.pod.spec.volumes.insert(made.pod.spec.volumes.begin(), volumes.begin(), volumes.end());
}

void StatefulSetController::Remove(ManagedPod& pod, Step& step) {
  pod.deleting = true;
  settled_until_ = std::clamp(OrdinalOf(pod.name).value_or(start_), start_, settled_until_);
  step.remove.push_back(pod.name);
}

bool StatefulSetController::IsUnavailable(int64_t ordinal) const {
  const auto found = pods_.find(ordinal);
  return found == pods_.end() || IsGoneOrBroken(found->second);
}

std::optional<int64_t> StatefulSetController::FirstUnavailable() const {
  for (int64_t ordinal = start_; ordinal < end(); ++ordinal) {
    if (IsUnavailable(ordinal)) return ordinal;
  }
  for (const auto& [ordinal, pod] : pods_) {
    if ((ordinal < start_ || ordinal >= end()) && IsGoneOrBroken(pod)) return ordinal;
  }
  return std::nullopt;
}

// Pods outside of the range of ordinals, the highest first. In order: one at a time, and a broken one only if it is the
// first that is broken.
bool StatefulSetController::ProcessCondemned(Step& step, bool& stop) {
  if (!HasCondemned()) return false;
  const std::optional<int64_t> first_unavailable = FirstUnavailable();
  bool acted = false;
  for (auto at = pods_.rbegin(); at != pods_.rend(); ++at) {
    auto& [ordinal, pod] = *at;
    if (ordinal >= start_ && ordinal < end()) continue;
    if (ordered_ && (pod.deleting || (!IsRunningAndReady(pod) && ordinal != first_unavailable))) {
      stop = true;
      return acted;
    }
    if (pod.deleting) continue;
    Remove(pod, step);
    acted = true;
    if (ordered_) {
      stop = true;
      return acted;
    }
  }
  return acted;
}

bool StatefulSetController::IsOutdated(int64_t ordinal) const {
  const auto found = pods_.find(ordinal);
  return found != pods_.end() && !found->second.deleting && found->second.revision != update_revision_;
}

// From the highest ordinal down to the partition, no more than may be unavailable. In order none is when it comes to
// this.
bool StatefulSetController::Update(Step& step) {
  if (!ordered_) return UpdateParallel(step);
  int64_t removed = 0;
  for (; outdated_until_ > first_to_update() && removed < max_unavailable_; --outdated_until_) {
    const int64_t ordinal = outdated_until_ - 1;
    if (!IsOutdated(ordinal)) continue;
    Remove(pods_.at(ordinal), step);
    ++removed;
  }
  return removed > 0;
}

// What is broken already costs nothing: it goes first.
bool StatefulSetController::UpdateParallel(Step& step) {
  int64_t unavailable = 0;
  for (int64_t ordinal = start_; ordinal < end(); ++ordinal) unavailable += IsUnavailable(ordinal);
  bool acted = false;
  for (int64_t ordinal = end() - 1; ordinal >= first_to_update(); --ordinal) {
    if (!IsOutdated(ordinal) || pods_.at(ordinal).ready) continue;
    Remove(pods_.at(ordinal), step);
    acted = true;
  }
  int64_t budget = max_unavailable_ - unavailable;
  for (int64_t ordinal = end() - 1; ordinal >= first_to_update() && budget > 0; --ordinal) {
    if (!IsOutdated(ordinal) || IsUnavailable(ordinal)) continue;
    Remove(pods_.at(ordinal), step);
    --budget;
    acted = true;
  }
  return acted;
}

bool StatefulSetController::HasCondemned() const {
  return !pods_.empty() && (pods_.begin()->first < start_ || pods_.rbegin()->first >= end());
}

void StatefulSetController::CompleteUpdate() {
  if (current_revision_ == update_revision_) return;
  int64_t updated = 0, ready = 0;
  for (const auto& [ordinal, pod] : pods_) {
    updated += !pod.deleting && pod.revision == update_revision_;
    ready += IsRunningAndReady(pod);
  }
  const auto count = static_cast<int64_t>(pods_.size());
  if (updated != replicas_ || ready != replicas_ || count != replicas_) return;
  current_revision_ = update_revision_;
  current_pattern_ = update_pattern_;
}

ManagedPod* StatefulSetController::Find(const std::string& name) {
  const std::optional<int64_t> ordinal = OrdinalOf(name);
  const auto found = ordinal ? pods_.find(*ordinal) : pods_.end();
  return found != pods_.end() && found->second.name == name ? &found->second : nullptr;
}

void StatefulSetController::PodStarted(const std::string& name, const std::string& node_name) {
  ManagedPod* pod = Find(name);
  if (pod == nullptr) return;
  pod->node_name = node_name;
  pod->phase = "Running";
  pod->ready = true;
}

void StatefulSetController::PodGone(const std::string& name) {
  if (Find(name) == nullptr) return;
  const int64_t ordinal = *OrdinalOf(name);
  pods_.erase(ordinal);
  settled_until_ = std::clamp(ordinal, start_, settled_until_);
  rejected_.clear();
}

void StatefulSetController::PodRejected(const std::string& name) {
  const std::optional<int64_t> ordinal = OrdinalOf(name);
  if (ordinal && pods_.erase(*ordinal) > 0) rejected_.insert(*ordinal);
}

Progress StatefulSetController::progress() const {
  Progress progress{.desired = replicas_};
  int64_t to_update = 0, extra = 0;
  for (const auto& [ordinal, pod] : pods_) {
    if (pod.terminal()) continue;
    extra += pod.deleting || ordinal < start_ || ordinal >= end();
    if (pod.deleting) continue;
    progress.ready += IsRunningAndReady(pod);
    (pod.revision == update_revision_ ? progress.updated : progress.old) += 1;
    to_update += rolling_ && ordinal >= first_to_update() && pod.revision != update_revision_;
  }
  progress.complete =
      to_update == 0 && extra == 0 && progress.ready == replicas_ && progress.updated + progress.old == replicas_;
  if (!progress.complete) progress.waiting_for = WaitingFor(progress.ready);
  return progress;
}

std::string StatefulSetController::WaitingFor(int64_t ready) const {
  std::string blocker;  // the first that is in the way of another
  for (int64_t ordinal = start_; ordinal < end(); ++ordinal) {
    const auto found = pods_.find(ordinal);
    if (found == pods_.end()) {
      if (rejected_.contains(ordinal)) return NameOf(ordinal) + " was rejected";
      if (!maker_.IsFree(NameOf(ordinal))) return NameOf(ordinal) + " is the name of another pod";
      if (ordered_ && !blocker.empty()) return NameOf(ordinal) + " is not created before " + blocker + " is ready";
    } else if (blocker.empty() && (found->second.deleting || !IsRunningAndReady(found->second))) {
      blocker = NameOf(ordinal);
    }
  }
  for (int64_t ordinal = end() - 1; rolling_ && ordinal >= first_to_update(); --ordinal) {
    if (!blocker.empty() && IsOutdated(ordinal) && NameOf(ordinal) != blocker) {
      return NameOf(ordinal) + " is not updated before " + blocker + " is ready";
    }
  }
  if (!blocker.empty()) return blocker + " is not ready";
  return std::to_string(ready) + " of " + std::to_string(replicas_) + " pods are ready";
}

}  // namespace ksched::controllers
