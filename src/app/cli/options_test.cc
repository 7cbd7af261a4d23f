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
  EXPECT_EQ(parsed->connection.ns, "shop");
  EXPECT_FALSE(parsed->live());
  EXPECT_EQ(parsed->feature_gates, "A=true,B=false");
  EXPECT_EQ(parsed->percentage_of_nodes_to_score, 30);
  EXPECT_EQ(parsed->output, OutputFormat::kJson);
}

TEST(SimulateOptions, Defaults) {
  const auto parsed = ParseSimulateOptions({"--snapshot", "s"});
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->connection.ns, "");
  EXPECT_EQ(parsed->admission, "all");
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
      {"a file and a cluster", {"--snapshot", "s", "--context=c"}, "--context: with --snapshot no cluster is asked"},
      {"dry runs without a cluster", {"--snapshot", "s", "--admission=server"}, "--admission: server needs a cluster"},
      {"watching a file", {"--snapshot", "s", "--watch"}, "--watch: with --snapshot there is no cluster to watch"},
      {"watching a recording", {"--replay", "r", "-w"}, "--watch: with --replay there is no cluster to watch"},
      {"watching with standard input", {"-w", "-f", "-"}, "--watch: its input is read again for each answer"},
      {"recording without watching", {"--record", "r"}, "--record: it needs --watch"},
      {"recording to nowhere", {"-w", "--record", ""}, "--record: say which file"},
      {"recording to standard output", {"-w", "--record=-"}, "--record: standard output has the answers"},
      {"replaying nothing", {"--replay="}, "--replay: say which file"},
      {"a recording and a file", {"--replay", "r", "--snapshot", "s"}, "--replay: --snapshot cannot be used with it"},
      {"a recording and events", {"--replay", "r", "--events", "e"}, "--replay: --events cannot be used with it"},
      {"a recording and a cluster", {"--replay", "r", "--context=c"}, "--context: with --replay no cluster is asked"},
      {"verbosity", {"-v=much"}, "--v: \"much\" is not a whole number"},
      {"a flag that is near another", {"--snapshott", "s"}, "unknown flag: --snapshott (did you mean --snapshot?)"},
      {"the start of a flag", {"--snap", "s"}, "unknown flag: --snap (did you mean --snapshot?)"},
      {"a flag that is near none", {"--kubernetes=x"}, "unknown flag: --kubernetes"},
      {"an argument", {"--snapshot", "s", "a.yaml"}, "unexpected argument \"a.yaml\""},
      {"a value is missing", {"--snapshot"}, "missing an argument"},
      {"output", {"--snapshot", "s", "-o", "xml"}, "--output: \"xml\" is none of"},
      {"pending", {"--snapshot", "s", "--pending", "no"}, "--pending: \"no\" is neither schedule nor ignore"},
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

TEST(SimulateOptions, Connection) {
  const auto parsed =
      ParseSimulateOptions({"--context", "c", "-s", "https://host:1", "--as-group", "a,b", "--as-group=c",
                            "--insecure-skip-tls-verify", "--token=t", "-f", "x.yaml,y.yaml"});
  ASSERT_TRUE(parsed.ok()) << parsed.error().message;
  EXPECT_TRUE(parsed->live());
  EXPECT_EQ(parsed->connection.context, "c");
  EXPECT_EQ(parsed->connection.server, "https://host:1");
  EXPECT_EQ(parsed->connection.token, "t");
  EXPECT_THAT(parsed->connection.as_groups, ElementsAre("a,b", "c"));  // a group may have a comma in its name
  EXPECT_THAT(parsed->filenames, ElementsAre("x.yaml", "y.yaml"));
  EXPECT_EQ(parsed->connection.insecure_skip_tls_verify, true);
  EXPECT_EQ(parsed->connection.disable_compression, std::nullopt);
}

TEST(SimulateOptions, Verbosity) {
  const auto level = [](const std::vector<std::string>& arguments) {
    const auto parsed = ParseSimulateOptions(arguments);
    EXPECT_TRUE(parsed.ok()) << parsed.error().message;
    return parsed.ok() ? parsed->verbosity : -1;
  };
  EXPECT_EQ(level({}), 0);
  EXPECT_EQ(level({"-v"}), 1);
  EXPECT_EQ(level({"-v=6"}), 6);
  EXPECT_EQ(level({"-v6"}), 6);
  EXPECT_EQ(level({"-v", "6"}), 6);
  EXPECT_EQ(level({"--v=2", "--explain"}), 2);
}

TEST(SnapshotOptions, NeedsAFile) {
  EXPECT_THAT(ParseSnapshotOptions({}).error().message, HasSubstr("--output: say which file"));
  EXPECT_EQ(ParseSnapshotOptions({"-o", "x.gz"})->output, "x.gz");
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
