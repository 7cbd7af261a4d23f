#include "controllers/daemon_set.h"

#include <algorithm>
#include <tuple>

#include "controllers/progress_text.h"
#include "controllers/rollout_bounds.h"
#include "controllers/template_hash.h"
#include "controllers/workload_util.h"

namespace ksched::controllers {
namespace {

constexpr const char* kGenerationAnnotation = "deprecated.daemonset.template.generation";

// Those on the node before those that are to come there, then the oldest.
bool StaysLonger(const ManagedPod* a, const ManagedPod* b) {
  if (a->node_name.empty() != b->node_name.empty()) return !a->node_name.empty();
  return std::tie(a->created, a->name) < std::tie(b->created, b->name);
}

}  // namespace

Result<std::unique_ptr<WorkloadController>> DaemonSetController::Create(const Request& request) {
  std::unique_ptr<DaemonSetController> made(new DaemonSetController(request));
  if (!made->rolling_) return std::unique_ptr<WorkloadController>(std::move(made));
  const api::IntOrString one{.number = 1, .text = {}};
  const api::IntOrString surge = request.desired->max_surge.value_or(api::IntOrString{});
  const api::IntOrString unavailable = request.desired->max_unavailable.value_or(one);
  const auto desired = static_cast<int32_t>(made->desired_);
  const Result<int32_t> max_surge = ScaledValue(surge, desired, /*round_up=*/true);
  if (!max_surge) return Error{max_surge.error()}.Within("maxSurge");
  const Result<int32_t> max_unavailable = ScaledValue(unavailable, desired, /*round_up=*/true);
  if (!max_unavailable) return Error{max_unavailable.error()}.Within("maxUnavailable");
  made->max_surge_ = *max_surge;
  made->max_unavailable_ = *max_unavailable;
  if (*max_surge == 0 && *max_unavailable == 0) made->max_unavailable_ = 1;
  const Result<int32_t> surge_of_one = ScaledValue(surge, 1, /*round_up=*/true);
  made->surges_ = surge_of_one && *surge_of_one > 0;
  return std::unique_ptr<WorkloadController>(std::move(made));
}

DaemonSetController::DaemonSetController(const Request& request)
    : maker_(request), base_name_(request.desired->metadata.name), rolling_(request.desired->strategy != "OnDelete") {
  const api::Workload& desired = *request.desired;
  const api::OwnerReference owner = OwnerOf(request);
  pattern_ = PatternOf(desired.pod_template, desired.metadata.ns, base_name_, owner);
  AddDaemonTolerations(pattern_.spec);
  for (const DaemonNode& node : request.nodes) {
    Place& place = PlaceOf(node.name);
    place.exists = true;
    place.verdict = JudgeNode(pattern_.spec, node);
    desired_ += place.verdict.should_run;
  }
  if (const api::Workload* live = request.existing.workload; live != nullptr) {
    deleting_ = live->metadata.deletion_timestamp.has_value();
    for (const ManagedPod& pod : request.existing.pods) {
      if (!IsOwnedBy(pod, owner) || pod.target_node.empty() || (pod.terminal() && pod.deleting)) continue;
      PlaceOf(pod.target_node).pods.push_back(pod);
      by_pod_[pod.name] = by_node_.at(pod.target_node);
    }
  }
  ChooseRevision(request);
  pattern_.metadata.labels["controller-revision-hash"] = revision_;
  if (!generation_.empty()) pattern_.metadata.labels["pod-template-generation"] = generation_;
}

DaemonSetController::Place& DaemonSetController::PlaceOf(const std::string& node_name) {
  const auto [found, added] = by_node_.try_emplace(node_name, places_.size());
  if (added) places_.push_back(Place{.name = node_name, .exists = false, .verdict = {}, .pods = {}});
  return places_[found->second];
}

// The API server counts the changes of the template; pods say of which they are.
void DaemonSetController::ChooseRevision(const Request& request) {
  const api::Workload* live = request.existing.workload;
  if (live == nullptr) {
    generation_ = "1";
  } else if (const auto number = NumberOf(ValueOf(live->metadata.annotations, kGenerationAnnotation))) {
    generation_ = std::to_string(*number + (request.template_changed ? 1 : 0));
  }
  if (live != nullptr) revision_ = request.template_changed ? request.reused_revision : RevisionOfPods();
  std::set<std::string> known;
  for (const Place& place : places_) {
    for (const ManagedPod& pod : place.pods) known.insert(pod.revision);
  }
  const std::string text = TemplateTextOf(request);
  for (uint32_t collisions = 0; revision_.empty(); ++collisions) {
    const std::string hash = HashOfTemplate(text, collisions);
    if (!known.contains(hash)) revision_ = hash;
  }
}

// Of the live template: of a pod of its generation; without generations, of the youngest pod.
std::string DaemonSetController::RevisionOfPods() const {
  const ManagedPod* latest = nullptr;
  for (const Place& place : places_) {
    for (const ManagedPod& pod : place.pods) {
      if (!generation_.empty() && pod.template_generation != generation_) continue;
      if (latest == nullptr || latest->created < pod.created) latest = &pod;
    }
  }
  return latest == nullptr ? std::string() : latest->revision;
}

Step DaemonSetController::Sync() {
  Step step;
  if (deleting_) return step;
  while (Manage(step) || (rolling_ && (surges_ ? RollOutSurging(step) : RollOut(step)))) continue;
  return step;
}

bool DaemonSetController::Manage(Step& step) {
  bool acted = false;
  for (Place& place : places_) {
    if (place.exists) {
      acted |= ManagePlace(place, step);
      continue;
    }
    for (ManagedPod& pod : place.pods) {  // nobody else would remove what waits for a node that is gone
      if (!pod.node_name.empty() || pod.deleting) continue;
      Remove(pod, step);
      acted = true;
    }
  }
  return acted;
}

bool DaemonSetController::ManagePlace(Place& place, Step& step) {
  if (place.verdict.should_run && place.pods.empty()) return Create(place, step);
  if (place.verdict.should_continue && place.pods.size() == 1 && place.pods.front().active()) return false;
  bool acted = false;
  std::vector<ManagedPod*> running;
  for (ManagedPod& pod : place.pods) {
    if (pod.deleting) continue;
    if (place.verdict.should_continue && !pod.terminal()) {
      running.push_back(&pod);
      continue;
    }
    Remove(pod, step);
    acted = true;
  }
  if (surges_ && running.empty() && place.verdict.should_run) return Create(place, step) || acted;
  return RemoveExcess(place, std::move(running), step) || acted;
}

bool DaemonSetController::RemoveExcess(Place& place, std::vector<ManagedPod*> running, Step& step) {
  if (running.size() <= 1 || !place.verdict.should_continue) return false;
  std::sort(running.begin(), running.end(), StaysLonger);
  if (!surges_) {
    for (size_t i = 1; i < running.size(); ++i) Remove(*running[i], step);
    return true;
  }
  ManagedPod *updated = nullptr, *old = nullptr;
  bool acted = false;
  for (ManagedPod* pod : running) {
    ManagedPod*& kept = pod->revision == revision_ ? updated : old;
    if (kept == nullptr) {
      kept = pod;
      continue;
    }
    Remove(*pod, step);
    acted = true;
  }
  if (updated == nullptr || old == nullptr || (old->ready && !updated->ready)) return acted;
  Remove(*old, step);
  return true;
}

bool DaemonSetController::IsUpdated(const ManagedPod& pod) const {
  return pod.revision == revision_ || (!generation_.empty() && pod.template_generation == generation_);
}

DaemonSetController::Pair DaemonSetController::PairOn(Place& place) const {
  Pair pair;
  for (ManagedPod& pod : place.pods) {
    if (pod.deleting) continue;
    ManagedPod*& slot = IsUpdated(pod) ? pair.updated : pair.old;
    pair.excess |= slot != nullptr;
    slot = &pod;
  }
  return pair;
}

// Old pods go where that leaves no more than may be unavailable; Manage() makes the new ones once they are gone.
bool DaemonSetController::RollOut(Step& step) {
  int64_t unavailable = 0;
  std::vector<ManagedPod*> broken, candidates;
  for (Place& place : places_) {
    if (place.pods.empty() && !place.verdict.should_run) continue;
    const Pair pair = PairOn(place);
    if (pair.excess || (pair.old == nullptr) == (pair.updated == nullptr)) {
      ++unavailable;
    } else if (pair.updated != nullptr) {
      unavailable += !pair.updated->ready;
    } else if (!pair.old->ready) {
      broken.push_back(pair.old);
      ++unavailable;
    } else if (unavailable < max_unavailable_) {
      candidates.push_back(pair.old);
    }
  }
  const int64_t room = std::max<int64_t>(0, max_unavailable_ - unavailable);
  candidates.resize(std::min(candidates.size(), static_cast<size_t>(room)));
  for (ManagedPod* pod : broken) Remove(*pod, step);
  for (ManagedPod* pod : candidates) Remove(*pod, step);
  return !broken.empty() || !candidates.empty();
}

// New pods come beside old ones, which go once the new ones are ready.
bool DaemonSetController::RollOutSurging(Step& step) {
  const size_t removed_before = step.remove.size();
  Surge surge;
  for (Place& place : places_) {
    if (!place.pods.empty() || place.verdict.should_run) CollectForSurge(place, surge, step);
  }
  const auto removable = static_cast<size_t>(std::max<int64_t>(0, surge.available - desired_));
  surge.doomed.resize(std::min(surge.doomed.size(), removable));
  for (ManagedPod* pod : surge.doomed) Remove(*pod, step);
  const auto room = static_cast<size_t>(std::max<int64_t>(0, max_surge_ - surge.surging));
  surge.candidates.resize(std::min(surge.candidates.size(), room));
  bool created = false;
  for (Place* place : surge.allowed) created |= Create(*place, step);
  for (Place* place : surge.candidates) created |= Create(*place, step);
  return created || step.remove.size() > removed_before;
}

void DaemonSetController::CollectForSurge(Place& place, Surge& surge, Step& step) {
  const Pair pair = PairOn(place);
  if (pair.excess) {
    ++surge.surging;
    return;
  }
  const ManagedPod* counted = pair.old != nullptr ? pair.old : pair.updated;
  surge.available += counted != nullptr && counted->ready;
  if (pair.old == nullptr) return;
  if (pair.updated != nullptr) {
    if (pair.updated->ready) {
      Remove(*pair.old, step);
    } else {
      ++surge.surging;
    }
  } else if (!place.verdict.should_run) {
    if (pair.old->ready) {
      surge.doomed.push_back(pair.old);
    } else {
      Remove(*pair.old, step);
    }
  } else if (!pair.old->ready) {
    surge.allowed.push_back(&place);
  } else if (surge.surging < max_surge_) {
    surge.candidates.push_back(&place);
  }
}

bool DaemonSetController::Create(Place& place, Step& step) {
  if (rejected_.contains(place.name)) return false;
  NewPod made = maker_.Make(pattern_, maker_.NextName(base_name_));
  TieToNode(made.pod.spec, place.name);
  place.pods.push_back(FromPod(made.pod));
  by_pod_[made.pod.metadata.name] = by_node_.at(place.name);
  step.create.push_back(std::move(made));
  return true;
}

void DaemonSetController::Remove(ManagedPod& pod, Step& step) {
  pod.deleting = true;
  step.remove.push_back(pod.name);
}

DaemonSetController::Place* DaemonSetController::Drop(const std::string& name) {
  const auto found = by_pod_.find(name);
  if (found == by_pod_.end()) return nullptr;
  Place& place = places_[found->second];
  std::erase_if(place.pods, [&](const ManagedPod& pod) { return pod.name == name; });
  by_pod_.erase(found);
  return &place;
}

void DaemonSetController::PodStarted(const std::string& name, const std::string& node_name) {
  const auto found = by_pod_.find(name);
  if (found == by_pod_.end()) return;
  for (ManagedPod& pod : places_[found->second].pods) {
    if (pod.name != name) continue;
    pod.node_name = node_name;
    pod.phase = "Running";
    pod.ready = true;
  }
}

void DaemonSetController::PodGone(const std::string& name) {
  if (Drop(name) != nullptr) rejected_.clear();
}

void DaemonSetController::PodRejected(const std::string& name) {
  if (const Place* place = Drop(name); place != nullptr) rejected_.insert(place->name);
}

Progress DaemonSetController::progress() const {
  Progress progress{.desired = desired_};
  int64_t leaving = 0;
  for (const Place& place : places_) {
    for (const ManagedPod& pod : place.pods) {
      leaving += pod.deleting;
      if (!pod.active()) continue;
      progress.ready += pod.ready;
      (IsUpdated(pod) ? progress.updated : progress.old) += 1;
    }
  }
  const int64_t all = progress.updated + progress.old;
  progress.complete = all == desired_ && progress.ready == desired_ && leaving == 0 && (!rolling_ || progress.old == 0);
  if (progress.complete) return progress;
  progress.waiting_for = WhatIsMissing(desired_, progress.ready, static_cast<int64_t>(rejected_.size()), leaving);
  if (rolling_ && progress.old > 0) {
    progress.waiting_for += "; " + std::to_string(progress.old) + " of the old template are left";
  }
  return progress;
}

}  // namespace ksched::controllers
