#include "controllers/victim_order.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ksched::controllers {
namespace {

struct Candidate {
  const ManagedPod* pod = nullptr;
  int64_t rank = 0;
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

void SortReplicaVictims(std::vector<const ManagedPod*>& pods, std::span<const ManagedPod* const> related,
                        api::TimeNs now) {
  std::map<std::string_view, int64_t> on_node;
  for (const ManagedPod* pod : related) on_node[pod->node_name] += pod->active();
  std::vector<Candidate> candidates;
  candidates.reserve(pods.size());
  for (const ManagedPod* pod : pods) candidates.push_back({pod, on_node[pod->node_name]});
  // Not quite an order (uids decide between some pairs only): a merge sort does not mind.
  std::stable_sort(candidates.begin(), candidates.end(),
                   [now](const Candidate& a, const Candidate& b) { return LeavesFirst(a, b, now); });
  for (size_t i = 0; i < pods.size(); ++i) pods[i] = candidates[i].pod;
}

void SortJobVictims(std::vector<const ManagedPod*>& pods) {
  std::stable_sort(pods.begin(), pods.end(), [](const ManagedPod* a, const ManagedPod* b) {
    if (const int stages = CompareStages(*a, *b); stages != 0) return stages < 0;
    return LeavesByAge(*a, *b, 0);
  });
}

}  // namespace ksched::controllers
