#include "manifest/workload_plans.h"

#include <algorithm>
#include <utility>

#include <rapidjson/document.h>

#include "api/json_values.h"
#include "api/objects.h"
#include "controllers/apply_diff.h"
#include "manifest/pod_template.h"

namespace ksched {
namespace {

constexpr const char* kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

std::string KeyOf(const std::string& kind, const std::string& ns, const std::string& name) {
  return kind + " " + ns + "/" + name;
}
std::string KeyOf(const api::Workload& one) { return KeyOf(one.kind, one.metadata.ns, one.metadata.name); }

const api::OwnerReference* ControllerOf(const api::ObjectMeta& metadata) {
  const auto found = std::ranges::find_if(metadata.owner_references,
                                          [](const api::OwnerReference& owner) { return owner.controller; });
  return found == metadata.owner_references.end() ? nullptr : &*found;
}

bool Parse(const std::string& text, rapidjson::Document& out) {
  out.Parse<rapidjson::kParseIterativeFlag>(text.data(), text.size());
  return !out.HasParseError() && out.IsObject();
}

// What kubectl applied last, by the annotation of the live object; not an object if there is none.
void ParseLastApplied(const rapidjson::Value& live, rapidjson::Document& out) {
  out.SetNull();
  const auto metadata = live.FindMember("metadata");
  if (metadata == live.MemberEnd() || !metadata->value.IsObject()) return;
  const auto annotations = metadata->value.FindMember("annotations");
  if (annotations == metadata->value.MemberEnd() || !annotations->value.IsObject()) return;
  const auto text = annotations->value.FindMember(kLastApplied);
  if (text == annotations->value.MemberEnd() || !text->value.IsString()) return;
  if (!Parse(std::string(text->value.GetString(), text->value.GetStringLength()), out)) out.SetNull();
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
  const api::FieldPath spec = root.Child("spec");
  return controllers::FirstTemplateChange(*wanted, *is, was, spec.Child("template")).value_or("");
}

std::string TemplateText(const std::string& kind, const std::string& text) {
  rapidjson::Document object;
  if (!Parse(text, object)) return "";
  const rapidjson::Value* pod_template = FindPodTemplate(object, kind);
  return pod_template == nullptr ? "" : api::CanonicalJson(*pod_template);
}

}  // namespace

void WorkloadPlans::Want(const api::Workload& workload, std::string text) {
  wanted_[KeyOf(workload)].text = std::move(text);
}

const WorkloadPlans::Wanted* WorkloadPlans::Find(const api::Workload& workload) const {
  if (wanted_.empty()) return nullptr;
  const auto found = wanted_.find(KeyOf(workload));
  if (found != wanted_.end()) return &found->second;
  const api::OwnerReference* owner = ControllerOf(workload.metadata);
  return owner == nullptr ? nullptr
                          : const_cast<WorkloadPlans*>(this)->FindOwner(workload.metadata.ns, *owner);  // NOLINT
}

WorkloadPlans::Wanted* WorkloadPlans::FindOwner(const std::string& ns, const api::OwnerReference& owner) {
  if (wanted_.empty()) return nullptr;
  if (const auto found = wanted_.find(KeyOf(owner.kind, ns, owner.name)); found != wanted_.end()) return &found->second;
  if (owner.kind != "ReplicaSet") return nullptr;
  // The ReplicaSet of a Deployment is called after it, and a hash; which it is really, the controller looks up.
  const size_t dash = owner.name.rfind('-');
  if (dash == std::string::npos) return nullptr;
  const auto found = wanted_.find(KeyOf("Deployment", ns, owner.name.substr(0, dash)));
  return found == wanted_.end() ? nullptr : &found->second;
}

bool WorkloadPlans::OwnsPod(const api::Pod& pod) {
  const api::OwnerReference* owner = ControllerOf(pod.metadata);
  return owner != nullptr && FindOwner(pod.metadata.ns, *owner) != nullptr;
}

void WorkloadPlans::SeePod(const api::Pod& pod) {
  const api::OwnerReference* owner = ControllerOf(pod.metadata);
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
  const api::OwnerReference* owner = ControllerOf(workload.metadata);
  if (owner == nullptr) return;
  const auto found = wanted_.find(KeyOf(owner->kind, workload.metadata.ns, owner->name));
  if (found != wanted_.end()) found->second.related.push_back({workload, std::move(text)});
}

void WorkloadPlans::SeeClaim(const api::PersistentVolumeClaim& claim) {
  if (!empty()) claims_[claim.metadata.ns].push_back(claim.metadata.name);
}

void WorkloadPlans::SeeNode(const api::Node& node) {
  const bool any_daemons =
      std::ranges::any_of(wanted_, [](const auto& entry) { return entry.first.starts_with("DaemonSet "); });
  if (any_daemons) nodes_.push_back({node.metadata.name, node.metadata.labels, node.spec.taints});
}

void WorkloadPlans::Forget(const std::string& kind) {
  if (kind == "HorizontalPodAutoscaler") autoscalers_.clear();
  if (kind == "PersistentVolumeClaim") claims_.clear();
  if (kind == "Node") nodes_.clear();
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
  for (auto& [key, wanted] : wanted_) {
    if (!wanted.live || wanted.live->workload.kind != "Deployment") continue;
    if (ChangedField("Deployment", wanted.text, wanted.live->text, true).empty()) continue;
    for (Object& one : wanted.related) objects.push_back(&one);
  }
  return FetchTexts(std::move(objects), cluster);
}

namespace {

// The ReplicaSet that has the manifest's template already: the Deployment goes back to an earlier revision.
template <typename Objects>
std::optional<size_t> FindReplicaSet(const Objects& related, const std::string& manifest_text) {
  for (size_t i = 0; i < related.size(); ++i) {
    if (related[i].text.empty()) continue;
    if (ChangedField("ReplicaSet", manifest_text, related[i].text, false).empty()) return i;
  }
  return std::nullopt;
}

}  // namespace

void WorkloadPlans::LookAtCluster(const api::Workload& workload, Wanted& wanted, controllers::Request& request,
                                  WorkloadPlan& plan) const {
  const Object& live = *wanted.live;
  request.existing.workload = &live.workload;
  request.existing.autoscaler = AutoscalerOf(workload);
  request.existing.pods = wanted.pods;
  for (const Object& one : wanted.related) request.existing.replica_sets.push_back(one.workload);
  plan.changed_field = ChangedField(workload.kind, wanted.text, live.text, true);
  request.template_changed = !plan.changed_field.empty();
  if (request.template_changed && workload.kind == "Deployment") {
    request.reused_replica_set = FindReplicaSet(wanted.related, wanted.text);
  }
  const int32_t replicas = controllers::EffectiveReplicas(workload, request.existing);
  const bool scaled = live.workload.replicas && *live.workload.replicas != replicas;
  plan.change = request.template_changed ? "Rollout" : scaled ? "Scaled" : "Unchanged";
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
  controllers::Request request;
  request.desired = &workload;
  request.now = options.now;
  request.nodes = nodes_;
  request.template_text = TemplateText(workload.kind, wanted.text);
  request.is_taken = [is_taken = options.is_taken, ns = workload.metadata.ns](const std::string& name) {
    return is_taken(ns, name);
  };
  if (const auto claims = claims_.find(workload.metadata.ns); claims != claims_.end()) {
    request.existing.claims = claims->second;
  }
  if (wanted.live && !options.fresh) LookAtCluster(workload, wanted, request, plan);
  auto controller = controllers::MakeController(request);
  if (!controller) return std::move(controller).error();
  plan.controller = std::move(*controller);
  return plan;
}

}  // namespace ksched
