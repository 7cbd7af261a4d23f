#include "plugins/volume_binding/static_matching.h"

#include <algorithm>
#include <utility>

#include "api/label_selector.h"
#include "plugins/common/volumes.h"
#include "plugins/volume_binding/binder.h"

namespace ksched {
namespace {

std::string_view ModeOf(const std::string& volume_mode) {
  return volume_mode.empty() ? std::string_view("Filesystem") : std::string_view(volume_mode);
}

bool HasAccessModes(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim) {
  const auto& modes = volume.spec.access_modes;
  return std::all_of(claim.spec.access_modes.begin(), claim.spec.access_modes.end(), [&](const std::string& mode) {
    return std::find(modes.begin(), modes.end(), mode) != modes.end();
  });
}

// What even a volume that is reserved for the claim has to have.
bool Suits(const api::PersistentVolume& volume, const api::Quantity& capacity,
           const api::PersistentVolumeClaim& claim) {
  return capacity >= StorageOf(claim.spec.requests) &&
         ModeOf(volume.spec.volume_mode) == ModeOf(claim.spec.volume_mode) &&
         volume.spec.volume_attributes_class_name.value_or("") ==
             claim.spec.volume_attributes_class_name.value_or("") &&
         !volume.metadata.deletion_timestamp;
}

}  // namespace

bool VolumeAffinity::Matches(const api::Node& node) const {
  // The reference asks about a node that has labels and no name.
  return any_node_ || terms_.MatchesAny("", node.metadata.labels);
}

// ---- the index ----

const std::vector<const IndexedVolume*>& VolumeIndex::OfClass(std::string_view class_name) {
  if (version_ != table_.version()) Refresh();
  const auto found = by_class_.find(class_name);
  return found == by_class_.end() ? none_ : found->second;
}

void VolumeIndex::Refresh() {
  version_ = table_.version();
  ksched::StringMap<std::unique_ptr<IndexedVolume>> before = std::exchange(by_name_, {});
  by_class_.clear();
  for (const auto& [key, volume] : table_.all()) {
    const auto known = before.find(key.second);
    std::unique_ptr<IndexedVolume> indexed;
    if (known != before.end() && known->second->stored == volume) {
      indexed = std::move(known->second);
    } else {
      indexed = std::make_unique<IndexedVolume>();
      indexed->stored = volume;
      indexed->affinity.Compile(volume->spec.required_node_affinity);
      indexed->capacity = StorageOf(volume->spec.capacity);
      indexed->can_be_chosen = !volume->spec.claim_ref && volume->status.phase == "Available";
    }
    by_class_[std::string(ClassOf(*volume))].push_back(indexed.get());
    by_name_[key.second] = std::move(indexed);
  }
  for (auto& [name, volumes] : by_class_) {
    std::stable_sort(volumes.begin(), volumes.end(),
                     [](const auto* a, const auto* b) { return a->capacity < b->capacity; });
  }
}

// ---- matching ----

void ClaimMatcher::Prepare(const ClaimPtr& claim, const std::vector<const IndexedVolume*>& volumes,
                           const AssumeCache<api::PersistentVolume>& assumed) {
  claim_ = claim;
  reserved_.clear();
  free_.clear();
  for (const IndexedVolume* indexed : volumes) {
    const VolumePtr& volume = assumed.Current(indexed->stored);
    const bool is_reserved = volume->spec.claim_ref.has_value();
    if (is_reserved ? !IsReservedFor(*volume, *claim) : !indexed->can_be_chosen) continue;
    if (!Suits(*volume, indexed->capacity, *claim)) continue;
    if (is_reserved) {
      reserved_.push_back({indexed, volume});
      continue;
    }
    if (claim->spec.selector && !api::Matches(*claim->spec.selector, volume->metadata.labels)) continue;
    if (HasAccessModes(*volume, *claim)) free_.push_back({indexed, volume});
  }
  std::sort(reserved_.begin(), reserved_.end(),
            [](const Candidate& a, const Candidate& b) { return a.volume->metadata.name < b.volume->metadata.name; });
}

VolumePtr ClaimMatcher::Match(const api::Node& node, const std::vector<StaticBinding>& chosen) const {
  const auto is_chosen = [&chosen](const Candidate& candidate) {
    return std::any_of(chosen.begin(), chosen.end(),
                       [&](const StaticBinding& binding) { return binding.volume == candidate.volume; });
  };
  for (const Candidate& candidate : reserved_) {
    if (is_chosen(candidate)) continue;
    return candidate.indexed->affinity.Matches(node) ? candidate.volume : nullptr;
  }
  for (const Candidate& candidate : free_) {
    if (candidate.indexed->affinity.Matches(node) && !is_chosen(candidate)) return candidate.volume;
  }
  return nullptr;
}

}  // namespace ksched
