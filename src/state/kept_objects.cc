#include "state/kept_objects.h"

#include <map>
#include <string_view>
#include <utility>

#include <boost/container_hash/hash.hpp>

namespace ksched {
namespace {

template <typename Texts>
uint64_t HashOf(const Texts& texts) {
  size_t hash = texts.size();
  for (const auto& [key, value] : texts) {
    boost::hash_combine(hash, boost::hash<std::string_view>()(key));
    boost::hash_combine(hash, boost::hash<std::string_view>()(value));
  }
  return hash;
}

}  // namespace

uint64_t HashOfAnnotations(const api::Node& node) {
  return node.metadata.annotations.empty() ? node.annotations_hash : HashOf(node.metadata.annotations);
}

// The last status of each type; times and texts say nothing to scheduling.
uint64_t HashOfConditions(const api::Node::Status& status) {
  if (status.conditions.empty()) return status.conditions_hash;
  std::map<std::string_view, std::string_view> statuses;
  for (const api::NodeCondition& condition : status.conditions) statuses[condition.type] = condition.status;
  return HashOf(statuses);
}

void KeepWhatIsRead(api::Node& node) {
  node.annotations_hash = HashOfAnnotations(node);
  node.status.conditions_hash = HashOfConditions(node.status);
  api::ObjectMeta kept;
  kept.name = std::move(node.metadata.name);
  kept.labels = std::move(node.metadata.labels);
  kept.labels.shrink_to_fit();
  kept.creation_timestamp = node.metadata.creation_timestamp;
  kept.deletion_timestamp = node.metadata.deletion_timestamp;
  kept.deletion_grace_period_seconds = node.metadata.deletion_grace_period_seconds;
  node.metadata = std::move(kept);
  node.spec.taints.shrink_to_fit();
  node.status.capacity = {};
  node.status.allocatable.shrink_to_fit();
  node.status.conditions = {};
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
