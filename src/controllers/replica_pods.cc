#include "controllers/replica_pods.h"

#include <algorithm>
#include <utility>

namespace ksched::controllers {

ReplicaPods::ReplicaPods(const Request& request, std::string base_name, bool related)
    : maker_(request), base_name_(std::move(base_name)), related_(related), now_(request.now) {}

size_t ReplicaPods::AddSet(ReplicaSetState set) {
  sets_.push_back(std::move(set));
  return sets_.size() - 1;
}

void ReplicaPods::AddPod(size_t set, const ManagedPod& pod) {
  const auto member = members_.insert(members_.end(), Member{.pod = pod, .set = set});
  by_name_[pod.name] = member;
  Count(*member, 1);
}

void ReplicaPods::Count(const Member& member, int32_t by) {
  ReplicaSetState& set = sets_[member.set];
  if (!member.pod.terminal()) set.present += by;
  if (!member.pod.active()) return;
  set.active += by;
  if (related_) active_on_node_[member.pod.node_name] += by;
  if (member.pod.ready) set.available += by;
}

bool ReplicaPods::Manage(Step& step) {
  bool changed = false;
  for (size_t set = 0; set < sets_.size(); ++set) changed |= Manage(set, step);
  return changed;
}

bool ReplicaPods::Manage(size_t set, Step& step) {
  ReplicaSetState& state = sets_[set];
  const int32_t missing = state.replicas - state.active;
  if (missing < 0) {
    Remove(set, -missing, step);
    return true;
  }
  state.rejected = std::min(state.rejected, missing);
  if (missing == state.rejected) return false;
  Create(set, missing - state.rejected, step);
  return true;
}

void ReplicaPods::Create(size_t set, int32_t count, Step& step) {
  for (int32_t i = 0; i < count; ++i) {
    NewPod made = maker_.Make(sets_[set].pattern, maker_.NextName(base_name_));
    ManagedPod pod = FromPod(made.pod);
    pod.created = now_;
    AddPod(set, pod);
    step.create.push_back(std::move(made));
  }
}

void ReplicaPods::Remove(size_t set, int32_t count, Step& step) {
  std::vector<const ManagedPod*> candidates;
  for (const Member& member : members_) {
    if (member.set == set && member.pod.active()) candidates.push_back(&member.pod);
  }
  const auto victims = ReplicaVictims(candidates, static_cast<size_t>(count), active_on_node_, now_);
  for (const ManagedPod* victim : victims) {
    const auto found = by_name_.find(victim->name);
    const std::string name = victim->name;
    const auto made = std::find_if(step.create.begin(), step.create.end(),
                                   [&](const NewPod& pod) { return pod.pod.metadata.name == name; });
    if (made != step.create.end()) {
      step.create.erase(made);
      Erase(found);
      continue;
    }
    Count(*found->second, -1);
    found->second->pod.deleting = true;
    Count(*found->second, 1);
    step.remove.push_back(name);
  }
}

void ReplicaPods::Erase(std::unordered_map<std::string, Members::iterator>::iterator found) {
  Count(*found->second, -1);
  members_.erase(found->second);
  by_name_.erase(found);
}

void ReplicaPods::Started(const std::string& name, const std::string& node_name) {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return;
  Count(*found->second, -1);
  ManagedPod& pod = found->second->pod;
  pod.node_name = node_name;
  pod.phase = "Running";
  pod.ready = true;
  pod.ready_since = now_;
  Count(*found->second, 1);
}

void ReplicaPods::Gone(const std::string& name) {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return;
  Erase(found);
  RetryRejected();
}

void ReplicaPods::Rejected(const std::string& name) {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return;
  ++sets_[found->second->set].rejected;
  Erase(found);
}

void ReplicaPods::RetryRejected() {
  for (ReplicaSetState& set : sets_) set.rejected = 0;
}

}  // namespace ksched::controllers
