#include "app/bind/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ksched::bind {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Arguments = std::vector<std::string>;

TEST(BindOptions, Defaults) {
  const auto parsed = ParseBindOptions({"web"});
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_THAT(parsed->names, ElementsAre("web"));
  EXPECT_TRUE(parsed->by_name());
  EXPECT_EQ(parsed->dry_run, DryRun::kNone);
  EXPECT_EQ(parsed->output, Output::kText);
  EXPECT_EQ(parsed->timeout, std::chrono::minutes(5));
  EXPECT_FALSE(parsed->force || parsed->force_node || parsed->preempt || parsed->all || parsed->all_namespaces);
  EXPECT_EQ(parsed->node, "");
}

TEST(BindOptions, Everything) {
  const auto parsed = ParseBindOptions({"-l",
                                        "app=web",
                                        "-A",
                                        "--field-selector=metadata.name=a",
                                        "--node",
                                        "n1",
                                        "--force-node",
                                        "--force",
                                        "--dry-run=server",
                                        "--timeout",
                                        "0",
                                        "-o",
                                        "json",
                                        "--config",
                                        "c",
                                        "--feature-gates",
                                        "A=true",
                                        "--seed",
                                        "7",
                                        "--context",
                                        "x"});
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(parsed->selector, "app=web");
  EXPECT_EQ(parsed->field_selector, "metadata.name=a");
  EXPECT_TRUE(parsed->all_namespaces && parsed->force_node && parsed->force);
  EXPECT_EQ(parsed->node, "n1");
  EXPECT_EQ(parsed->dry_run, DryRun::kServer);
  EXPECT_EQ(parsed->timeout.count(), 0);
  EXPECT_EQ(parsed->output, Output::kJson);
  EXPECT_EQ(parsed->seed, 7u);
  EXPECT_EQ(parsed->connection.context, "x");
}

TEST(BindOptions, WaysToNamePods) {
  const std::pair<Arguments, std::vector<std::string>> rows[] = {
      {{"web"}, {"web"}},
      {{"pod/web", "pods/db", "po/c"}, {"web", "db", "c"}},
      {{"pod", "web", "db"}, {"web", "db"}},
      {{"pod"}, {"pod"}},
      {{"web", "pod/web"}, {"web"}},
      {{"web", "--node", "n1", "db"}, {"web", "db"}},
  };
  for (const auto& [arguments, names] : rows) {
    const auto parsed = ParseBindOptions(arguments);
    ASSERT_TRUE(parsed) << arguments.front() << ": " << parsed.error().message;
    EXPECT_EQ(parsed->names, names);
  }
}

TEST(BindOptions, Errors) {
  const std::pair<Arguments, const char*> rows[] = {
      {{}, "say which pods"},
      {{"-n", "shop"}, "say which pods"},
      {{"deploy/web"}, "only pods can be bound"},
      {{"pod/"}, "names no pod"},
      {{"pod/a/b"}, "names no pod"},
      {{"web", "--all"}, "names exclude"},
      {{"web", "-l", "a=b"}, "names exclude"},
      {{"--all", "-l", "a=b"}, "exclude each other"},
      {{"web", "-A"}, "--all-namespaces"},
      {{"--all", "-A", "-n", "shop"}, "exclude each other"},
      {{"web", "--field-selector", "a=b"}, "--field-selector"},
      {{"web", "--force-node"}, "say which by --node"},
      {{"web", "--force-node", "--node", "n", "--preempt"}, "--preempt cannot be used"},
      {{"web", "--node", ""}, "--node: it is empty"},
      {{"web", "--dry-run", "maybe"}, "none of none, client and server"},
      {{"web", "-o", "yaml"}, "neither name nor json"},
      {{"web", "--timeout", "soon"}, "--timeout"},
      {{"web", "--timeout=-1s"}, "less than nothing"},
      {{"web", "--seed", "x"}, "is no number"},
      {{"web", "--preemt"}, "did you mean --preempt?"},
  };
  for (const auto& [arguments, said] : rows) {
    const auto parsed = ParseBindOptions(arguments);
    ASSERT_FALSE(parsed) << said;
    EXPECT_THAT(parsed.error().message, HasSubstr(said));
  }
}

TEST(BindOptions, HelpHasItsFlagsAndNoWordForNames) {
  EXPECT_TRUE(ParseBindOptions({"--help"})->help);
  EXPECT_THAT(DescribeBindFlags(), HasSubstr("--force-node"));
  EXPECT_THAT(DescribeBindFlags(), testing::Not(HasSubstr("--pods")));
}

}  // namespace
}  // namespace ksched::bind
