#include "state/node_class.h"

#include <gtest/gtest.h>

namespace ksched {
namespace {

api::Node NodeWith(api::StringMap labels, std::vector<api::Taint> taints = {}, bool unschedulable = false) {
  api::Node node;
  node.metadata.labels = std::move(labels);
  node.spec.taints = std::move(taints);
  node.spec.unschedulable = unschedulable;
  return node;
}

TEST(NodeClassTableTest, LabelsThatNobodyUsesDoNotTellNodesApart) {
  NodeClassTable table;
  const NodeClassId a = table.Classify(NodeWith({{"host", "a"}}));
  EXPECT_EQ(a, table.Classify(NodeWith({{"host", "b"}})));
  EXPECT_TRUE(table.UseLabelKey("host"));
  EXPECT_FALSE(table.UseLabelKey("host"));
  EXPECT_NE(table.Classify(NodeWith({{"host", "a"}})), table.Classify(NodeWith({{"host", "b"}})));
  EXPECT_NE(table.Classify(NodeWith({{"host", ""}})), table.Classify(NodeWith({})));
}

TEST(NodeClassTableTest, AClassMadeWithFewerKeysIsNotTakenForOneMadeWithMore) {
  NodeClassTable table;
  const NodeClassId before = table.Classify(NodeWith({}));
  table.UseLabelKey("zone");
  EXPECT_NE(table.Classify(NodeWith({})), before);
}

TEST(NodeClassTableTest, TaintsAndUnschedulableTellNodesApart) {
  NodeClassTable table;
  const NodeClassId plain = table.Classify(NodeWith({}));
  EXPECT_NE(table.Classify(NodeWith({}, {}, true)), plain);
  EXPECT_NE(table.Classify(NodeWith({}, {{"k", "v", "NoSchedule"}})), plain);
  EXPECT_NE(table.Classify(NodeWith({}, {{"k", "v", "NoSchedule"}})),
            table.Classify(NodeWith({}, {{"kv", "", "NoSchedule"}})));
}

}  // namespace
}  // namespace ksched
