#include "api/validation.h"

#include "api/field_errors.h"
#include "api/validation_parts.h"

namespace ksched::api {
namespace {

// What is known by its metadata only.
template <typename T>
void ValidateKind(const T&, const Validation&) {}

void ValidateKind(const Pod& pod, const Validation& v) {
  const FieldPath root;
  const FieldPath spec = root.Child("spec");
  ValidatePodSpec(pod.spec, spec, /*is_pod=*/true, v);
  // One that has its node is past all that groups decide.
  if (pod.spec.has_scheduling_group && (v.user() || pod.spec.node_name.empty())) {
    v.reporter.Add(spec.Child("schedulingGroup"), "pod groups are not supported yet");
  }
}

void ValidateKind(const Workload& workload, const Validation& v) { ValidateWorkload(workload, v); }

void ValidateKind(const PersistentVolumeClaim& claim, const Validation& v) {
  const FieldPath root;
  const FieldPath spec = root.Child("spec");
  ValidateLabelSelector(claim.spec.selector, spec.Child("selector"), v);
}

void ValidateKind(const PodDisruptionBudget& budget, const Validation& v) {
  const FieldPath root;
  const FieldPath spec = root.Child("spec");
  ValidateLabelSelector(budget.selector, spec.Child("selector"), v);
}

void ValidateKind(const CsiStorageCapacity& capacity, const Validation& v) {
  const FieldPath root;
  ValidateLabelSelector(capacity.node_topology, root.Child("nodeTopology"), v);
}

void ValidateKind(const Node& node, const Validation& v) {
  const FieldPath root;
  const FieldPath spec = root.Child("spec"), status = root.Child("status");
  ValidateTaints(node.spec.taints, spec.Child("taints"), v);
  if (!v.user()) return;
  const FieldPath capacity = status.Child("capacity"), allocatable = status.Child("allocatable");
  for (const auto& [name, quantity] : node.status.capacity) ValidateQuantity(name, quantity, capacity.Key(name), v);
  if (!node.status.has_allocatable) return;  // it is the capacity
  for (const auto& [name, quantity] : node.status.allocatable) {
    ValidateQuantity(name, quantity, allocatable.Key(name), v);
  }
}

// Why a class may not have a name that begins with "system-"; empty if it may.
std::string SystemClassProblem(const PriorityClass& priority_class) {
  struct SystemClass {
    std::string_view name;
    int32_t value;
  };
  constexpr SystemClass kSystemClasses[] = {{"system-node-critical", 2'000'001'000},
                                            {"system-cluster-critical", 2'000'000'000}};
  for (const auto& [name, value] : kSystemClasses) {
    if (priority_class.metadata.name != name) continue;
    if (priority_class.value != value) {
      return "value of " + std::string(name) + " PriorityClass must be " + std::to_string(value);
    }
    return priority_class.global_default ? "globalDefault of " + std::string(name) + " PriorityClass must be false"
                                         : "";
  }
  return priority_class.metadata.name + " is not a known system priority class";
}

void ValidateKind(const PriorityClass& priority_class, const Validation& v) {
  constexpr int32_t kHighestOfUsers = 1'000'000'000;
  const FieldPath root;
  const std::string& policy = priority_class.preemption_policy;
  if (policy != "PreemptLowerPriority" && policy != "Never") {
    v.reporter.Add(root.Child("preemptionPolicy"), NotSupported(policy, {"PreemptLowerPriority", "Never"}));
  }
  if (!v.user()) return;
  if (priority_class.metadata.name.starts_with("system-")) {
    const std::string problem = SystemClassProblem(priority_class);
    const FieldPath metadata = root.Child("metadata");
    if (!problem.empty()) {
      v.reporter.Add(
          metadata.Child("name"),
          Forbidden("priority class names with 'system-' prefix are reserved for system use only. error: " + problem));
    }
  } else if (priority_class.value > kHighestOfUsers) {
    v.reporter.Add(root.Child("value"),
                   Forbidden("maximum allowed value of a user defined priority is " + std::to_string(kHighestOfUsers)));
  }
}

void ValidateKind(const RuntimeClass& runtime_class, const Validation& v) {
  const FieldPath root;
  const FieldPath scheduling = root.Child("scheduling"), overhead = root.Child("overhead");
  ValidateTolerations(runtime_class.tolerations, scheduling.Child("tolerations"), v);
  if (!v.user()) return;
  if (runtime_class.handler.empty()) {
    v.reporter.Add(root.Child("handler"), Required());
  } else {
    v.AddInvalid(root.Child("handler"), runtime_class.handler, CheckDns1123Label(runtime_class.handler));
  }
  ValidateOverhead(runtime_class.overhead, overhead.Child("podFixed"), v);
  ValidateLabels(runtime_class.node_selector, scheduling.Child("nodeSelector"), v);
}

void ValidateKind(const DeviceClass& device_class, const Validation& v) {
  if (!device_class.extended_resource_name || IsExtendedResource(*device_class.extended_resource_name)) return;
  const FieldPath root;
  const FieldPath spec = root.Child("spec");
  v.reporter.Add(spec.Child("extendedResourceName"),
                 Invalid(*device_class.extended_resource_name, "must be a valid extended resource name"));
}

}  // namespace

void ValidateObject(const Object& object, std::string_view kind, bool namespaced, ValidationMode mode,
                    ProblemReporter& reporter) {
  const Validation v{reporter, mode};
  std::visit(
      [&](const auto& typed) {
        ValidateMetadata(typed.metadata, kind, namespaced, v);
        ValidateKind(typed, v);
      },
      object);
}

}  // namespace ksched::api
