#include "admission/tolerations.h"

#include <gtest/gtest.h>

namespace ksched {
namespace {

using api::Toleration;

struct MergeCase {
  const char* name;
  std::vector<Toleration> first, second, merged;
};

TEST(MergeTolerations, Cases) {
  const Toleration exists_all{.op = "Exists"}, exists_a{.key = "a", .op = "Exists"},
      a1{.key = "a", .op = "Equal", .value = "1"},
      a1_no_schedule{.key = "a", .op = "Equal", .value = "1", .effect = "NoSchedule"},
      for_30{.key = "a", .op = "Exists", .effect = "NoExecute", .toleration_seconds = 30},
      for_60{.key = "a", .op = "Exists", .effect = "NoExecute", .toleration_seconds = 60},
      greater{.key = "a", .op = "Gt", .value = "1"};
  const MergeCase cases[] = {
      {"nothing", {}, {}, {}},
      {"equal ones, once", {a1}, {a1}, {a1}},
      {"covered by an earlier one", {exists_all}, {exists_a, a1_no_schedule}, {exists_all}},
      {"covered by a later one", {a1_no_schedule}, {a1}, {a1}},
      {"another value",
       {a1},
       {{.key = "a", .op = "Equal", .value = "2"}},
       {a1, {.key = "a", .op = "Equal", .value = "2"}}},
      {"the longer time covers", {for_30}, {for_60}, {for_60}},
      {"no time at all is longer", {for_60}, {exists_a}, {exists_a}},
      {"comparisons cover only themselves", {greater}, {greater, a1}, {greater, a1}},
  };
  for (const MergeCase& test : cases) {
    SCOPED_TRACE(test.name);
    EXPECT_EQ(MergeTolerations(test.first, test.second), test.merged);
  }
}

struct DefaultCase {
  const char* name;
  std::vector<Toleration> given;
  bool not_ready, unreachable;  // added
};

TEST(DefaultTolerations, Cases) {
  const std::string not_ready = "node.kubernetes.io/not-ready", unreachable = "node.kubernetes.io/unreachable";
  const DefaultCase cases[] = {
      {"nothing said", {}, true, true},
      {"something else", {{.key = "a", .op = "Exists"}}, true, true},
      {"one of them",
       {{.key = not_ready, .op = "Exists", .effect = "NoExecute", .toleration_seconds = 5}},
       false,
       true},
      {"the other, any effect", {{.key = unreachable, .op = "Exists"}}, true, false},
      {"another effect", {{.key = not_ready, .op = "Exists", .effect = "NoSchedule"}}, true, true},
      {"everything", {{.op = "Exists"}}, false, false},
      {"everything that is not executed", {{.op = "Exists", .effect = "NoExecute"}}, false, false},
      {"everything of another effect", {{.op = "Exists", .effect = "NoSchedule"}}, true, true},
  };
  for (const DefaultCase& test : cases) {
    SCOPED_TRACE(test.name);
    std::vector<Toleration> expected = test.given, tolerations = test.given;
    const auto add = [&](const std::string& key) {
      expected.push_back({.key = key, .op = "Exists", .effect = "NoExecute", .toleration_seconds = 300});
    };
    if (test.not_ready) add(not_ready);
    if (test.unreachable) add(unreachable);
    AddDefaultTolerations(tolerations);
    EXPECT_EQ(tolerations, expected);
  }
}

}  // namespace
}  // namespace ksched
