#include "app/cli/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ksched::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(SimulateOptions, Everything) {
  const auto parsed = ParseSimulateOptions({"-f",
                                            "a.yaml",
                                            "--filename=dir",
                                            "-f",
                                            "-",
                                            "-R",
                                            "--snapshot",
                                            "s1",
                                            "--snapshot",
                                            "s2",
                                            "-n",
                                            "shop",
                                            "--pending",
                                            "ignore",
                                            "--other-schedulers=ignore",
                                            "--admission",
                                            "none",
                                            "--config",
                                            "c",
                                            "--feature-gates",
                                            "A=true,B=false",
                                            "--percentage-of-nodes-to-score",
                                            "30",
                                            "--events",
                                            "e",
                                            "-o",
                                            "json",
                                            "--explain",
                                            "--no-cache",
                                            "--stats"});
  ASSERT_TRUE(parsed.ok()) << parsed.error().message;
  EXPECT_THAT(parsed->filenames, ElementsAre("a.yaml", "dir", "-"));
  EXPECT_THAT(parsed->snapshots, ElementsAre("s1", "s2"));
  EXPECT_TRUE(parsed->recursive && parsed->ignore_pending && parsed->ignore_other_schedulers);
  EXPECT_TRUE(parsed->explain && parsed->stats && !parsed->use_cache);
  EXPECT_EQ(parsed->ns, "shop");
  EXPECT_EQ(parsed->feature_gates, "A=true,B=false");
  EXPECT_EQ(parsed->percentage_of_nodes_to_score, 30);
  EXPECT_EQ(parsed->output, OutputFormat::kJson);
}

TEST(SimulateOptions, Defaults) {
  const auto parsed = ParseSimulateOptions({"--snapshot", "s"});
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->ns, "default");
  EXPECT_EQ(parsed->output, OutputFormat::kTable);
  EXPECT_TRUE(parsed->use_cache);
  EXPECT_FALSE(parsed->ignore_pending || parsed->ignore_other_schedulers || parsed->explain || parsed->stats);
}

struct ErrorCase {
  const char* name;
  std::vector<std::string> arguments;
  const char* message;
};

TEST(SimulateOptions, Errors) {
  const ErrorCase cases[] = {
      {"no snapshot", {"-f", "a"}, "a live cluster is not supported yet: pass --snapshot"},
      {"a flag that is near another", {"--snapshott", "s"}, "unknown flag: --snapshott (did you mean --snapshot?)"},
      {"the start of a flag", {"--snap", "s"}, "unknown flag: --snap (did you mean --snapshot?)"},
      {"a flag that is near none", {"--kubernetes=x"}, "unknown flag: --kubernetes"},
      {"an argument", {"--snapshot", "s", "a.yaml"}, "unexpected argument \"a.yaml\""},
      {"a value is missing", {"--snapshot"}, "missing an argument"},
      {"output", {"--snapshot", "s", "-o", "xml"}, "--output: \"xml\" is none of"},
      {"pending", {"--snapshot", "s", "--pending", "no"}, "--pending: \"no\" is neither schedule nor ignore"},
      {"admission", {"--snapshot", "s", "--admission", "all"}, "--admission: \"all\" is not supported yet"},
      {"a number", {"--snapshot", "s", "--percentage-of-nodes-to-score", "ten"}, "\"ten\" is not a whole number"},
      {"standard input twice", {"--snapshot", "-", "-f", "-"}, "standard input (-) can be read once only"},
  };
  for (const ErrorCase& test : cases) {
    SCOPED_TRACE(test.name);
    const auto parsed = ParseSimulateOptions(test.arguments);
    ASSERT_FALSE(parsed.ok());
    EXPECT_THAT(parsed.error().message, HasSubstr(test.message));
  }
}

TEST(SimulateOptions, HelpNeedsNothingElse) {
  const auto parsed = ParseSimulateOptions({"--help"});
  ASSERT_TRUE(parsed.ok());
  EXPECT_TRUE(parsed->help);
  for (const char* flag : {"-f, --filename", "--other-schedulers", "--percentage-of-nodes-to-score", "--stats"}) {
    EXPECT_THAT(DescribeSimulateFlags(), HasSubstr(flag));
  }
}

}  // namespace
}  // namespace ksched::cli
