#include "controllers/victim_order.h"

#include <algorithm>
#include <cmath>

namespace ksched::controllers {
namespace {

struct Candidate {
  const ManagedPod* pod = nullptr;
  int64_t rank = 0;
  size_t index = 0;  // for those that nothing tells apart
};

int PhaseOrdinal(const std::string& phase) {
  if (phase == "Unknown") return 1;
  return phase == "Running" ? 2 : 0;
}

// A time that is missing counts as the latest.
bool IsAfter(std::optional<api::TimeNs> a, std::optional<api::TimeNs> b) {
  if (!a || !b) return !a;
  return *a > *b;
}

int64_t LogarithmOfAge(api::TimeNs time, api::TimeNs now) {
  const api::TimeNs age = now - time;
  return age > 0 ? static_cast<int64_t>(std::log2(static_cast<double>(age))) : -1;
}

// For two times that differ: whether the first pod is the younger one.
bool IsYounger(const ManagedPod& a, const ManagedPod& b, std::optional<api::TimeNs> since_a,
               std::optional<api::TimeNs> since_b, api::TimeNs now) {
  if (now == 0 || !since_a || !since_b) return IsAfter(since_a, since_b);
  const int64_t difference = LogarithmOfAge(*since_a, now) - LogarithmOfAge(*since_b, now);
  return difference == 0 ? a.uid < b.uid : difference < 0;
}

// By how far a pod has come: less than 0 if `a` leaves first, more than 0 if `b` does.
int CompareStages(const ManagedPod& a, const ManagedPod& b) {
  if (a.node_name.empty() != b.node_name.empty()) return a.node_name.empty() ? -1 : 1;
  if (const int phases = PhaseOrdinal(a.phase) - PhaseOrdinal(b.phase); phases != 0) return phases;
  return static_cast<int>(a.ready) - static_cast<int>(b.ready);
}

bool LeavesByAge(const ManagedPod& a, const ManagedPod& b, api::TimeNs now) {
  if (a.ready && b.ready && a.ready_since != b.ready_since) {
    return IsYounger(a, b, a.ready_since, b.ready_since, now);
  }
  if (a.restarts != b.restarts) return a.restarts > b.restarts;
  if (a.sidecar_restarts != b.sidecar_restarts) return a.sidecar_restarts > b.sidecar_restarts;
  return a.created != b.created && IsYounger(a, b, a.created, b.created, now);
}

bool LeavesFirst(const Candidate& a, const Candidate& b, api::TimeNs now) {
  if (const int stages = CompareStages(*a.pod, *b.pod); stages != 0) return stages < 0;
  if (a.pod->deletion_cost != b.pod->deletion_cost) return a.pod->deletion_cost < b.pod->deletion_cost;
  if (a.rank != b.rank) return a.rank > b.rank;
  return LeavesByAge(*a.pod, *b.pod, now);
}

}  // namespace

std::vector<const ManagedPod*> ReplicaVictims(const std::vector<const ManagedPod*>& pods, size_t count,
                                              const PodsOnNodes& related, api::TimeNs now) {
  if (count >= pods.size()) return pods;
  std::vector<Candidate> candidates;
  candidates.reserve(pods.size());
  for (const ManagedPod* pod : pods) {
    const auto on_node = related.find(pod->node_name);
    candidates.push_back({pod, on_node == related.end() ? 0 : on_node->second, candidates.size()});
  }
  // Not quite an order (uids decide between some pairs only): a heap does not mind.
  std::partial_sort(candidates.begin(), candidates.begin() + static_cast<ptrdiff_t>(count), candidates.end(),
                    [now](const Candidate& a, const Candidate& b) {
                      if (LeavesFirst(a, b, now)) return true;
                      return !LeavesFirst(b, a, now) && a.index < b.index;
                    });
  std::vector<const ManagedPod*> victims;
  for (size_t i = 0; i < count; ++i) victims.push_back(candidates[i].pod);
  return victims;
}

void SortJobVictims(std::vector<const ManagedPod*>& pods) {
  std::stable_sort(pods.begin(), pods.end(), [](const ManagedPod* a, const ManagedPod* b) {
    if (const int stages = CompareStages(*a, *b); stages != 0) return stages < 0;
    return LeavesByAge(*a, *b, 0);
  });
}

}  // namespace ksched::controllers
