#include "plugins/node_declared_features/node_declared_features.h"

#include <gtest/gtest.h>

#include "framework/testing.h"

namespace ksched {
namespace {

using namespace testing_support;

constexpr const char* kUnmatched = "UnschedulableAndUnresolvable: node(s) didn't match Pod's required features";

api::Pod Plain() { return MakePod("plain").Container("c", "image"); }
api::Pod Restarting(bool init) {
  api::Pod pod = Plain();
  api::Container container;
  container.restart_policy_rules = {{"Restart"}, {"RestartAllContainers"}};
  (init ? pod.spec.init_containers : pod.spec.containers).push_back(container);
  return pod;
}
api::Pod HostNetwork(std::optional<bool> host_users) {
  api::Pod pod = Plain();
  pod.spec.host_network = true;
  pod.spec.host_users = host_users;
  return pod;
}
api::Pod Mounting(std::vector<std::string> options) {
  api::Pod pod = Plain();
  pod.spec.containers.front().volume_mounts = {{}, {std::move(options)}};
  return pod;
}

struct Row {
  const char* name;
  api::Pod pod;
  std::vector<std::string> declared;
  const char* want;
};

TEST(NodeDeclaredFeaturesTest, Filter) {
  const Row rows[] = {
      {"a pod that needs nothing", Plain(), {}, "PreFilter Skip"},
      {"a rule of another kind", MakePod().Container("c", "i"), {}, "PreFilter Skip"},
      {"a container's rule", Restarting(false), {}, kUnmatched},
      {"an init container's rule", Restarting(true), {}, kUnmatched},
      {"declared", Restarting(true), {"RestartAllContainersOnContainerExits"}, "Success"},
      {"something else is declared", Restarting(true), {"VolumeBindMountOptions"}, kUnmatched},
      {"unknown features are passed over",
       Restarting(false),
       {"A", "RestartAllContainersOnContainerExits", "Z"},
       "Success"},
      {"what is out of order is overlooked",
       Restarting(false),
       {"Z", "RestartAllContainersOnContainerExits"},
       kUnmatched},
      {"host network and own users", HostNetwork(false), {}, kUnmatched},
      {"host network and own users, declared", HostNetwork(false), {"UserNamespacesHostNetworkSupport"}, "Success"},
      {"host network and the host's users", HostNetwork(true), {}, "PreFilter Skip"},
      {"host network, users not said", HostNetwork(std::nullopt), {}, "PreFilter Skip"},
      {"mount options", Mounting({"noexec"}), {}, kUnmatched},
      {"mount options, declared", Mounting({"noexec"}), {"VolumeBindMountOptions"}, "Success"},
      {"no mount options", Mounting({}), {}, "PreFilter Skip"},
  };
  for (const Row& row : rows) {
    TestCluster cluster;
    const auto plugin = cluster.Create<NodeDeclaredFeatures>();
    api::Node node = MakeNode("n1");
    node.status.declared_features = row.declared;
    EXPECT_EQ(cluster.Filter(*plugin, cluster.AddPod(row.pod), cluster.AddNode(node)), row.want) << row.name;
  }
}

TEST(NodeDeclaredFeaturesTest, Hints) {
  TestCluster cluster;
  const auto plugin = cluster.Create<NodeDeclaredFeatures>();
  const api::Node bare = MakeNode("n1");
  api::Node able = bare;
  able.status.declared_features = {"VolumeBindMountOptions"};
  PodInfo& pod = cluster.AddPod(Mounting({"noexec"}));
  api::Pod other = Plain();
  other.metadata.name = "other";
  const PodInfo& plain = cluster.AddPod(other);
  const ClusterEvent add{EventResource::kNode, kAdd};
  const ClusterEvent declared{EventResource::kNode, kUpdateNodeDeclaredFeature};
  EXPECT_EQ(Hint(*plugin, add, pod, {.new_node = &bare}), "Queue");
  EXPECT_EQ(Hint(*plugin, declared, pod, {.old_node = &bare, .new_node = &able}), "Queue");
  EXPECT_EQ(Hint(*plugin, declared, pod, {.old_node = &able, .new_node = &able}), "Skip");
  EXPECT_EQ(Hint(*plugin, {EventResource::kNode, kUpdateNodeLabel}, pod, {.old_node = &bare, .new_node = &able}),
            "not registered");
  const ClusterEvent update{EventResource::kTargetPod, kUpdate};
  EXPECT_EQ(Hint(*plugin, update, pod, {.old_pod = &pod, .new_pod = &plain}), "Queue");
  EXPECT_EQ(Hint(*plugin, update, pod, {.old_pod = &pod, .new_pod = &pod}), "Skip");
}

TEST(NodeDeclaredFeaturesTest, SignsWhatIsNeeded) {
  TestCluster cluster;
  const auto plugin = cluster.Create<NodeDeclaredFeatures>();
  std::string plain, mounting;
  EXPECT_TRUE(plugin->SignPod(cluster.AddPod(Plain()), plain));
  api::Pod other = Mounting({"noexec"});
  other.metadata.name = "other";
  EXPECT_TRUE(plugin->SignPod(cluster.AddPod(other), mounting));
  EXPECT_NE(plain, mounting);
}

}  // namespace
}  // namespace ksched
