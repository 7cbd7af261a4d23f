#include "app/cli/object_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/change_test_util.h"

namespace ksched::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Heard final : public ClusterSource::Sink {
 public:
  void OnObject(api::Decoded&& decoded) override { names.push_back(api::MetadataOf(decoded.object).name); }
  void OnRestart(const std::string&) override {}
  void OnProblem(const std::string& problem) override { problems.push_back(problem); }
  std::vector<std::string> names, problems;
};

class ObjectStoreTest : public testing::Test {
 protected:
  Result<void> Say(bool add, const std::string& name, const std::string& cpu) {
    return kube::SayNode(store_, add, name, cpu);
  }
  Heard Read() const {
    Heard heard;
    store_.Read(heard);
    return heard;
  }

  const kube::Resource& nodes_ = *kube::FindResource("", "nodes");
  ObjectStore store_;
};

TEST_F(ObjectStoreTest, WhatCannotBeReadIsSaidAtEachReading) {
  EXPECT_TRUE(Say(true, "a", "4"));
  EXPECT_TRUE(Say(true, "b", "many"));
  EXPECT_TRUE(Say(true, "c", "4"));
  EXPECT_TRUE(Say(false, "c", "some"));
  for (int i = 0; i < 2; ++i) {
    const Heard heard = Read();
    EXPECT_THAT(heard.names, ElementsAre("a"));
    EXPECT_THAT(heard.problems, ElementsAre(HasSubstr("the cluster's test:1: Node b: status.allocatable"),
                                            HasSubstr("Node c: status.allocatable")));
  }
  EXPECT_TRUE(Say(false, "b", "2"));
  store_.OnRemove(nodes_, "", "c");
  EXPECT_THAT(Read().names, ElementsAre("a", "b"));
  EXPECT_TRUE(Read().problems.empty());
}

TEST_F(ObjectStoreTest, ChangesAreCountedAndTheFirstAreNamed) {
  EXPECT_TRUE(Say(true, "a", "many"));
  store_.Note("pods cannot be listed");
  EXPECT_TRUE(Say(true, "b", "4"));
  EXPECT_TRUE(Say(true, "c", "4"));
  const ObjectStore::Changes changes = store_.TakeChanges();
  EXPECT_EQ(changes.count, 4U);
  EXPECT_THAT(changes.first, ElementsAre("Node a", "pods cannot be listed", "Node b"));
  EXPECT_EQ(store_.changes().count, 0U);
}

}  // namespace
}  // namespace ksched::cli
