#include "app/bind/teller.h"

#include <gtest/gtest.h>

#include <sstream>

namespace ksched::bind {
namespace {

using State = Target::State;

Target Make(State state, const std::string& name = "web") {
  Target target;
  target.ns = "shop";
  target.name = name;
  target.uid = "u-" + name;
  target.state = state;
  if (state == State::kBound) target.node = "n1";
  if (state == State::kNotBound || state == State::kLeftOut) target.why = "it is gone";
  return target;
}

struct Said {
  std::string out, err;
  bool operator==(const Said&) const = default;
};

Said Say(Output output, DryRun dry_run, const std::vector<Target>& targets) {
  std::ostringstream out, err;
  cli::Streams streams{out, err};
  Teller teller(output, dry_run, streams);
  for (const Target& target : targets) teller.Decided(target);
  teller.End(targets);
  return {out.str(), err.str()};
}

TEST(Teller, Lines) {
  const std::vector<Target> targets = {Make(State::kBound), Make(State::kNotBound, "db"), Make(State::kLeftOut, "c")};
  const Said said = Say(Output::kText, DryRun::kNone, targets);
  EXPECT_EQ(said.out, "pod/web bound to node n1\n");
  EXPECT_EQ(said.err, "error: pod shop/db: it is gone\npod shop/c is left out: it is gone\n");
  EXPECT_EQ(Say(Output::kName, DryRun::kNone, targets).out, "pod/web\n");
}

TEST(Teller, DryRuns) {
  Target target = Make(State::kBound);
  EXPECT_EQ(Say(Output::kText, DryRun::kClient, {target}).out, "pod/web bound to node n1 (dry run)\n");
  EXPECT_EQ(Say(Output::kText, DryRun::kServer, {target}).out, "pod/web bound to node n1 (server dry run)\n");
  target.victims = {"shop/a (priority 0)", "shop/b (priority 1)"};
  EXPECT_EQ(Say(Output::kText, DryRun::kClient, {target}).out,
            "pod/web bound to node n1 when shop/a (priority 0), shop/b (priority 1) are gone (dry run)\n");
}

TEST(Teller, Json) {
  Target target = Make(State::kNotBound, "db");
  target.victims = {"shop/a"};
  const std::string expected =
      R"({"dryRun":"server","pods":[{"namespace":"shop","name":"web","uid":"u-web","result":"Bound","node":"n1"},)"
      R"({"namespace":"shop","name":"db","uid":"u-db","result":"NotBound","reason":"it is gone","victims":["shop/a"]}]})";
  EXPECT_EQ(Say(Output::kJson, DryRun::kServer, {Make(State::kBound), target}).out, expected + "\n");
}

TEST(ExitStatus, Rows) {
  const Target bound = Make(State::kBound), not_bound = Make(State::kNotBound), left_out = Make(State::kLeftOut);
  const std::pair<std::vector<Target>, int> rows[] = {
      {{}, 0}, {{bound}, 0}, {{bound, left_out}, 0}, {{left_out}, 1}, {{not_bound}, 1}, {{bound, not_bound}, 1},
  };
  for (const auto& [targets, status] : rows) EXPECT_EQ(ExitStatusOf(targets), status) << targets.size();
}

TEST(TargetOf, WhatCannotBeBound) {
  api::Pod pod;
  pod.metadata.ns = "shop";
  pod.metadata.name = "web";
  EXPECT_EQ(TargetOf(pod, true).state, State::kPending);
  pod.spec.scheduling_gates = {"a", "b"};
  EXPECT_EQ(TargetOf(pod, true).why, "it is held back by its scheduling gates: a, b");
  EXPECT_EQ(TargetOf(pod, false).state, State::kNotBound);
  pod.metadata.deletion_timestamp = 1;
  EXPECT_EQ(TargetOf(pod, true).state, State::kNotBound);
  EXPECT_EQ(TargetOf(pod, false).state, State::kLeftOut);
  EXPECT_EQ(TargetOf(pod, true).why, "it is being deleted");
  pod.spec.node_name = "n1";
  EXPECT_EQ(TargetOf(pod, true).why, "it is bound to node n1 already");
}

}  // namespace
}  // namespace ksched::bind
