#include "api/label_selector.h"

#include <gtest/gtest.h>

namespace ksched::api {
namespace {

LabelSelector Where(const std::string& key, const std::string& op, std::vector<std::string> values = {}) {
  LabelSelector selector;
  selector.match_expressions.push_back({key, op, std::move(values)});
  return selector;
}

TEST(LabelSelector, Matches) {
  const StringMap labels = {{"app", "web"}, {"tier", "front"}, {"empty", ""}};
  LabelSelector web, db, both;
  web.match_labels = {{"app", "web"}};
  db.match_labels = {{"app", "db"}};
  both = Where("tier", "In", {"front"});
  both.match_labels = {{"app", "web"}};
  const struct {
    const char* name;
    LabelSelector selector;
    bool matches;
  } kCases[] = {
      {"empty", {}, true},
      {"labels", web, true},
      {"other value", db, false},
      {"labels and expression", both, true},
      {"In", Where("app", "In", {"db", "web"}), true},
      {"In, other", Where("app", "In", {"db"}), false},
      {"In, absent", Where("zone", "In", {"a"}), false},
      {"In, empty value", Where("empty", "In", {""}), true},
      {"NotIn", Where("app", "NotIn", {"db"}), true},
      {"NotIn, there", Where("app", "NotIn", {"web"}), false},
      {"NotIn, absent", Where("zone", "NotIn", {"a"}), true},
      {"Exists", Where("app", "Exists"), true},
      {"Exists, absent", Where("zone", "Exists"), false},
      {"DoesNotExist", Where("zone", "DoesNotExist"), true},
      {"DoesNotExist, there", Where("app", "DoesNotExist"), false},
      {"unknown", Where("app", "Like", {"web"}), false},
  };
  for (const auto& test : kCases) EXPECT_EQ(Matches(test.selector, labels), test.matches) << test.name;
}

TEST(LabelSelector, NoneMatchesNothing) {
  EXPECT_FALSE(Matches(std::optional<LabelSelector>(), StringMap{{"a", "b"}}));
  EXPECT_TRUE(Matches(std::optional<LabelSelector>(LabelSelector()), StringMap()));
}

TEST(LabelSelector, MatchesLabels) {
  EXPECT_TRUE(MatchesLabels({}, {}));
  EXPECT_TRUE(MatchesLabels({{"a", "1"}}, {{"a", "1"}, {"b", "2"}}));
  EXPECT_FALSE(MatchesLabels({{"a", "1"}}, {{"a", "2"}}));
  EXPECT_FALSE(MatchesLabels({{"a", ""}}, {}));
}

}  // namespace
}  // namespace ksched::api
