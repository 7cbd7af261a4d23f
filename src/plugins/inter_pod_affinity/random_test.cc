// InterPodAffinity on random small clusters that change, against a plain form that goes through all pods every time.
#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "api/label_selector.h"
#include "plugins/inter_pod_affinity/affinity_testing.h"
#include "plugins/inter_pod_affinity/inter_pod_affinity.h"

namespace ksched {
namespace {

using namespace testing_support;
using Terms = std::vector<api::PodAffinityTerm>;
using WeightedTerms = std::vector<api::WeightedPodAffinityTerm>;

constexpr char kHost[] = "kubernetes.io/hostname";  // nodes share its values here

// ---- the plain form: as the reference's documentation has it, from the API's objects ----

const Terms kNoTerms;
const WeightedTerms kNoWeighted;

const api::PodAffinity* Part(const PodInfo& pod, bool anti) {
  const auto& affinity = pod.pod_class->spec.affinity;
  if (!affinity) return nullptr;
  const auto& part = anti ? affinity->pod_anti_affinity : affinity->pod_affinity;
  return part ? &*part : nullptr;
}
const Terms& Required(const PodInfo& pod, bool anti) {
  const api::PodAffinity* part = Part(pod, anti);
  return part == nullptr ? kNoTerms : part->required;
}
const WeightedTerms& Preferred(const PodInfo& pod, bool anti) {
  const api::PodAffinity* part = Part(pod, anti);
  return part == nullptr ? kNoWeighted : part->preferred;
}

class PlainForm {
 public:
  PlainForm(const TestCluster& cluster, const PodInfo& pod, config::InterPodAffinityArgs args)
      : cluster_(cluster), pod_(pod), args_(args) {}

  bool SkipsFilter() const {
    if (!Required(pod_, false).empty() || !Required(pod_, true).empty()) return false;
    bool any = false;
    ForEachPod([&](const PodInfo& other, const api::StringMap& labels) {
      for (const auto& term : Required(other, true)) {
        any |= IsHostScoped(term.topology_key) || (TheirsMeans(term, other) && labels.contains(term.topology_key));
      }
    });
    return !any;
  }

  std::string Filter(NodeId node) const {
    if (!MeetsAffinity(Labels(node))) return "UnschedulableAndUnresolvable: node(s) didn't match pod affinity rules";
    bool own = false, theirs = false;
    ForEachPod([&](const PodInfo& other, const api::StringMap& labels) {
      for (const auto& term : Required(pod_, true)) {
        own |= OwnMeans(term, other) && Together(term.topology_key, labels, Labels(node));
      }
      for (const auto& term : Required(other, true)) {
        theirs |= TheirsMeans(term, other) && Together(term.topology_key, labels, Labels(node));
      }
    });
    if (own) return "Unschedulable: node(s) didn't match pod anti-affinity rules";
    if (theirs) return "Unschedulable: node(s) didn't satisfy existing pods anti-affinity rules";
    return "Success";
  }

  // Empty: PreScore skips.
  std::vector<int64_t> Scores() const {
    const bool prefers = !Preferred(pod_, false).empty() || !Preferred(pod_, true).empty();
    if (args_.ignore_preferred_terms_of_existing_pods && !prefers) return {};
    std::vector<int64_t> scores(cluster_.state.num_nodes(), 0);
    bool any = false;
    const auto count = [&](const std::string& key, const api::StringMap& labels, int64_t weight) {
      any |= labels.contains(key);
      for (size_t i = 0; i < scores.size(); ++i) {
        if (SameDomain(key, labels, Labels(cluster_.state.order()[i]))) scores[i] += weight;
      }
    };
    ForEachPod([&](const PodInfo& other, const api::StringMap& labels) {
      for (const bool anti : {false, true}) {
        const int64_t sign = anti ? -1 : 1;
        for (const auto& [weight, term] : Preferred(pod_, anti)) {
          if (OwnMeans(term, other)) count(term.topology_key, labels, sign * weight);
        }
        for (const auto& [weight, term] : Preferred(other, anti)) {
          if (TheirsMeans(term, other)) count(term.topology_key, labels, sign * weight);
        }
      }
      for (const auto& term : Required(other, false)) {
        if (args_.hard_pod_affinity_weight == 0 || !TheirsMeans(term, other)) continue;
        count(term.topology_key, labels, args_.hard_pod_affinity_weight);
      }
    });
    return any ? scores : std::vector<int64_t>();
  }

 private:
  // Pods on nodes of the snapshot, with the labels of their node.
  template <typename F>
  void ForEachPod(F&& visit) const {
    for (const NodeId node : cluster_.state.order()) {
      for (const PodId pod : cluster_.state.pods(node)) visit(cluster_.state.pod_store().Get(pod), Labels(node));
    }
  }
  const api::StringMap& Labels(NodeId node) const { return cluster_.state.node(node).metadata.labels; }
  static bool SameDomain(const std::string& key, const api::StringMap& a, const api::StringMap& b) {
    const auto in_a = a.find(key), in_b = b.find(key);
    return in_a != a.end() && in_b != b.end() && in_a->second == in_b->second;
  }
  // For what is required. With the gate, hosts are the nodes themselves.
  bool IsHostScoped(const std::string& key) const {
    return key == kHost && cluster_.features.Enabled(config::Gate::kInterPodAffinityHostnameFastPath);
  }
  bool Together(const std::string& key, const api::StringMap& a, const api::StringMap& b) const {
    return IsHostScoped(key) ? a.contains(key) && &a == &b : SameDomain(key, a, b);
  }
  bool OwnMeans(const api::PodAffinityTerm& term, const PodInfo& other) const {
    std::set<std::string> names(term.namespaces.begin(), term.namespaces.end());
    if (names.empty() && !term.namespace_selector) names.insert(pod_.ns());
    if (term.namespace_selector) {
      if (term.namespace_selector->match_labels.empty() && term.namespace_selector->match_expressions.empty()) {
        names.insert(other.ns());
      }
      for (const auto& [key, found] : cluster_.state.objects().namespaces.all()) {
        if (api::Matches(*term.namespace_selector, found->metadata.labels)) names.insert(key.second);
      }
    }
    return names.contains(other.ns()) && api::Matches(term.label_selector, other.pod_class->labels);
  }
  bool TheirsMeans(const api::PodAffinityTerm& term, const PodInfo& other) const {
    std::set<std::string> names(term.namespaces.begin(), term.namespaces.end());
    if (names.empty() && !term.namespace_selector) names.insert(other.ns());
    if (!names.contains(pod_.ns())) {
      const auto found = cluster_.state.objects().namespaces.Find(pod_.ns());
      if (!api::Matches(term.namespace_selector, found == nullptr ? api::StringMap() : found->metadata.labels)) {
        return false;
      }
    }
    return api::Matches(term.label_selector, pod_.pod_class->labels);
  }
  bool OwnMeansAll(const PodInfo& other) const {
    const Terms& terms = Required(pod_, false);
    return std::all_of(terms.begin(), terms.end(), [&](const auto& term) { return OwnMeans(term, other); });
  }
  bool MeetsAffinity(const api::StringMap& labels) const {
    bool all = true, any_anywhere = false;
    const Terms& terms = Required(pod_, false);
    // Only if all terms are of that kind.
    const bool host_scoped =
        std::all_of(terms.begin(), terms.end(), [&](const auto& term) { return IsHostScoped(term.topology_key); });
    for (const auto& term : Required(pod_, false)) {
      if (!labels.contains(term.topology_key)) return false;
      bool here = false;
      ForEachPod([&](const PodInfo& other, const api::StringMap& other_labels) {
        if (!OwnMeansAll(other)) return;
        any_anywhere |= host_scoped || other_labels.contains(term.topology_key);
        here |= host_scoped ? &labels == &other_labels : SameDomain(term.topology_key, labels, other_labels);
      });
      all &= here;
    }
    return all || (!any_anywhere && OwnMeansAll(pod_));
  }

  const TestCluster& cluster_;
  const PodInfo& pod_;
  config::InterPodAffinityArgs args_;
};

// ---- random clusters ----

class RandomCluster : public TestCluster {
 public:
  explicit RandomCluster(uint32_t seed) : random_(seed) {
    args.hard_pod_affinity_weight = Choose(2) * 5;
    args.ignore_preferred_terms_of_existing_pods = Chance(30);
    for (uint32_t i = 0; i < 2 + Choose(4); ++i) PutNode(i);
    for (int i = 0; i < 8; ++i) NewPod();
  }

  // A pod, a node or a namespace comes, goes or changes.
  void Change() {
    switch (Choose(6)) {
      case 0:
        PutNode(Choose(6));
        break;
      case 1:
        if (state.num_nodes() > 1) state.RemoveNode(state.node_name(state.order()[Choose(state.num_nodes())]));
        break;
      case 2:
        ChangeNamespace();
        break;
      default:
        MoveAnyPod();
    }
    state.TakeSnapshot();
  }
  PodInfo& NewPod() {
    MakePod pod("p" + std::to_string(pods_.size()));
    pod.Namespace(Pick({"red", "blue", "unknown"}));
    if (Chance(80)) pod.Label("app", Pick({"a", "b"}));
    if (Chance(40)) pod.Label("tier", Pick({"x", "y"}));
    for (int i = 0; Chance(25) && i < 2; ++i) AffinityOf(pod).required.push_back(RandomTerm());
    for (int i = 0; Chance(30) && i < 2; ++i) AntiAffinityOf(pod).required.push_back(RandomTerm());
    for (int i = 0; Chance(30) && i < 2; ++i) AffinityOf(pod).preferred.push_back({Weight(), RandomTerm()});
    for (int i = 0; Chance(30) && i < 2; ++i) AntiAffinityOf(pod).preferred.push_back({Weight(), RandomTerm()});
    PodInfo& added = AddPod(pod);
    pods_.push_back(added.id);
    return added;
  }
  PodInfo& AnyPod() { return state.pod_store().Get(pods_[Choose(static_cast<uint32_t>(pods_.size()))]); }
  NodeId AnyNode() { return state.order()[Choose(state.num_nodes())]; }
  uint32_t Choose(uint32_t below) { return static_cast<uint32_t>(random_() % below); }

  config::InterPodAffinityArgs args;

 private:
  bool Chance(uint32_t percent) { return Choose(100) < percent; }
  int32_t Weight() { return static_cast<int32_t>(1 + Choose(100)); }
  std::string Pick(const std::vector<std::string>& from) { return from[Choose(static_cast<uint32_t>(from.size()))]; }
  void PutNode(uint32_t number) {
    MakeNode node("n" + std::to_string(number));
    if (Chance(85)) node.Label("zone", Pick({"1", "2"}));
    if (Chance(70)) node.Label(kHost, Pick({"1", "2", "3"}));
    state.AddNode(node);
    state.TakeSnapshot();
  }
  void ChangeNamespace() {
    const std::string name = Pick({"red", "blue"});
    if (Chance(30)) {
      state.objects().namespaces.Remove("", name);
    } else {
      api::Namespace made;
      made.metadata.name = name;
      if (Chance(60)) made.metadata.labels["team"] = Pick({"1", "2"});
      state.objects().namespaces.Put(made);
    }
    state.NamespacesChanged();
  }
  void MoveAnyPod() {
    PodInfo& pod = Chance(20) ? NewPod() : AnyPod();
    if (pod.node != kNoNode) {
      state.RemovePod(pod);
    } else {
      state.AddPodTo(pod, Choose(state.node_capacity()));  // perhaps to one that has gone
    }
  }
  api::LabelSelector RandomSelector(const std::string& key, const std::vector<std::string>& values) {
    api::LabelSelector selector;
    switch (Choose(5)) {
      case 0:
        break;
      case 1:
        selector.match_expressions.push_back({key, "NotIn", {Pick(values)}});
        break;
      case 2:
        selector.match_expressions.push_back({key, Pick({"Exists", "DoesNotExist"}), {}});
        break;
      default:
        selector.match_labels[key] = Pick(values);
    }
    return selector;
  }
  api::PodAffinityTerm RandomTerm() {
    api::PodAffinityTerm term;
    term.topology_key = Pick({"zone", kHost});
    if (Chance(95)) term.label_selector = RandomSelector(Pick({"app", "app", "tier"}), {"a", "b", "x"});
    if (Chance(40)) term.namespaces.push_back(Pick({"red", "blue", "unknown"}));
    if (Chance(40)) term.namespace_selector = RandomSelector("team", {"1", "2"});
    return term;
  }

  std::mt19937 random_;
  std::vector<PodId> pods_;
};

void ExpectSameFilter(const RandomCluster& cluster, const InterPodAffinity& plugin, const PodInfo& pod) {
  const PlainForm plain(cluster, pod, cluster.args);
  for (const NodeId node : cluster.state.order()) {
    ASSERT_EQ(cluster.Text(plugin.Filter(cluster.cycle, pod, cluster.View(node))), plain.Filter(node))
        << "pod " << pod.name() << " on " << cluster.state.node_name(node);
  }
}

// A few pods leave and come, with marks in between that are rolled back one after the other.
void DryRun(RandomCluster& cluster, const InterPodAffinity& plugin, const PodInfo& pod, int depth) {
  const auto state_mark = cluster.state.SetMark();
  const auto cycle_mark = cluster.cycle.SetMark();
  for (int i = 0; i < 2; ++i) {
    PodInfo& other = cluster.AnyPod();
    if (other.id == pod.id) continue;
    if (other.node == kNoNode) {
      const NodeId node = cluster.AnyNode();
      cluster.state.AddPodTo(other, node);
      ASSERT_TRUE(plugin.AddPod(cluster.cycle, pod, other, cluster.View(node)).ok());
    } else if (cluster.state.present(other.node)) {
      const NodeId node = other.node;
      cluster.state.RemovePod(other);
      ASSERT_TRUE(plugin.RemovePod(cluster.cycle, pod, other, cluster.View(node)).ok());
    }
    ASSERT_NO_FATAL_FAILURE(ExpectSameFilter(cluster, plugin, pod));
  }
  if (depth > 0) {
    ASSERT_NO_FATAL_FAILURE(DryRun(cluster, plugin, pod, depth - 1));
  }
  cluster.state.Rollback(state_mark);
  cluster.cycle.Rollback(cycle_mark);
  ASSERT_NO_FATAL_FAILURE(ExpectSameFilter(cluster, plugin, pod));
}

void RunCycle(RandomCluster& cluster, const InterPodAffinity& plugin, const PodInfo& pod, int& filtered) {
  const PlainForm plain(cluster, pod, cluster.args);
  cluster.cycle.StartCycle();
  PreFilterResult result;
  const Status status = plugin.PreFilter(cluster.cycle, pod, result);
  ASSERT_EQ(status.IsSkip(), plain.SkipsFilter()) << "pod " << pod.name();
  cluster.cycle.pre_filtered.Insert(0);
  if (!status.IsSkip()) {
    ++filtered;
    ASSERT_NO_FATAL_FAILURE(ExpectSameFilter(cluster, plugin, pod));
    ASSERT_NO_FATAL_FAILURE(DryRun(cluster, plugin, pod, 2));
  }
  ASSERT_EQ(cluster.Scores(plugin, pod), plain.Scores()) << "pod " << pod.name();
}

void RunClusters(const char* gates) {
  int filtered = 0;
  for (uint32_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomCluster cluster(seed);
    cluster.features = *config::FeatureGates::Parse(gates);
    const auto plugin = cluster.Create<InterPodAffinity>(cluster.args);
    for (int step = 0; step < 12; ++step) {
      SCOPED_TRACE("step " + std::to_string(step));
      for (uint32_t changes = cluster.Choose(4); changes > 0; --changes) cluster.Change();
      PodInfo& pod = cluster.AnyPod();
      if (pod.node != kNoNode) cluster.state.RemovePod(pod);
      ASSERT_NO_FATAL_FAILURE(RunCycle(cluster, *plugin, pod, filtered));
    }
  }
  EXPECT_GT(filtered, 1000);  // the comparison means something
}

TEST(InterPodAffinityRandomTest, AgreesWithThePlainForm) { RunClusters(""); }
TEST(InterPodAffinityRandomTest, AgreesWithHostsAlone) { RunClusters("InterPodAffinityHostnameFastPath=true"); }

}  // namespace
}  // namespace ksched
