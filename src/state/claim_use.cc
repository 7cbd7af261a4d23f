#include "state/claim_use.h"

namespace ksched {

void ClaimUse::Add(const PodInfo& pod, int sign, StringMap<int>& counts) {
  if (pod.volumes() == nullptr) return;
  for (const api::Volume& volume : *pod.volumes()) {
    if (!volume.claim_name.empty()) counts[pod.ns() + "/" + volume.claim_name] += sign;
  }
}

bool ClaimUse::Apply() {
  for (const auto& [claim, delta] : deltas_) {
    const auto count = used_.try_emplace(claim, 0).first;
    count->second += delta;
    if (count->second < 0) return false;
    if (count->second == 0) used_.erase(count);
  }
  deltas_.clear();
  return true;
}

void ClaimUse::Rebuild() {
  used_.clear();
  deltas_.clear();
}

bool ClaimUse::IsUsed(std::string_view ns, std::string_view claim) const {
  return !used_.empty() && used_.contains(std::string(ns).append("/").append(claim));
}

}  // namespace ksched
