#include "config/expand.h"

#include <gtest/gtest.h>

#include "config/load.h"
#include "config/test_catalog.h"

namespace ksched::config {
namespace {

constexpr auto kScore = ExtensionPoint::kScore, kFilter = ExtensionPoint::kFilter;

std::string Show(const std::vector<ExpandedPlugin>& plugins) {
  std::string text;
  for (const ExpandedPlugin& plugin : plugins) {
    text += (text.empty() ? "" : " ") + plugin.name;
    if (plugin.weight != 0) text += ":" + std::to_string(plugin.weight);
  }
  return text;
}

TEST(ExpandTest, DefaultProfile) {
  const SchedulerConfiguration c = DefaultConfiguration(FeatureGates());
  const Result<ExpandedProfile> expanded = ExpandProfile(c.profiles[0], TestCatalog());
  ASSERT_TRUE(expanded.ok()) << expanded.error().message;
  const std::pair<ExtensionPoint, const char*> rows[] = {
      {ExtensionPoint::kPreEnqueue, "SchedulingGates DynamicResources DefaultPreemption"},
      {ExtensionPoint::kQueueSort, "PrioritySort"},
      {ExtensionPoint::kPreFilter,
       "NodeName NodeUnschedulable TaintToleration NodeAffinity NodePorts NodeResourcesFit VolumeRestrictions "
       "NodeVolumeLimits VolumeBinding VolumeZone PodTopologySpread InterPodAffinity DynamicResources "
       "NodeDeclaredFeatures"},
      {ExtensionPoint::kFilter,
       "NodeName NodeUnschedulable TaintToleration NodeAffinity NodePorts NodeResourcesFit VolumeRestrictions "
       "NodeVolumeLimits VolumeBinding VolumeZone PodTopologySpread InterPodAffinity DynamicResources "
       "NodeDeclaredFeatures"},
      {ExtensionPoint::kPostFilter, "DynamicResources DefaultPreemption"},
      {ExtensionPoint::kPreScore,
       "TaintToleration NodeAffinity NodeResourcesFit VolumeBinding PodTopologySpread InterPodAffinity "
       "NodeResourcesBalancedAllocation"},
      {ExtensionPoint::kScore,
       "TaintToleration:3 NodeAffinity:2 NodeResourcesFit:1 VolumeBinding:1 PodTopologySpread:2 InterPodAffinity:2 "
       "DynamicResources:2 NodeResourcesBalancedAllocation:1 ImageLocality:1"},
      {ExtensionPoint::kReserve, "VolumeBinding DynamicResources"},
      {ExtensionPoint::kPermit, ""},
      {ExtensionPoint::kPreBind, "VolumeBinding DynamicResources"},
      {ExtensionPoint::kBind, "DefaultBinder"},
      {ExtensionPoint::kPostBind, ""},
      {ExtensionPoint::kPlacementGenerate, ""},
      {ExtensionPoint::kPlacementScore, "NodeResourcesFit:1"},
      {ExtensionPoint::kPodGroupPostFilter, "DynamicResources DefaultPreemption"},
  };
  for (const auto& [point, want] : rows) EXPECT_EQ(Show(expanded->At(point)), want) << FieldName(point);
  EXPECT_EQ(expanded->plugins.size(), 20U);
}

// A, B and C filter and score, D only scores; every profile has a queue sort and a bind plugin.
struct Row {
  const char* name;
  std::vector<Plugin> multi_point;
  PluginSet filter, score;
  const char* want_filter;
  const char* want_score;
};

class ExpandRulesTest : public testing::Test {
 protected:
  ExpandRulesTest() {
    catalog_.Add("A", {kFilter, kScore});
    catalog_.Add("B", {kFilter, kScore});
    catalog_.Add("C", {kFilter, kScore});
    catalog_.Add("D", {kScore});
    catalog_.Add("Generate1", {ExtensionPoint::kPlacementGenerate});
    catalog_.Add("Generate2", {ExtensionPoint::kPlacementGenerate});
    profile_.scheduler_name = "p";
    profile_.plugins.At(ExtensionPoint::kQueueSort).enabled = {{"PrioritySort"}};
    profile_.plugins.At(ExtensionPoint::kBind).enabled = {{"DefaultBinder"}};
  }

  TestCatalog catalog_;
  Profile profile_;
};

TEST_F(ExpandRulesTest, MultiPointAndSpecificPoints) {
  const Row rows[] = {
      {"multiPoint alone", {{"A"}, {"B", 5}}, {}, {}, "A B", "A:1 B:5"},
      {"the specific point alone", {}, {{{"B"}, {"A"}}, {}}, {{{"D", 2}}, {}}, "B A", "D:2"},
      {"a specific weight goes first", {{"A", 2}, {"B", 3}}, {}, {{{"B", 9}}, {}}, "A B", "B:9 A:2"},
      {"a specific weight of 0 is 1", {{"A", 2}}, {}, {{{"A"}}, {}}, "A", "A:1"},
      {"overrides keep the point's order",
       {{"A"}, {"B"}, {"C"}},
       {},
       {{{"C"}, {"D"}, {"A"}}, {}},
       "A B C",
       "C:1 A:1 B:1 D:1"},
      {"one disabled", {{"A"}, {"B"}}, {{}, {{"A"}}}, {}, "B", "A:1 B:1"},
      {"all disabled", {{"A"}, {"B"}}, {{}, {{"*"}}}, {}, "", "A:1 B:1"},
      {"all disabled, some enabled", {{"A", 4}, {"B"}}, {{{"B"}}, {{"*"}}}, {{{"A"}}, {{"*"}}}, "B", "A:1"},
      {"disabled and enabled again: after the others", {{"A"}, {"B"}}, {{{"A"}}, {{"A"}}}, {}, "B A", "A:1 B:1"},
      {"a negative weight stays", {{"A", -2}}, {}, {}, "A", "A:-2"},
  };
  for (const Row& row : rows) {
    profile_.plugins.multi_point.enabled = row.multi_point;
    profile_.plugins.At(kFilter) = row.filter;
    profile_.plugins.At(kScore) = row.score;
    const Result<ExpandedProfile> expanded = ExpandProfile(profile_, catalog_);
    ASSERT_TRUE(expanded.ok()) << row.name << ": " << expanded.error().message;
    EXPECT_EQ(Show(expanded->At(kFilter)), row.want_filter) << row.name;
    EXPECT_EQ(Show(expanded->At(kScore)), row.want_score) << row.name;
  }
}

TEST_F(ExpandRulesTest, Errors) {
  struct ErrorRow {
    std::vector<Plugin> multi_point;
    ExtensionPoint point;
    PluginSet set;
    const char* want;
  };
  const ErrorRow rows[] = {
      {{}, kFilter, {{{"Z"}}, {}}, "FilterPlugin \"Z\" does not exist"},
      {{}, kFilter, {{{"D"}}, {}}, "plugin \"D\" does not extend FilterPlugin plugin"},
      {{}, kFilter, {{{"A"}, {"A"}}, {}}, "plugin \"A\" already registered as \"FilterPlugin\""},
      {{{"Z"}}, kFilter, {}, "PreFilterPlugin \"Z\" does not exist"},
      {{{"D"}, {"D"}}, kFilter, {}, "plugin \"D\" already registered as \"ScorePlugin\""},
      {{},
       ExtensionPoint::kPlacementGenerate,
       {{{"Generate1"}, {"Generate2"}}, {}},
       "at most one placement generate plugin is allowed for profile with scheduler name \"p\""},
  };
  for (const ErrorRow& row : rows) {
    Profile profile = profile_;
    profile.plugins.multi_point.enabled = row.multi_point;
    profile.plugins.At(row.point) = row.set;
    const Result<ExpandedProfile> expanded = ExpandProfile(profile, catalog_);
    ASSERT_FALSE(expanded.ok()) << row.want;
    EXPECT_EQ(expanded.error().message, row.want);
  }
  profile_.plugin_config = {{"A", UnknownArgs{}}, {"A", UnknownArgs{}}};
  EXPECT_EQ(ExpandProfile(profile_, catalog_).error().message, "repeated config for plugin A");
}

TEST_F(ExpandRulesTest, QueueSortOfAllProfiles) {
  catalog_.Add("OtherSort", {ExtensionPoint::kQueueSort});
  SchedulerConfiguration configuration;
  configuration.profiles = {profile_, profile_};
  configuration.profiles[1].scheduler_name = "q";
  const auto check = [&] {
    std::vector<ExpandedProfile> expanded;
    for (const Profile& profile : configuration.profiles) expanded.push_back(*ExpandProfile(profile, catalog_));
    const Result<void> result = CheckQueueSort(configuration, expanded);
    return result.ok() ? "" : result.error().message;
  };
  EXPECT_EQ(check(), "");
  configuration.profiles[1].plugin_config = {{"PrioritySort", UnknownArgs{"{}"}}};
  EXPECT_EQ(check(), "different queue sort plugin args for profile \"q\"");
  configuration.profiles[1].plugins.At(ExtensionPoint::kQueueSort).enabled = {{"OtherSort"}};
  EXPECT_EQ(check(), "different queue sort plugins for profile \"q\": \"OtherSort\", first: \"PrioritySort\"");
}

}  // namespace
}  // namespace ksched::config
