#include "manifest/workload_plans.h"

#include <algorithm>
#include <utility>

#include <rapidjson/document.h>

#include "api/json_values.h"
#include "api/objects.h"
#include "controllers/apply_diff.h"

namespace ksched {
namespace {

constexpr const char* kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

std::string KeyOf(const std::string& kind, const std::string& ns, const std::string& name) {
  return kind + " " + ns + "/" + name;
}
std::string KeyOf(const api::Workload& one) { return KeyOf(one.kind, one.metadata.ns, one.metadata.name); }

const api::OwnerReference* ControllerOf(const api::ObjectMeta& metadata) {
  const auto found =
      std::ranges::find_if(metadata.owner_references, [](const api::OwnerReference& owner) { return owner.controller; });
  return found == metadata.owner_references.end() ? nullptr : &*found;
}

// The pod template in an object; null if there is none. A CronJob's is that of its jobs.
const rapidjson::Value* TemplateOf(const rapidjson::Value& object, const std::string& kind) {
  const rapidjson::Value* at = &object;
  const auto descend = [&](const char* name) {
    if (at == nullptr || !at->IsObject()) {
      at = nullptr;
      return;
    }
    const auto member = at->FindMember(name);
    at = member == at->MemberEnd() ? nullptr : &member->value;
  };
  if (kind == "PodTemplate") {
    descend("template");
    return at;
  }
  descend("spec");
  if (kind == "CronJob") {
    descend("jobTemplate");
    descend("spec");
  }
  descend("template");
  return at;
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
  const rapidjson::Value* wanted = TemplateOf(manifest, kind);
  const rapidjson::Value* is = TemplateOf(live, kind);
  if (wanted == nullptr || is == nullptr) return "";
  if (with_last_applied) ParseLastApplied(live, last_applied);
  const rapidjson::Value* was = last_applied.IsObject() ? TemplateOf(last_applied, kind) : nullptr;
  return controllers::ChangedTemplateField(*wanted, *is, was).value_or("");
}

std::string TemplateText(const std::string& kind, const std::string& text) {
  rapidjson::Document object;
  if (!Parse(text, object)) return "";
  const rapidjson::Value* pod_template = TemplateOf(object, kind);
  return pod_template == nullptr ? "" : api::CanonicalJson(*pod_template);
}

}  // namespace

void WorkloadPlans::Want(const api::Workload& workload, std::string text) {
  wanted_[KeyOf(workload)].text = std::move(text);
}

const WorkloadPlans::Wanted* WorkloadPlans::Find(const api::Workload& workload) const {
  const auto found = wanted_.find(KeyOf(workload));
  if (found != wanted_.end()) return &found->second;
  const api::OwnerReference* owner = ControllerOf(workload.metadata);
  return owner == nullptr ? nullptr
                          : const_cast<WorkloadPlans*>(this)->FindOwner(workload.metadata.ns, *owner);  // NOLINT
}

WorkloadPlans::Wanted* WorkloadPlans::FindOwner(const std::string& ns, const api::OwnerReference& owner) {
  if (const auto found = wanted_.find(KeyOf(owner.kind, ns, owner.name)); found != wanted_.end()) return &found->second;
  if (owner.kind != "ReplicaSet") return nullptr;
  // The ReplicaSet of a Deployment is called after it, and a hash; which it is really, the controller looks up.
  const size_t dash = owner.name.rfind('-');
  if (dash == std::string::npos) return nullptr;
  const auto found = wanted_.find(KeyOf("Deployment", ns, owner.name.substr(0, dash)));
  return found == wanted_.end() ? nullptr : &found->second;
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
Result<void> WorkloadPlans::FetchTexts(std::vector<Object*> objects, ClusterSource* cluster) {
  std::erase_if(objects, [](const Object* one) { return !one->text.empty(); });
  if (cluster == nullptr || objects.empty()) return {};
  std::vector<ObjectKey> keys;
  for (const Object* one : objects) {
    const api::ObjectMeta& metadata = one->workload.metadata;
    keys.push_back({one->workload.api_version, one->workload.kind, metadata.ns, metadata.name});
  }
  auto texts = cluster->Fetch(keys);
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

// The ReplicaSet that has the manifest's template already: the Deployment goes back to an earlier revision.
Result<std::optional<size_t>> WorkloadPlans::FindReplicaSet(Wanted& wanted, ClusterSource* cluster) {
  std::vector<Object*> replica_sets;
  for (Object& one : wanted.related) {
    if (one.workload.kind == "ReplicaSet") replica_sets.push_back(&one);
  }
  if (auto fetched = FetchTexts(replica_sets, cluster); !fetched) return std::move(fetched).error();
  for (size_t i = 0; i < wanted.related.size(); ++i) {
    const Object& one = wanted.related[i];
    if (one.workload.kind != "ReplicaSet" || one.text.empty()) continue;
    if (ChangedField(one.workload.kind, wanted.text, one.text, false).empty()) return std::optional<size_t>(i);
  }
  return std::optional<size_t>();
}

Result<void> WorkloadPlans::LookAtCluster(const api::Workload& workload, Wanted& wanted, const Options& options,
                                          controllers::Request& request, WorkloadPlan& plan) const {
  Object& live = *wanted.live;
  if (auto fetched = FetchTexts({&live}, options.cluster); !fetched) return fetched;
  request.existing.workload = &live.workload;
  request.existing.autoscaler = AutoscalerOf(workload);
  request.existing.pods = wanted.pods;
  for (const Object& one : wanted.related) request.existing.replica_sets.push_back(one.workload);
  plan.changed_field = ChangedField(workload.kind, wanted.text, live.text, true);
  request.template_changed = !plan.changed_field.empty();
  if (request.template_changed && workload.kind == "Deployment") {
    auto reused = FindReplicaSet(wanted, options.cluster);
    if (!reused) return std::move(reused).error();
    request.reused_replica_set = *reused;
  }
  const int32_t replicas = controllers::EffectiveReplicas(workload, request.existing);
  const bool scaled = live.workload.replicas && *live.workload.replicas != replicas;
  plan.change = request.template_changed ? "Rollout" : scaled ? "Scaled" : "Unchanged";
  for (const controllers::ManagedPod& pod : wanted.pods) plan.pods.push_back(pod.name);
  for (api::Pod& pod : wanted.whole_pods) {
    std::string name = pod.metadata.name;
    plan.whole_pods.emplace(std::move(name), std::move(pod));
  }
  return {};
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
  if (wanted.live && !options.fresh) {
    if (auto looked = LookAtCluster(workload, wanted, options, request, plan); !looked) {
      return std::move(looked).error();
    }
  }
  auto controller = controllers::MakeController(request);
  if (!controller) return std::move(controller).error();
  plan.controller = std::move(*controller);
  return plan;
}

}  // namespace ksched
