// GoSort: sorts as Go's sort.Sort does (src/sort/zsortinterface.go, Go 1.26), so that elements that compare equal end
// in the same order as there: more than twelve are not sorted stably. A pattern-defeating quicksort.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ksched {

template <typename T, typename Less>
class GoSorter {
 public:
  GoSorter(std::vector<T>& data, Less less) : data_(data), less_(std::move(less)) {}

  void Sort() {
    const size_t n = data_.size();
    if (n > 1) Quick(0, static_cast<ptrdiff_t>(n), std::bit_width(n));
  }

 private:
  using Index = ptrdiff_t;
  enum class Hint : uint8_t { kUnknown, kIncreasing, kDecreasing };
  static constexpr Index kMaxInsertion = 12, kShortestShifting = 50, kShortestNinther = 50;
  static constexpr int kMaxSteps = 5, kMaxSwaps = 12;

  bool IsLess(Index i, Index j) const { return less_(data_[static_cast<size_t>(i)], data_[static_cast<size_t>(j)]); }
  void Swap(Index i, Index j) { std::swap(data_[static_cast<size_t>(i)], data_[static_cast<size_t>(j)]); }

  void Insertion(Index a, Index b) {
    for (Index i = a + 1; i < b; ++i) {
      for (Index j = i; j > a && IsLess(j, j - 1); --j) Swap(j, j - 1);
    }
  }

  void SiftDown(Index low, Index high, Index first) {
    for (Index root = low;;) {
      Index child = 2 * root + 1;
      if (child >= high) return;
      if (child + 1 < high && IsLess(first + child, first + child + 1)) ++child;
      if (!IsLess(first + root, first + child)) return;
      Swap(first + root, first + child);
      root = child;
    }
  }
  void Heap(Index a, Index b) {
    const Index length = b - a;
    for (Index i = (length - 1) / 2; i >= 0; --i) SiftDown(i, length, a);
    for (Index i = length - 1; i >= 0; --i) {
      Swap(a, a + i);
      SiftDown(0, i, a);
    }
  }

  void Quick(Index a, Index b, int limit) {
    bool balanced = true, partitioned = true;  // how the last partition went
    while (b - a > kMaxInsertion) {
      if (limit == 0) return Heap(a, b);
      if (!balanced) {
        BreakPatterns(a, b);
        --limit;
      }
      auto [pivot, hint] = ChoosePivot(a, b);
      if (hint == Hint::kDecreasing) {
        for (Index i = a, j = b - 1; i < j; ++i, --j) Swap(i, j);
        pivot = (b - 1) - (pivot - a);
        hint = Hint::kIncreasing;
      }
      if (balanced && partitioned && hint == Hint::kIncreasing && PartialInsertion(a, b)) return;
      if (a > 0 && !IsLess(a - 1, pivot)) {  // probably many equal ones
        a = PartitionEqual(a, b, pivot);
        continue;
      }
      const Index length = b - a;
      const Index middle = Partition(a, b, pivot, partitioned);
      const Index left = middle - a, right = b - middle;
      balanced = std::min(left, right) >= length / 8;
      if (left < right) {
        Quick(a, middle, limit);
        a = middle + 1;
      } else {
        Quick(middle + 1, b, limit);
        b = middle;
      }
    }
    Insertion(a, b);
  }

  // Smaller ones before the pivot, the others after it; returns its place. `already`: nothing was out of place.
  Index Partition(Index a, Index b, Index pivot, bool& already) {
    Swap(a, pivot);
    Index i = a + 1, j = b - 1;
    const auto close_in = [&] {
      while (i <= j && IsLess(i, a)) ++i;
      while (i <= j && !IsLess(j, a)) --j;
      return i > j;
    };
    already = close_in();
    while (!already) {
      Swap(i++, j--);
      if (close_in()) break;
    }
    Swap(j, a);
    return j;
  }
  // Those equal to the pivot before those greater than it; none is smaller. Returns where the greater ones start.
  Index PartitionEqual(Index a, Index b, Index pivot) {
    Swap(a, pivot);
    for (Index i = a + 1, j = b - 1;;) {
      while (i <= j && !IsLess(a, i)) ++i;
      while (i <= j && IsLess(a, j)) --j;
      if (i > j) return i;
      Swap(i++, j--);
    }
  }

  // Sorts what is nearly sorted; false if it is not sorted then.
  bool PartialInsertion(Index a, Index b) {
    Index i = a + 1;
    for (int step = 0; step < kMaxSteps; ++step) {
      while (i < b && !IsLess(i, i - 1)) ++i;
      if (i == b) return true;
      if (b - a < kShortestShifting) return false;
      Swap(i, i - 1);
      for (Index j = i - 1; i - a >= 2 && j >= 1 && IsLess(j, j - 1); --j) Swap(j, j - 1);
      for (Index j = i + 1; b - i >= 2 && j < b && IsLess(j, j - 1); ++j) Swap(j, j - 1);
    }
    return false;
  }

  void BreakPatterns(Index a, Index b) {
    const Index length = b - a;
    if (length < 8) return;
    auto random = static_cast<uint64_t>(length);
    const uint64_t mask = (uint64_t{1} << std::bit_width(static_cast<uint64_t>(length))) - 1;
    const Index middle = a + (length / 4) * 2;
    for (Index i = middle - 1; i <= middle + 1; ++i) {
      random ^= random << 13;
      random ^= random >> 7;
      random ^= random << 17;
      auto other = static_cast<Index>(random & mask);
      if (other >= length) other -= length;
      Swap(i, a + other);
    }
  }

  std::pair<Index, Hint> ChoosePivot(Index a, Index b) {
    const Index length = b - a;
    int swaps = 0;
    Index i = a + length / 4, j = a + length / 4 * 2, k = a + length / 4 * 3;
    if (length >= kShortestNinther) {
      i = Median(i - 1, i, i + 1, swaps);
      j = Median(j - 1, j, j + 1, swaps);
      k = Median(k - 1, k, k + 1, swaps);
    }
    if (length >= 8) j = Median(i, j, k, swaps);
    return {j, swaps == 0 ? Hint::kIncreasing : swaps == kMaxSwaps ? Hint::kDecreasing : Hint::kUnknown};
  }
  Index Median(Index a, Index b, Index c, int& swaps) {
    const auto order = [&](Index& first, Index& second) {
      if (!IsLess(second, first)) return;
      ++swaps;
      std::swap(first, second);
    };
    order(a, b);
    order(b, c);
    order(a, b);
    return b;
  }

  std::vector<T>& data_;
  Less less_;
};

// `less(a, b)`: whether a comes before b.
template <typename T, typename Less>
void GoSort(std::vector<T>& data, Less less) {
  GoSorter<T, Less>(data, std::move(less)).Sort();
}

}  // namespace ksched
