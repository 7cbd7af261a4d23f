#include "webhook/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "controllers/daemon_placement.h"
#include "webhook/existing_pods.h"
#include "webhook/texts.h"

namespace ksched::webhook {
namespace {

using std::chrono::steady_clock;

// More pods of one workload are not tried: it takes milliseconds, and says no more.
constexpr int64_t kMostReplicas = 5000;
constexpr uint32_t kManyTexts = 100'000, kManyGroups = 10'000, kManyClasses = 10'000;

std::string Join(std::span<const std::string_view> names) { return fmt::format("{}", fmt::join(names, ",")); }

// A plugin has turned the pod down for want of what may come a moment later: claims, classes, volumes.
bool WaitsForObjects(const CycleRecord& record) {
  constexpr std::string_view kPlugins[] = {"VolumeBinding", "VolumeRestrictions", "VolumeZone", "NodeVolumeLimits",
                                           "DynamicResources"};
  const auto& absent = record.diagnosis.absent;
  if (!absent || absent->plugin() == kNoPlugin) return false;
  return std::ranges::find(kPlugins, record.framework->plugin_name(absent->plugin())) != std::end(kPlugins);
}

// What the schedulerName of a pod gets that is alone: no other pod depends on where it goes, so that the first node
// which is good will do, and nothing is scored.
constexpr const char* kAnyNode = "/any-node";

config::SchedulerConfiguration WithAnyNode(config::SchedulerConfiguration configuration) {
  using enum config::ExtensionPoint;
  std::vector<config::Profile> more = configuration.profiles;
  for (config::Profile& profile : more) {
    profile.scheduler_name += kAnyNode;
    for (const auto point : {kPreScore, kScore}) profile.plugins.At(point) = {.enabled = {}, .disabled = {{"*"}}};
  }
  for (config::Profile& profile : more) configuration.profiles.push_back(std::move(profile));
  return configuration;
}

// How many things the pod says that are looked up for every node, or remembered.
size_t WhatIsRemembered(const api::PodSpec& spec) {
  size_t count = spec.node_selector.size() + spec.tolerations.size() + spec.topology_spread_constraints.size() +
                 spec.volumes.size() + spec.containers.size() + spec.init_containers.size();
  const auto count_terms = [&count](const std::vector<api::NodeSelectorTerm>& terms) {
    for (const api::NodeSelectorTerm& term : terms)
      count += 1 + term.match_expressions.size() + term.match_fields.size();
  };
  if (spec.affinity && spec.affinity->node_affinity) {
    const api::NodeAffinity& affinity = *spec.affinity->node_affinity;
    if (affinity.required) count_terms(affinity.required->terms);
    count += affinity.preferred.size();
  }
  if (spec.affinity) {
    for (const auto* pods : {&spec.affinity->pod_affinity, &spec.affinity->pod_anti_affinity}) {
      if (*pods) count += (*pods)->required.size() + (*pods)->preferred.size();
    }
  }
  for (const auto* containers : {&spec.containers, &spec.init_containers}) {
    for (const api::Container& one : *containers) count += one.resources.requests.size() + one.ports.size();
  }
  return count;
}
constexpr size_t kMostRemembered = 1000;

Verdict Unknown(std::string_view reason, std::string message) {
  Verdict verdict;
  verdict.kind = Verdict::Kind::kUnknown;
  verdict.reason = reason;
  verdict.brief = message;
  verdict.message = std::move(message);
  return verdict;
}

// Pods that are off their nodes for as long as this lives.
class Absent {
 public:
  Absent(ClusterState& state, std::span<const PodId> pods) : state_(state) {
    if (pods.empty()) return;
    mark_ = state.SetMark();
    for (const PodId pod : pods) state.RemovePod(state.pod_store().Get(pod));
  }
  ~Absent() {
    if (mark_) state_.Rollback(*mark_);
  }
  Absent(const Absent&) = delete;
  Absent& operator=(const Absent&) = delete;

 private:
  ClusterState& state_;
  std::optional<ClusterState::Mark> mark_;
};

}  // namespace

Judge::Judge(const SchedulingRules& rules, ResourceFeatures features, const Picture& first)
    : rules_(rules), configuration_(WithAnyNode(rules.configuration)), reader_(features, first.names) {}

Result<std::unique_ptr<Judge>> Judge::Create(const SchedulingRules& rules, ResourceFeatures features,
                                             const Picture& first) {
  std::unique_ptr<Judge> judge(new Judge(rules, features, first));
  auto room = Rehearsal::Create(judge->configuration_, rules.features, rules.registry, judge->reader_.state());
  if (!room) return std::move(room).error();
  judge->room_ = std::move(*room);
  if (auto followed = judge->Follow(first); !followed) return std::move(followed).error();
  return judge;
}

Result<void> Judge::Follow(const Picture& picture) {
  const ClusterState& state = reader_.state();
  bool ideal_differs = picture.policy != picture_.policy;
  if (picture.snapshot != picture_.snapshot) {
    const uint64_t changed = reader_.counters().objects_of_nodes;
    room_->ForgetNominated();
    reader_.Follow(picture.snapshot);
    room_->SetNominated(reader_.nominated());
    ideal_differs |= reader_.counters().objects_of_nodes != changed;
    if (const auto version = state.objects().device_classes.version(); version != device_classes_) {
      device_classes_ = version;
      room_->scheduler().ClearClassCaches();
      ideal_differs = true;
    }
  }
  if (picture.policy != picture_.policy) {
    auto ideal = IdealCluster::Create(rules_, *picture.policy, room_->scheduler());
    if (!ideal) return std::move(ideal).error();
    ideal_ = std::move(*ideal);
  }
  if (ideal_differs) ideal_->Follow(state);
  if (picture.admission != picture_.admission) admission_.emplace(*picture.admission);
  picture_ = picture;
  return {};
}

const api::StringMap* Judge::LabelsOf(std::string_view ns) const {
  const auto& namespaces = reader_.state().objects().namespaces;
  const auto found = namespaces.Find(ns);
  return found == nullptr ? nullptr : &found->metadata.labels;  // the table holds it
}

bool Judge::grown_large() const {
  const auto large = [](const Scheduler& one) {
    return one.reasons().size() > kManyTexts || one.verdicts().size() > kManyTexts;
  };
  const ClusterState& state = reader_.state();
  return large(room_->scheduler()) || large(ideal_->scheduler()) || state.selector_groups().size() > kManyGroups ||
         state.term_groups().size() > kManyGroups ||
         state.num_node_classes() > kManyClasses + 4 * state.node_capacity();
}

Verdict Judge::Ask(const Target& target, SteadyTime deadline) {
  if (ideal_->num_nodes() + ideal_->num_shapes() == 0) return Unknown("NoNodes", "the cluster has no nodes");
  std::vector<PodId> existing;
  if (target.existing != Target::Existing::kNone) existing = ExistingPods(reader_.state(), target);
  std::string why_not;
  const std::optional<api::Pod> pattern = PatternOf(target, existing, why_not);
  if (!pattern) return Unknown("NoTemplate", why_not);
  if (WhatIsRemembered(pattern->spec) + pattern->metadata.labels.size() > kMostRemembered) {
    return Unknown("TooLarge",
                   fmt::format("it has more than {} selectors, terms, resources and the like", kMostRemembered));
  }
  Verdict verdict = target.shape == Target::Shape::kDaemons ? AskForDaemons(target, *pattern, existing, deadline)
                                                            : AskForReplicas(target, *pattern, existing, deadline);
  reader_.RemoveOwnPods();
  return verdict;
}

// As the API server will have made it.
std::optional<api::Pod> Judge::PatternOf(const Target& target, std::span<const PodId> existing, std::string& why_not) {
  if (target.like_existing) {
    auto like = LikeNewestOf(reader_.state(), existing);
    if (!like) why_not = "none of its pods is there to say what they are like";
    if (like && room_->scheduler().FindProfile(like->spec.scheduler_name) == nullptr) {
      why_not = "its pods are another scheduler's";
      like.reset();
    }
    return like;
  }
  api::Pod pod = target.pod;
  if (!target.incomplete) return pod;
  if (auto admitted = admission_->Admit(pod); !admitted) {
    why_not = "admission would refuse it: " + admitted.error().message;
    return std::nullopt;
  }
  return pod;
}

// Claims that are not there yet may be bound to anything: without them the rest is judged.
void Judge::DropUnknownClaims(api::Pod& pod) const {
  const auto& claims = reader_.state().objects().claims;
  std::erase_if(pod.spec.volumes, [&](const api::Volume& volume) {
    if (volume.ephemeral) return true;
    return !volume.claim_name.empty() && claims.Find(pod.metadata.ns, volume.claim_name) == nullptr;
  });
}

api::Pod Judge::PodNumber(const Target& target, const api::Pod& pattern, int64_t number) const {
  api::Pod pod = pattern;
  if (target.kind == "StatefulSet") {
    const std::string ordinal = std::to_string(target.first_ordinal + number);
    const std::string name = target.name + "-" + ordinal;
    pod.metadata.labels["apps.kubernetes.io/pod-index"] = ordinal;
    pod.metadata.labels["statefulset.kubernetes.io/pod-name"] = name;
    for (const std::string& claim : target.claim_templates) {
      api::Volume& volume = pod.spec.volumes.emplace_back();
      volume.name = claim;
      volume.claim_name = claim + "-" + name;
    }
  }
  DropUnknownClaims(pod);
  return pod;
}

// False: to try another one like it is of no use.
bool Judge::TryOne(api::Pod pod, OfNodes nodes, Room& room) {
  PodInfo& info = reader_.AddOwnPod(std::move(pod));
  const CycleRecord* record = room_->Try(info);
  ++room.tried;
  if (record == nullptr) {
    room.error = "a plugin holds its pods back";
    return false;
  }
  if (IsPlaced(*record)) return ++room.placed, true;
  const bool waits = WaitsForObjects(*record);
  const bool fails = record->result == CycleResult::kError || waits;
  if (fails) room.error = record->message;
  if (fails || room.reasons.empty()) {
    for (const auto plugin : RejectingPlugins(room_->scheduler(), waits ? OfNodes::kAll : nodes)) {
      if (std::ranges::find(room.plugins, plugin) == room.plugins.end()) room.plugins.push_back(plugin);
    }
  }
  if (fails) return false;
  if (room.reasons.empty()) room.reasons = CountReasons(room_->scheduler(), nodes);
  if (record->nominated_node.empty()) return false;
  return ++room.nominated, true;
}

Judge::Room Judge::FindRoom(const Target& target, const api::Pod& pattern, int64_t missing,
                            std::span<const PodId> leaving, SteadyTime deadline) {
  const Absent without(reader_.state(), leaving);
  Room room;
  for (int64_t number = 0; number < std::min(missing, kMostReplicas); ++number) {
    if (number > 0 && steady_clock::now() >= deadline) {
      room.cut = true;
      break;
    }
    api::Pod pod = PodNumber(target, pattern, target.wanted - missing + number);
    if (missing == 1) pod.spec.scheduler_name += kAnyNode;
    if (!TryOne(std::move(pod), OfNodes::kAll, room)) break;
  }
  room_->Clear();
  return room;
}

Verdict Judge::AskForReplicas(const Target& target, const api::Pod& pattern, std::span<const PodId> existing,
                              SteadyTime deadline) {
  int64_t missing = target.wanted;
  if (target.existing == Target::Existing::kStay) {
    missing = std::max<int64_t>(0, missing - static_cast<int64_t>(existing.size()));
    existing = {};
  }
  const Room room = FindRoom(target, pattern, missing, existing, deadline);
  if (room.cut && room.reasons.empty()) return Unknown(kDeadline, "its replicas could not all be tried in time");
  if (room.placed > 0) {
    const bool all = static_cast<int64_t>(room.placed) == std::min(missing, kMostReplicas);
    return all ? Verdict() : NoRoom(target, room, missing);
  }
  const auto ideal = ideal_->Judge(pattern);
  if (!ideal->possible) return Impossible(target, *ideal);
  if (missing == 0) return {};
  if (ideal->unknown) return Unknown("Error", "a plugin failed");
  return NoRoom(target, room, missing);
}

Judge::Room Judge::FindRoomForDaemons(const api::Pod& pattern, std::span<const NodeId> nodes,
                                      std::span<const PodId> leaving, SteadyTime deadline) {
  const Absent without(reader_.state(), leaving);
  Room room;
  const ClusterState& state = reader_.state();
  std::vector<CountedReason> reasons;
  for (const NodeId node : nodes) {
    if (room.tried > 0 && steady_clock::now() >= deadline) {
      room.cut = true;
      break;
    }
    api::Pod pod = pattern;
    controllers::TieToNode(pod.spec, state.node_name(node));
    DropUnknownClaims(pod);
    (void)TryOne(std::move(pod), OfNodes::kLookedAt, room);
    if (!room.error.empty()) break;
    for (const CountedReason& one : std::exchange(room.reasons, {})) {
      const auto known = std::ranges::find(reasons, one.text, &CountedReason::text);
      if (known == reasons.end()) {
        reasons.push_back({one.text, 1});
      } else {
        ++known->nodes;
      }
    }
  }
  room.reasons = std::move(reasons);
  room_->Clear();
  return room;
}

// On the nodes where it would run. Where there is none, it has no pods, which is nothing wrong.
Verdict Judge::AskForDaemons(const Target& target, const api::Pod& pattern, std::span<const PodId> existing,
                             SteadyTime deadline) {
  const IdealCluster::Daemon counts = ideal_->CountFor(pattern);
  if (counts.eligible > 0 && counts.possible == 0) {
    const auto ideal = ideal_->Judge(pattern);
    if (!ideal->possible) return Impossible(target, *ideal);
  }
  if (target.wanted == 0) return {};
  const ClusterState& state = reader_.state();
  std::vector<NodeId> nodes;
  for (const NodeId id : state.order()) {
    const api::Node& node = state.node(id);
    const controllers::DaemonNode looked{node.metadata.name, node.metadata.labels, node.spec.taints};
    if (controllers::JudgeNode(pattern.spec, looked).should_run) nodes.push_back(id);
  }
  const Room room = FindRoomForDaemons(pattern, nodes, existing, deadline);
  if (room.cut && room.reasons.empty()) return Unknown(kDeadline, "its nodes could not all be looked at in time");
  const auto missing = static_cast<int64_t>(nodes.size());
  if (static_cast<int64_t>(room.placed) == missing) return {};
  return NoRoom(target, room, missing);
}

// "0/42 nodes", "0/42 nodes and 0/2 node shapes".
std::string Judge::Nodes() const {
  std::string text = fmt::format("0/{} nodes", ideal_->num_nodes());
  if (ideal_->num_shapes() > 0) text += fmt::format(" and 0/{} node shapes", ideal_->num_shapes());
  return text;
}

Verdict Judge::Impossible(const Target& target, const IdealCluster::Verdict& ideal) const {
  Verdict verdict;
  verdict.kind = Verdict::Kind::kImpossible;
  verdict.plugins = ideal.plugins;
  verdict.reason = Join(ideal.plugins);
  const std::string what = target.is_made ? "a pod of this " + target.kind : "this pod";
  verdict.brief = fmt::format("{} could ever run {}: {}", Nodes(), what, ideal.reasons);
  verdict.message = verdict.brief + ".";
  for (const std::string& help : ideal.help) verdict.message += " " + help + ".";
  if (ideal.help.empty()) verdict.message += " No single change of selectors, tolerations or requests is enough.";
  return verdict;
}

Verdict Judge::NoRoom(const Target& target, const Room& room, int64_t missing) const {
  if (!room.error.empty() && room.placed == 0) {
    const std::string reason = room.plugins.empty() ? "Error" : Join(room.plugins);
    return Unknown(reason, "cannot be judged yet: " + room.error);
  }
  Verdict verdict;
  verdict.kind = Verdict::Kind::kNoRoom;
  verdict.plugins = room.plugins;
  verdict.reason = Join(room.plugins);
  const std::string reasons = room.error.empty() ? ReasonsOnNodes(room.reasons) : room.error;
  if (target.is_made) {
    const char* const pods = target.shape == Target::Shape::kDaemons ? "nodes have room" : "replicas fit";
    verdict.brief = fmt::format("{} of {} {} now; {}: {}", room.placed, missing, pods,
                                missing - static_cast<int64_t>(room.placed), reasons);
  } else {
    verdict.brief = "no node has room for this pod now: " + reasons;
  }
  verdict.message = verdict.brief;
  if (room.nominated > 0) {
    verdict.message += target.is_made ? fmt::format("; {} would get room by preemption", room.nominated)
                                      : "; it would get room by preemption";
  }
  return verdict;
}

}  // namespace ksched::webhook
