#include "state/node_tree.h"

#include <gtest/gtest.h>

namespace ksched {
namespace {

TEST(NodeTreeTest, TakesOneNodeOfEachZoneInTurn) {
  NodeTree tree;
  tree.Add(0, "a");
  tree.Add(1, "a");
  tree.Add(2, "b");
  tree.Add(3, "c");
  tree.Add(4, "a");
  tree.Add(5, "b");
  EXPECT_EQ(tree.List(), (std::vector<NodeId>{0, 2, 3, 1, 5, 4}));
}

TEST(NodeTreeTest, AZoneWithoutNodesIsGoneAndComesBackLast) {
  NodeTree tree;
  tree.Add(0, "a");
  tree.Add(1, "b");
  tree.Remove(0, "a");
  tree.Add(2, "a");
  EXPECT_EQ(tree.List(), (std::vector<NodeId>{1, 2}));
  EXPECT_EQ(tree.size(), 2u);
}

TEST(NodeTreeTest, AddingTwiceAndRemovingWhatIsNotThereDoNothing) {
  NodeTree tree;
  tree.Add(0, "a");
  tree.Add(0, "a");
  tree.Remove(7, "a");
  tree.Remove(0, "z");
  EXPECT_EQ(tree.List(), (std::vector<NodeId>{0}));
}

TEST(NodeTreeTest, AnUpdateMovesToTheEndOfTheNewZone) {
  NodeTree tree;
  tree.Add(0, "a");
  tree.Add(1, "b");
  tree.Add(2, "b");
  tree.Update(0, "a", "b");
  EXPECT_EQ(tree.List(), (std::vector<NodeId>{1, 2, 0}));
  tree.Update(1, "b", "b");
  EXPECT_EQ(tree.List(), (std::vector<NodeId>{1, 2, 0}));
}

TEST(ZoneKeyTest, Rows) {
  const auto key = [](api::StringMap labels) { return ZoneKey(labels); };
  EXPECT_EQ(key({}), "");
  const std::string zone = key({{"topology.kubernetes.io/zone", "z"}});
  EXPECT_EQ(zone, std::string(":\0:z", 4));
  EXPECT_NE(key({{"topology.kubernetes.io/region", "z"}}), zone);
  EXPECT_EQ(key({{"failure-domain.beta.kubernetes.io/zone", "z"}, {"topology.kubernetes.io/zone", "other"}}), zone)
      << "the older label wins";
}

}  // namespace
}  // namespace ksched
