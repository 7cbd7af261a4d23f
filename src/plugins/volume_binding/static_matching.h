// Finding a PersistentVolume that is there for a claim: one that is reserved for it, else the smallest that fits.
// Reference: FindMatchingVolume of k8s.io/component-helpers/storage/volume/pv_helpers.go, v0.37.2.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/string_map.h"
#include "plugins/volume_binding/assume_cache.h"
#include "plugins/volume_binding/pod_volumes.h"

namespace ksched {

// A PersistentVolume of the API with what is worked out of it once.
struct IndexedVolume {
  VolumePtr stored;
  VolumeAffinity affinity;
  api::Quantity capacity;
  bool can_be_chosen = false;  // available and reserved for nobody
};

// All PersistentVolumes by class, each class by capacity, then by name. Made anew when the table has changed; what has
// not changed itself is kept.
class VolumeIndex {
 public:
  explicit VolumeIndex(const ObjectTable<api::PersistentVolume>& table) : table_(table) {}
  // Good until the table changes.
  const std::vector<const IndexedVolume*>& OfClass(std::string_view class_name);

 private:
  void Refresh();

  const ObjectTable<api::PersistentVolume>& table_;
  uint64_t version_ = UINT64_MAX;
  ksched::StringMap<std::unique_ptr<IndexedVolume>> by_name_;
  ksched::StringMap<std::vector<const IndexedVolume*>> by_class_;
  std::vector<const IndexedVolume*> none_;
};

// The volumes that a claim can have, whatever the node.
class ClaimMatcher {
 public:
  // Candidates among `volumes`, which are of the claim's class, by capacity, then by name.
  void Prepare(const ClaimPtr& claim, const std::vector<const IndexedVolume*>& volumes,
               const AssumeCache<api::PersistentVolume>& assumed);
  const ClaimPtr& claim() const { return claim_; }
  // Null: none. Volumes that `chosen` has are taken by other claims of the pod.
  VolumePtr Match(const api::Node& node, const std::vector<StaticBinding>& chosen) const;

 private:
  struct Candidate {
    const IndexedVolume* indexed = nullptr;
    VolumePtr volume;  // as it is assumed to be
  };
  ClaimPtr claim_;
  std::vector<Candidate> reserved_;  // for this claim, by name: the first decides
  std::vector<Candidate> free_;      // by capacity, then by name
};

}  // namespace ksched
