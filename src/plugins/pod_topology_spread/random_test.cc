// PodTopologySpread beside a straightforward form of it that counts all pods again for every question.

#include <cmath>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "api/label_selector.h"
#include "plugins/common/go_math.h"
#include "plugins/common/node_selector.h"
#include "plugins/common/tolerations.h"
#include "plugins/pod_topology_spread/pod_topology_spread.h"
#include "plugins/pod_topology_spread/testing.h"

namespace ksched {
namespace {

using namespace testing_support;

constexpr const char* kKeys[] = {"zone", "rack", "kubernetes.io/hostname"};

// All by definition, of one pod with constraints of its own.
class Plain {
 public:
  Plain(const TestCluster& cluster, const PodInfo& pod) : cluster_(cluster), pod_(pod) {
    affinity_.Compile(pod.pod_class->spec);
  }

  std::vector<Constraint> Of(const std::string& action) const {
    std::vector<Constraint> constraints;
    for (const Constraint& one : pod_.pod_class->spec.topology_spread_constraints) {
      if (one.when_unsatisfiable == action) constraints.push_back(one);
    }
    return constraints;
  }
  static bool HasAll(const api::Node& node, const std::vector<Constraint>& constraints) {
    return std::ranges::all_of(constraints,
                               [&](const auto& one) { return node.metadata.labels.contains(one.topology_key); });
  }
  bool Includes(const api::Node& node, const Constraint& constraint) const {
    if (constraint.node_affinity_policy != "Ignore" && !affinity_.Matches(node)) return false;
    return constraint.node_taints_policy != "Honor" ||
           !HasUntoleratedTaint(node.spec.taints, pod_.pod_class->spec.tolerations, true);
  }
  bool Means(const Constraint& constraint, const PodInfo& other) const {
    if (other.ns() != pod_.ns() || !api::Matches(constraint.label_selector, other.pod_class->labels)) return false;
    return std::ranges::all_of(constraint.match_label_keys, [&](const std::string& key) {
      const auto own = pod_.pod_class->labels.find(key), its = other.pod_class->labels.find(key);
      return own == pod_.pod_class->labels.end() ||
             (its != other.pod_class->labels.end() && its->second == own->second);
    });
  }
  int64_t CountOn(NodeId node, const Constraint& constraint) const {
    const auto& selector = constraint.label_selector;
    const bool has_keys = std::ranges::any_of(constraint.match_label_keys,
                                              [&](const auto& key) { return pod_.pod_class->labels.contains(key); });
    if (selector && selector->match_labels.empty() && selector->match_expressions.empty() && !has_keys) return 0;
    int64_t count = 0;
    for (const PodId id : cluster_.state.pods(node)) {
      const PodInfo& other = cluster_.state.pod_store().Get(id);
      count += !other.deleting() && Means(constraint, other) ? 1 : 0;
    }
    return count;
  }
  using Domains = std::map<std::string, int64_t>;
  Domains Count(const Constraint& constraint, const std::vector<Constraint>& all) const {
    Domains domains;
    for (const NodeId id : cluster_.state.order()) {
      const api::Node& node = cluster_.state.node(id);
      if (!HasAll(node, all) || !Includes(node, constraint)) continue;
      domains[node.metadata.labels.at(constraint.topology_key)] += CountOn(id, constraint);
    }
    return domains;
  }

  struct Delta {
    const PodInfo* pod;
    NodeId node;
    int64_t sign;
  };
  std::string Filter(NodeId node, const std::vector<Delta>& deltas) const {
    const std::vector<Constraint> hard = Of("DoNotSchedule");
    const api::StringMap& labels = cluster_.state.node(node).metadata.labels;
    for (const Constraint& constraint : hard) {
      if (!labels.contains(constraint.topology_key)) return "no label";
      Domains domains = Count(constraint, hard);
      const size_t num_domains = domains.size();
      for (const Delta& delta : deltas) {
        const api::Node& at = cluster_.state.node(delta.node);
        if (!HasAll(at, hard) || !Includes(at, constraint) || !Means(constraint, *delta.pod)) continue;
        domains[at.metadata.labels.at(constraint.topology_key)] += delta.sign;
      }
      int64_t least = INT32_MAX;
      for (const auto& [value, count] : domains) least = std::min(least, count);
      if (num_domains < static_cast<size_t>(constraint.min_domains.value_or(1))) least = 0;
      const int64_t self = Means(constraint, pod_) ? 1 : 0;
      if (domains[labels.at(constraint.topology_key)] + self - least > constraint.max_skew) return "skewed";
    }
    return "fits";
  }

  std::vector<int64_t> Scores(std::span<const NodeId> nodes) const {
    const std::vector<Constraint> soft = Of("ScheduleAnyway");
    std::vector<NodeId> scored;
    for (const NodeId id : nodes) {
      if (HasAll(cluster_.state.node(id), soft)) scored.push_back(id);
    }
    std::vector<int64_t> scores;
    for (const NodeId id : nodes) {
      const api::StringMap& labels = cluster_.state.node(id).metadata.labels;
      double score = 0;
      for (const Constraint& constraint : soft) {
        if (!HasAll(cluster_.state.node(id), soft)) continue;
        const bool by_host = constraint.topology_key == kHostnameLabel;
        std::map<std::string, bool> values;
        for (const NodeId other : scored)
          values[cluster_.state.node(other).metadata.labels.at(constraint.topology_key)];
        const double weight = GoLog(static_cast<double>((by_host ? scored.size() : values.size()) + 2));
        const int64_t count =
            by_host ? CountOn(id, constraint) : Count(constraint, soft)[labels.at(constraint.topology_key)];
        score += static_cast<double>(count) * weight + (constraint.max_skew - 1);
      }
      scores.push_back(std::llround(score));
    }
    return scores;
  }

 private:
  const TestCluster& cluster_;
  const PodInfo& pod_;
  RequiredNodeAffinity affinity_;
};

class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  size_t Below(size_t n) { return engine_() % n; }
  bool OneIn(size_t n) { return Below(n) == 0; }
  std::string Name(const char* prefix, size_t n) { return prefix + std::to_string(Below(n)); }

  MakeNode Node(const std::string& name) {
    MakeNode node(name);
    if (!OneIn(8)) node.Label("zone", Name("z", 3));
    if (!OneIn(8)) node.Label("rack", Name("r", 5));
    if (!OneIn(12)) node.Label("kubernetes.io/hostname", name);
    if (OneIn(3)) node.Label("disk", "ssd");
    if (OneIn(4)) node.Taint("t", "", "NoSchedule");
    return node;
  }
  MakePod Pod(const std::string& name) {
    MakePod pod(name);
    if (!OneIn(4)) pod.Label("app", Name("a", 2));
    if (!OneIn(2)) pod.Label("hash", Name("h", 2));
    if (OneIn(6)) pod.Namespace("other");
    if (OneIn(8)) pod.pod.metadata.deletion_timestamp = 1;
    return pod;
  }
  Constraint MakeConstraint() {
    Constraint one = OneIn(2) ? Hard(kKeys[Below(3)]) : Soft(kKeys[Below(3)]);
    one.max_skew = 1 + static_cast<int32_t>(Below(3));
    one.label_selector = MatchLabels({{"app", OneIn(2) ? "a0" : "a1"}});
    if (OneIn(8)) one.label_selector.reset();
    if (OneIn(8)) one.label_selector.emplace();
    if (one.when_unsatisfiable == "DoNotSchedule" && OneIn(3)) one.min_domains = 1 + static_cast<int32_t>(Below(4));
    if (OneIn(3)) one.node_affinity_policy = OneIn(2) ? "Ignore" : "Honor";
    if (OneIn(3)) one.node_taints_policy = OneIn(2) ? "Ignore" : "Honor";
    if (OneIn(4)) one.match_label_keys = {"hash"};
    return one;
  }
  MakePod Spreading(const std::string& name) {
    MakePod pod = Pod(name);
    for (size_t count = 1 + Below(3); count > 0; --count) {
      pod.pod.spec.topology_spread_constraints.push_back(MakeConstraint());
    }
    if (OneIn(3)) pod.NodeSelector({{"disk", "ssd"}});
    if (OneIn(3)) pod.Toleration("t", "Exists", "", "");
    return pod;
  }

 private:
  std::mt19937 engine_;
};

class RandomCluster {
 public:
  explicit RandomCluster(uint32_t seed) : random_(seed) {
    for (int i = 0; i < 7; ++i) cluster_.AddNode(random_.Node("n" + std::to_string(i)));
    for (int i = 0; i < 4; ++i) spreading_.push_back(&cluster_.AddPod(random_.Spreading("s" + std::to_string(i))));
  }

  void Run(int steps) {
    for (int step = 0; step < steps; ++step) {
      SCOPED_TRACE("step " + std::to_string(step));
      Change("p" + std::to_string(step));
      if (random_.OneIn(2)) continue;
      const PodInfo& pod = *spreading_[random_.Below(spreading_.size())];
      CheckFilter(pod);
      CheckScores(pod);
      if (::testing::Test::HasFailure()) return;
    }
  }

 private:
  void Change(const std::string& name) {
    ClusterState& state = cluster_.state;
    const std::string node = random_.Name("n", 9);
    if (random_.OneIn(10)) {
      state.UpdateNode(random_.Node(node));
    } else if (random_.OneIn(20) && state.num_nodes() > 2) {
      state.RemoveNode(node);
    } else if (random_.OneIn(3) && !placed_.empty()) {
      std::swap(placed_[random_.Below(placed_.size())], placed_.back());
      state.RemovePod(*placed_.back());
      placed_.pop_back();
    } else {
      placed_.push_back(&cluster_.AddPod(random_.Pod(name).Node(node)));
    }
    state.TakeSnapshot();
  }

  std::string Filter(const PodInfo& pod, NodeId node) {
    const Status status = plugin_->Filter(cluster_.cycle, pod, cluster_.View(node));
    if (status.ok()) return "fits";
    return status.code() == Code::kUnschedulable ? "skewed" : "no label";
  }
  void CheckAllNodes(const PodInfo& pod, const Plain& plain, const std::vector<Plain::Delta>& deltas) {
    for (const NodeId node : cluster_.state.order()) EXPECT_EQ(Filter(pod, node), plain.Filter(node, deltas));
  }

  // Then as preemption does: all pods of a node go, some come back; and nested in that, pods of another node.
  void CheckFilter(const PodInfo& pod) {
    CycleState& cycle = cluster_.cycle;
    cycle.StartCycle();
    PreFilterResult result;
    const Status status = plugin_->PreFilter(cycle, pod, result);
    const Plain plain(cluster_, pod);
    EXPECT_EQ(status.IsSkip(), plain.Of("DoNotSchedule").empty());
    if (status.IsSkip()) return;
    cycle.pre_filtered.Insert(0);
    std::vector<Plain::Delta> deltas;
    CheckAllNodes(pod, plain, deltas);
    const auto mark = cycle.SetMark();
    ChangePodsOf(RandomNode(), pod, plain, deltas);
    const auto before = deltas;
    const auto inner = cycle.SetMark();
    ChangePodsOf(RandomNode(), pod, plain, deltas);
    cycle.Rollback(inner);
    CheckAllNodes(pod, plain, before);
    cycle.Rollback(mark);
    CheckAllNodes(pod, plain, {});
  }
  NodeId RandomNode() { return cluster_.state.order()[random_.Below(cluster_.state.num_nodes())]; }
  void ChangePodsOf(NodeId node, const PodInfo& pod, const Plain& plain, std::vector<Plain::Delta>& deltas) {
    const auto change = [&](const PodInfo& other, int64_t sign) {
      const NodeView view = cluster_.View(node);
      const Status status = sign < 0 ? plugin_->RemovePod(cluster_.cycle, pod, other, view)
                                     : plugin_->AddPod(cluster_.cycle, pod, other, view);
      EXPECT_TRUE(status.ok());
      deltas.push_back({&other, node, sign});
      EXPECT_EQ(Filter(pod, node), plain.Filter(node, deltas));
    };
    for (const PodId id : cluster_.state.pods(node)) change(cluster_.state.pod_store().Get(id), -1);
    for (const PodId id : cluster_.state.pods(node)) {
      if (random_.OneIn(2)) change(cluster_.state.pod_store().Get(id), +1);
    }
    CheckAllNodes(pod, plain, deltas);
  }

  void CheckScores(const PodInfo& pod) {
    std::vector<NodeId> nodes;
    for (const NodeId node : cluster_.state.order()) {
      if (!random_.OneIn(4)) nodes.push_back(node);
    }
    CycleState& cycle = cluster_.cycle;
    cycle.StartCycle();
    const Status status = plugin_->PreScore(cycle, pod, nodes);
    const Plain plain(cluster_, pod);
    EXPECT_EQ(status.IsSkip(), plain.Of("ScheduleAnyway").empty());
    if (status.IsSkip()) return;
    cycle.pre_scored.Insert(0);
    std::vector<int64_t> scores(nodes.size());
    for (size_t i = 0; i < nodes.size(); ++i) {
      EXPECT_TRUE(plugin_->Score(cycle, pod, cluster_.View(nodes[i]), scores[i]).ok());
    }
    EXPECT_EQ(scores, plain.Scores(nodes));
  }

  Random random_;
  TestCluster cluster_;
  std::unique_ptr<PodTopologySpread> plugin_ = cluster_.Create<PodTopologySpread>(kNoDefaults);
  std::vector<const PodInfo*> spreading_;
  std::vector<PodInfo*> placed_;
};

TEST(PodTopologySpreadRandomTest, IsWhatCountingAnewGives) {
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomCluster(seed).Run(120);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace ksched
