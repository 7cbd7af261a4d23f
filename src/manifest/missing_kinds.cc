#include "manifest/missing_kinds.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "api/owners.h"

namespace ksched {
namespace {

struct Verdict {
  bool matters = false;
  std::string consequence;  // empty: it does not matter at all
};

std::string Join(const std::set<std::string>& names) {
  std::string joined;
  for (const std::string& name : names) joined += (joined.empty() ? "" : ", ") + name;
  return joined;
}

Verdict OfPriorityClasses(const NewObjects& objects) {
  if (!objects.priority_classes().empty()) {
    return {true, "the priority of pods of the class " + Join(objects.priority_classes()) + " is not known"};
  }
  if (!objects.any_without_class()) return {};
  return {false, "if the cluster has a class with globalDefault, new pods do not get its priority here"};
}

Verdict OfRuntimeClasses(const NewObjects& objects) {
  if (objects.runtime_classes().empty()) return {};
  return {true, "overhead and node selector of the class " + Join(objects.runtime_classes()) + " are not known"};
}

Verdict OfAdmission(std::string_view kind, const NewObjects& objects, const AdmissionPlugins& admission) {
  const bool limits = kind == "LimitRange";
  const AdmissionPlugin plugin = limits ? AdmissionPlugin::kLimitRanger : AdmissionPlugin::kResourceQuota;
  if (!objects.any() || !admission.has(plugin)) return {};
  return {true, limits ? "defaults and limits of the namespace would not be applied to new pods (--admission with a "
                         "list without LimitRanger goes without them)"
                       : "new pods that are over a quota would not be rejected (--admission with a list without "
                         "ResourceQuota goes without them)"};
}

// Kinds without which it is not known what a workload of a manifest has already.
Verdict OfWorkloads(const std::string& kind, const NewObjects& objects, bool fresh) {
  if (fresh) return {};
  const std::string what =
      "it is not known what exists already of the manifest's workloads (--fresh takes them for new)";
  if (objects.has_kind(kind)) return {true, what};
  if (kind == "ReplicaSet" && objects.has_kind("Deployment")) return {true, what};
  if (kind == "Job" && objects.has_kind("CronJob")) return {};
  if (kind != "HorizontalPodAutoscaler") return {};
  for (const char* scaled : {"Deployment", "ReplicaSet", "ReplicationController", "StatefulSet"}) {
    if (objects.has_kind(scaled)) return {true, "it is not known whether an autoscaler sets the number of replicas"};
  }
  return {};
}

// Kinds that say where a pod's volumes can be.
Verdict OfVolumes(std::string_view kind, const NewObjects& objects) {
  constexpr std::array<std::pair<std::string_view, const char*>, 7> kConsequences = {{
      {"PersistentVolumeClaim", "the claims of pods are not known"},
      {"PersistentVolume", "it is not known where volumes are"},
      {"StorageClass", "it is not known how claims are bound"},
      {"CSINode", "limits of volumes per node are not known"},
      {"CSIDriver", "it is not known which drivers have limits and capacities"},
      {"CSIStorageCapacity", "it is not known where there is room for new volumes"},
      {"VolumeAttachment", "volumes that are attached and belong to no pod do not count towards limits"},
  }};
  if (objects.any() && !objects.any_claims()) return {};  // only pods that wait already may have claims
  for (const auto& [name, consequence] : kConsequences) {
    if (kind == name) return {objects.any_claims(), consequence};
  }
  return {};
}

// Kinds that say which pods belong together. A pod is spread with those of its controller, if that is of one of these
// kinds, and of its services; the workloads of the manifest itself are known.
Verdict OfDefaultSpreading(const std::string& kind, const NewObjects& objects) {
  constexpr std::array<std::string_view, 3> kControllers = {"ReplicationController", "ReplicaSet", "StatefulSet"};
  const bool read = kind == "Service" ? objects.any_spread_by_default()
                                      : std::ranges::count(kControllers, kind) > 0 && objects.has_controller(kind);
  if (!read) return {};
  return {false, "pods that have no spread constraints are not spread by default with others that belong to them"};
}

Verdict Judge(const std::string& kind, const NewObjects& objects, const AdmissionPlugins& admission, bool fresh) {
  if (kind == "Node") return {true, "without nodes nothing can be said"};
  if (kind == "Pod") return {true, "what the pods of the cluster take of its nodes is not known"};
  if (kind == "Namespace") return objects.any() ? Verdict{false, "namespaces are taken to exist"} : Verdict{};
  if (kind == "PriorityClass") return OfPriorityClasses(objects);
  if (kind == "RuntimeClass") return OfRuntimeClasses(objects);
  if (kind == "LimitRange" || kind == "ResourceQuota") return OfAdmission(kind, objects, admission);
  if (kind == "DeviceClass") {
    return {false, "extended resources that device classes provide are taken for resources of nodes"};
  }
  if (kind == "PodDisruptionBudget") return {false, "preemption does not spare the pods that budgets protect"};
  for (const Verdict& verdict : {OfWorkloads(kind, objects, fresh), OfVolumes(kind, objects)}) {
    if (!verdict.consequence.empty()) return verdict;
  }
  return OfDefaultSpreading(kind, objects);
}

}  // namespace

bool NewObjects::AllIn(const std::vector<std::string>& namespaces) const {
  return std::ranges::all_of(namespaces_,
                             [&](const std::string& ns) { return std::ranges::count(namespaces, ns) > 0; });
}

void NewObjects::Add(const api::Pod& pod) {
  namespaces_.insert(pod.metadata.ns);
  const api::OwnerReference* owner = api::ControllerOf(pod.metadata);
  if (owner != nullptr && pod.spec.topology_spread_constraints.empty()) controllers_.insert(owner->kind);
  AddSpec(pod.spec);
}

void NewObjects::Add(const api::Workload& workload) {
  namespaces_.insert(workload.metadata.ns);
  kinds_.insert(workload.kind);
  any_claim_templates_ = any_claim_templates_ || !workload.claim_templates.empty();
  AddSpec(workload.pod_template.spec);
}

void NewObjects::AddSpec(const api::PodSpec& spec) {
  any_ = true;
  any_spread_by_default_ = any_spread_by_default_ || spec.topology_spread_constraints.empty();
  any_claims_ = any_claims_ || any_claim_templates_ || std::ranges::any_of(spec.volumes, [](const api::Volume& volume) {
                  return !volume.claim_name.empty() || volume.ephemeral;
                });
  const std::string& name = spec.priority_class_name;
  if (name.empty()) {
    any_without_class_ = any_without_class_ || !spec.priority;
  } else if (name != "system-node-critical" && name != "system-cluster-critical") {
    priority_classes_.insert(name);
  }
  if (!spec.runtime_class_name.empty()) runtime_classes_.insert(spec.runtime_class_name);
}

MissingKinds JudgeMissingKinds(const std::vector<api::ClusterSnapshot::Absent>& absent, const NewObjects& objects,
                               const AdmissionPlugins& admission, bool fresh) {
  MissingKinds missing;
  for (const api::ClusterSnapshot::Absent& one : absent) {
    // A server that does not have a kind has no objects of it: nothing is missing then.
    if (one.reason == "NotFound" && one.kind != "Node" && one.kind != "Pod") continue;
    if (!one.namespaces.empty() && objects.AllIn(one.namespaces)) continue;
    const Verdict verdict = Judge(one.kind, objects, admission, fresh);
    if (verdict.consequence.empty()) continue;
    std::string text = "cannot list " + one.resource + ": " + one.message + ": " + verdict.consequence;
    (verdict.matters ? missing.errors : missing.warnings).push_back(std::move(text));
  }
  return missing;
}

}  // namespace ksched
