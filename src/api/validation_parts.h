// The parts of validation that several kinds share. Each reports what is wrong with the value at `path`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/names.h"
#include "api/objects.h"
#include "api/reporter.h"
#include "api/types.h"

namespace ksched::api {

// Where findings go, and by which rules.
struct Validation {
  ProblemReporter& reporter;
  ValidationMode mode = ValidationMode::kUser;

  bool user() const { return mode == ValidationMode::kUser; }
  // One problem per message: Invalid value: "VALUE": MESSAGE.
  void AddInvalid(const FieldPath& path, std::string_view value, const Messages& messages) const;
};

// ---- metadata and labels (validation_meta.cc) ----

void ValidateMetadata(const ObjectMeta& metadata, std::string_view kind, bool namespaced, const Validation& v);
void ValidateLabelKey(std::string_view key, const FieldPath& path, const Validation& v);
void ValidateLabelValue(std::string_view value, const FieldPath& path, const Validation& v);
void ValidateLabels(const StringMap& labels, const FieldPath& path, const Validation& v);
void ValidateAnnotations(const StringMap& annotations, const FieldPath& path, const Validation& v);
// Stored selectors may have values that are no label values: newer API servers tolerate those.
void ValidateLabelSelector(const std::optional<LabelSelector>& selector, const FieldPath& path, const Validation& v);
// A resource of the API is named like a DNS subdomain: spec.nodeName, spec.priorityClassName. Empty is fine.
void ValidateReference(std::string_view name, const FieldPath& path, const Validation& v);

void ValidateNonNegative(int64_t value, const FieldPath& path, const Validation& v);

// ---- taints and tolerations (validation_taints.cc) ----

void ValidateTaints(const std::vector<Taint>& taints, const FieldPath& path, const Validation& v);
void ValidateTolerations(const std::vector<Toleration>& tolerations, const FieldPath& path, const Validation& v);

// ---- resources (validation_resources.cc); all only of users ----

void ValidateQuantity(std::string_view resource, const Quantity& quantity, const FieldPath& path, const Validation& v);
void ValidateContainerResources(const ResourceRequirements& resources, const std::vector<PodResourceClaim>& claims,
                                const FieldPath& path, const Validation& v);
void ValidateOverhead(const std::optional<ResourceList>& overhead, const FieldPath& path, const Validation& v);
// spec.resources, by itself and against those of the containers.
void ValidatePodLevelResources(const PodSpec& spec, const FieldPath& spec_path, const Validation& v);

// ---- pods ----

void ValidateContainers(const PodSpec& spec, const FieldPath& spec_path, bool is_pod, const Validation& v);
void ValidateAffinity(const Affinity& affinity, const FieldPath& path, const Validation& v);
void ValidateSpreadConstraints(const std::vector<TopologySpreadConstraint>& constraints, const FieldPath& path,
                               const Validation& v);
// Both selectors' matchLabelKeys rules (mismatch_keys is empty for spread constraints).
void ValidateLabelKeyLists(const std::vector<std::string>& match_keys, const std::vector<std::string>& mismatch_keys,
                           const std::optional<LabelSelector>& selector, const FieldPath& path, const Validation& v);
// `is_pod`: of a pod, not of a template.
void ValidatePodSpec(const PodSpec& spec, const FieldPath& path, bool is_pod, const Validation& v);

// ---- what makes pods; all only of users ----

void ValidateWorkload(const Workload& workload, const Validation& v);
void ValidateStrategy(const Workload& workload, const FieldPath& spec, const Validation& v);
void ValidateClaimSpec(const ClaimSpec& claim, const FieldPath& path, const Validation& v);

}  // namespace ksched::api
