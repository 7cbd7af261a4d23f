#include "state/image_table.h"

#include <gtest/gtest.h>

namespace ksched {
namespace {

using Images = std::vector<api::ContainerImage>;

class ImageTableTest : public ::testing::Test {
 protected:
  NodeImages Add(const Images& images) { return table_.Replace(nullptr, images, sizes_); }
  void Remove(const NodeImages& on_node) { EXPECT_EQ(table_.Replace(on_node, {}, sizes_), nullptr); }
  int64_t SizeOf(const char* name) {
    const Image* image = table_.Find(name);
    return image == nullptr ? -1 : image->size_bytes;
  }
  ImageTable table_;
  OwnImageSizes sizes_;
};

TEST_F(ImageTableTest, TheFirstNodeSaysTheSize) {
  Add({{{"app:1"}, 10}});
  EXPECT_TRUE(sizes_.empty());
  const NodeImages second = Add({{{"app:1"}, 99}});
  ASSERT_EQ(second->size(), 1u);
  EXPECT_EQ(SizeOf("app:1"), 10);
  EXPECT_EQ(second->at(0).node_count, 2);
  const Images reported = table_.Reported(second, sizes_);
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_EQ(reported[0].size_bytes, 99) << "what it said itself";
}

TEST_F(ImageTableTest, ANodeSeesAnOldCountUntilItIsRefreshed) {
  NodeImages first = Add({{{"app:1"}, 10}});
  Add({{{"app:1"}, 10}});
  EXPECT_EQ(first->at(0).node_count, 1);
  const NodeImages before = first;
  EXPECT_TRUE(table_.Refresh(first));
  EXPECT_EQ(first->at(0).node_count, 2);
  EXPECT_EQ(before->at(0).node_count, 1) << "others keep theirs";
  EXPECT_FALSE(table_.Refresh(first));
}

TEST_F(ImageTableTest, ANodeThatListsAnImageTwiceCountsOnce) {
  const NodeImages on_node = Add({{{"app:1", "app@sha"}, 10}, {{"app:1"}, 20}});
  EXPECT_EQ(on_node->size(), 2u);
  EXPECT_EQ(SizeOf("app:1"), 10);
  Remove(on_node);
  EXPECT_EQ(table_.Find("app:1"), nullptr);
}

TEST_F(ImageTableTest, AnImageThatCameBackHasItsNewSize) {
  Remove(Add({{{"app:1"}, 10}}));
  const NodeImages on_node = Add({{{"app:1"}, 30}});
  EXPECT_EQ(SizeOf("app:1"), 30);
  EXPECT_EQ(on_node->at(0).node_count, 1);
}

TEST_F(ImageTableTest, TheSameAgainIsTheSameList) {
  const Images images = {{{"app:1"}, 10}, {{"db:1"}, 20}};
  const NodeImages on_node = Add(images);
  EXPECT_EQ(table_.Replace(on_node, images, sizes_), on_node);
}

TEST_F(ImageTableTest, TheLastNodeThatHasAnImageSaysItsSizeAtItsNextUpdate) {
  const NodeImages first = Add({{{"app:1"}, 10}});
  NodeImages second = Add({{{"app:1"}, 99}});
  Remove(first);
  EXPECT_EQ(SizeOf("app:1"), 10);
  const NodeImages before = second;
  second = table_.Replace(second, {{{"app:1"}, 99}}, sizes_);
  EXPECT_EQ(SizeOf("app:1"), 99);
  EXPECT_NE(before->at(0).id, second->at(0).id) << "another size is another image";
  EXPECT_EQ(second->at(0).node_count, 1);
}

TEST_F(ImageTableTest, AnIdIsUsedAgainButNotForTheNodeAtHand) {
  const NodeImages a = Add({{{"a"}, 1}});
  const NodeImages b = table_.Replace(a, {{{"b"}, 1}}, sizes_);
  EXPECT_NE(a->at(0).id, b->at(0).id);
  EXPECT_EQ(Add({{{"c"}, 1}})->at(0).id, a->at(0).id);
}

}  // namespace
}  // namespace ksched
