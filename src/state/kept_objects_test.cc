#include "state/kept_objects.h"

#include <gtest/gtest.h>

#include "state/cluster_state.h"

namespace ksched {
namespace {

api::Node NodeWithAnnotation(const char* value) {
  api::Node node;
  node.metadata.name = "n";
  node.metadata.annotations["a"] = value;
  node.status.capacity["cpu"] = node.status.allocatable["cpu"] = api::Quantity::FromUnits(4);
  node.status.images = {{{"app:1", "app@1"}, 10}};
  return node;
}

TEST(KeptObjects, ANodeTellsWhetherItsAnnotationsChange) {
  api::Node a = NodeWithAnnotation("1"), same = a, other = NodeWithAnnotation("2"), none = NodeWithAnnotation("");
  none.metadata.annotations.clear();
  for (api::Node* node : {&a, &same, &other, &none}) KeepWhatIsRead(*node);
  EXPECT_TRUE(a.metadata.annotations.empty());
  EXPECT_EQ(a.annotations_hash, same.annotations_hash);
  EXPECT_NE(a.annotations_hash, other.annotations_hash);
  EXPECT_NE(a.annotations_hash, none.annotations_hash);
  const uint64_t once = a.annotations_hash;
  KeepWhatIsRead(a);
  EXPECT_EQ(a.annotations_hash, once);
}

TEST(KeptObjects, ANodeTellsWhetherItsConditionsChange) {
  api::Node a = NodeWithAnnotation("1");
  a.status.conditions = {{"Ready", "True"}, {"DiskPressure", "False"}};
  api::Node other_order = a, other = a;
  std::swap(other_order.status.conditions[0], other_order.status.conditions[1]);
  other.status.conditions[0].status = "Unknown";
  const uint64_t hash = HashOfConditions(a.status);
  for (api::Node* node : {&a, &other_order, &other}) KeepWhatIsRead(*node);
  EXPECT_TRUE(a.status.conditions.empty());
  EXPECT_EQ(HashOfConditions(a.status), hash);
  EXPECT_EQ(HashOfConditions(other_order.status), hash);
  EXPECT_NE(HashOfConditions(other.status), hash);
}

TEST(KeptObjects, TheStateKeepsImagesInItsTable) {
  ClusterState state;
  const NodeId id = state.AddNode(NodeWithAnnotation("1"));
  EXPECT_TRUE(state.node(id).status.images.empty());
  EXPECT_TRUE(state.node(id).status.capacity.empty());
  EXPECT_EQ(state.node(id).status.allocatable.at("cpu"), api::Quantity::FromUnits(4));
  EXPECT_EQ(state.images(id).size(), 2u);
}

TEST(KeptObjects, AnUpdateThatSaysNothingOfImagesKeepsThem) {
  ClusterState state;
  const NodeId id = state.AddNode(NodeWithAnnotation("1"));
  api::Node other = NodeWithAnnotation("1");
  other.metadata.name = "other";
  other.status.images = {{{"app:1"}, 99}};  // the first node's size counts
  state.AddNode(other);
  state.RemoveNode("n");
  other.status.images.clear();
  state.UpdateNode(other, ClusterState::ImagesOf::kAsBefore);
  EXPECT_EQ(state.images(*state.FindNode("other")).size(), 1u);
  EXPECT_EQ(state.image_table().Find("app:1")->size_bytes, 99) << "now it is the only one, and its word counts";
  state.UpdateNode(other);
  EXPECT_TRUE(state.images(*state.FindNode("other")).empty());
  EXPECT_FALSE(state.present(id));
}

TEST(KeptObjects, ARollbackBringsImagesBack) {
  ClusterState state;
  const NodeId id = state.AddNode(NodeWithAnnotation("1"));
  const auto mark = state.SetMark();
  state.RemoveNode("n");
  EXPECT_EQ(state.image_table().Find("app:1"), nullptr);
  state.Rollback(mark);
  EXPECT_EQ(state.images(id).size(), 2u);
  EXPECT_EQ(state.image_table().Find("app@1")->size_bytes, 10);
}

TEST(KeptObjects, OfAWorkloadItsSelectorStays) {
  ClusterObjects objects;
  api::Workload set;
  set.metadata.name = "web";
  set.metadata.ns = "default";
  set.metadata.uid = "u";
  set.selector.emplace().match_labels["app"] = "web";
  set.pod_template.spec.containers.resize(2);
  objects.replica_sets.Put(set);
  const auto kept = objects.replica_sets.Find("default", "web");
  EXPECT_EQ(kept->selector, set.selector);
  EXPECT_EQ(kept->metadata.uid, "u");
  EXPECT_TRUE(kept->pod_template.spec.containers.empty());
}

}  // namespace
}  // namespace ksched
