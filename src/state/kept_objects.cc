#include "state/kept_objects.h"

#include <utility>

#include <boost/container_hash/hash.hpp>

namespace ksched {
namespace {

uint64_t HashOf(const api::StringMap& annotations) {
  size_t hash = annotations.size();
  for (const auto& [key, value] : annotations) {
    boost::hash_combine(hash, key);
    boost::hash_combine(hash, value);
  }
  return hash;
}

}  // namespace

void KeepWhatIsRead(api::Node& node) {
  if (!node.metadata.annotations.empty()) node.annotations_hash = HashOf(node.metadata.annotations);
  node.metadata.annotations = {};
  node.metadata.owner_references = {};
  node.metadata.labels.shrink_to_fit();
  node.spec.taints.shrink_to_fit();
  node.status.capacity = {};
  node.status.allocatable.shrink_to_fit();
  node.status.conditions.shrink_to_fit();
  node.status.images = {};
}

void KeepWhatIsRead(api::Workload& workload) {
  api::Workload kept;
  kept.api_version = std::move(workload.api_version);
  kept.kind = std::move(workload.kind);
  kept.metadata = std::move(workload.metadata);
  kept.metadata.labels = {};
  kept.metadata.annotations = {};
  kept.metadata.owner_references = {};
  kept.selector = std::move(workload.selector);
  workload = std::move(kept);
}

}  // namespace ksched
