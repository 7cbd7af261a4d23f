#include "admission/priority.h"

#include <string>
#include <utility>

#include "admission/named_objects.h"

namespace ksched {
namespace {

constexpr std::pair<std::string_view, int32_t> kSystemClasses[] = {{"system-node-critical", 2000001000},
                                                                   {"system-cluster-critical", 2000000000}};
constexpr const char* kPreemptLowerPriority = "PreemptLowerPriority";

}  // namespace

PriorityPlugin::PriorityPlugin() {
  for (const auto& [name, value] : kSystemClasses) {
    api::PriorityClass one;
    one.metadata.name = one.metadata.uid = name;
    one.value = value;
    one.preemption_policy = kPreemptLowerPriority;
    classes_.push_back(std::move(one));
  }
}

void PriorityPlugin::Put(api::PriorityClass one) { PutByName(classes_, std::move(one)); }
void PriorityPlugin::Remove(std::string_view name) { RemoveByName(classes_, name); }

Result<const api::PriorityClass*> PriorityPlugin::Choose(const api::PodSpec& spec) const {
  if (!spec.priority_class_name.empty()) {
    const auto found = FindByName(classes_, spec.priority_class_name);
    if (found == classes_.end()) {
      return Error{"no PriorityClass with name " + spec.priority_class_name + " was found"};
    }
    return &*found;
  }
  const api::PriorityClass* chosen = nullptr;
  for (const api::PriorityClass& one : classes_) {  // of several defaults the lowest counts
    if (one.global_default && (chosen == nullptr || one.value < chosen->value)) chosen = &one;
  }
  return chosen;
}

Result<void> PriorityPlugin::Complete(api::PodSpec& spec) const {
  if (spec.priority) return {};
  const auto chosen = Choose(spec);
  if (!chosen) return chosen.error();
  std::string policy = kPreemptLowerPriority;
  spec.priority = 0;
  if (const api::PriorityClass* one = *chosen; one != nullptr) {
    spec.priority_class_name = one->metadata.name;
    spec.priority = one->value;
    if (!one->preemption_policy.empty()) policy = one->preemption_policy;
  }
  if (spec.preemption_policy.empty()) spec.preemption_policy = std::move(policy);
  return {};
}

Result<void> PriorityPlugin::Admit(api::PodSpec& spec) const {
  const auto chosen = Choose(spec);
  if (!chosen) return chosen.error();
  const api::PriorityClass* one = *chosen;
  if (one != nullptr) spec.priority_class_name = one->metadata.name;
  const int32_t priority = one != nullptr ? one->value : 0;
  if (spec.priority && *spec.priority != priority) {
    return Error{"the integer value of priority (" + std::to_string(*spec.priority) +
                 ") must not be provided in pod spec; priority admission controller computed " +
                 std::to_string(priority) + " from the given PriorityClass name"};
  }
  spec.priority = priority;
  std::string policy = kPreemptLowerPriority;
  if (one != nullptr && !one->preemption_policy.empty()) policy = one->preemption_policy;
  if (!spec.preemption_policy.empty() && spec.preemption_policy != policy) {
    return Error{"the string value of PreemptionPolicy (" + spec.preemption_policy +
                 ") must not be provided in pod spec; priority admission controller computed " + policy +
                 " from the given PriorityClass name"};
  }
  spec.preemption_policy = std::move(policy);
  return {};
}

}  // namespace ksched
