#include "webhook/ideal_cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "webhook/texts.h"

namespace ksched::webhook {
namespace {

constexpr std::array<std::string_view, 3> kJudges = {"NodeAffinity", "TaintToleration", "NodeResourcesFit"};
// What the schedulerName of a pod gets: there is a profile without each of the judges.
constexpr std::array<std::string_view, 5> kSuffixes = {"", "/no-affinity", "/no-taints", "/no-requests", "/count"};
// A cycle looks on after the first good node only if it has something to choose by.
constexpr const char* kScorer = "ImageLocality";

std::vector<config::Plugin> Named(const std::vector<config::ExpandedPlugin>& plugins) {
  std::vector<config::Plugin> named;
  named.reserve(plugins.size());
  for (const config::ExpandedPlugin& plugin : plugins) named.push_back({plugin.name});
  return named;
}
constexpr size_t kMostKnown = 4096, kLongestKey = size_t{16} << 10;  // verdicts, and bytes of what they are known by

}  // namespace

config::Profile IdealCluster::ProfileOf(const config::Profile& profile, const Scheduler& whole, Without without) {
  using enum config::ExtensionPoint;
  const auto variant = static_cast<size_t>(without);
  const config::ExpandedProfile& expanded = whole.FindProfile(profile.scheduler_name)->expanded();
  config::Profile made;
  made.scheduler_name = profile.scheduler_name + std::string(kSuffixes[variant]);
  made.percentage_of_nodes_to_score = 100;
  made.plugin_config = profile.plugin_config;
  made.plugins.multi_point.disabled = {{"*"}};
  for (config::PluginSet& point : made.plugins.points) point.disabled = {{"*"}};
  made.plugins.At(kQueueSort).enabled = Named(expanded.At(kQueueSort));
  made.plugins.At(kBind).enabled = Named(expanded.At(kBind));
  for (const auto point : {kPreFilter, kFilter}) {
    for (const config::ExpandedPlugin& plugin : expanded.At(point)) {
      const auto judge = std::ranges::find(kJudges, plugin.name);
      const bool left_out = variant > 0 && judge == kJudges.begin() + (static_cast<ptrdiff_t>(variant) - 1);
      if (judge != kJudges.end() && !left_out) made.plugins.At(point).enabled.push_back({plugin.name});
    }
  }
  if (without != Without::kNothing) made.plugins.At(kScore).enabled.push_back({.name = kScorer, .weight = 1});
  return made;
}

Result<std::unique_ptr<IdealCluster>> IdealCluster::Create(const SchedulingRules& rules, const Policy& policy,
                                                           const Scheduler& whole) {
  const auto& first = rules.configuration.profiles.front();
  const ResourceFeatures features = whole.FindProfile(first.scheduler_name)->state().features();
  std::unique_ptr<IdealCluster> made(new IdealCluster(policy, features));
  config::SchedulerConfiguration& configuration = made->configuration_;
  configuration = rules.configuration;
  configuration.profiles.clear();
  using enum Without;
  for (const config::Profile& profile : rules.configuration.profiles) {
    for (const Without without : {kNothing, kAffinity, kTaints, kRequests, kNothingCounted}) {
      configuration.profiles.push_back(ProfileOf(profile, whole, without));
    }
  }
  auto rehearsal = Rehearsal::Create(configuration, rules.features, rules.registry, made->state_);
  if (!rehearsal) return std::move(rehearsal).error();
  made->rehearsal_ = std::move(*rehearsal);
  for (const NodeShape& shape : policy.node_shapes()) made->PutNode(shape.node);
  made->num_shapes_ = policy.node_shapes().size();
  return made;
}

void IdealCluster::PutNode(const api::Node& node) {
  api::Node ideal;
  ideal.metadata.name = node.metadata.name;
  ideal.metadata.labels = node.metadata.labels;
  ideal.status.allocatable = node.status.allocatable;
  ideal.status.has_allocatable = node.status.has_allocatable;
  for (const api::Taint& taint : node.spec.taints) {
    if (!policy_.IsTransient(taint.key)) ideal.spec.taints.push_back(taint);
  }
  state_.UpdateNode(std::move(ideal));
}

void IdealCluster::Follow(const ClusterState& cluster) {
  known_.clear();
  seen_.resize(cluster.node_capacity());
  for (NodeId id = 0; id < cluster.node_capacity(); ++id) {
    const NodePtr now = cluster.node_object(id);
    if (seen_[id] == now) continue;
    if (now != nullptr) PutNode(*now);
    if (now == nullptr) state_.RemoveNode(seen_[id]->metadata.name);
    num_nodes_ += (now != nullptr ? 1 : 0) - (seen_[id] != nullptr ? 1 : 0);
    seen_[id] = now;
  }
  const auto& device_classes = cluster.objects().device_classes;
  if (device_classes_ == device_classes.version()) return;
  device_classes_ = device_classes.version();
  auto& known = state_.objects().device_classes;
  known = {};
  for (const auto& [key, one] : device_classes.all()) known.Put(one);
  rehearsal_->scheduler().ClearClassCaches();
}

// The pod leaves its place at once: who asks reads the record of the cycle only.
const CycleRecord* IdealCluster::Try(const api::Pod& pod, Without without) {
  api::Pod copy;
  copy.metadata = pod.metadata;
  copy.spec = pod.spec;
  copy.spec.scheduler_name += kSuffixes[static_cast<size_t>(without)];
  copy.spec.volumes.clear();
  copy.spec.scheduling_gates.clear();
  PodInfo& info = state_.pod_store().AddUnlisted(std::move(copy));
  const CycleRecord* record = rehearsal_->Try(info);
  rehearsal_->Clear();
  state_.pod_store().Remove(info.id);
  return record;
}

std::shared_ptr<const IdealCluster::Verdict> IdealCluster::Judge(const api::Pod& pod) {
  key_.clear();
  AppendPodClassKey(pod, state_.features(), key_);
  if (const auto found = known_.find(key_); found != known_.end()) return found->second;
  auto verdict = std::make_shared<const Verdict>(WorkOut(pod));
  if (key_.size() > kLongestKey) return verdict;
  if (known_.size() >= kMostKnown) known_.clear();
  known_.emplace(key_, verdict);
  return verdict;
}

IdealCluster::Verdict IdealCluster::WorkOut(const api::Pod& pod) {
  Verdict verdict;
  const CycleRecord* record = Try(pod, Without::kNothing);
  // Its binding has failed meanwhile, which is an error: whether it had found a node says more.
  if (record == nullptr || record->found_node) return verdict;
  if (record->result == CycleResult::kError) {
    verdict.unknown = true;
    return verdict;
  }
  verdict.possible = false;
  verdict.reasons = ReasonsOf(record->message);
  verdict.plugins = RejectingPlugins(rehearsal_->scheduler(), OfNodes::kAll);
  AddHelp(pod, verdict);
  return verdict;
}

IdealCluster::Daemon IdealCluster::CountFor(const api::Pod& pod) {
  const auto count = [&](Without without) {
    const CycleRecord* record = Try(pod, without);
    return record == nullptr || !record->found_node ? size_t{0} : size_t{record->feasible};
  };
  return {.eligible = count(Without::kRequests), .possible = count(Without::kNothingCounted)};
}

void IdealCluster::AddHelp(const api::Pod& pod, Verdict& verdict) {
  using enum Without;
  const auto tell = [&](Without without, const std::string& if_what) {
    const CycleRecord* record = Try(pod, without);
    if (record == nullptr || !record->found_node) return;
    verdict.help.push_back(fmt::format("{} would if {}", record->feasible, if_what));
  };
  tell(kAffinity, "its node selector and node affinity allowed it");
  tell(kTaints, "it tolerated their taints");
  const CycleRecord* record = Try(pod, kRequests);
  if (record == nullptr || !record->found_node) return;
  const PodInfo& asked = state_.pod_store().AddUnlisted(api::Pod(pod));
  const std::string too_much = TooMuch(asked.pod_class->requests, record->feasible_nodes);
  state_.pod_store().Remove(asked.id);
  verdict.help.push_back(fmt::format("{} would if it asked for less{}", record->feasible, too_much));
}

// ": at most cpu 7910m, memory 31Gi": what the largest of these nodes have of what they have too little of.
std::string IdealCluster::TooMuch(const ResourceAmounts& requests, std::span<const NodeId> nodes) const {
  std::string text;
  const auto check = [&](ResourceId id, int64_t amount) {
    int64_t most = 0;
    for (const NodeId node : nodes) most = std::max(most, state_.allocatable(node, id));
    if (amount <= most) return;
    text += fmt::format("{}{} {}", text.empty() ? ": at most " : ", ", state_.resource_names().Name(id),
                        AmountText(id, most));
  };
  check(kCpu, requests.milli_cpu);
  check(kMemory, requests.memory_bytes);
  check(kEphemeralStorage, requests.ephemeral_storage_bytes);
  for (const auto& [id, amount] : requests.scalars) check(id, amount);
  return text;
}

}  // namespace ksched::webhook
