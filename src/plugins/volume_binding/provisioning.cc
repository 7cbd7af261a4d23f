#include "plugins/volume_binding/provisioning.h"

#include "api/label_selector.h"

namespace ksched {

void ProvisionCheck::Prepare(const ClaimPtr& claim, const StorageClassPtr& storage_class,
                             const ClusterObjects& objects) {
  claim_ = claim;
  if (class_ != storage_class) {
    class_ = storage_class;
    CompileTopologies();
  }
  capacities_.clear();
  checks_capacity_ = false;
  const auto request = claim->spec.requests.find("storage");
  if (request == claim->spec.requests.end()) return;
  const auto driver = objects.csi_drivers.Find(class_->provisioner);
  if (driver == nullptr || !driver->storage_capacity.value_or(false)) return;
  checks_capacity_ = true;
  const int64_t size_bytes = request->second.Value();
  for (const auto& [key, capacity] : objects.storage_capacities.all()) {
    if (capacity->storage_class_name != class_->metadata.name || !capacity->node_topology) continue;
    const std::optional<api::Quantity>& limit = VolumeLimit(*capacity);
    if (limit && limit->Value() >= size_bytes) capacities_.push_back(capacity);
  }
}

// A term without requirements matches nothing in either form.
void ProvisionCheck::CompileTopologies() {
  topologies_.terms.clear();
  for (const api::TopologySelectorTerm& term : class_->allowed_topologies) {
    api::NodeSelectorTerm& added = topologies_.terms.emplace_back();
    for (const api::TopologySelectorLabelRequirement& requirement : term.match_label_expressions) {
      added.match_expressions.push_back({requirement.key, "In", requirement.values});
    }
  }
  allowed_.Compile(topologies_);
}

Provisioning ProvisionCheck::Check(const api::Node& node, DynamicProvision& provision) const {
  const bool can_provision = !class_->provisioner.empty() && class_->provisioner != "kubernetes.io/no-provisioner";
  if (!can_provision) return Provisioning::kImpossible;
  if (!topologies_.terms.empty() && !allowed_.MatchesAny(node)) return Provisioning::kImpossible;
  provision = {claim_, nullptr};
  if (!checks_capacity_) return Provisioning::kPossible;
  for (const CapacityPtr& capacity : capacities_) {
    if (!api::Matches(capacity->node_topology, node.metadata.labels)) continue;
    provision.capacity = capacity;
    return Provisioning::kPossible;
  }
  return Provisioning::kNotEnoughSpace;
}

}  // namespace ksched
