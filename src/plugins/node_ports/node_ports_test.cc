#include "plugins/node_ports/node_ports.h"

#include <gtest/gtest.h>

#include "framework/testing.h"

namespace ksched {
namespace {

using namespace testing_support;

constexpr char kRejected[] = "Unschedulable: node(s) didn't have free ports for the requested pod ports";

TEST(NodePortsTest, Filter) {
  struct Row {
    std::string name;
    MakePod pod, on_node;
    std::string want;
  };
  const std::vector<Row> rows = {
      {"nothing asked for", MakePod(), MakePod().HostPort(80), "PreFilter Skip"},
      {"port 0 is no host port", MakePod().HostPort(0), MakePod().HostPort(80), "PreFilter Skip"},
      {"nothing in use", MakePod().HostPort(80), MakePod(), "Success"},
      {"another port", MakePod().HostPort(80), MakePod().HostPort(81), "Success"},
      {"the same port", MakePod().HostPort(80), MakePod().HostPort(80), kRejected},
      {"another protocol", MakePod().HostPort(80, "UDP"), MakePod().HostPort(80), "Success"},
      {"no protocol is TCP", MakePod().HostPort(80, ""), MakePod().HostPort(80), kRejected},
      {"another address", MakePod().HostPort(80, "TCP", "10.0.0.1"), MakePod().HostPort(80, "TCP", "10.0.0.2"),
       "Success"},
      {"the same address", MakePod().HostPort(80, "TCP", "10.0.0.1"), MakePod().HostPort(80, "TCP", "10.0.0.1"),
       kRejected},
      {"all addresses asked for", MakePod().HostPort(80, "TCP", "0.0.0.0"), MakePod().HostPort(80, "TCP", "10.0.0.2"),
       kRejected},
      {"all addresses in use", MakePod().HostPort(80, "TCP", "10.0.0.1"), MakePod().HostPort(80), kRejected},
      {"the second of two ports", MakePod().HostPort(79).HostPort(80), MakePod().HostPort(80), kRejected},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    TestCluster cluster;
    const auto plugin = cluster.Create<NodePorts>();
    const NodeView node = cluster.AddNode(MakeNode("n1"));
    api::Pod on_node = row.on_node;
    on_node.metadata.name = "other";
    on_node.spec.node_name = "n1";
    cluster.AddPod(on_node);
    EXPECT_EQ(cluster.Filter(*plugin, cluster.AddPod(row.pod), node), row.want);
  }
}

TEST(NodePortsTest, HintAfterAssignedPodDeleted) {
  struct Row {
    std::string name;
    MakePod pod, deleted;
    std::string want;
  };
  const std::vector<Row> rows = {
      {"its port", MakePod().HostPort(80), MakePod("d").Node("n1").HostPort(80), "Queue"},
      {"its port, of a nominated pod", MakePod().HostPort(80), MakePod("d").NominatedNode("n1").HostPort(80), "Queue"},
      {"on no node", MakePod().HostPort(80), MakePod("d").HostPort(80), "Skip"},
      {"without ports", MakePod().HostPort(80), MakePod("d").Node("n1"), "Skip"},
      {"other ports", MakePod().HostPort(80), MakePod("d").Node("n1").HostPort(81).HostPort(80, "UDP"), "Skip"},
      {"every address", MakePod().HostPort(80, "TCP", "10.0.0.1"), MakePod("d").Node("n1").HostPort(80), "Queue"},
      {"the second of its ports", MakePod().HostPort(79).HostPort(80), MakePod("d").Node("n1").HostPort(80), "Queue"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    TestCluster cluster;
    const auto plugin = cluster.Create<NodePorts>();
    cluster.AddNode(MakeNode("n1"));
    PodInfo& pod = cluster.AddPod(row.pod);
    EXPECT_EQ(Hint(*plugin, kAssignedPodDelete, pod, {.old_pod = &cluster.AddPod(row.deleted)}), row.want);
  }
}

TEST(NodePortsTest, OtherEvents) {
  TestCluster cluster;
  const auto plugin = cluster.Create<NodePorts>();
  PodInfo& pod = cluster.AddPod(MakePod().HostPort(80));
  const api::Node node = MakeNode("n1");
  EXPECT_EQ(Hint(*plugin, {EventResource::kNode, kAdd}, pod, {.new_node = &node}), "Queue");
  EXPECT_EQ(Hint(*plugin, {EventResource::kNode, kUpdateNodeLabel}, pod, {.new_node = &node}), "not registered");
  EXPECT_EQ(Hint(*plugin, kAssignedPodAdd, pod, {.new_pod = &pod}), "not registered");
}

TEST(NodePortsTest, SignsPortNumbersOnly) {
  TestCluster cluster;
  const auto plugin = cluster.Create<NodePorts>();
  const auto sign = [&](const MakePod& pod) {
    std::string signature;
    EXPECT_TRUE(plugin->SignPod(cluster.AddPod(pod), signature));
    return signature;
  };
  const std::string ports = sign(MakePod("a").HostPort(80).HostPort(443));
  EXPECT_EQ(ports, sign(MakePod("order").HostPort(443).HostPort(80)));
  EXPECT_EQ(ports, sign(MakePod("protocol").HostPort(80, "UDP", "10.0.0.1").HostPort(443).HostPort(443)));
  EXPECT_NE(ports, sign(MakePod("fewer").HostPort(80)));
  MakePod init("init");
  init.HostPort(80).InitRequests({});
  init.pod.spec.init_containers.front().ports.push_back({.host_port = 443, .protocol = "TCP"});
  EXPECT_EQ(ports, sign(init));
}

}  // namespace
}  // namespace ksched
