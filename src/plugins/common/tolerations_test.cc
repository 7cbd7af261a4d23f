#include "plugins/common/tolerations.h"

#include <gtest/gtest.h>

#include <vector>

namespace ksched {
namespace {

struct Row {
  std::string name;
  api::Toleration toleration;
  api::Taint taint;
  bool want;
};

void Check(const std::vector<Row>& rows, bool comparison_operators) {
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(Tolerates(row.toleration, row.taint, comparison_operators), row.want);
  }
}

TEST(ToleratesTest, KeysValuesAndEffects) {
  const api::Taint taint{"k", "v", "NoSchedule"};
  Check(
      {
          {"all equal", {"k", "Equal", "v", "NoSchedule", {}}, taint, true},
          {"seconds do not matter", {"k", "Equal", "v", "NoSchedule", 0}, taint, true},
          {"no operator", {"k", "", "v", "NoSchedule", {}}, taint, true},
          {"another value", {"k", "Equal", "w", "NoSchedule", {}}, taint, false},
          {"Exists", {"k", "Exists", "", "NoSchedule", {}}, taint, true},
          {"Exists with a value", {"k", "Exists", "w", "NoSchedule", {}}, taint, true},
          {"another key", {"l", "Exists", "", "NoSchedule", {}}, taint, false},
          {"another effect", {"k", "Exists", "", "NoExecute", {}}, taint, false},
          {"no effect", {"k", "Exists", "", "", {}}, taint, true},
          {"no key", {"", "Exists", "", "NoSchedule", {}}, taint, true},
          {"nothing but Exists", {"", "Exists", "", "", {}}, taint, true},
          {"no key, Equal", {"", "Equal", "v", "", {}}, taint, true},
          {"empty, for a taint without value", {}, {"k", "", "NoSchedule"}, true},
          {"empty, for a taint with one", {}, taint, false},
          {"unknown operator", {"k", "exists", "v", "", {}}, taint, false},
      },
      false);
}

TEST(ToleratesTest, ComparisonOperators) {
  const auto with = [](std::string op, std::string bound, std::string value, bool want) {
    return Row{value + " " + op + " " + bound, {"k", op, bound, "", {}}, {"k", value, "NoSchedule"}, want};
  };
  Check(
      {
          with("Gt", "900", "950", true),
          with("Gt", "900", "900", false),
          with("Gt", "900", "850", false),
          with("Lt", "900", "850", true),
          with("Lt", "900", "900", false),
          with("Lt", "900", "950", false),
          with("Lt", "0", "-5", true),
          with("Gt", "-6", "-5", true),
          with("Gt", "0", "9223372036854775807", true),
          with("Gt", "0", "9223372036854775808", false),
          with("Lt", "0", "-9223372036854775808", true),
          with("Gt", "", "5", false),
          with("Gt", "4", "", false),
          with("Gt", "4", "five", false),
          with("Gt", "04", "5", false),
          with("Gt", "4", "05", false),
          with("Gt", "+4", "5", false),
          with("Gt", "4", "+5", false),
          with("Gt", "-0", "5", false),
          with("Gt", "-", "5", false),
          with("Gt", "-+4", "5", false),
          with("Gt", "4", "5 ", false),
          with("Gt", "4", "5.5", false),
      },
      true);
  Check({with("Gt", "900", "950", false), with("Lt", "900", "850", false)}, false);
}

TEST(HasUntoleratedTaintTest, OnlyEffectsThatKeepPodsOff) {
  const std::vector<api::Taint> soft = {{"a", "", "PreferNoSchedule"}, {"b", "", ""}};
  const std::vector<api::Taint> hard = {{"a", "", "NoSchedule"}, {"b", "", "NoExecute"}};
  const std::vector<api::Toleration> a = {{"a", "Exists", "", "", {}}};
  const std::vector<api::Toleration> both = {{"a", "Exists", "", "", {}}, {"b", "Exists", "", "", {}}};
  EXPECT_FALSE(HasUntoleratedTaint({}, {}, false));
  EXPECT_FALSE(HasUntoleratedTaint(soft, {}, false));
  EXPECT_TRUE(HasUntoleratedTaint(hard, {}, false));
  EXPECT_TRUE(HasUntoleratedTaint(hard, a, false));
  EXPECT_FALSE(HasUntoleratedTaint(hard, both, false));
}

TEST(AppendSignedTolerationsTest, TellsTolerationsApart) {
  const auto sign = [](const std::vector<api::Toleration>& tolerations) {
    std::string signature;
    AppendSignedTolerations(tolerations, signature);
    return signature;
  };
  const api::Toleration toleration{"k", "Equal", "v", "NoExecute", 30};
  const std::vector<api::Toleration> others = {
      {"l", "Equal", "v", "NoExecute", 30},  {"k", "", "v", "NoExecute", 30},      {"k", "Equal", "w", "NoExecute", 30},
      {"k", "Equal", "v", "NoSchedule", 30}, {"k", "Equal", "v", "NoExecute", 31}, {"k", "Equal", "v", "NoExecute", {}},
      {"kE", "qual", "v", "NoExecute", 30}};
  for (const api::Toleration& other : others) {
    EXPECT_NE(sign({toleration}), sign({other}));
    EXPECT_EQ(sign({toleration, others[0]}), sign({others[0], toleration}));
  }
}

}  // namespace
}  // namespace ksched
