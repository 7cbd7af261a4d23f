// What a Deployment does when its replicas change, also in the middle of an update, and while it is paused. Reference:
// pkg/controller/deployment/sync.go, v1.37.2 (scale), and its helpers in util/deployment_util.go.
#include <algorithm>
#include <limits>

#include "controllers/deployment.h"

namespace ksched::controllers {

bool DeploymentController::IsScalingEvent() const {
  const auto& sets = pods_.sets();
  return std::any_of(sets.begin(), sets.end(), [this](const ReplicaSetState& set) {
    return set.replicas > 0 && set.desired_replicas && *set.desired_replicas != replicas_;
  });
}

bool DeploymentController::Scale() {
  if (const std::optional<size_t> only = FindActiveOrLatest()) return Resize(*only, replicas_);
  if (IsSaturated()) {
    bool resized = false;
    for (const size_t i : Active(/*with_new=*/false)) resized |= Resize(i, 0);
    return resized;
  }
  return rolling_ && ScaleProportionally();
}

std::optional<size_t> DeploymentController::FindActiveOrLatest() const {
  const std::vector<size_t> active = Active(/*with_new=*/true);
  if (active.size() == 1) return active.front();
  if (active.size() > 1 || pods_.sets().empty()) return std::nullopt;
  if (new_) return new_;
  size_t latest = 0;
  for (size_t i = 1; i < pods_.sets().size(); ++i) {
    if (IsOlder(latest, i)) latest = i;
  }
  return latest;
}

bool DeploymentController::IsSaturated() const {
  if (!new_) return false;
  const ReplicaSetState& set = pods_.sets()[*new_];
  return set.replicas == replicas_ && set.desired_replicas == replicas_ && set.available == replicas_;
}

bool DeploymentController::ScaleProportionally() {
  std::vector<size_t> active = Active(/*with_new=*/true);
  int32_t total = 0;
  for (const size_t i : active) total += pods_.sets()[i].replicas;
  const int32_t to_add = (replicas_ > 0 ? replicas_ + max_surge() : 0) - total;
  // The largest first; of the same size the newer first when they grow, the older when they shrink.
  if (to_add > 0) std::reverse(active.begin(), active.end());
  if (to_add != 0) {
    std::stable_sort(active.begin(), active.end(),
                     [this](size_t a, size_t b) { return pods_.sets()[a].replicas > pods_.sets()[b].replicas; });
  }
  std::vector<int32_t> sizes;
  int32_t added = 0;
  for (const size_t i : active) {
    const int32_t share = Proportion(pods_.sets()[i], to_add, added);
    sizes.push_back(pods_.sets()[i].replicas + share);
    added += share;
  }
  if (!sizes.empty() && to_add != 0) sizes.front() = std::max(0, sizes.front() + to_add - added);
  bool changed = false;
  for (size_t k = 0; k < active.size(); ++k) {
    const ReplicaSetState& set = pods_.sets()[active[k]];
    changed |= set.desired_replicas != replicas_ || set.max_replicas != replicas_ + max_surge();
    changed |= Resize(active[k], sizes[k], /*force=*/true);
  }
  return changed;
}

int32_t DeploymentController::Proportion(const ReplicaSetState& set, int32_t to_add, int32_t added) const {
  if (set.replicas == 0 || to_add == 0 || to_add == added) return 0;
  const int32_t allowed = to_add - added;
  return to_add > 0 ? std::min(Fraction(set), allowed) : std::max(Fraction(set), allowed);
}

// By how much the set grows, for its share in all pods to stay what it was.
int32_t DeploymentController::Fraction(const ReplicaSetState& set) const {
  if (replicas_ == 0) return -set.replicas;
  int32_t before = set.max_replicas.value_or(0);
  if (before == 0) before = status_replicas_;
  if (before == 0) return 0;
  const double size = static_cast<double>(static_cast<int64_t>(set.replicas) * (replicas_ + max_surge())) / before;
  return static_cast<int32_t>(std::min<double>(size + 0.5, std::numeric_limits<int32_t>::max())) - set.replicas;
}

}  // namespace ksched::controllers
