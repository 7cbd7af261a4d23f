#include "controllers/workload_util.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "controllers/template_hash.h"

namespace ksched::controllers {

api::OwnerReference OwnerOf(const Request& request) {
  const api::Workload& desired = *request.desired;
  const api::Workload* live = request.existing.workload;
  api::OwnerReference owner{desired.api_version, desired.kind, desired.metadata.name, desired.metadata.uid, true};
  if (live != nullptr && !live->metadata.uid.empty()) owner.uid = live->metadata.uid;
  return owner;
}

bool IsOwnedBy(const ManagedPod& pod, const api::OwnerReference& owner) {
  if (pod.owner_kind != owner.kind) return false;
  if (pod.owner_uid.empty() || owner.uid.empty()) return pod.owner_name == owner.name;
  return pod.owner_uid == owner.uid;
}

std::string_view ValueOf(const api::StringMap& map, const char* key) {
  const auto found = map.find(key);
  return found == map.end() ? std::string_view() : std::string_view(found->second);
}

std::optional<int64_t> NumberOf(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<int32_t> CountOf(const api::StringMap& annotations, const char* key) {
  const std::optional<int64_t> number = NumberOf(ValueOf(annotations, key));
  if (!number || *number < 0 || *number > std::numeric_limits<int32_t>::max()) return std::nullopt;
  return static_cast<int32_t>(*number);
}

std::string TemplateTextOf(const Request& request) {
  return request.template_text.empty() ? TemplateText(request.desired->pod_template) : request.template_text;
}

int32_t EffectiveReplicas(const api::Workload& desired, const Existing& existing) {
  const api::HorizontalPodAutoscaler* autoscaler = existing.autoscaler;
  const bool keep = existing.workload != nullptr && (autoscaler != nullptr || !desired.replicas_given);
  const int32_t replicas = std::max(0, (keep ? *existing.workload : desired).replicas.value_or(1));
  if (autoscaler == nullptr || replicas == 0) return replicas;
  return std::max(std::min(replicas, autoscaler->max_replicas), autoscaler->min_replicas.value_or(1));
}

}  // namespace ksched::controllers
