// Counts of pods by selectors and terms, topology domains and the sums over them, as ClusterState keeps them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "state/cluster_state.h"
#include "state/domain_sums.h"

namespace ksched {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

api::LabelSelector Labels(const char* key, const char* value) {
  api::LabelSelector selector;
  selector.match_labels[key] = value;
  return selector;
}

class GroupsTest : public ::testing::Test {
 protected:
  NodeId AddNode(const char* name, const char* zone = "") {
    api::Node node;
    node.metadata.name = name;
    node.metadata.labels["host"] = name;
    if (*zone != '\0') node.metadata.labels["zone"] = zone;
    const NodeId id = state_.AddNode(std::move(node));
    state_.TakeSnapshot();
    return id;
  }
  static api::Pod Pod(const char* name, const char* node, const char* app, const char* ns = "default") {
    api::Pod pod;
    pod.metadata.name = name;
    pod.metadata.ns = ns;
    pod.metadata.labels["app"] = app;
    pod.spec.node_name = node;
    return pod;
  }
  PodInfo& Add(api::Pod pod) {
    PodInfo& info = state_.pod_store().Add(std::move(pod));
    state_.AddPod(info);
    return info;
  }
  static api::Pod WithTerm(api::Pod pod, TermKind kind, int32_t weight, const char* key, const char* app) {
    api::Affinity& affinity = pod.spec.affinity ? *pod.spec.affinity : pod.spec.affinity.emplace();
    const bool anti = kind == TermKind::kRequiredAntiAffinity || kind == TermKind::kPreferredAntiAffinity;
    std::optional<api::PodAffinity>& terms = anti ? affinity.pod_anti_affinity : affinity.pod_affinity;
    if (!terms) terms.emplace();
    api::PodAffinityTerm term;
    term.topology_key = key;
    term.label_selector = Labels("app", app);
    if (kind == TermKind::kRequiredAffinity || kind == TermKind::kRequiredAntiAffinity) {
      terms->required.push_back(term);
    } else {
      terms->preferred.push_back({weight, term});
    }
    return pod;
  }
  void PutNamespace(const char* name, const char* team) {
    api::Namespace one;
    one.metadata.name = name;
    one.metadata.labels["team"] = team;
    state_.objects().namespaces.Put(std::move(one));
    state_.NamespacesChanged();
  }
  SelectorGroupId UseWeb(bool skip_terminating = false) {
    return state_.UseSelectorGroup({PodSelector{{"default"}, {}, Labels("app", "web")}}, skip_terminating);
  }
  int32_t Count(SelectorGroupId group, NodeId node) { return state_.selector_groups().count(group, node); }

  ClusterState state_;
};

TEST_F(GroupsTest, CountsPodsThatWereThereAndThoseThatComeAndGo) {
  const NodeId n1 = AddNode("n1"), n2 = AddNode("n2");
  PodInfo& a = Add(Pod("a", "n1", "web"));
  Add(Pod("b", "n1", "db"));
  Add(Pod("c", "n1", "web", "other"));
  const SelectorGroupId web = UseWeb();
  EXPECT_EQ(Count(web, n1), 1);
  EXPECT_EQ(UseWeb(), web) << "one group for equal selectors";
  Add(Pod("d", "n2", "web"));
  Add(Pod("e", "n2", "web"));
  EXPECT_EQ(Count(web, n2), 2);
  const auto mark = state_.SetMark();
  state_.RemovePod(a);
  EXPECT_EQ(Count(web, n1), 0);
  state_.Rollback(mark);
  EXPECT_EQ(Count(web, n1), 1);
}

TEST_F(GroupsTest, AllSelectorsHaveToMeanThePod) {
  const NodeId n1 = AddNode("n1");
  const PodSelector web{{"default"}, {}, Labels("app", "web")}, red{{"default"}, {}, Labels("color", "red")};
  const PodSelector nothing{{"default"}, {}, std::nullopt};
  const SelectorGroupId both = state_.UseSelectorGroup({web, red}, false);
  const SelectorGroupId none = state_.UseSelectorGroup({nothing}, false);
  api::Pod pod = Pod("a", "n1", "web");
  Add(pod);
  EXPECT_EQ(Count(both, n1), 0);
  pod.metadata.name = "b";
  pod.metadata.labels["color"] = "red";
  const PodInfo& info = Add(pod);
  EXPECT_EQ(Count(both, n1), 1);
  EXPECT_EQ(Count(none, n1), 0);
  EXPECT_TRUE(state_.InSelectorGroup(both, *info.pod_class));
}

TEST_F(GroupsTest, TerminatingPodsCountWhereTheyAreAskedFor) {
  const NodeId n1 = AddNode("n1");
  const SelectorGroupId all = UseWeb(false), running = UseWeb(true);
  api::Pod pod = Pod("a", "n1", "web");
  pod.metadata.deletion_timestamp = 1;
  PodInfo& info = Add(pod);
  EXPECT_EQ(Count(all, n1), 1);
  EXPECT_EQ(Count(running, n1), 0);
  state_.RemovePod(info);
  EXPECT_EQ(Count(running, n1), 0);
}

TEST_F(GroupsTest, NamespaceSelectorsFollowTheLabelsOfNamespaces) {
  const NodeId n1 = AddNode("n1");
  PutNamespace("shop", "blue");
  const SelectorGroupId blue =
      state_.UseSelectorGroup({PodSelector{{}, Labels("team", "blue"), Labels("app", "web")}}, false);
  Add(Pod("a", "n1", "web", "shop"));
  Add(Pod("b", "n1", "web", "unknown"));
  EXPECT_EQ(Count(blue, n1), 1);
  const uint64_t before = state_.journal().next();
  PutNamespace("shop", "green");
  EXPECT_EQ(Count(blue, n1), 0);
  ASSERT_EQ(state_.journal().Since(before).size(), 1U) << "whoever sums up has to hear of it";
  EXPECT_EQ(state_.journal().Since(before)[0].node, n1);
  PutNamespace("shop", "blue");
  EXPECT_EQ(Count(blue, n1), 1);
}

TEST_F(GroupsTest, AClassNumberThatIsUsedAgainIsLookedAtAgain) {
  const NodeId n1 = AddNode("n1");
  const SelectorGroupId web = UseWeb();
  PodInfo& first = Add(Pod("a", "n1", "web"));
  const uint32_t id = first.pod_class->id;
  state_.RemovePod(first);
  state_.pod_store().Remove(first.id);
  const PodInfo& second = Add(Pod("b", "n1", "db"));
  ASSERT_EQ(second.pod_class->id, id);
  EXPECT_EQ(Count(web, n1), 0);
}

TEST_F(GroupsTest, TermsOfPodsByNode) {
  const NodeId n1 = AddNode("n1"), n2 = AddNode("n2");
  Add(WithTerm(Pod("a", "n1", "x"), TermKind::kPreferredAffinity, 5, "zone", "web"));
  Add(WithTerm(Pod("b", "n1", "y"), TermKind::kPreferredAffinity, 7, "zone", "web"));
  PodInfo& c = Add(WithTerm(Pod("c", "n2", "z"), TermKind::kRequiredAntiAffinity, 1, "host", "web"));
  const PodInfo& web = state_.pod_store().Add(Pod("web", "", "web"));
  const PodInfo& db = state_.pod_store().Add(Pod("db", "", "db"));
  EXPECT_THAT(state_.TermGroupsMatching(*db.pod_class), IsEmpty());
  const auto matching = state_.TermGroupsMatching(*web.pod_class);
  ASSERT_EQ(matching.size(), 2U);
  const TermGroups::Group& preferred = state_.term_groups().group(matching[0]);
  EXPECT_EQ(preferred.kind, TermKind::kPreferredAffinity);
  EXPECT_EQ(preferred.weight(n1), 12);
  EXPECT_EQ(preferred.weight(n2), 0);
  EXPECT_EQ(preferred.pods, 2);
  const TermGroups::Group& required = state_.term_groups().group(matching[1]);
  EXPECT_EQ(required.kind, TermKind::kRequiredAntiAffinity);
  EXPECT_EQ(required.weight(n2), 1);
  state_.RemovePod(c);
  EXPECT_EQ(required.weight(n2), 0);
  EXPECT_EQ(required.pods, 0);
}

TEST_F(GroupsTest, TermsMeanTheirPodsNamespaceUnlessTheySayOtherwise) {
  api::PodAffinityTerm term;
  EXPECT_THAT(MakePodSelector(term, "own").namespaces, ElementsAre("own"));
  term.namespaces = {"b", "a", "b"};
  EXPECT_THAT(MakePodSelector(term, "own").namespaces, ElementsAre("a", "b"));
  term.namespaces.clear();
  term.namespace_selector.emplace();
  EXPECT_THAT(MakePodSelector(term, "own").namespaces, IsEmpty());
}

TEST_F(GroupsTest, DomainsFollowTheLabelsOfNodes) {
  const NodeId n1 = AddNode("n1", "a"), n2 = AddNode("n2");
  const TopologyKeyId zone = state_.UseTopologyKey("zone");
  const NodeId n3 = AddNode("n3", "a");
  EXPECT_EQ(state_.domain(zone, n1), state_.domain(zone, n3));
  EXPECT_EQ(state_.domain(zone, n2), kNoDomain);
  EXPECT_EQ(state_.topology().value(zone, state_.domain(zone, n1)), "a");
  AddNode("n3", "b");
  EXPECT_NE(state_.domain(zone, n1), state_.domain(zone, n3));
  AddNode("n1");
  EXPECT_EQ(state_.domain(zone, n1), kNoDomain);
}

TEST_F(GroupsTest, SumsLookOnlyAtNodesThatChanged) {
  const NodeId n1 = AddNode("n1", "a"), n2 = AddNode("n2", "a"), n3 = AddNode("n3", "b");
  AddNode("n4");
  const TopologyKeyId zone = state_.UseTopologyKey("zone");
  const SelectorGroupId web = UseWeb();
  Add(Pod("p1", "n1", "web"));
  Add(Pod("p2", "n2", "web"));
  int asked = 0;
  DomainSums sums;
  const auto update = [&] {
    asked = 0;
    sums.Update(state_, zone, [&](NodeId node) -> std::optional<int64_t> {
      ++asked;
      if (node == n3) return std::nullopt;
      return Count(web, node);
    });
  };
  update();
  const DomainId a = state_.domain(zone, n1), b = state_.domain(zone, n3);
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(sums.sum(a), 2);
  EXPECT_EQ(sums.nodes(a), 2U);
  EXPECT_EQ(sums.nodes(b), 0U);
  EXPECT_EQ(sums.num_domains(), 1U);
  EXPECT_EQ(sums.total(), 2);
  PodInfo& p3 = Add(Pod("p3", "n2", "web"));
  update();
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(sums.sum(a), 3);
  state_.RemovePod(p3);
  state_.RemoveNode("n1");
  state_.TakeSnapshot();
  update();
  EXPECT_EQ(sums.sum(a), 1);
  EXPECT_EQ(sums.nodes(a), 1U);
  AddNode("n2", "c");
  update();
  EXPECT_EQ(sums.sum(a), 0);
  EXPECT_EQ(sums.sum(state_.domain(zone, n2)), 1);
  EXPECT_EQ(sums.amount(n2), 1);
  EXPECT_EQ(sums.amount(n3), std::nullopt);
}

TEST_F(GroupsTest, ClaimsInUse) {
  AddNode("n1");
  api::Pod pod = Pod("a", "n1", "db");
  pod.spec.volumes.emplace_back().claim_name = "data";
  PodInfo& a = Add(pod);
  pod.metadata.name = "b";
  pod.spec.node_name = "gone";
  pod.spec.volumes.back().claim_name = "elsewhere";
  Add(pod);
  const auto used = [&](const char* claim) {
    state_.TakeSnapshot();
    return state_.IsClaimUsed("default", claim);
  };
  EXPECT_TRUE(used("data"));
  EXPECT_FALSE(state_.IsClaimUsed("other", "data"));
  EXPECT_TRUE(used("elsewhere")) << "a pod counts when it comes, whatever its node";
  const auto dry_run = state_.SetMark(ClusterState::DryRun::kYes);
  state_.RemovePod(a);
  state_.Rollback(dry_run);
  EXPECT_TRUE(used("data"));
  const auto mark = state_.SetMark();
  state_.RemovePod(a);
  EXPECT_FALSE(used("data"));
  state_.Rollback(mark);
  EXPECT_TRUE(used("data"));
  state_.RemovePod(a);
  EXPECT_FALSE(used("data"));
}

// As in the reference, which takes the claims of a node's pods with the node, and does not give them back if it returns
// before a cycle has seen that it was gone.
TEST_F(GroupsTest, ClaimsOfANodeThatGoesAndReturns) {
  AddNode("n1");
  api::Pod pod = Pod("a", "n1", "db");
  pod.spec.volumes.emplace_back().claim_name = "data";
  PodInfo& a = Add(pod);
  state_.TakeSnapshot();
  EXPECT_TRUE(state_.IsClaimUsed("default", "data"));
  state_.RemoveNode("n1");
  AddNode("n1");
  state_.TakeSnapshot();
  EXPECT_FALSE(state_.IsClaimUsed("default", "data"));
  AddNode("n2");  // counted anew
  state_.TakeSnapshot();
  EXPECT_TRUE(state_.IsClaimUsed("default", "data"));
  pod.metadata.name = "b";
  pod.spec.node_name = "gone";
  pod.spec.volumes.back().claim_name = "elsewhere";
  Add(pod);
  state_.TakeSnapshot();
  EXPECT_TRUE(state_.IsClaimUsed("default", "elsewhere")) << "a pod counts when it comes, whatever its node";
  state_.RemovePod(a);
  state_.RemoveNode("n1");
  state_.TakeSnapshot();
  EXPECT_FALSE(state_.IsClaimUsed("default", "data"));
  EXPECT_FALSE(state_.IsClaimUsed("default", "elsewhere"));
}

TEST_F(GroupsTest, ObjectsByNamespaceAndName) {
  ObjectTable<api::Service> services;
  const auto put = [&](const char* ns, const char* name) {
    api::Service service;
    service.metadata.ns = ns;
    service.metadata.name = name;
    return services.Put(std::move(service));
  };
  EXPECT_EQ(put("a-b", "x"), nullptr);
  put("a", "y");
  const auto old = put("a", "x");
  const uint64_t version = services.version();
  EXPECT_NE(put("a", "x"), nullptr) << "the one that was there";
  EXPECT_NE(services.version(), version);
  std::vector<std::string> keys;
  for (const auto& [key, service] : services.all()) keys.push_back(key.first + "/" + key.second);
  EXPECT_THAT(keys, ElementsAre("a/x", "a/y", "a-b/x")) << "by namespace first";
  EXPECT_NE(services.Remove("a", "x"), nullptr);
  EXPECT_EQ(services.Find("a", "x"), nullptr);
  EXPECT_EQ(services.Remove("a", "x"), nullptr);
}

}  // namespace
}  // namespace ksched
