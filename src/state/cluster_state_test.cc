#include "state/cluster_state.h"

#include <functional>

#include <gtest/gtest.h>

namespace ksched {
namespace {

api::Node NodeNamed(const std::string& name, int64_t milli_cpu = 4000, const std::string& zone = "") {
  api::Node node;
  node.metadata.name = name;
  node.status.allocatable["cpu"] = api::Quantity::FromMilli(milli_cpu);
  node.status.allocatable["pods"] = api::Quantity::FromUnits(110);
  if (!zone.empty()) node.metadata.labels["topology.kubernetes.io/zone"] = zone;
  return node;
}

api::Pod PodOn(const std::string& name, const std::string& node, int64_t milli_cpu = 500) {
  api::Pod pod;
  pod.metadata.ns = "default";
  pod.metadata.name = name;
  pod.spec.node_name = node;
  pod.spec.containers.emplace_back().resources.requests["cpu"] = api::Quantity::FromMilli(milli_cpu);
  return pod;
}

class ClusterStateTest : public ::testing::Test {
 protected:
  PodInfo& Add(api::Pod pod) {
    PodInfo& info = state_.pod_store().Add(std::move(pod));
    state_.AddPod(info);
    return info;
  }
  std::vector<std::string> Order() {
    state_.TakeSnapshot();
    std::vector<std::string> names;
    for (const NodeId id : state_.order()) names.push_back(state_.node_name(id));
    return names;
  }
  std::vector<std::string> PodsOf(NodeId node) {
    std::vector<std::string> names;
    for (const PodId id : state_.pods(node)) names.push_back(state_.pod_store().Get(id).name());
    return names;
  }
  using Names = std::vector<std::string>;
  ClusterState state_;
};

TEST_F(ClusterStateTest, PodsMayComeBeforeTheirNodeAndStayAfterIt) {
  Add(PodOn("a", "n1"));
  EXPECT_TRUE(Order().empty());
  const NodeId n1 = state_.AddNode(NodeNamed("n1"));
  EXPECT_EQ(Order(), Names{"n1"});
  EXPECT_EQ(state_.requested(n1, kCpu), 500);
  state_.RemoveNode("n1");
  EXPECT_TRUE(Order().empty());
  EXPECT_FALSE(state_.FindNode("n1"));
  EXPECT_EQ(state_.AddNode(NodeNamed("n1")), n1);
  EXPECT_EQ(Order(), Names{"n1"});
  EXPECT_EQ(state_.requested(n1, kCpu), 500);
}

TEST_F(ClusterStateTest, TheOrderIsMadeAnewWhenNodesComeOrGoAndNotBefore) {
  state_.AddNode(NodeNamed("a1", 1, "a"));
  state_.AddNode(NodeNamed("a2", 1, "a"));
  state_.AddNode(NodeNamed("b1", 1, "b"));
  EXPECT_EQ(Order(), (Names{"a1", "b1", "a2"}));
  state_.UpdateNode(NodeNamed("a1", 1, "b"));
  EXPECT_EQ(Order(), (Names{"a1", "b1", "a2"})) << "a changed zone shows with the next change of the node set";
  state_.AddNode(NodeNamed("c1", 1, "c"));
  EXPECT_EQ(Order(), (Names{"a2", "b1", "c1", "a1"}));
  state_.RemoveNode("b1");
  EXPECT_EQ(Order(), (Names{"a2", "a1", "c1"}));
}

TEST_F(ClusterStateTest, NameRankFollowsTheNames) {
  const NodeId b = state_.AddNode(NodeNamed("b"));
  const NodeId a = state_.AddNode(NodeNamed("a"));
  state_.TakeSnapshot();
  EXPECT_LT(state_.name_rank()[a], state_.name_rank()[b]);
}

TEST_F(ClusterStateTest, AnImageCountIsThatOfTheNodesLastChange) {
  api::Node first = NodeNamed("n1"), second = NodeNamed("n2");
  first.status.images = second.status.images = {{{"app:1"}, 100}};
  const NodeId n1 = state_.AddNode(first);
  state_.TakeSnapshot();
  const NodeId n2 = state_.AddNode(second);
  state_.TakeSnapshot();
  EXPECT_EQ(state_.images(n1)[0].node_count, 1) << "n1 has not changed since";
  EXPECT_EQ(state_.images(n2)[0].node_count, 2);
  Add(PodOn("a", "n1"));
  state_.TakeSnapshot();
  EXPECT_EQ(state_.images(n1)[0].node_count, 2);
}

TEST_F(ClusterStateTest, ThePodThatLeavesIsReplacedByTheLast) {
  const NodeId n1 = state_.AddNode(NodeNamed("n1"));
  PodInfo& a = Add(PodOn("a", "n1"));
  Add(PodOn("b", "n1"));
  Add(PodOn("c", "n1"));
  state_.RemovePod(a);
  EXPECT_EQ(PodsOf(n1), (Names{"c", "b"}));
  EXPECT_EQ(state_.requested(n1, kCpu), 1000);
  EXPECT_EQ(a.node, kNoNode);
}

TEST_F(ClusterStateTest, ARollbackLeavesNoTraceIfNobodyLooked) {
  const NodeId n1 = state_.AddNode(NodeNamed("n1"));
  PodInfo& a = Add(PodOn("a", "n1"));
  Add(PodOn("b", "n1"));
  Add(PodOn("c", "n1"));
  PodInfo& extra = state_.pod_store().Add(PodOn("extra", ""));
  const uint64_t sequence = state_.journal().next();
  const auto mark = state_.SetMark();
  state_.RemovePod(a);
  state_.AddPodTo(extra, n1);
  EXPECT_EQ(PodsOf(n1), (Names{"c", "b", "extra"}));
  state_.Rollback(mark);
  EXPECT_EQ(PodsOf(n1), (Names{"a", "b", "c"}));
  EXPECT_EQ(state_.requested(n1, kCpu), 1500);
  EXPECT_EQ(state_.journal().next(), sequence);
  EXPECT_EQ(extra.node, kNoNode);
}

TEST_F(ClusterStateTest, ARollbackOfWhatWasSeenIsSeenToo) {
  const NodeId n1 = state_.AddNode(NodeNamed("n1"));
  PodInfo& pod = state_.pod_store().Add(PodOn("a", ""));
  const auto mark = state_.SetMark();
  state_.AddPodTo(pod, n1);
  const uint64_t seen = state_.journal().next();
  (void)state_.journal().Since(1);
  state_.Rollback(mark);
  const auto records = state_.journal().Since(seen);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].node, n1);
  EXPECT_EQ(records[0].sign, -1);
}

// Ports in use are a set: what a pod takes away when it leaves may be another's, too.
TEST_F(ClusterStateTest, ARollbackRestoresPortsThatPodsShare) {
  const NodeId n1 = state_.AddNode(NodeNamed("n1"));
  const auto with_port = [](const char* name) {
    api::Pod pod = PodOn(name, "n1");
    api::ContainerPort& port = pod.spec.containers[0].ports.emplace_back();
    port.host_port = port.container_port = 80;
    port.protocol = "TCP";
    return pod;
  };
  PodInfo& a = Add(with_port("a"));
  PodInfo& b = Add(with_port("b"));
  state_.RemovePod(b);
  const HostPort port = a.pod_class->host_ports.front();
  ASSERT_FALSE(state_.used_ports(n1).Conflicts(port)) << "gone with the first that left";
  const auto mark = state_.SetMark();
  state_.RemovePod(a);
  state_.Rollback(mark);
  EXPECT_FALSE(state_.used_ports(n1).Conflicts(port));
}

TEST_F(ClusterStateTest, MarksNest) {
  const NodeId n1 = state_.AddNode(NodeNamed("n1"));
  PodInfo& a = state_.pod_store().Add(PodOn("a", ""));
  PodInfo& b = state_.pod_store().Add(PodOn("b", ""));
  const auto outer = state_.SetMark();
  state_.AddPodTo(a, n1);
  const auto inner = state_.SetMark();
  state_.AddPodTo(b, n1);
  state_.Commit(inner);
  EXPECT_EQ(PodsOf(n1), (Names{"a", "b"}));
  state_.Rollback(outer);
  EXPECT_TRUE(PodsOf(n1).empty());
}

TEST_F(ClusterStateTest, NodesRollBackWithTheirPlaceInTheOrder) {
  state_.AddNode(NodeNamed("a1", 1000, "a"));
  state_.AddNode(NodeNamed("b1", 1000, "b"));
  state_.AddNode(NodeNamed("a2", 1000, "a"));
  const Names before = Order();
  const auto mark = state_.SetMark();
  state_.RemoveNode("a1");
  state_.AddNode(NodeNamed("z1", 1000, "z"));
  state_.UpdateNode(NodeNamed("b1", 9000, "c"));
  EXPECT_NE(Order(), before);
  state_.Rollback(mark);
  EXPECT_EQ(Order(), before);
  EXPECT_EQ(state_.allocatable(*state_.FindNode("b1"), kCpu), 1000);
  EXPECT_FALSE(state_.FindNode("z1"));
}

TEST_F(ClusterStateTest, TheJournalSaysWhatOfANodeChanged) {
  state_.AddNode(NodeNamed("n1", 1000));
  struct Row {
    const char* name;
    std::function<void(api::Node&)> change;
    Changes changes;
  };
  const Row rows[] = {
      {"nothing that counts", [](api::Node& n) { n.metadata.annotations["x"] = "y"; }, kNodeObjectChanged},
      {"a label nobody uses", [](api::Node& n) { n.metadata.labels["x"] = "y"; }, kNodeObjectChanged},
      {"allocatable", [](api::Node& n) { n.status.allocatable["cpu"] = api::Quantity::FromUnits(7); },
       kNodeObjectChanged | kAllocatableChanged},
      {"a taint",
       [](api::Node& n) {
         n.spec.taints = {{"k", "v", "NoSchedule"}};
       },
       kNodeObjectChanged | kNodeClassChanged},
      {"an image",
       [](api::Node& n) {
         n.status.images = {{{"app:1"}, 1}};
       },
       kNodeObjectChanged | kImagesChanged},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    state_.UpdateNode(NodeNamed("n1", 1000));
    const uint64_t from = state_.journal().next();
    api::Node node = NodeNamed("n1", 1000);
    row.change(node);
    state_.UpdateNode(std::move(node));
    ASSERT_EQ(state_.journal().Since(from).size(), 1u);
    EXPECT_EQ(state_.journal().Since(from)[0].changes, row.changes);
  }
}

TEST_F(ClusterStateTest, AKeyThatComesIntoUseClassifiesNodesAnew) {
  api::Node a = NodeNamed("a"), b = NodeNamed("b");
  a.metadata.labels["disk"] = "ssd";
  const NodeId first = state_.AddNode(a), second = state_.AddNode(b);
  EXPECT_EQ(state_.node_class(first), state_.node_class(second));
  const uint64_t from = state_.journal().next();
  state_.UseLabelKey("disk");
  EXPECT_NE(state_.node_class(first), state_.node_class(second));
  EXPECT_TRUE(state_.journal().Since(from).empty()) << "no answer about a node has changed";
}

TEST_F(ClusterStateTest, ScalarResourcesAreCounted) {
  api::Node node = NodeNamed("n1");
  node.status.allocatable["example.com/gpu"] = api::Quantity::FromUnits(4);
  const NodeId n1 = state_.AddNode(node);
  const ResourceId gpu = state_.resource_names().Intern("example.com/gpu");
  api::Pod pod = PodOn("a", "n1");
  pod.spec.containers[0].resources.requests["example.com/gpu"] = api::Quantity::FromUnits(3);
  PodInfo& info = Add(std::move(pod));
  EXPECT_EQ(state_.allocatable(n1, gpu), 4);
  EXPECT_EQ(state_.requested(n1, gpu), 3);
  state_.RemovePod(info);
  EXPECT_EQ(state_.requested(n1, gpu), 0);
  state_.UpdateNode(NodeNamed("n1"));
  EXPECT_EQ(state_.allocatable(n1, gpu), 0);
}

}  // namespace
}  // namespace ksched
