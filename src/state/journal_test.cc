#include "state/journal.h"

#include <gtest/gtest.h>

namespace ksched {
namespace {

TEST(JournalTest, GivesWhatCameSince) {
  Journal journal;
  journal.Append(3, kRequestedChanged, 0, +1);
  const uint64_t from = journal.next();
  EXPECT_TRUE(journal.Since(from).empty());
  journal.Append(4, kImagesChanged, 0, 0);
  ASSERT_EQ(journal.Since(from).size(), 1u);
  EXPECT_EQ(journal.Since(from)[0].node, 4u);
  EXPECT_EQ(journal.Since(1).size(), 2u);
}

TEST(JournalTest, TakesBackWhatNobodyHasSeen) {
  Journal journal;
  journal.Append(1, kRequestedChanged, 0, +1);
  const uint64_t mark = journal.next();
  (void)journal.Since(1);
  journal.Append(2, kRequestedChanged, 0, +1);
  EXPECT_TRUE(journal.TakeBack(mark));
  EXPECT_EQ(journal.next(), mark);
  journal.Append(2, kRequestedChanged, 0, +1);
  (void)journal.Since(mark);
  EXPECT_FALSE(journal.TakeBack(mark));
  EXPECT_EQ(journal.next(), mark + 1);
}

TEST(JournalTest, ForgetsTheOldestAndSaysSo) {
  Journal journal;
  for (uint32_t i = 0; i < 200'000; ++i) journal.Append(i, kRequestedChanged, 0, +1);
  EXPECT_GT(journal.first(), 1u);
  EXPECT_EQ(journal.next(), 200'001u);
  const auto records = journal.Since(journal.first());
  EXPECT_EQ(records.size(), journal.next() - journal.first());
  EXPECT_EQ(records.front().node, journal.first() - 1) << "the n-th record is of node n - 1";
  EXPECT_EQ(records.back().node, 199'999u);
}

}  // namespace
}  // namespace ksched
