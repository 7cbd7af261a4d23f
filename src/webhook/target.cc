#include "webhook/target.h"

#include <algorithm>
#include <array>
#include <utility>

#include "api/item_document.h"
#include "api/json_values.h"
#include "api/objects.h"
#include "api/owners.h"
#include "controllers/daemon_placement.h"
#include "controllers/pod_maker.h"

namespace ksched::webhook {
namespace {

using Found = Result<std::variant<LetThrough, Target>>;
using api::Json;

struct WorkloadKind {
  std::string_view group, kind, resource;
};
constexpr std::array<WorkloadKind, 7> kWorkloads = {{{"apps", "Deployment", "deployments"},
                                                     {"apps", "ReplicaSet", "replicasets"},
                                                     {"apps", "StatefulSet", "statefulsets"},
                                                     {"apps", "DaemonSet", "daemonsets"},
                                                     {"batch", "Job", "jobs"},
                                                     {"batch", "CronJob", "cronjobs"},
                                                     {"", "ReplicationController", "replicationcontrollers"}}};
constexpr const char* kMirror = "kubernetes.io/config.mirror";
constexpr std::string_view kNothingNew = "NothingNew";

const Json* Find(const Json* object, std::initializer_list<const char*> path) {
  return object == nullptr ? nullptr : api::FindField(*object, path);
}

int64_t NumberAt(const Json* object, std::initializer_list<const char*> path, int64_t otherwise) {
  const Json* value = Find(object, path);
  return value != nullptr && value->IsInt64() ? value->GetInt64() : otherwise;
}

const Json* TemplateOf(const Json* object, std::string_view kind) {
  return kind == "CronJob" ? Find(object, {"spec", "jobTemplate", "spec", "template"})
                           : Find(object, {"spec", "template"});
}

// Whether two values are alike. API servers write the members of both in the same order; where they do not, large
// objects count as different, since to look each name up would take too long.
bool AreAlike(const Json& a, const Json& b) {
  constexpr rapidjson::SizeType kMostToLookUp = 256;
  if (a.IsArray() && b.IsArray()) return std::equal(a.Begin(), a.End(), b.Begin(), b.End(), AreAlike);
  if (!a.IsObject() || !b.IsObject()) return a == b;
  if (a.MemberCount() != b.MemberCount()) return false;
  auto at = b.MemberBegin();
  for (const auto& member : a.GetObject()) {
    auto other = at++;
    if (other->name != member.name) {
      if (a.MemberCount() > kMostToLookUp) return false;
      other = b.FindMember(member.name);
      if (other == b.MemberEnd()) return false;
    }
    if (!AreAlike(member.value, other->value)) return false;
  }
  return true;
}

bool TemplateChanged(const Review& review) {
  const Json* now = TemplateOf(review.object, review.kind);
  const Json* before = TemplateOf(review.old_object, review.kind);
  return now != nullptr && (before == nullptr || !AreAlike(*now, *before));
}

// How many pods the object asks for; of a Job: at the same time.
int64_t ReplicasIn(const Json* object, std::string_view kind) {
  if (kind == "Job") return NumberAt(object, {"spec", "parallelism"}, 1);
  return NumberAt(object, {"spec", "replicas"}, kind == "Scale" ? 0 : 1);
}

bool IsSuspended(const Json* job) {
  const Json* suspend = Find(job, {"spec", "suspend"});
  return suspend != nullptr && suspend->IsTrue();
}

Result<api::Decoded> Decode(const Review& review) {
  const std::string file = "request.object";
  api::Decoded decoded;
  api::Problems problems;
  if (!api::DecodeObject(api::ItemDocument(*review.object, file), decoded, problems, api::ValidationMode::kStored)) {
    return Error{problems.empty() ? "request.object cannot be read" : problems.front().ToString()};
  }
  return decoded;
}

void Describe(const api::ObjectMeta& metadata, const Review& review, Target& target) {
  target.kind = review.kind;
  target.ns = review.ns;
  target.name = metadata.name;
  target.labels = metadata.labels;
  target.owned = api::ControllerOf(metadata) != nullptr;
}

// What the pod itself says about whether it is judged; "": it is.
std::string_view WhyNotJudged(const api::Pod& pod, const TargetRules& rules) {
  if (!pod.spec.node_name.empty()) return "HasNode";
  if (pod.metadata.annotations.contains(kMirror)) return "MirrorPod";
  if (!rules.has_profile(pod.spec.scheduler_name)) return "OtherScheduler";
  if (!pod.spec.scheduling_gates.empty() && !rules.judge_gated) return "Gated";
  return {};
}

Found PodTarget(const Review& review, const TargetRules& rules) {
  auto decoded = Decode(review);
  if (!decoded) return std::move(decoded).error();
  auto* pod = std::get_if<api::Pod>(&decoded->object);
  if (pod == nullptr) return Error{"request.object is no Pod"};
  if (const auto reason = WhyNotJudged(*pod, rules); !reason.empty()) return {LetThrough{reason}};
  Target target;
  Describe(pod->metadata, review, target);
  target.pod = std::move(*pod);
  target.incomplete = rules.pods_are_new;
  target.pod.metadata.ns = review.ns;
  target.pod.spec.scheduling_gates.clear();
  return {std::move(target)};
}

// The pods of a Deployment are made by a ReplicaSet, which is not there yet.
api::OwnerReference OwnerOf(const api::Workload& workload) {
  const bool deployment = workload.kind == "Deployment";
  const std::string uid =
      workload.metadata.uid.empty() ? workload.metadata.ns + "/" + workload.metadata.name : workload.metadata.uid;
  return {workload.api_version, deployment ? "ReplicaSet" : workload.kind, workload.metadata.name, uid, true};
}

int64_t WantedOf(const api::Workload& workload) {
  if (workload.kind == "CronJob") return 0;  // its pods come later
  if (workload.kind == "Job") {
    if (workload.suspend) return 0;
    const int64_t at_once = workload.parallelism.value_or(1);
    return workload.completions ? std::min<int64_t>(at_once, *workload.completions) : at_once;
  }
  return workload.replicas.value_or(1);
}

Target::Existing ExistingOf(const Review& review, const api::Workload& workload, bool changed, int64_t& wanted) {
  if (review.operation == Operation::kCreate) return Target::Existing::kNone;
  if (!changed) return Target::Existing::kStay;
  if (workload.kind == "ReplicaSet" || workload.kind == "ReplicationController") return Target::Existing::kStay;
  // Nobody replaces them now: what is new counts when they are deleted.
  if (workload.strategy == "OnDelete") wanted = 0;
  return Target::Existing::kReplaced;
}

Found WorkloadTarget(const Review& review, const TargetRules& rules) {
  const bool update = review.operation == Operation::kUpdate;
  const bool changed = !update || TemplateChanged(review);
  const bool more = ReplicasIn(review.object, review.kind) > ReplicasIn(review.old_object, review.kind);
  const bool resumed = review.kind == "Job" && IsSuspended(review.old_object) && !IsSuspended(review.object);
  if (update && !changed && !more && !resumed) return {LetThrough{kNothingNew}};
  auto decoded = Decode(review);
  if (!decoded) return std::move(decoded).error();
  auto* workload = std::get_if<api::Workload>(&decoded->object);
  if (workload == nullptr) return Error{"request.object is no workload"};
  if (workload->metadata.deletion_timestamp) return {LetThrough{"Deleted"}};
  Target target;
  Describe(workload->metadata, review, target);
  workload->metadata.ns = review.ns;
  target.is_made = target.incomplete = true;
  target.shape = workload->kind == "DaemonSet" ? Target::Shape::kDaemons : Target::Shape::kReplicas;
  target.pod = controllers::PatternOf(workload->pod_template, review.ns, workload->metadata.name, OwnerOf(*workload));
  if (workload->kind == "Deployment") target.pod.metadata.labels["pod-template-hash"] = "new";
  if (target.shape == Target::Shape::kDaemons) controllers::AddDaemonTolerations(target.pod.spec);
  if (const auto reason = WhyNotJudged(target.pod, rules); !reason.empty()) return {LetThrough{reason}};
  target.pod.spec.scheduling_gates.clear();
  target.wanted = WantedOf(*workload);
  target.existing = ExistingOf(review, *workload, changed, target.wanted);
  target.first_ordinal = workload->ordinals_start.value_or(0);
  for (const api::ClaimTemplate& one : workload->claim_templates) target.claim_templates.push_back(one.metadata.name);
  return {std::move(target)};
}

Found ScaleTarget(const Review& review, const WorkloadKind& scaled) {
  const int64_t now = ReplicasIn(review.object, "Scale");
  if (review.operation != Operation::kUpdate || now <= ReplicasIn(review.old_object, "Scale")) {
    return {LetThrough{kNothingNew}};
  }
  Target target;
  target.shape = Target::Shape::kReplicas;
  target.kind = scaled.kind;
  target.ns = review.ns;
  target.name = review.name;
  target.is_made = target.like_existing = true;
  target.wanted = now;
  target.existing = Target::Existing::kStay;
  return {std::move(target)};
}

}  // namespace

Result<std::variant<LetThrough, Target>> TargetOf(const Review& review, const TargetRules& rules) {
  if (review.operation == Operation::kDelete) return {LetThrough{"Deleted"}};
  if (review.operation == Operation::kConnect) return {LetThrough{"Connect"}};
  if (review.ns == "kube-system" || (!review.ns.empty() && review.ns == rules.own_namespace)) {
    return {LetThrough{"ExemptNamespace"}};
  }
  if (review.object == nullptr) return {LetThrough{kNothingNew}};
  if (review.resource_group.empty() && review.resource == "pods") {
    if (!review.subresource.empty()) return {LetThrough{"Subresource"}};
    if (review.operation != Operation::kCreate) return {LetThrough{kNothingNew}};
    return PodTarget(review, rules);
  }
  const auto workload = std::ranges::find(kWorkloads, review.resource, &WorkloadKind::resource);
  if (workload == kWorkloads.end() || review.resource_group != workload->group) return {LetThrough{"OtherKind"}};
  if (review.subresource == "scale") return ScaleTarget(review, *workload);
  if (!review.subresource.empty()) return {LetThrough{"Subresource"}};
  if (review.group != workload->group || review.kind != workload->kind) return {LetThrough{"OtherKind"}};
  return WorkloadTarget(review, rules);
}

}  // namespace ksched::webhook
