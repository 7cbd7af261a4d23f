#include "plugins/common/go_sort.h"

#include <gtest/gtest.h>

namespace ksched {
namespace {

struct Item {
  uint64_t value = 0, place = 0;
};

void Sort(std::vector<Item>& items) {
  GoSort(items, [](const Item& a, const Item& b) { return a.value < b.value; });
}

// A sequence that the Go program, which printed the digests below, has too.
class Xorshift {
 public:
  uint64_t Next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }

 private:
  uint64_t state_ = 88172645463325252U;
};

uint64_t ValueOf(int shape, uint64_t i, uint64_t n, uint64_t random) {
  switch (shape) {
    case 1:
      return i / 7;
    case 2:
      return (n - i) / 5;
    case 3:
      return i % 9;
    default:
      return random;
  }
}

TEST(GoSortTest, MoreThanTwelveAreNotSortedStably) {
  const uint64_t sizes[] = {2, 1, 1, 1, 2, 2, 1, 2, 2, 1, 1, 2, 2};
  std::vector<Item> items;
  for (const uint64_t size : sizes) items.push_back({size, items.size()});
  Sort(items);
  std::vector<uint64_t> places;
  for (const Item& item : items) places.push_back(item.place);
  EXPECT_EQ(places, (std::vector<uint64_t>{6, 1, 2, 3, 9, 10, 4, 5, 0, 7, 8, 11, 12}));
}

// FNV-1a over the places of all elements of 0 to 400 elements in four shapes, as Go 1.26 sorts them.
TEST(GoSortTest, IsGosOrder) {
  struct Row {
    uint64_t values, digest;
  };
  for (const Row& row : {Row{2, 14814740650905687923U}, Row{3, 15538490807270805985U}, Row{10, 1157439419029519639U},
                         Row{1000, 14364787993278260107U}}) {
    Xorshift random;
    uint64_t digest = 14695981039346656037U;
    for (uint64_t n = 0; n <= 400; ++n) {
      for (int shape = 0; shape < 4; ++shape) {
        std::vector<Item> items;
        for (uint64_t i = 0; i < n; ++i) items.push_back({ValueOf(shape, i, n, random.Next() % row.values), i});
        Sort(items);
        for (const Item& item : items) digest = (digest ^ item.place) * 1099511628211U;
      }
    }
    EXPECT_EQ(digest, row.digest) << row.values << " values";
  }
}

}  // namespace
}  // namespace ksched
