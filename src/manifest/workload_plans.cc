#include "manifest/workload_plans.h"

#include <algorithm>
#include <set>
#include <utility>

#include <rapidjson/document.h>

#include "api/json_values.h"
#include "api/kinds.h"
#include "api/objects.h"
#include "api/owners.h"
#include "controllers/apply_diff.h"
#include "controllers/template_hash.h"
#include "manifest/pod_template.h"

namespace ksched {
namespace {

constexpr const char* kTemplateHash = "pod-template-hash";
constexpr const char* kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

std::string KeyOf(const std::string& kind, const std::string& ns, const std::string& name) {
  return kind + " " + ns + "/" + name;
}
std::string KeyOf(const api::Workload& one) { return KeyOf(one.kind, one.metadata.ns, one.metadata.name); }

// Other projects have workloads of the same names.
bool IsOfKubernetes(const api::OwnerReference& owner) {
  api::GroupVersion version;
  if (!api::ParseGroupVersion(owner.api_version, version)) return false;
  return version.group.empty() || version.group == "apps" || version.group == "batch" || version.group == "extensions";
}

bool Parse(const std::string& text, rapidjson::Document& out) {
  out.Parse<rapidjson::kParseIterativeFlag>(text.data(), text.size());
  return !out.HasParseError() && out.IsObject();
}

// What kubectl applied last, by the annotation of the live object; not an object if there is none.
void ParseLastApplied(const rapidjson::Value& live, rapidjson::Document& out) {
  const std::string text = api::TextAt(live, {"metadata", "annotations", kLastApplied});
  if (!Parse(text, out)) out.SetNull();
}

// The first field of the template that applying the manifest changes in the live object; empty: none.
std::string ChangedField(const std::string& kind, const std::string& manifest_text, const std::string& live_text,
                         bool with_last_applied) {
  rapidjson::Document manifest, live, last_applied;
  if (!Parse(manifest_text, manifest) || !Parse(live_text, live)) return "";
  const rapidjson::Value* wanted = FindPodTemplate(manifest, kind);
  const rapidjson::Value* is = FindPodTemplate(live, kind);
  if (wanted == nullptr || is == nullptr) return "";
  if (with_last_applied) ParseLastApplied(live, last_applied);
  const rapidjson::Value* was = last_applied.IsObject() ? FindPodTemplate(last_applied, kind) : nullptr;
  const api::FieldPath root;
  const api::FieldPath spec = root.Child("spec"), job = spec.Child("jobTemplate");
  const api::FieldPath job_spec = job.Child("spec");
  const api::FieldPath& above = kind == "PodTemplate" ? root : kind == "CronJob" ? job_spec : spec;
  return controllers::FirstTemplateChange(*wanted, *is, was, above.Child("template")).value_or("");
}

// What matters of a ControllerRevision.
struct ControllerRevision {
  std::string ns, owner, label;  // owner: "Kind namespace/name"; label: of the pods that have its template
  int64_t number = 0;
  const rapidjson::Value* pod_template = nullptr;
};

ControllerRevision ReadRevision(const rapidjson::Value& json, bool of_daemon_set) {
  ControllerRevision revision;
  revision.ns = api::TextAt(json, {"metadata", "namespace"});
  revision.label = of_daemon_set ? api::TextAt(json, {"metadata", "labels", "controller-revision-hash"})
                                 : api::TextAt(json, {"metadata", "name"});
  if (const auto* number = api::FindField(json, {"revision"}); number != nullptr && number->IsInt64()) {
    revision.number = number->GetInt64();
  }
  revision.pod_template = api::FindField(json, {"data", "spec", "template"});
  const rapidjson::Value* owners = api::FindField(json, {"metadata", "ownerReferences"});
  for (rapidjson::SizeType i = 0; owners != nullptr && owners->IsArray() && i < owners->Size(); ++i) {
    const rapidjson::Value& owner = (*owners)[i];
    const auto* controller = api::FindField(owner, {"controller"});
    if (controller == nullptr || !controller->IsTrue()) continue;
    revision.owner = KeyOf(api::TextAt(owner, {"kind"}), revision.ns, api::TextAt(owner, {"name"}));
  }
  return revision;
}

bool MakesClaims(const api::Workload& workload) {
  return !workload.claim_templates.empty() ||
         std::ranges::any_of(workload.pod_template.spec.volumes,
                             [](const api::Volume& volume) { return volume.ephemeral.has_value(); });
}

std::string TemplateText(const std::string& kind, const std::string& text) {
  rapidjson::Document object;
  if (!Parse(text, object)) return "";
  const rapidjson::Value* pod_template = FindPodTemplate(object, kind);
  return pod_template == nullptr ? "" : api::CanonicalJson(*pod_template);
}

}  // namespace

void WorkloadPlans::Want(const api::Workload& workload, std::string text) {
  Wanted& wanted = wanted_[KeyOf(workload)];
  wanted.kind = workload.kind;
  wanted.ns = workload.metadata.ns;
  wanted.name = workload.metadata.name;
  wanted.text = std::move(text);
}

bool WorkloadPlans::WantsText(const api::Workload& workload) const {
  if (wanted_.empty()) return false;
  if (wanted_.contains(KeyOf(workload))) return true;
  const api::OwnerReference* owner = api::ControllerOf(workload.metadata);
  return owner != nullptr && wanted_.contains(KeyOf(owner->kind, workload.metadata.ns, owner->name));
}

WorkloadPlans::Wanted* WorkloadPlans::FindOwner(const std::string& ns, const api::OwnerReference& owner) {
  if (wanted_.empty() || !IsOfKubernetes(owner)) return nullptr;
  if (const auto found = wanted_.find(KeyOf(owner.kind, ns, owner.name)); found != wanted_.end()) return &found->second;
  if (owner.kind != "ReplicaSet") return nullptr;
  // The ReplicaSet of a Deployment is called after it, and a hash. Whether it is its own is seen later (Owns).
  const size_t dash = owner.name.rfind('-');
  if (dash == std::string::npos) return nullptr;
  const auto found = wanted_.find(KeyOf("Deployment", ns, owner.name.substr(0, dash)));
  return found == wanted_.end() ? nullptr : &found->second;
}

// Whether the pod's owner is the workload, or one of its ReplicaSets or Jobs.
bool WorkloadPlans::Owns(const Wanted& wanted, const controllers::ManagedPod& pod) {
  if (pod.owner_kind == wanted.kind && pod.owner_name == wanted.name) return true;
  return std::ranges::any_of(wanted.related, [&](const Object& one) {
    return one.workload.kind == pod.owner_kind && one.workload.metadata.name == pod.owner_name;
  });
}

WorkloadPlans::Owned WorkloadPlans::TakeOwnedPods() {
  Owned owned;
  for (auto& [key, wanted] : wanted_) {
    for (const controllers::ManagedPod& pod : wanted.pods) {
      if (Owns(wanted, pod)) owned.names.push_back(wanted.ns + "/" + pod.name);
    }
    for (api::Pod& pod : wanted.whole_pods) {
      if (Owns(wanted, controllers::FromPod(pod))) owned.whole.push_back(std::move(pod));
    }
    wanted.pods.clear();
    wanted.whole_pods.clear();
  }
  return owned;
}

void WorkloadPlans::SeePod(const api::Pod& pod) {
  const api::OwnerReference* owner = api::ControllerOf(pod.metadata);
  if (owner == nullptr) return;
  Wanted* wanted = FindOwner(pod.metadata.ns, *owner);
  if (wanted == nullptr) return;
  wanted->pods.push_back(controllers::FromPod(pod));
  if (keep_pods_) wanted->whole_pods.push_back(pod);
}

void WorkloadPlans::SeeWorkload(const api::Workload& workload, std::string text) {
  if (const auto found = wanted_.find(KeyOf(workload)); found != wanted_.end()) {
    found->second.live = Object{workload, std::move(text)};
    return;
  }
  if (workload.kind != "ReplicaSet" && workload.kind != "Job") return;
  const api::OwnerReference* owner = api::ControllerOf(workload.metadata);
  if (owner == nullptr) return;
  const auto found = wanted_.find(KeyOf(owner->kind, workload.metadata.ns, owner->name));
  if (found != wanted_.end()) found->second.related.push_back({workload, std::move(text)});
}

void WorkloadPlans::SeeRevision(std::string text) {
  if (!empty()) revisions_.push_back(std::move(text));
}

void WorkloadPlans::SeeClaim(const api::PersistentVolumeClaim& claim) {
  if (!empty()) claims_[claim.metadata.ns].push_back(claim.metadata.name);
}

void WorkloadPlans::Forget(const std::string& kind) {
  if (kind == "HorizontalPodAutoscaler") autoscalers_.clear();
  if (kind == "PersistentVolumeClaim") claims_.clear();
  if (kind == "ControllerRevision") revisions_.clear();
  for (auto& [key, wanted] : wanted_) {
    if (kind == "Pod") {
      wanted.pods.clear();
      wanted.whole_pods.clear();
    }
    if (wanted.live && wanted.live->workload.kind == kind) wanted.live.reset();
    std::erase_if(wanted.related, [&](const Object& one) { return one.workload.kind == kind; });
  }
}

// Whole objects that lists did not bring.
Result<void> WorkloadPlans::FetchTexts(std::vector<Object*> objects, ClusterSource& cluster) {
  std::erase_if(objects, [](const Object* one) { return !one->text.empty(); });
  if (objects.empty()) return {};
  std::vector<ObjectKey> keys;
  for (const Object* one : objects) {
    const api::ObjectMeta& metadata = one->workload.metadata;
    keys.push_back({one->workload.api_version, one->workload.kind, metadata.ns, metadata.name});
  }
  auto texts = cluster.Fetch(keys);
  if (!texts) return std::move(texts).error();
  for (size_t i = 0; i < objects.size(); ++i) objects[i]->text = (*texts)[i].value_or("");
  return {};
}

const api::HorizontalPodAutoscaler* WorkloadPlans::AutoscalerOf(const api::Workload& workload) const {
  const auto is_target = [&](const api::HorizontalPodAutoscaler& one) {
    return one.metadata.ns == workload.metadata.ns && one.target_kind == workload.kind &&
           one.target_name == workload.metadata.name;
  };
  const auto found = std::ranges::find_if(autoscalers_, is_target);
  return found == autoscalers_.end() ? nullptr : &*found;
}

Result<void> WorkloadPlans::FetchObjects(ClusterSource& cluster) {
  std::vector<Object*> objects;
  for (auto& [key, wanted] : wanted_) {
    if (wanted.live) objects.push_back(&*wanted.live);
  }
  if (auto fetched = FetchTexts(std::move(objects), cluster); !fetched) return fetched;
  objects.clear();
  std::set<std::string> with_revisions;  // namespaces
  for (auto& [key, wanted] : wanted_) {
    if (!wanted.live) continue;
    if (wanted.live->text.empty()) wanted.live.reset();  // it has gone since it was listed
    if (!wanted.live || ChangedField(wanted.live->workload.kind, wanted.text, wanted.live->text, true).empty())
      continue;
    const std::string& kind = wanted.live->workload.kind;
    if (kind == "StatefulSet" || kind == "DaemonSet") with_revisions.insert(wanted.ns);
    if (kind != "Deployment") continue;
    for (Object& one : wanted.related) objects.push_back(&one);
  }
  for (const std::string& ns : with_revisions) {
    auto revisions = cluster.FetchRevisions(ns);
    if (!revisions) return std::move(revisions).error();
    for (std::string& revision : *revisions) SeeRevision(std::move(revision));
  }
  return FetchTexts(std::move(objects), cluster);
}

// What pods of the wanted template are labelled with, if the StatefulSet or DaemonSet has had that template before;
// else empty. All of the manifest has to be in the newest revision that counts.
std::string WorkloadPlans::FindRevision(const Wanted& wanted, const api::Workload& workload) const {
  rapidjson::Document manifest;
  if (!Parse(wanted.text, manifest)) return "";
  const rapidjson::Value* pod_template = FindPodTemplate(manifest, workload.kind);
  if (pod_template == nullptr) return "";
  const api::FieldPath root;
  std::string found;
  int64_t newest = -1;
  for (const std::string& text : revisions_) {
    rapidjson::Document json;
    if (!Parse(text, json)) continue;
    const ControllerRevision revision = ReadRevision(json, workload.kind == "DaemonSet");
    const bool own = revision.ns == workload.metadata.ns && revision.owner == KeyOf(workload);
    if (!own || revision.pod_template == nullptr || revision.number < newest) continue;
    if (controllers::FirstTemplateChange(*pod_template, *revision.pod_template, nullptr, root)) continue;
    newest = revision.number;
    found = revision.label;
  }
  return found;
}

// The oldest ReplicaSet that has the wanted template already: the Deployment goes back to an earlier revision. All of
// the manifest has to be in it, and nothing else that scheduling reads.
std::optional<size_t> WorkloadPlans::FindReplicaSet(const Wanted& wanted, const api::Workload& workload) {
  const std::string text = controllers::TemplateText(workload.pod_template);
  std::optional<size_t> oldest;
  for (size_t i = 0; i < wanted.related.size(); ++i) {
    const Object& one = wanted.related[i];
    if (one.text.empty() || !ChangedField("ReplicaSet", wanted.text, one.text, false).empty()) continue;
    api::PodTemplateSpec without_hash = one.workload.pod_template;
    without_hash.metadata.labels.erase(kTemplateHash);
    if (controllers::TemplateText(without_hash) != text) continue;
    const auto created = [&](size_t index) {
      return wanted.related[index].workload.metadata.creation_timestamp.value_or(INT64_MAX);
    };
    if (!oldest || created(i) < created(*oldest)) oldest = i;
  }
  return oldest;
}

void WorkloadPlans::LookAtCluster(const api::Workload& workload, Wanted& wanted, controllers::Request& request,
                                  WorkloadPlan& plan) const {
  const Object& live = *wanted.live;
  std::erase_if(wanted.pods, [&](const controllers::ManagedPod& pod) { return !Owns(wanted, pod); });
  request.existing.workload = &live.workload;
  request.existing.autoscaler = AutoscalerOf(workload);
  request.existing.pods = wanted.pods;
  for (const Object& one : wanted.related) request.existing.replica_sets.push_back(one.workload);
  plan.changed_field = ChangedField(workload.kind, wanted.text, live.text, true);
  request.template_changed = !plan.changed_field.empty();
  if (request.template_changed && workload.kind == "Deployment") {
    request.reused_replica_set = FindReplicaSet(wanted, workload);
  }
  if (request.template_changed && (workload.kind == "StatefulSet" || workload.kind == "DaemonSet")) {
    request.reused_revision = FindRevision(wanted, workload);
  }
  const int32_t replicas = controllers::EffectiveReplicas(workload, request.existing);
  const bool scaled = live.workload.replicas && *live.workload.replicas != replicas;
  const bool replaces_pods =
      workload.kind == "Deployment" || workload.kind == "StatefulSet" || workload.kind == "DaemonSet";
  plan.change = request.template_changed && replaces_pods ? "Rollout" : scaled ? "Scaled" : "Unchanged";
  if (workload.kind == "Job" && request.template_changed && !live.workload.suspend) {
    plan.refused = "Job.batch \"" + workload.metadata.name + "\" is invalid: spec.template: field is immutable";
  }
  for (const controllers::ManagedPod& pod : wanted.pods) plan.pods.push_back(pod.name);
  for (api::Pod& pod : wanted.whole_pods) {
    std::string name = pod.metadata.name;
    plan.whole_pods.emplace(std::move(name), std::move(pod));
  }
}

Result<WorkloadPlan> WorkloadPlans::Plan(const api::Workload& workload, const Options& options) {
  Wanted& wanted = wanted_.at(KeyOf(workload));
  WorkloadPlan plan;
  plan.change = "New";
  api::Workload desired = workload;
  controllers::Request request;
  request.desired = &desired;
  request.now = options.now;
  if (workload.kind == "DaemonSet") request.nodes = options.nodes;
  request.template_text = TemplateText(workload.kind, wanted.text);
  request.is_taken = [is_taken = options.is_taken, ns = workload.metadata.ns](const std::string& name) {
    return is_taken(ns, name);
  };
  if (const auto claims = claims_.find(workload.metadata.ns); claims != claims_.end() && MakesClaims(workload)) {
    request.existing.claims = claims->second;
  }
  if (wanted.live && !options.fresh) {
    LookAtCluster(workload, wanted, request, plan);
    if (plan.refused) return plan;
    // Applying leaves what only the live object has: others may have set it.
    if (!request.template_changed && !options.template_is_final) {
      desired.pod_template = wanted.live->workload.pod_template;
    }
  }
  auto controller = controllers::MakeController(request);
  if (!controller) return std::move(controller).error();
  plan.controller = std::move(*controller);
  return plan;
}

}  // namespace ksched
