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
    if (tracks_ && delta != 0) changes_.push_back(claim);
    const auto count = used_.try_emplace(claim, 0).first;
    count->second += delta;
    if (count->second < 0) return false;
    if (count->second == 0) used_.erase(count);
  }
  deltas_.clear();
  return true;
}

void ClaimUse::Rebuild() {
  if (tracks_) {
    for (const auto& entry : used_) changes_.push_back(entry.first);
  }
  used_.clear();
  deltas_.clear();
}

void ClaimUse::Count(const PodInfo& pod) {
  Add(pod, +1, used_);
  if (!tracks_ || pod.volumes() == nullptr) return;
  for (const api::Volume& volume : *pod.volumes()) {
    if (!volume.claim_name.empty()) changes_.push_back(pod.ns() + "/" + volume.claim_name);
  }
}

bool ClaimUse::IsUsed(std::string_view ns, std::string_view claim) const {
  return !used_.empty() && used_.contains(std::string(ns).append("/").append(claim));
}

std::vector<std::string> ClaimUse::All() const {
  std::vector<std::string> claims;
  claims.reserve(used_.size());
  for (const auto& entry : used_) claims.push_back(entry.first);
  return claims;
}

int ClaimUse::CountOf(std::string_view claim) const {
  const auto found = used_.find(claim);
  return found == used_.end() ? 0 : found->second;
}

void ClaimUse::Follow(const std::string& claim, int count) {
  if (count == 0) {
    used_.erase(claim);
  } else {
    used_[claim] = count;
  }
}

}  // namespace ksched
