#include "plugins/common/domain_deltas.h"

#include <map>
#include <random>
#include <utility>

#include <gtest/gtest.h>

namespace ksched {
namespace {

TEST(DomainDeltasTest, AddsBySlotAndDomain) {
  DomainDeltas deltas;
  EXPECT_TRUE(deltas.empty());
  deltas.Add(1, 7, 2);
  deltas.Add(1, 8, -1);
  deltas.Add(2, 7, 5);
  deltas.Add(1, 7, 3);
  EXPECT_EQ(deltas.Get(1, 7), 5);
  EXPECT_EQ(deltas.Get(1, 8), -1);
  EXPECT_EQ(deltas.Get(2, 7), 5);
  EXPECT_EQ(deltas.Get(2, 8), 0);
  EXPECT_FALSE(deltas.empty());
  ASSERT_EQ(deltas.entries().size(), 3U);
  EXPECT_EQ(deltas.entries()[0].slot, 1U);
  EXPECT_EQ(deltas.entries()[0].domain, 7U);
  EXPECT_EQ(deltas.entries()[0].delta, 5);
}

TEST(DomainDeltasTest, IsEmptyOnceAllIsZero) {
  DomainDeltas deltas;
  deltas.Add(1, 7, 0);
  EXPECT_TRUE(deltas.empty());
  deltas.Add(1, 7, 2);
  deltas.Add(1, 8, 1);
  deltas.Add(1, 7, -2);
  EXPECT_FALSE(deltas.empty());
  deltas.Add(1, 8, -1);
  EXPECT_TRUE(deltas.empty());
}

TEST(DomainDeltasTest, RollsBackToMarksThatNest) {
  DomainDeltas deltas;
  deltas.Add(1, 7, 2);
  const size_t outer = deltas.SetMark();
  deltas.Add(1, 7, -2);  // gone for now
  const size_t inner = deltas.SetMark();
  deltas.Add(1, 8, 4);
  deltas.Rollback(inner);
  EXPECT_EQ(deltas.Get(1, 7), 0);
  EXPECT_EQ(deltas.Get(1, 8), 0);
  deltas.Rollback(outer);
  EXPECT_EQ(deltas.Get(1, 7), 2);
  deltas.Rollback(0);
  EXPECT_TRUE(deltas.empty());
}

TEST(DomainDeltasTest, ClearForgetsEverything) {
  DomainDeltas deltas;
  deltas.Add(1, 7, 2);
  deltas.Clear();
  EXPECT_TRUE(deltas.empty());
  EXPECT_EQ(deltas.SetMark(), 0U);
  EXPECT_EQ(deltas.Get(1, 7), 0);
}

// Against a map that is copied at every mark.
TEST(DomainDeltasTest, AgreesWithCopies) {
  using Map = std::map<std::pair<uint32_t, DomainId>, int64_t>;
  std::mt19937 random(7);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same every time
  DomainDeltas deltas;
  Map want;
  std::vector<std::pair<size_t, Map>> marks;
  for (int step = 0; step < 2000; ++step) {
    const uint32_t choice = random() % 10;
    if (choice == 0) {
      marks.emplace_back(deltas.SetMark(), want);
    } else if (choice == 1 && !marks.empty()) {
      deltas.Rollback(marks.back().first);
      want = marks.back().second;
      marks.pop_back();
    } else {
      const uint32_t slot = random() % 3, domain = random() % 3;
      const int64_t delta = static_cast<int64_t>(random() % 5) - 2;
      deltas.Add(slot, domain, delta);
      want[{slot, domain}] += delta;
    }
    bool all_zero = true;
    for (uint32_t slot = 0; slot < 3; ++slot) {
      for (DomainId domain = 0; domain < 3; ++domain) {
        const int64_t value = want[{slot, domain}];
        ASSERT_EQ(deltas.Get(slot, domain), value) << "step " << step;
        all_zero &= value == 0;
      }
    }
    ASSERT_EQ(deltas.empty(), all_zero) << "step " << step;
  }
}

}  // namespace
}  // namespace ksched
