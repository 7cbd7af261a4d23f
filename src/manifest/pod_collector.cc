#include "manifest/pod_collector.h"

#include <algorithm>
#include <utility>

#include "controllers/pod_claims.h"

namespace ksched {
namespace {

// generateName and the first free number from `next` on, which is then the one after it.
template <typename F>
std::string GenerateName(const std::string& generate_name, int64_t& next, F is_taken) {
  for (;;) {
    std::string name = generate_name + std::to_string(next++);
    if (!is_taken(name)) return name;
  }
}

}  // namespace

void PodCollector::Add(api::Pod&& pod, Origin origin, bool as_manifest) {
  const bool waits = origin.manifest || Admission::MayChange(pod) || targets_.Expects("Pod", pod.metadata);
  Entry entry{.origin = origin, .as_manifest = as_manifest};
  if (waits) {
    entry.pod = std::make_unique<api::Pod>(std::move(pod));
  } else {
    if (api::IsTerminal(pod) || (ignore_pending_ && !as_manifest && pod.spec.node_name.empty())) return;
    entry.id = store_.Add(std::move(pod)).id;
  }
  entries_.push_back(std::move(entry));
}

void PodCollector::AddAdmitted(api::Pod&& pod, Origin origin) {
  Entry& entry = entries_.emplace_back();
  entry.origin = origin;
  entry.admitted = true;
  entry.pod = std::make_unique<api::Pod>(std::move(pod));
}

void PodCollector::AddWorkload(uint32_t workload, const std::string& source) {
  Entry& entry = entries_.emplace_back();
  entry.origin.manifest = true;
  entry.workload = workload;
  entry.source = source;
}

void PodCollector::ForgetCluster() {
  for (const Entry& entry : entries_) {
    if (entry.id != kNoPod) store_.Remove(entry.id);
  }
  entries_.clear();
}

void PodCollector::Drop(const std::set<std::string>& names) {
  if (names.empty()) return;
  std::erase_if(entries_, [&](const Entry& entry) {
    if (entry.origin.manifest) return false;
    if (entry.pod) return names.contains(entry.pod->metadata.ns + "/" + entry.pod->metadata.name);
    if (entry.id == kNoPod || !names.contains(store_.Get(entry.id).Key())) return false;
    store_.Remove(entry.id);
    return true;
  });
}

std::vector<InputPod> PodCollector::Finish(Admission& admission) {
  pods_.reserve(entries_.size());
  for (Entry& entry : entries_) {
    if (entry.pod) {
      FinishPod(entry, admission);
      entry.pod.reset();
    } else if (entry.id != kNoPod) {
      pods_.push_back({entry.id, entry.origin.manifest || entry.as_manifest, ""});
    } else {
      pods_.push_back({kNoPod, true, entry.source, entry.workload});
    }
  }
  SortPending();
  return std::move(pods_);
}

Result<void> PodCollector::Complete(api::Pod& pod, const Entry& entry, Admission& admission) const {
  if (entry.admitted) return {};
  return entry.origin.manifest ? admission.Admit(pod) : admission.Complete(pod);
}

void PodCollector::FinishPod(Entry& entry, Admission& admission) {
  api::Pod& pod = *entry.pod;
  const bool unnamed = pod.metadata.name.empty();
  if (unnamed) {
    const auto taken = [&](const std::string& name) { return given_.Has("Pod", pod.metadata.ns, name); };
    int64_t& next = next_number_[pod.metadata.ns + "/" + pod.metadata.generate_name];
    pod.metadata.name = GenerateName(pod.metadata.generate_name, next, taken);
    if (pod.metadata.uid.empty()) pod.metadata.uid = pod.metadata.ns + "/" + pod.metadata.name;
    given_.Note("Pod", pod.metadata, entry.origin);
  }
  if (auto done = Complete(pod, entry, admission); !done) {
    if (entry.origin.manifest && !admission.plugins().empty()) {
      rejections_.push_back({pod.metadata.ns, pod.metadata.name, "", done.error().message});
    } else {
      errors_.push_back(given_.Where(entry.origin, "Pod", pod.metadata) + ": " +
                        api::DescribeObject("Pod", pod.metadata) + ": " + done.error().message);
    }
    return;
  }
  const bool manifest = entry.origin.manifest || entry.as_manifest;
  if (ignore_pending_ && !manifest && pod.spec.node_name.empty()) return;
  targets_.See(pod);
  if (api::IsTerminal(pod)) return;
  const bool is_created = entry.origin.manifest && (entry.admitted || !admission.plugins().empty());
  if (is_created) MakeClaims(pod, entry.origin, admission);
  pods_.push_back({store_.Add(std::move(pod)).id, manifest, ""});
}

// A claim that is refused is not made: its pod waits for it in vain.
void PodCollector::MakeClaims(const api::Pod& pod, Origin origin, Admission& admission) {
  const std::string kind = "PersistentVolumeClaim";
  for (api::PersistentVolumeClaim& claim : controllers::EphemeralClaimsOf(pod)) {
    if (given_.Has(kind, claim.metadata.ns, claim.metadata.name) || !admission.AdmitClaim(claim)) continue;
    given_.Note(kind, claim.metadata, origin);
    claims_.push_back(std::move(claim));
  }
  for (api::OtherObject& claim : controllers::ResourceClaimsOf(pod)) resource_claims_.push_back(std::move(claim));
}

void PodCollector::SortPending() {
  std::vector<size_t> places;
  std::vector<std::pair<api::TimeNs, InputPod>> pending;
  api::TimeNs latest = INT64_MIN;
  for (size_t i = 0; i < pods_.size(); ++i) {
    if (pods_[i].from_manifest) continue;
    const PodInfo& pod = store_.Get(pods_[i].id);
    if (!pod.node_name().empty()) continue;
    latest = pod.creation_timestamp().value_or(latest);
    places.push_back(i);
    pending.emplace_back(latest, std::move(pods_[i]));
  }
  std::ranges::stable_sort(pending, {}, [](const auto& one) { return one.first; });
  for (size_t i = 0; i < places.size(); ++i) pods_[places[i]] = std::move(pending[i].second);
}

}  // namespace ksched
