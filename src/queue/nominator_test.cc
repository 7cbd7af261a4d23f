#include "queue/nominator.h"

#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ksched {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string kNode = "n1";

PodInfo Pod(PodId id, const char* nominated = "", bool on_node = false) {
  PodInfo pod;
  pod.id = id;
  auto facts = std::make_shared<PodFacts>();
  facts->nominated_node_name = nominated;
  pod.facts = std::move(facts);
  if (on_node) pod.node_name_of = &kNode;
  return pod;
}

TEST(Nominator, InTheOrderOfTheNominations) {
  Nominator nominator;
  EXPECT_FALSE(nominator.AnyNominations());
  nominator.Add(Pod(3, "n1"), std::nullopt);
  nominator.Add(Pod(1, "n1"), std::nullopt);
  nominator.Add(Pod(2), "n1");
  nominator.Add(Pod(4, "n2"), std::nullopt);
  EXPECT_THAT(nominator.NominatedPods("n1"), ElementsAre(3, 1, 2));
  EXPECT_THAT(nominator.NominatedPods("n2"), ElementsAre(4));
  EXPECT_THAT(nominator.NominatedPods("n3"), IsEmpty());
  // Made anew, it is the last.
  nominator.Add(Pod(3, "n1"), std::nullopt);
  EXPECT_THAT(nominator.NominatedPods("n1"), ElementsAre(1, 2, 3));
  nominator.Delete(2);
  EXPECT_THAT(nominator.NominatedPods("n1"), ElementsAre(1, 3));
  nominator.Delete(2);
  for (PodId pod : {1, 3, 4}) nominator.Delete(pod);
  EXPECT_FALSE(nominator.AnyNominations());
  EXPECT_THAT(nominator.NominatedPods("n1"), IsEmpty());
}

TEST(Nominator, AddTable) {
  struct Row {
    const char* name;
    PodInfo pod;
    std::optional<std::string_view> node;
    const char* expected;
  };
  const Row rows[] = {
      {"from the status", Pod(1, "status"), std::nullopt, "status"},
      {"of no status", Pod(1), std::nullopt, ""},
      {"what the cycle says, against the status", Pod(1, "status"), "cycle", "cycle"},
      {"the cycle clears it, against the status", Pod(1, "status"), "", ""},
      {"on a node already", Pod(1, "status", true), std::nullopt, ""},
      {"on a node already, against the cycle", Pod(1, "", true), "cycle", ""},
  };
  for (const Row& row : rows) {
    for (const char* before : {"", "before"}) {
      Nominator nominator;
      nominator.Add(Pod(1, before), std::nullopt);
      nominator.Add(row.pod, row.node);
      EXPECT_EQ(nominator.NodeOf(1), row.expected) << row.name;
      EXPECT_EQ(nominator.AnyNominations(), *row.expected != 0) << row.name;
    }
  }
}

TEST(Nominator, UpdateTable) {
  struct Row {
    const char* name;
    const char* memory;
    const char* old_status;
    const char* new_status;
    const char* expected;
  };
  const Row rows[] = {
      {"nothing at all", "", "", "", ""},
      {"only memory knows: kept", "mem", "", "", "mem"},
      {"added", "", "", "new", "new"},
      {"added over memory", "mem", "", "new", "new"},
      {"changed", "old", "old", "new", "new"},
      {"the same", "old", "old", "old", "old"},
      {"the same, memory knows better: status counts", "mem", "old", "old", "old"},
      {"removed", "old", "old", "", ""},
      {"removed over memory", "mem", "old", "", ""},
  };
  for (const Row& row : rows) {
    Nominator nominator;
    nominator.Add(Pod(1), row.memory);
    nominator.Update(Pod(1, row.old_status), Pod(1, row.new_status));
    EXPECT_EQ(nominator.NodeOf(1), row.expected) << row.name;
  }
}

TEST(Nominator, UpdateGoesToTheEndOfItsNode) {
  Nominator nominator;
  nominator.Add(Pod(1), "n");
  nominator.Add(Pod(2), "n");
  nominator.Update(Pod(1), Pod(1));
  EXPECT_THAT(nominator.NominatedPods("n"), ElementsAre(2, 1));
}

TEST(Nominator, UpdateWithANodeEndsIt) {
  Nominator nominator;
  nominator.Add(Pod(1), "n");
  nominator.Update(Pod(1), Pod(1, "", true));
  EXPECT_FALSE(nominator.AnyNominations());
}

// Of a pod that was dropped only the name is left, until it comes back or is gone.
TEST(Nominator, APodThatIsInNoQueue) {
  ResourceNames names;
  PodStore store(names, {});
  Nominator nominator(&store);
  api::Pod given;
  given.metadata.ns = "default";
  given.metadata.name = "p";
  given.metadata.uid = "u";
  given.spec.priority = 7;
  given.status.nominated_node_name = "n1";
  const PodInfo& pod = store.Add(std::move(given));
  nominator.NotQueued(pod);
  EXPECT_FALSE(nominator.AnyNominations());
  nominator.Add(pod, std::nullopt);
  nominator.NotQueued(pod);
  nominator.NotQueued(pod);
  ASSERT_THAT(nominator.NominatedPods("n1"), testing::SizeIs(1));
  const PodInfo& counted = store.Get(nominator.NominatedPods("n1").front());
  EXPECT_NE(counted.id, pod.id);
  EXPECT_EQ(counted.uid(), "u");
  EXPECT_EQ(counted.priority(), 0);
  EXPECT_EQ(counted.nominated_node_name(), "");
  EXPECT_EQ(store.Find("default", "p"), &pod);
  nominator.Add(pod, std::nullopt);
  EXPECT_THAT(nominator.NominatedPods("n1"), ElementsAre(pod.id));
  nominator.NotQueued(pod);
  nominator.Delete(pod.id);
  EXPECT_FALSE(nominator.AnyNominations());
  EXPECT_EQ(store.Find("default", "p"), &pod);
}

}  // namespace
}  // namespace ksched
