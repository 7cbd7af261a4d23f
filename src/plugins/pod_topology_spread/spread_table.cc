#include "plugins/pod_topology_spread/spread_table.h"

#include <algorithm>

#include "plugins/pod_topology_spread/default_selector.h"

namespace ksched {
namespace {

constexpr size_t kMaxClasses = 2048;
// Of all counts together, a node of a constraint each: about 100 MB. Small clusters are not short of room.
constexpr size_t kMaxAmounts = 3'000'000;
constexpr size_t kMinCounts = 8;

}  // namespace

SpreadTable::SpreadTable(SpreadDefaults defaults, bool comparison_operators, ClusterState& state)
    : defaults_(std::move(defaults)), comparison_operators_(comparison_operators), state_(state) {
  for (auto& slots : slots_) slots.reserve(kMaxClasses);  // so that cycles do not allocate
}

bool SpreadTable::MayHave(const PodClass& pod, SpreadAction action) const {
  const auto& own = pod.spec.topology_spread_constraints;
  if (own.empty() && !AnyDefaultSelectors(state_.objects())) return false;
  return HasAction(own.empty() ? defaults_.constraints : own, action);
}

const SpreadTable::Entry& SpreadTable::Find(const PodClass& pod, SpreadAction action) {
  auto& slots = slots_[static_cast<size_t>(action)];
  if (slots.size() >= kMaxClasses && !slots.contains(pod.serial)) slots.clear();  // counts_ has what is dear
  const uint64_t version =
      pod.spec.topology_spread_constraints.empty() ? 1 + DefaultSelectorVersion(state_.objects()) : 0;
  const auto [found, added] = slots.try_emplace(pod.serial);
  Slot& slot = found->second;
  if (added || slot.version != version) {
    slot.version = version;
    Fill(pod, action, slot.entry);
  }
  if (slot.entry.counts != nullptr) slot.entry.counts->last_used = ++tick_;
  return slot.entry;
}

void SpreadTable::Fill(const PodClass& pod, SpreadAction action, Entry& entry) {
  entry = Entry();
  std::vector<SpreadConstraint> constraints = ConstraintsOf(pod, action, defaults_, state_);
  if (constraints.empty()) return;
  Key key{pod.spec_serial, action, {}};
  for (const SpreadConstraint& constraint : constraints) {
    std::get<2>(key).push_back(constraint.group.value_or(kNotCounted));
    entry.means_self.push_back(constraint.Means(pod.labels) ? 1 : 0);
  }
  std::shared_ptr<SpreadCounts>& counts = counts_[std::move(key)];
  if (counts == nullptr) {
    // kube-scheduler's own constraints spread by host also on nodes without a zone.
    const bool needs_all_keys =
        action == SpreadAction::kHard || !pod.spec.topology_spread_constraints.empty() || !defaults_.system;
    counts = std::make_shared<SpreadCounts>(std::move(constraints), pod.spec,
                                            SpreadCounts::Options{action, needs_all_keys, comparison_operators_});
    counts->last_used = ++tick_;
    entry.counts = counts;
    MakeRoom();
  } else {
    entry.counts = counts;
  }
}

// Drops the half of the counts that was not used for longest, with the classes that have them.
void SpreadTable::MakeRoom() {
  size_t constraints = 0;
  for (const auto& [key, counts] : counts_) constraints += counts->size();
  if (counts_.size() <= kMinCounts || constraints * state_.node_capacity() <= kMaxAmounts) return;
  std::vector<uint64_t> ticks;
  ticks.reserve(counts_.size());
  for (const auto& [key, counts] : counts_) ticks.push_back(counts->last_used);
  const auto middle = ticks.begin() + static_cast<std::ptrdiff_t>(ticks.size() / 2);
  std::nth_element(ticks.begin(), middle, ticks.end());
  const auto is_old = [oldest = *middle](const std::shared_ptr<SpreadCounts>& counts) {
    return counts != nullptr && counts->last_used < oldest;
  };
  std::erase_if(counts_, [&](const auto& one) { return is_old(one.second); });
  for (auto& slots : slots_) {
    erase_if(slots, [&](const auto& one) { return is_old(one.second.entry.counts); });
  }
}

}  // namespace ksched
