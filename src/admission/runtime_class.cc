#include "admission/runtime_class.h"

#include <string>
#include <utility>

#include "admission/named_objects.h"
#include "admission/tolerations.h"

namespace ksched {
namespace {

constexpr const char* kOtherOverhead = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

Result<void> SetOverhead(api::PodSpec& spec, const api::RuntimeClass& runtime_class) {
  if (!runtime_class.overhead) return {};
  if (spec.overhead && !spec.overhead->empty() && *spec.overhead != *runtime_class.overhead) {
    return Error{kOtherOverhead};
  }
  spec.overhead = runtime_class.overhead;
  return {};
}

Result<void> SetScheduling(api::PodSpec& spec, const api::RuntimeClass& runtime_class) {
  if (!runtime_class.has_scheduling) return {};
  for (const auto& [key, value] : runtime_class.node_selector) {
    const auto [place, added] = spec.node_selector.emplace(key, value);
    if (added || place->second == value) continue;
    return Error{"conflict: runtimeClass.scheduling.nodeSelector[" + key + "] = " + value + "; pod.spec.nodeSelector[" +
                 key + "] = " + place->second};
  }
  spec.tolerations = MergeTolerations(spec.tolerations, runtime_class.tolerations);
  return {};
}

Result<void> Apply(api::PodSpec& spec, const api::RuntimeClass& runtime_class) {
  if (auto done = SetOverhead(spec, runtime_class); !done) return done;
  return SetScheduling(spec, runtime_class);
}

}  // namespace

void RuntimeClassPlugin::Put(api::RuntimeClass one) { PutByName(classes_, std::move(one)); }
void RuntimeClassPlugin::Remove(std::string_view name) { RemoveByName(classes_, name); }

const api::RuntimeClass* RuntimeClassPlugin::Find(const api::PodSpec& spec) const {
  if (spec.runtime_class_name.empty()) return nullptr;
  const auto found = FindByName(classes_, spec.runtime_class_name);
  return found == classes_.end() ? nullptr : &*found;
}

bool RuntimeClassPlugin::MayComplete(const api::PodSpec& spec) {
  return !spec.runtime_class_name.empty() && (spec.node_name.empty() || !spec.overhead);
}

Result<void> RuntimeClassPlugin::Complete(api::PodSpec& spec) const {
  const api::RuntimeClass* runtime_class = MayComplete(spec) ? Find(spec) : nullptr;
  if (runtime_class == nullptr) return {};
  return Apply(spec, *runtime_class);
}

Result<void> RuntimeClassPlugin::Admit(api::PodSpec& spec) const {
  const api::RuntimeClass* runtime_class = Find(spec);
  if (runtime_class != nullptr) return Apply(spec, *runtime_class);
  if (spec.runtime_class_name.empty()) return {};
  return Error{"pod rejected: RuntimeClass \"" + spec.runtime_class_name + "\" not found"};
}

Result<void> RuntimeClassPlugin::Check(const api::PodSpec& spec) const {
  const api::RuntimeClass* runtime_class = Find(spec);
  if (runtime_class != nullptr && runtime_class->overhead) {
    if (spec.overhead != runtime_class->overhead) return Error{kOtherOverhead};
  } else if (spec.overhead) {
    return Error{"pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"};
  }
  return {};
}

}  // namespace ksched
