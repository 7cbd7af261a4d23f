#include "state/pod_class.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace ksched {
namespace {

bool SelectsByField(const api::NodeSelectorTerm& term) { return !term.match_fields.empty(); }

bool HasNodeNameSelector(const api::PodSpec& spec) {
  if (!spec.affinity || !spec.affinity->node_affinity) return false;
  const api::NodeAffinity& affinity = *spec.affinity->node_affinity;
  return (affinity.required &&
          std::any_of(affinity.required->terms.begin(), affinity.required->terms.end(), SelectsByField)) ||
         std::any_of(affinity.preferred.begin(), affinity.preferred.end(),
                     [](const api::PreferredSchedulingTerm& term) { return SelectsByField(term.preference); });
}

std::vector<std::string> ImagesOf(const api::PodSpec& spec) {
  std::vector<std::string> images;
  images.reserve(spec.init_containers.size() + spec.containers.size());
  for (const auto* containers : {&spec.init_containers, &spec.containers}) {
    for (const api::Container& container : *containers) images.push_back(NormalizedImageName(container.image));
  }
  for (const api::Volume& volume : spec.volumes) {
    if (volume.image) images.push_back(NormalizedImageName(volume.image->reference));
  }
  return images;
}

// Defaults of containers without a request. With pod-level requests only where the whole pod has none.
api::ResourceList NonMissingRequests(const api::ResourceList& requests, bool pod_level) {
  api::ResourceList defaults = DefaultContainerRequests();
  if (!pod_level) return defaults;
  for (const auto& [name, quantity] : requests) defaults.erase(name);
  return defaults;
}

api::Quantity Find(const api::ResourceList& list, const char* name) {
  const auto found = list.find(name);
  return found == list.end() ? api::Quantity() : found->second;
}

// PodInfo.CalculateResource and what the scorers of the resource plugins ask for.
void SetRequests(const api::Pod& pod, const ResourceFeatures& features, ResourceNames& names, PodClass& result) {
  const PodRequestOptions of_spec{.skip_pod_level_resources = !features.pod_level_resources};
  PodRequestOptions assigned = of_spec;
  assigned.use_status_resources = features.in_place_pod_vertical_scaling;
  assigned.use_pod_level_status = features.in_place_pod_level_resources_vertical_scaling;
  result.requests = ToRequestedAmounts(PodRequests(pod, of_spec), names);
  result.balanced_request_list = PodRequests(pod, assigned);
  result.assigned_requests = ToAmounts(result.balanced_request_list, names);

  const bool pod_level = features.pod_level_resources && IsPodLevelRequestsSet(pod.spec);
  const api::ResourceList defaults = NonMissingRequests(result.balanced_request_list, pod_level);
  PodRequestOptions nonzero = assigned;
  nonzero.non_missing_container_requests = &defaults;
  const api::ResourceList nonzero_list = PodRequests(pod, nonzero);
  result.nonzero_milli_cpu = Find(nonzero_list, "cpu").MilliValue();
  result.nonzero_memory_bytes = Find(nonzero_list, "memory").Value();

  PodRequestOptions update = assigned;
  update.skip_pod_level_resources = false;
  result.assigned_request_list = PodRequests(pod, update);
  result.fit_score_request_list = PodRequests(
      pod, {.skip_pod_level_resources = true, .non_missing_container_requests = &DefaultContainerRequests()});
}

}  // namespace

std::string NormalizedImageName(const std::string& name) {
  const size_t colon = name.rfind(':'), slash = name.rfind('/');
  const bool tagged = colon != std::string::npos && (slash == std::string::npos || colon > slash);
  return tagged ? name : name + ":latest";
}

PodClassPtr PodClassTable::Acquire(api::Pod&& pod) {
  scratch_.clear();
  const size_t spec = AppendPodClassKey(pod, features_, scratch_);
  const auto found = by_key_.find(scratch_);
  if (found != by_key_.end()) {
    Slot& slot = slots_[found->second];
    ++slot.references;
    return slot.value;
  }
  const uint32_t place = NewSlot();
  const uint32_t spec_place = AcquireSpec(std::string_view(scratch_).substr(spec));
  const std::shared_ptr<PodClass> made = Make(std::move(pod));
  made->id = NumberOf(place);
  made->serial = NumberOf(next_serial_++);
  made->spec_id = NumberOf(spec_place);
  made->spec_serial = spec_slots_[spec_place].serial;
  Slot& slot = slots_[place];
  slot.value = made;
  slot.key = std::make_unique<const std::string>(scratch_);
  slot.references = 1;
  by_key_.emplace(*slot.key, place);
  return slot.value;
}

uint32_t PodClassTable::AcquireSpec(std::string_view key) {
  if (const auto found = spec_by_key_.find(key); found != spec_by_key_.end()) {
    ++spec_slots_[found->second].references;
    return found->second;
  }
  auto id = static_cast<uint32_t>(spec_slots_.size());
  if (spec_free_.empty()) {
    spec_slots_.emplace_back();
  } else {
    id = spec_free_.back();
    spec_free_.pop_back();
  }
  SpecSlot& slot = spec_slots_[id];
  slot.key = std::make_unique<const std::string>(key);
  slot.serial = NumberOf(next_serial_++);
  slot.references = 1;
  spec_by_key_.emplace(*slot.key, id);
  return id;
}

void PodClassTable::ReleaseSpec(uint32_t id) {
  SpecSlot& slot = spec_slots_[id];
  if (--slot.references > 0) return;
  spec_by_key_.erase(std::string_view(*slot.key));
  slot = SpecSlot();
  spec_free_.push_back(id);
}

uint32_t PodClassTable::NewSlot() {
  if (free_.empty()) {
    slots_.emplace_back();
    return static_cast<uint32_t>(slots_.size() - 1);
  }
  const uint32_t id = free_.back();
  free_.pop_back();
  return id;
}

void PodClassTable::Retain(const PodClass* pod_class) {
  if (IsOwn(pod_class)) ++slots_[pod_class->id / kKinds].references;
}

void PodClassTable::Release(const PodClass* pod_class) {
  if (!IsOwn(pod_class)) return;
  const uint32_t place = pod_class->id / kKinds;
  Slot& slot = slots_[place];
  assert(slot.references > 0);
  if (--slot.references > 0) return;
  by_key_.erase(std::string_view(*slot.key));
  ReleaseSpec(pod_class->spec_id / kKinds);
  slot = Slot();
  free_.push_back(place);
}

std::shared_ptr<PodClass> PodClassTable::Make(api::Pod&& pod) {
  auto result = std::make_shared<PodClass>();
  SetRequests(pod, features_, names_, *result);
  result->host_ports = HostPortsOf(pod.spec);
  result->images = ImagesOf(pod.spec);
  result->has_node_name_selector = HasNodeNameSelector(pod.spec);
  result->priority = pod.spec.priority.value_or(0);
  for (api::OwnerReference& owner : pod.metadata.owner_references) {
    if (!owner.controller) continue;
    result->controller = std::move(owner);
    break;
  }
  result->ns = std::move(pod.metadata.ns);
  result->labels = std::move(pod.metadata.labels);
  result->spec = std::move(pod.spec);
  result->spec.node_name.clear();
  std::erase_if(result->spec.volumes, [](const api::Volume& volume) { return !volume.image; });
  for (api::Volume& volume : result->spec.volumes) volume.name.clear();
  return result;
}

}  // namespace ksched
