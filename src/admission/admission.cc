#include "admission/admission.h"

#include <string>
#include <utility>

#include "admission/messages.h"
#include "admission/pod_strategy.h"
#include "admission/tolerations.h"
#include "api/message_document.h"
#include "api/validation.h"

namespace ksched {
namespace {

constexpr std::string_view kPods = "pods", kClaims = "persistentvolumeclaims";

// The plugin's reason, as what the API server answers.
Result<void> Refuse(Result<void> done, std::string_view resource, const api::ObjectMeta& metadata) {
  if (done) return done;
  return Forbidden(resource, metadata, done.error().message);
}

// What the plugins have added may contradict what the pod says (a limit below its request), and a template may make
// pods that are invalid: the API server validates the pod that it is about to store.
Result<void> Validate(api::Pod& pod) {
  const std::string no_file;
  const api::MessageDocument document(no_file, "Pod", {});
  api::Problems problems;
  api::ProblemReporter reporter(document, problems);
  api::Object object = std::move(pod);
  api::ValidateObject(object, "Pod", /*namespaced=*/true, api::ValidationMode::kUser, reporter);
  pod = std::get<api::Pod>(std::move(object));
  if (problems.empty()) return {};
  std::vector<std::string> reasons;
  for (const api::Problem& one : problems) reasons.push_back(one.field + ": " + one.message);
  return Error{"Pod \"" + pod.metadata.name + "\" is invalid: " + Aggregate(reasons)};
}

}  // namespace

Admission::Admission(AdmissionPlugins plugins) : plugins_(plugins) {}

void Admission::Remove(std::string_view kind, std::string_view ns, std::string_view name) {
  if (kind == "PriorityClass") priority_.Remove(name);
  if (kind == "RuntimeClass") runtime_class_.Remove(name);
  if (kind == "LimitRange") limit_ranger_.Remove(ns, name);
  if (kind == "ResourceQuota") quota_.Remove(ns, name);
  if (kind == "StorageClass") storage_class_.Remove(name);
  if (kind == "Namespace") namespaces_.Remove(name);
}

bool Admission::MayChange(const api::Pod& pod) {
  return !pod.spec.priority || RuntimeClassPlugin::MayComplete(pod.spec);
}

Result<void> Admission::Complete(api::Pod& pod) const {
  if (auto done = priority_.Complete(pod.spec); !done) return done;
  if (api::IsTerminal(pod)) return {};
  return runtime_class_.Complete(pod.spec);
}

Result<void> Admission::Admit(api::Pod& pod) {
  if (plugins_.empty()) return Complete(pod);
  if (has(AdmissionPlugin::kNamespaceLifecycle)) {
    if (auto done = namespaces_.Admit(kPods, pod.metadata); !done) return done;
  }
  if (auto done = Mutate(pod); !done) return Refuse(std::move(done), kPods, pod.metadata);
  PreparePodForCreate(pod);
  if (auto done = Validate(pod); !done) return done;
  return Refuse(Check(pod), kPods, pod.metadata);
}

// A plugin that does not take part leaves what it does without plugins.
Result<void> Admission::Mutate(api::Pod& pod) const {
  if (has(AdmissionPlugin::kLimitRanger)) limit_ranger_.Complete(pod);
  const bool strict_priority = has(AdmissionPlugin::kPriority);
  if (auto done = strict_priority ? priority_.Admit(pod.spec) : priority_.Complete(pod.spec); !done) return done;
  if (has(AdmissionPlugin::kDefaultTolerationSeconds)) AddDefaultTolerations(pod.spec.tolerations);
  if (has(AdmissionPlugin::kRuntimeClass)) return runtime_class_.Admit(pod.spec);
  return runtime_class_.Complete(pod.spec);
}

Result<void> Admission::Check(const api::Pod& pod) {
  if (has(AdmissionPlugin::kLimitRanger)) {
    if (auto done = limit_ranger_.Check(pod); !done) return done;
  }
  if (has(AdmissionPlugin::kRuntimeClass)) {
    if (auto done = runtime_class_.Check(pod.spec); !done) return done;
  }
  if (has(AdmissionPlugin::kResourceQuota)) return quota_.Admit(pod);
  return {};
}

Result<void> Admission::AdmitClaim(api::PersistentVolumeClaim& claim) {
  if (has(AdmissionPlugin::kNamespaceLifecycle)) {
    if (auto done = namespaces_.Admit(kClaims, claim.metadata); !done) return done;
  }
  if (has(AdmissionPlugin::kDefaultStorageClass)) storage_class_.Admit(claim);
  if (has(AdmissionPlugin::kLimitRanger)) {
    if (auto done = limit_ranger_.Check(claim); !done) return Refuse(std::move(done), kClaims, claim.metadata);
  }
  if (!has(AdmissionPlugin::kResourceQuota)) return {};
  return Refuse(quota_.Admit(claim), kClaims, claim.metadata);
}

void Admission::Release(const api::Pod& pod) {
  if (has(AdmissionPlugin::kResourceQuota)) quota_.Release(pod);
}
void Admission::Release(const api::PersistentVolumeClaim& claim) {
  if (has(AdmissionPlugin::kResourceQuota)) quota_.Release(claim);
}
void Admission::Charge(const api::Pod& pod) {
  if (has(AdmissionPlugin::kResourceQuota)) quota_.Charge(pod);
}
void Admission::Charge(const api::PersistentVolumeClaim& claim) {
  if (has(AdmissionPlugin::kResourceQuota)) quota_.Charge(claim);
}

}  // namespace ksched
