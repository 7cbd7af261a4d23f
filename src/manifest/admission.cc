#include "manifest/admission.h"

#include <algorithm>
#include <utility>

namespace ksched {
namespace {

using api::Toleration;

constexpr std::pair<std::string_view, int32_t> kSystemClasses[] = {{"system-node-critical", 2000001000},
                                                                   {"system-cluster-critical", 2000000000}};

template <typename T>
auto FindByName(T& classes, std::string_view name) {
  return std::ranges::find(classes, name, [](const auto& one) -> std::string_view { return one.metadata.name; });
}

template <typename T>
void PutByName(std::vector<T>& classes, T one) {
  const auto found = FindByName(classes, one.metadata.name);
  if (found == classes.end()) {
    classes.push_back(std::move(one));
  } else {
    *found = std::move(one);
  }
}

template <typename T>
void RemoveByName(std::vector<T>& classes, std::string_view name) {
  if (const auto found = FindByName(classes, name); found != classes.end()) classes.erase(found);
}

bool RuntimeClassMayChange(const api::Pod& pod) {
  return !pod.spec.runtime_class_name.empty() && (pod.spec.node_name.empty() || !pod.spec.overhead);
}

// Whether `one` tolerates everything that `other` does.
bool Covers(const Toleration& one, const Toleration& other) {
  if (one == other) return true;
  if (other.key != one.key && (!one.key.empty() || one.op != "Exists")) return false;
  if (other.effect != one.effect && !one.effect.empty()) return false;
  if (one.effect == "NoExecute" && one.toleration_seconds &&
      (!other.toleration_seconds || *other.toleration_seconds > *one.toleration_seconds)) {
    return false;
  }
  if (one.op == "Equal" || one.op.empty()) return other.op == "Equal" && other.value == one.value;
  return one.op == "Exists";
}

Result<void> SetOverhead(api::Pod& pod, const api::RuntimeClass& runtime_class) {
  if (!runtime_class.overhead) return {};
  if (pod.spec.overhead && !pod.spec.overhead->empty() && *pod.spec.overhead != *runtime_class.overhead) {
    return Error{"pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"};
  }
  pod.spec.overhead = runtime_class.overhead;
  return {};
}

Result<void> SetScheduling(api::Pod& pod, const api::RuntimeClass& runtime_class) {
  if (!runtime_class.has_scheduling) return {};
  for (const auto& [key, value] : runtime_class.node_selector) {
    const auto [place, added] = pod.spec.node_selector.emplace(key, value);
    if (added || place->second == value) continue;
    return Error{"conflict: runtimeClass.scheduling.nodeSelector[" + key + "] = " + value + "; pod.spec.nodeSelector[" +
                 key + "] = " + place->second};
  }
  pod.spec.tolerations = MergeTolerations(pod.spec.tolerations, runtime_class.tolerations);
  return {};
}

}  // namespace

bool IsTerminal(const api::Pod& pod) { return pod.status.phase == "Succeeded" || pod.status.phase == "Failed"; }

Admission::Admission() {
  for (const auto& [name, value] : kSystemClasses) {
    api::PriorityClass one;
    one.metadata.name = one.metadata.uid = name;
    one.value = value;
    one.preemption_policy = "PreemptLowerPriority";
    priority_classes_.push_back(std::move(one));
  }
}

void Admission::Put(api::PriorityClass priority_class) { PutByName(priority_classes_, std::move(priority_class)); }
void Admission::Put(api::RuntimeClass runtime_class) { PutByName(runtime_classes_, std::move(runtime_class)); }
void Admission::RemovePriorityClass(std::string_view name) { RemoveByName(priority_classes_, name); }
void Admission::RemoveRuntimeClass(std::string_view name) { RemoveByName(runtime_classes_, name); }

bool Admission::MayChange(const api::Pod& pod) { return !pod.spec.priority || RuntimeClassMayChange(pod); }

Result<void> Admission::Admit(api::Pod& pod) const {
  if (auto done = SetPriority(pod); !done) return done;
  return ApplyRuntimeClass(pod);
}

Result<void> Admission::SetPriority(api::Pod& pod) const {
  if (pod.spec.priority) return {};
  const api::PriorityClass* chosen = nullptr;
  if (pod.spec.priority_class_name.empty()) {
    for (const api::PriorityClass& one : priority_classes_) {  // of several defaults the lowest counts
      if (one.global_default && (chosen == nullptr || one.value < chosen->value)) chosen = &one;
    }
  } else {
    const auto found = FindByName(priority_classes_, pod.spec.priority_class_name);
    if (found == priority_classes_.end()) {
      return Error{"no PriorityClass with name " + pod.spec.priority_class_name + " was found"};
    }
    chosen = &*found;
  }
  std::string policy = "PreemptLowerPriority";
  pod.spec.priority = 0;
  if (chosen != nullptr) {
    pod.spec.priority_class_name = chosen->metadata.name;
    pod.spec.priority = chosen->value;
    if (!chosen->preemption_policy.empty()) policy = chosen->preemption_policy;
  }
  if (pod.spec.preemption_policy.empty()) pod.spec.preemption_policy = std::move(policy);
  return {};
}

Result<void> Admission::ApplyRuntimeClass(api::Pod& pod) const {
  if (!RuntimeClassMayChange(pod) || IsTerminal(pod)) return {};
  const auto found = FindByName(runtime_classes_, pod.spec.runtime_class_name);
  if (found == runtime_classes_.end()) return {};
  if (auto done = SetOverhead(pod, *found); !done) return done;
  return SetScheduling(pod, *found);
}

std::vector<Toleration> MergeTolerations(const std::vector<Toleration>& first, const std::vector<Toleration>& second) {
  std::vector<Toleration> all = first;
  all.insert(all.end(), second.begin(), second.end());
  std::vector<Toleration> merged;
  for (size_t i = 0; i < all.size(); ++i) {
    const Toleration& one = all[i];
    const auto covers = [&](const Toleration& other) { return Covers(other, one); };
    const auto covers_more = [&](const Toleration& other) { return other != one && Covers(other, one); };
    if (std::ranges::any_of(merged, covers)) continue;
    if (std::any_of(all.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.end(), covers_more)) continue;
    merged.push_back(one);
  }
  return merged;
}

}  // namespace ksched
