#include "admission/pod_strategy.h"

#include <gtest/gtest.h>

#include "admission/testing.h"

namespace ksched {
namespace {

using testing_admission::MakeContainer;
using testing_admission::MakePod;
using testing_admission::Resources;

TEST(PodStrategy, StatusStartsAnew) {
  api::Pod pod = MakePod("web");
  pod.metadata.generation = 7;
  pod.status.phase = "Running";
  pod.status.nominated_node_name = "n1";
  pod.status.conditions.push_back({"Ready", "True", "", ""});
  PreparePodForCreate(pod);
  EXPECT_EQ(pod.status.phase, "Pending");
  EXPECT_EQ(pod.status.nominated_node_name, "");
  EXPECT_TRUE(pod.status.conditions.empty());
  EXPECT_EQ(pod.metadata.generation, 1);
  pod.spec.scheduling_gates = {"g"};
  PreparePodForCreate(pod);
  ASSERT_EQ(pod.status.conditions.size(), 1U);
  EXPECT_EQ(pod.status.conditions[0].reason, "SchedulingGated");
  EXPECT_EQ(pod.status.conditions[0].message, "Scheduling is blocked due to non-empty scheduling gates");
}

TEST(PodStrategy, LabelKeys) {
  api::Pod pod = MakePod("web");
  pod.metadata.labels = {{"ver", "2"}, {"tenant", "t"}};
  api::PodAffinityTerm term;
  term.label_selector.emplace().match_labels["app"] = "a";
  term.match_label_keys = {"ver", "absent"};
  term.mismatch_label_keys = {"tenant"};
  api::PodAffinityTerm no_selector = term;
  no_selector.label_selector.reset();
  api::Affinity& affinity = pod.spec.affinity.emplace();
  affinity.pod_affinity.emplace().required = {term, no_selector};
  affinity.pod_anti_affinity.emplace().preferred = {{1, term}};
  api::TopologySpreadConstraint constraint;
  constraint.match_label_keys = {"ver"};
  pod.spec.topology_spread_constraints = {constraint, constraint};
  pod.spec.topology_spread_constraints[0].label_selector.emplace();

  PreparePodForCreate(pod);
  const std::vector<api::LabelSelectorRequirement> merged = {{"ver", "In", {"2"}}, {"tenant", "NotIn", {"t"}}};
  EXPECT_EQ(affinity.pod_affinity->required[0].label_selector->match_expressions, merged);
  EXPECT_EQ(affinity.pod_affinity->required[0].label_selector->match_labels.size(), 1U);
  EXPECT_FALSE(affinity.pod_affinity->required[1].label_selector.has_value());
  EXPECT_EQ(affinity.pod_anti_affinity->preferred[0].term.label_selector->match_expressions, merged);
  const std::vector<api::LabelSelectorRequirement> spread = {{"ver", "In", {"2"}}};
  EXPECT_EQ(pod.spec.topology_spread_constraints[0].label_selector->match_expressions, spread);
  EXPECT_FALSE(pod.spec.topology_spread_constraints[1].label_selector.has_value());
}

struct PodLevelCase {
  const char* name;
  std::string requests, limits;  // the pod's
  std::vector<api::Container> containers, init_containers;
  std::string final_requests, final_limits;  // expected
};

TEST(PodStrategy, PodLevelResources) {
  const std::vector<api::Container> two = {MakeContainer("a", "cpu=1 memory=1Gi", "cpu=2 memory=1Gi"),
                                           MakeContainer("b", "cpu=1", "cpu=1")};
  const PodLevelCase cases[] = {
      {"says nothing", "", "", two, {}, "", ""},
      {"requests from the containers, limits where all have one",
       "memory=2Gi",
       "",
       two,
       {},
       "cpu=2 memory=2Gi",
       "cpu=3"},
      {"a request above the containers' limits", "cpu=5", "", two, {}, "cpu=5 memory=1Gi", "cpu=5"},
      {"requests from the pod's limits",
       "",
       "cpu=4 memory=3Gi",
       {MakeContainer("a", "")},
       {},
       "cpu=4 memory=3Gi",
       "cpu=4 memory=3Gi"},
      {"an init container without a limit", "cpu=2", "", two, {MakeContainer("i", "cpu=1")}, "cpu=2 memory=1Gi", ""},
      {"an init container with a larger one",
       "cpu=2",
       "",
       two,
       {MakeContainer("i", "cpu=4", "cpu=6")},
       "cpu=2 memory=1Gi",
       "cpu=6"},
      {"huge pages: limits first",
       "cpu=1",
       "",
       {MakeContainer("a", "hugepages-2Mi=4Mi", "hugepages-2Mi=4Mi")},
       {},
       "cpu=1 hugepages-2Mi=4Mi",
       "hugepages-2Mi=4Mi"},
      {"other resources are not the pod's",
       "cpu=1",
       "",
       {MakeContainer("a", "example.com/gpu=1 ephemeral-storage=1Gi", "example.com/gpu=1")},
       {},
       "cpu=1",
       ""},
  };
  for (const PodLevelCase& test : cases) {
    SCOPED_TRACE(test.name);
    api::Pod pod = MakePod("web");
    pod.spec.containers = test.containers;
    pod.spec.init_containers = test.init_containers;
    auto& resources = pod.spec.resources.emplace();
    resources.requests = Resources(test.requests);
    resources.limits = Resources(test.limits);
    PreparePodForCreate(pod);
    EXPECT_EQ(resources.requests, Resources(test.final_requests));
    EXPECT_EQ(resources.limits, Resources(test.final_limits));
  }
}

}  // namespace
}  // namespace ksched
