#include "plugins/common/resource_scoring.h"

#include <algorithm>
#include <utility>

#include "plugins/common/signature.h"

namespace ksched {

ScoredResources::ScoredResources(const std::vector<config::ResourceSpec>& resources, Allocated allocated,
                                 const PluginContext& context)
    : allocated_(allocated), device_classes_(DeviceClassesOf(context)), reasons_(context.reasons) {
  for (const config::ResourceSpec& spec : resources) {
    Resource& resource = resources_.emplace_back();
    resource.name = spec.name;
    resource.weight = spec.weight;
    resource.scalar = IsScalarResourceName(spec.name);
    resource.counts =
        resource.scalar || spec.name == "cpu" || spec.name == "memory" || spec.name == "ephemeral-storage";
    resource.dra = IsDraExtendedResourceName(spec.name);
    if (resource.counts) resource.id = context.state.resource_names().Intern(spec.name);
  }
}

void ScoredResources::Prepare(const api::ResourceList& requests, ScoredRequests& result) const {
  result.items.clear();
  result.best_effort = true;
  for (const Resource& resource : resources_) {
    int64_t request = 0;
    if (const auto found = requests.find(resource.name); found != requests.end()) {
      request = resource.name == "cpu" ? found->second.MilliValue() : found->second.Value();
    }
    if (request != 0) result.best_effort = false;
    if (!resource.counts || (resource.scalar && request == 0)) continue;
    const bool by_device_class = resource.dra && device_classes_ != nullptr;
    result.items.push_back({resource.id, resource.weight, request,
                            by_device_class ? device_classes_->ForExtendedResource(resource.name) : nullptr});
  }
}

Status ScoredResources::CheckSupported(const ScoredRequests& requests, const NodeView& node) const {
  for (const ScoredRequests::Item& item : requests.items) {
    if (item.device_class == nullptr || node.allocatable(item.resource) != 0) continue;
    const std::string_view resource = node.state().resource_names().Name(item.resource);
    return {Code::kError, reasons_.Intern(DraNotSupported(resource, item.device_class->metadata.name))};
  }
  return {};
}

const DeviceClassLister* DeviceClassesOf(const PluginContext& context) {
  return context.features.Enabled(config::Gate::kDRAExtendedResource) ? &context.device_classes : nullptr;
}

std::string DraNotSupported(std::string_view resource, std::string_view device_class) {
  std::string text = "extended resource \"";
  text.append(resource).append("\" is provided by DeviceClass \"").append(device_class);
  return text += "\": dynamic resource allocation is not supported yet";
}

bool SignRequests(const PodClass& pod, const ResourceNames& names, const DeviceClassLister* device_classes,
                  std::string& signature) {
  const ResourceAmounts& requests = pod.requests;
  std::vector<std::pair<std::string_view, int64_t>> scalars;
  for (const auto& [id, amount] : requests.scalars) {
    const std::string_view name = names.Name(id);
    if (amount != 0 && device_classes != nullptr && device_classes->ForExtendedResource(name) != nullptr) return false;
    scalars.emplace_back(name, amount);
  }
  std::sort(scalars.begin(), scalars.end());
  for (const int64_t amount : {requests.milli_cpu, requests.memory_bytes, requests.ephemeral_storage_bytes,
                               static_cast<int64_t>(scalars.size())}) {
    AppendSigned(amount, signature);
  }
  for (const auto& [name, amount] : scalars) {
    AppendSigned(name, signature);
    AppendSigned(amount, signature);
  }
  return true;
}

}  // namespace ksched
