#include "framework/diagnosis.h"

#include <gtest/gtest.h>

namespace ksched {
namespace {

class DiagnosisTest : public ::testing::Test {
 protected:
  VerdictId Verdict(std::vector<std::string> texts, PluginId plugin = 3, Code code = Code::kUnschedulable) {
    Status status(code);
    for (const std::string& text : texts) status.AddReason(reasons_.Intern(text));
    status.set_plugin(plugin);
    return verdicts_.Intern(status);
  }
  std::string Message() { return diagnosis_.Message(verdicts_, reasons_); }

  ReasonTable reasons_;
  VerdictTable verdicts_;
  Diagnosis diagnosis_;
};

TEST_F(DiagnosisTest, CountsReasonsAndSortsThemAsText) {
  diagnosis_.Start(12);
  for (NodeId node = 0; node < 10; ++node) diagnosis_.rejected.push_back({node, Verdict({"Insufficient cpu"})});
  diagnosis_.rejected.push_back({10, Verdict({"Insufficient cpu", "Insufficient memory"})});
  diagnosis_.rejected.push_back({11, Verdict({"Too many pods"})});
  EXPECT_EQ(Message(), "0/12 nodes are available: 1 Insufficient memory, 1 Too many pods, 11 Insufficient cpu.");
}

TEST_F(DiagnosisTest, NodesThatWereLeftOutCountWithTheirReason) {
  diagnosis_.Start(5);
  diagnosis_.rejected.push_back({0, Verdict({"Insufficient cpu"})});
  diagnosis_.absent =
      Status::UnschedulableAndUnresolvable(reasons_.Intern("node(s) didn't satisfy plugin(s) [NodeAffinity]"));
  EXPECT_EQ(Message(),
            "0/5 nodes are available: 1 Insufficient cpu, 4 node(s) didn't satisfy plugin(s) [NodeAffinity].");
}

TEST_F(DiagnosisTest, APreFilterMessageStandsForAllNodes) {
  diagnosis_.Start(5);
  diagnosis_.pre_filter_message = "no such claim";
  diagnosis_.absent = Status::UnschedulableAndUnresolvable(reasons_.Intern("no such claim"));
  EXPECT_EQ(Message(), "0/5 nodes are available: no such claim.");
}

TEST_F(DiagnosisTest, WhatPostFilterSaysComesLast) {
  diagnosis_.Start(1);
  diagnosis_.rejected.push_back({0, Verdict({"Insufficient cpu"})});
  diagnosis_.post_filter_message = "preemption: no victims";
  EXPECT_EQ(Message(), "0/1 nodes are available: 1 Insufficient cpu. preemption: no victims");
}

TEST_F(DiagnosisTest, CollectsThePluginsOfAllRejections) {
  diagnosis_.Start(3);
  diagnosis_.rejected = {{0, Verdict({"a"}, 3)}, {1, Verdict({"b"}, 5)}, {2, Verdict({"c"}, 7, Code::kPending)}};
  diagnosis_.CollectPlugins(verdicts_);
  EXPECT_TRUE(diagnosis_.unschedulable_plugins.Has(3));
  EXPECT_TRUE(diagnosis_.unschedulable_plugins.Has(5));
  EXPECT_TRUE(diagnosis_.pending_plugins.Has(7));
  EXPECT_FALSE(diagnosis_.pending_plugins.Has(3));
}

}  // namespace
}  // namespace ksched
