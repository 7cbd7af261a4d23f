#include "admission/limit_ranger.h"

#include <utility>

#include "admission/limit_checks.h"
#include "admission/messages.h"
#include "admission/named_objects.h"

namespace ksched {
namespace {

using api::LimitRange;
using api::LimitRangeItem;
using api::ResourceList;

void SetItemDefaults(LimitRangeItem& item) {
  if (item.type != "Container") return;
  for (const auto& [name, quantity] : item.max) item.defaults.emplace(name, quantity);
  for (const auto& [name, quantity] : item.defaults) item.default_requests.emplace(name, quantity);
  for (const auto& [name, quantity] : item.min) item.default_requests.emplace(name, quantity);
}

// Of all items; of one resource the last item's counts.
api::ResourceRequirements ContainerDefaults(const LimitRange& range) {
  api::ResourceRequirements defaults;
  for (const LimitRangeItem& item : range.limits) {
    if (item.type != "Container") continue;
    for (const auto& [name, quantity] : item.default_requests) defaults.requests.insert_or_assign(name, quantity);
    for (const auto& [name, quantity] : item.defaults) defaults.limits.insert_or_assign(name, quantity);
  }
  return defaults;
}

// Adds what `list` lacks; notes what that was.
void Complete(ResourceList& list, const ResourceList& defaults, const std::string& whose,
              std::vector<std::string>& notes) {
  std::vector<std::string> added;
  for (const auto& [name, quantity] : defaults) {
    if (list.emplace(name, quantity).second) added.push_back(name);
  }
  if (!added.empty()) notes.push_back(Join(added, ", ") + whose);
}

void Complete(api::Container& container, const api::ResourceRequirements& defaults, const std::string& kind,
              std::vector<std::string>& notes) {
  Complete(container.resources.requests, defaults.requests, " request for " + kind + " " + container.name, notes);
  Complete(container.resources.limits, defaults.limits, " limit for " + kind + " " + container.name, notes);
}

Result<void> AsResult(const std::vector<std::string>& reasons) {
  if (reasons.empty()) return {};
  return Error{Aggregate(reasons)};
}

}  // namespace

void LimitRanger::Put(LimitRange one) {
  for (LimitRangeItem& item : one.limits) SetItemDefaults(item);
  auto& of_namespace = ranges_[one.metadata.ns];  // before it is moved from
  PutSorted(of_namespace, std::move(one));
}

void LimitRanger::Remove(std::string_view ns, std::string_view name) {
  if (const auto found = ranges_.find(ns); found != ranges_.end()) RemoveByName(found->second, name);
}

std::span<const LimitRange> LimitRanger::Of(const std::string& ns) const {
  const auto found = ranges_.find(ns);
  if (found == ranges_.end()) return {};
  return found->second;
}

void LimitRanger::Complete(api::Pod& pod) const {
  for (const LimitRange& range : Of(pod.metadata.ns)) {
    const api::ResourceRequirements defaults = ContainerDefaults(range);
    std::vector<std::string> notes;
    for (api::Container& one : pod.spec.containers) ksched::Complete(one, defaults, "container", notes);
    for (api::Container& one : pod.spec.init_containers) ksched::Complete(one, defaults, "init container", notes);
    if (notes.empty()) continue;
    pod.metadata.annotations["kubernetes.io/limit-ranger"] = "LimitRanger plugin set: " + Join(notes, "; ");
  }
}

Result<void> LimitRanger::Check(const api::Pod& pod) const {
  for (const LimitRange& range : Of(pod.metadata.ns)) {
    if (auto done = AsResult(LimitProblems(range, pod.spec)); !done) return done;
  }
  return {};
}

Result<void> LimitRanger::Check(const api::PersistentVolumeClaim& claim) const {
  for (const LimitRange& range : Of(claim.metadata.ns)) {
    if (auto done = AsResult(LimitProblems(range, claim.spec)); !done) return done;
  }
  return {};
}

}  // namespace ksched
