#include "config/feature_gates.h"

#include <gtest/gtest.h>

#include "config/feature_gate_table.h"

namespace ksched::config {
namespace {

TEST(FeatureGatesTest, TableIsSortedAndComplete) {
  const auto table = GateTable();
  EXPECT_EQ(table.size(), 249U);
  for (size_t i = 1; i < table.size(); ++i) EXPECT_LT(table[i - 1].name, table[i].name);
}

TEST(FeatureGatesTest, Defaults) {
  const FeatureGates gates;
  EXPECT_TRUE(gates.Enabled(Gate::kDynamicResourceAllocation));
  EXPECT_TRUE(gates.Enabled(Gate::kNodeDeclaredFeatures));
  EXPECT_TRUE(gates.Enabled(Gate::kSchedulerPopFromBackoffQ));
  EXPECT_TRUE(gates.Enabled(Gate::kVolumeLimitScaling));
  EXPECT_TRUE(gates.Enabled(Gate::kDRAAdminAccess));
  EXPECT_FALSE(gates.Enabled(Gate::kCompositePodGroup));
  EXPECT_FALSE(gates.Enabled(Gate::kGenericWorkload));
  EXPECT_FALSE(gates.Enabled(Gate::kTaintTolerationComparisonOperators));
  EXPECT_EQ(gates.Enabled("WatchList"), true);
  EXPECT_EQ(gates.Enabled("NoSuchGate"), std::nullopt);
}

TEST(FeatureGatesTest, Set) {
  struct Row {
    const char* text;
    std::string_view gate;
    bool want;
  };
  const Row rows[] = {
      {"", "PodLevelResources", true},
      {"PodLevelResources=false,PodLevelResources=true", "PodLevelResources", true},
      {" TaintTolerationComparisonOperators = true ,,", "TaintTolerationComparisonOperators", true},
      {"TaintTolerationComparisonOperators=T", "TaintTolerationComparisonOperators", true},
      {"NodeInclusionPolicyInPodTopologySpread=true", "NodeInclusionPolicyInPodTopologySpread", true},
      {"AllBeta=false", "OpportunisticBatching", false},
      {"AllBeta=false", "NodeDeclaredFeatures", true},  // not beta any more
      {"AllBeta=false,OpportunisticBatching=true", "OpportunisticBatching", true},
      {"OpportunisticBatching=true,AllBeta=false", "OpportunisticBatching", true},
      {"AllBeta=true", "GenericWorkload", true},
      {"AllBeta=true", "TaintTolerationComparisonOperators", false},
      {"AllAlpha=true,AllBeta=true", "TopologyAwareWorkloadScheduling", true},
      {"AllAlpha=true,AllBeta=true", "AllBeta", true},
      {"GenericWorkload=true,TopologyAwareWorkloadScheduling=true", "TopologyAwareWorkloadScheduling", true},
  };
  for (const Row& row : rows) {
    const Result<FeatureGates> gates = FeatureGates::Parse(row.text);
    ASSERT_TRUE(gates.ok()) << row.text << ": " << gates.error().message;
    EXPECT_EQ(gates->Enabled(row.gate), row.want) << row.text;
  }
  EXPECT_TRUE(FeatureGates::Parse("GenericWorkload=true")->Enabled(Gate::kGenericWorkload));
}

// The texts are what featuregate.Set says in the real kube-scheduler.
TEST(FeatureGatesTest, Errors) {
  const std::pair<const char*, const char*> rows[] = {
      {"Foo=true", "unrecognized feature gate: Foo"},
      {"PodLevelResources", "missing bool value for PodLevelResources"},
      {"PodLevelResources=x",
       R"(invalid value of PodLevelResources=x, err: strconv.ParseBool: parsing "x": invalid syntax)"},
      {"NodeInclusionPolicyInPodTopologySpread=false",
       "cannot set feature gate NodeInclusionPolicyInPodTopologySpread to false, feature is locked to true"},
      {"TopologyAwareWorkloadScheduling=true,GenericWorkload=false",
       "TopologyAwareWorkloadScheduling is enabled, but depends on features that are disabled: [GenericWorkload]"},
      {"CompositePodGroup=true",
       "CompositePodGroup is enabled, but depends on features that are disabled: [GenericWorkload "
       "TopologyAwareWorkloadScheduling]"},
      {"AllAlpha=true",
       "[CompositePodGroup is enabled, but depends on features that are disabled: [GenericWorkload], "
       "PodGroupPreemptionPolicy is enabled, but depends on features that are disabled: [GenericWorkload], "
       "TopologyAwareWorkloadScheduling is enabled, but depends on features that are disabled: [GenericWorkload], "
       "WorkloadWithJob is enabled, but depends on features that are disabled: [GenericWorkload]]"},
  };
  for (const auto& [text, want] : rows) {
    const Result<FeatureGates> gates = FeatureGates::Parse(text);
    ASSERT_FALSE(gates.ok()) << text;
    EXPECT_EQ(gates.error().message, want);
  }
}

}  // namespace
}  // namespace ksched::config
