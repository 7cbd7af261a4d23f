#include "state/image_table.h"

#include <gtest/gtest.h>

namespace ksched {
namespace {

std::vector<api::ContainerImage> Images(std::vector<std::pair<std::vector<std::string>, int64_t>> list) {
  std::vector<api::ContainerImage> images;
  for (auto& [names, size] : list) images.push_back({names, size});
  return images;
}

TEST(ImageTableTest, TheFirstNodeSaysTheSize) {
  ImageTable table;
  std::vector<NodeImage> first, second;
  table.AddNode(Images({{{"app:1"}, 10}}), first);
  table.AddNode(Images({{{"app:1"}, 99}}), second);
  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(second[0].size_bytes, 10);
  EXPECT_EQ(second[0].node_count, 2);
}

TEST(ImageTableTest, ANodeSeesAnOldCountUntilItIsRefreshed) {
  ImageTable table;
  std::vector<NodeImage> first, second;
  table.AddNode(Images({{{"app:1"}, 10}}), first);
  table.AddNode(Images({{{"app:1"}, 10}}), second);
  EXPECT_EQ(first[0].node_count, 1);
  EXPECT_TRUE(table.Refresh(first));
  EXPECT_EQ(first[0].node_count, 2);
  EXPECT_FALSE(table.Refresh(first));
}

TEST(ImageTableTest, ANodeThatListsAnImageTwiceCountsOnce) {
  ImageTable table;
  std::vector<NodeImage> on_node;
  table.AddNode(Images({{{"app:1", "app@sha"}, 10}, {{"app:1"}, 20}}), on_node);
  EXPECT_EQ(on_node.size(), 2u);
  ImageId id = 0;
  ASSERT_TRUE(table.Find("app:1", id));
  table.RemoveNode(Images({{{"app:1", "app@sha"}, 10}, {{"app:1"}, 20}}));
  EXPECT_FALSE(table.Find("app:1", id));
}

TEST(ImageTableTest, AnImageThatCameBackHasItsNewSize) {
  ImageTable table;
  std::vector<NodeImage> on_node;
  table.AddNode(Images({{{"app:1"}, 10}}), on_node);
  table.RemoveNode(Images({{{"app:1"}, 10}}));
  table.AddNode(Images({{{"app:1"}, 30}}), on_node);
  EXPECT_EQ(on_node[0].size_bytes, 30);
  EXPECT_EQ(on_node[0].node_count, 1);
}

}  // namespace
}  // namespace ksched
