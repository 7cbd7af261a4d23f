#include "plugins/priority_sort/priority_sort.h"

#include <gtest/gtest.h>

#include "framework/testing.h"

namespace ksched {
namespace {

TEST(PrioritySortTest, Less) {
  struct Row {
    std::string name;
    QueueSortKey a, b;
    bool want;
  };
  const std::vector<Row> rows = {
      {"higher priority first", {10, 200}, {5, 100}, true},
      {"lower priority later", {5, 100}, {10, 200}, false},
      {"negative priority", {-1, 100}, {0, 200}, false},
      {"equal priority, earlier first", {10, 100}, {10, 200}, true},
      {"equal priority, later", {10, 200}, {10, 100}, false},
      {"all equal", {10, 100}, {10, 100}, false},
  };
  testing_support::TestCluster cluster;
  const auto plugin = cluster.Create<PrioritySort>();
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(plugin->Less(row.a, row.b), row.want);
  }
}

}  // namespace
}  // namespace ksched
