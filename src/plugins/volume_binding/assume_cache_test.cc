#include "plugins/volume_binding/assume_cache.h"

#include <gtest/gtest.h>

#include "plugins/common/volume_testing.h"

namespace ksched {
namespace {

using namespace testing_support;

api::PersistentVolume Assumed(const char* name) { return MakeVolume(name).For("data"); }

class AssumeCacheTest : public ::testing::Test {
 protected:
  bool IsAssumed(const char* name) const {
    const auto volume = cache_.Get("", name);
    return volume != nullptr && volume->spec.claim_ref.has_value();
  }
  ObjectTable<api::PersistentVolume> table_;
  AssumeCache<api::PersistentVolume> cache_{table_};
};

TEST_F(AssumeCacheTest, HoldsForTheVersionThatItWasAssumedOf) {
  EXPECT_FALSE(cache_.Assume(Assumed("a")));
  table_.Put(MakeVolume("a"));
  table_.Put(MakeVolume("b"));
  EXPECT_TRUE(cache_.Assume(Assumed("a")));
  EXPECT_TRUE(IsAssumed("a"));
  EXPECT_FALSE(IsAssumed("b"));
  table_.Put(MakeVolume("b"));  // another object: no matter
  EXPECT_TRUE(IsAssumed("a"));
  table_.Put(MakeVolume("a"));
  EXPECT_FALSE(IsAssumed("a"));
  EXPECT_TRUE(cache_.Assume(Assumed("a")));
  table_.Remove("", "a");
  EXPECT_EQ(cache_.Get("", "a"), nullptr);
  table_.Put(MakeVolume("a"));
  EXPECT_FALSE(IsAssumed("a"));
}

TEST_F(AssumeCacheTest, Restore) {
  table_.Put(MakeVolume("a"));
  ASSERT_TRUE(cache_.Assume(Assumed("a")));
  cache_.Restore(MakeVolume("b"));
  EXPECT_TRUE(IsAssumed("a"));
  cache_.Restore(MakeVolume("a"));
  EXPECT_FALSE(IsAssumed("a"));
}

TEST_F(AssumeCacheTest, LetsGoOfOldVersions) {
  table_.Put(MakeVolume("a"));
  const std::weak_ptr<const api::PersistentVolume> first = table_.Find("a");
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(cache_.Assume(Assumed("a")));
    EXPECT_TRUE(IsAssumed("a"));
    table_.Put(MakeVolume("a"));
  }
  EXPECT_TRUE(first.expired());
}

}  // namespace
}  // namespace ksched
