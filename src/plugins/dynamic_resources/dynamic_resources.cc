#include "plugins/dynamic_resources/dynamic_resources.h"

#include <fmt/format.h>

#include "state/pod_requests.h"
#include "state/resources.h"

namespace ksched {

Result<std::unique_ptr<Plugin>> DynamicResources::Create(const config::PluginArgs&, const PluginContext& context) {
  return std::unique_ptr<Plugin>(std::make_unique<DynamicResources>(context));
}

DynamicResources::DynamicResources(const PluginContext& context)
    : id_(context.id),
      enabled_(context.features.Enabled(config::Gate::kDynamicResourceAllocation)),
      extended_resources_(context.features.Enabled(config::Gate::kDRAExtendedResource)),
      reasons_(context.reasons),
      not_found_(context.reasons.Intern("not found")),
      device_classes_(context.device_classes) {}

Status DynamicResources::PreFilter(CycleState&, const PodInfo& pod, PreFilterResult&) const {
  if (!enabled_) return Status::Skip();
  const PodClass& pod_class = *pod.pod_class;
  if (!pod_class.spec.resource_claims.empty()) {
    const std::string text = fmt::format(
        "pods with resource claims (dynamic resource allocation) are not supported yet: spec.resourceClaims has \"{}\"",
        pod_class.spec.resource_claims.front().name);
    return {Code::kError, reasons_.Intern(text)};
  }
  if (!extended_resources_ || pod_class.requests.scalars.empty()) return Status::Skip();
  for (const auto& [name, amount] : SpecRequests(pod_class.spec, {})) {
    if (amount.IsZero() || !IsDraExtendedResourceName(name)) continue;
    const api::DeviceClass* provider = device_classes_.ForExtendedResource(name);
    if (provider == nullptr) continue;
    const std::string text =
        fmt::format("dynamic resource allocation is not supported yet: {} is provided by the DeviceClass \"{}\"", name,
                    provider->metadata.name);
    return {Code::kError, reasons_.Intern(text)};
  }
  return Status::Skip();
}

// There are no claims to give back. Where another plugin's PreFilter ended the cycle before this one's, the reference
// finds no data of its own and fails, so that no later plugin is asked: preemption is not tried then.
Status DynamicResources::PostFilter(CycleState& cycle, const PodInfo&, const NodeStatuses&, PostFilterResult&) {
  const bool has_data = cycle.pre_filtered.Has(id_) || cycle.skip_filter.Has(id_);
  return enabled_ && !has_data ? Status(Code::kError, not_found_) : Status(Code::kUnschedulable);
}

}  // namespace ksched
