#include "manifest/admission.h"

#include <gtest/gtest.h>

namespace ksched {
namespace {

using api::Pod;
using api::Toleration;

api::PriorityClass Class(const std::string& name, int32_t value, bool global = false,
                         const std::string& policy = "PreemptLowerPriority") {
  api::PriorityClass one;
  one.metadata.name = name;
  one.value = value;
  one.global_default = global;
  one.preemption_policy = policy;
  return one;
}

struct PriorityCase {
  const char* name;
  std::string class_name;
  std::optional<int32_t> given;
  std::string given_policy;
  int32_t priority;  // expected
  std::string final_class, policy;
};

TEST(Admission, Priority) {
  Admission admission;
  admission.Put(Class("high", 1000, false, "Never"));
  admission.Put(Class("default-b", 7, true));
  admission.Put(Class("default-a", 5, true));
  admission.Put(Class("default-c", 5, true));
  const PriorityCase cases[] = {
      {"the class", "high", {}, "", 1000, "high", "Never"},
      {"the pod's policy stays", "high", {}, "PreemptLowerPriority", 1000, "high", "PreemptLowerPriority"},
      {"of several defaults the lowest, then the first", "", {}, "", 5, "default-a", "PreemptLowerPriority"},
      {"a priority that is there stays", "high", 3, "", 3, "high", ""},
      {"a class of the system",
       "system-node-critical",
       {},
       "",
       2000001000,
       "system-node-critical",
       "PreemptLowerPriority"},
      {"the other one",
       "system-cluster-critical",
       {},
       "",
       2000000000,
       "system-cluster-critical",
       "PreemptLowerPriority"},
  };
  for (const PriorityCase& test : cases) {
    SCOPED_TRACE(test.name);
    Pod pod;
    pod.spec.priority_class_name = test.class_name;
    pod.spec.priority = test.given;
    pod.spec.preemption_policy = test.given_policy;
    EXPECT_EQ(Admission::MayChange(pod), !test.given);
    ASSERT_TRUE(admission.Admit(pod).ok());
    EXPECT_EQ(pod.spec.priority, test.priority);
    EXPECT_EQ(pod.spec.priority_class_name, test.final_class);
    EXPECT_EQ(pod.spec.preemption_policy, test.policy);
  }
}

TEST(Admission, PriorityWithoutClasses) {
  Pod pod;
  ASSERT_TRUE(Admission().Admit(pod).ok());
  EXPECT_EQ(pod.spec.priority, 0);
  EXPECT_EQ(pod.spec.preemption_policy, "PreemptLowerPriority");
  Pod unknown;
  unknown.spec.priority_class_name = "gold";
  EXPECT_EQ(Admission().Admit(unknown).error().message, "no PriorityClass with name gold was found");
}

class RuntimeClassAdmission : public testing::Test {
 protected:
  RuntimeClassAdmission() {
    api::RuntimeClass one;
    one.metadata.name = "kata";
    one.overhead.emplace()["cpu"] = api::Quantity::FromMilli(250);
    one.has_scheduling = true;
    one.node_selector["runtime"] = "kata";
    one.tolerations = {{.key = "kata", .op = "Exists"}};
    admission_.Put(one);
    pod_.spec.priority = 0;
    pod_.spec.runtime_class_name = "kata";
  }
  Admission admission_;
  Pod pod_;
};

TEST_F(RuntimeClassAdmission, Adds) {
  pod_.spec.node_selector["disk"] = "ssd";
  ASSERT_TRUE(admission_.Admit(pod_).ok());
  EXPECT_EQ(pod_.spec.overhead->at("cpu"), api::Quantity::FromMilli(250));
  EXPECT_EQ(pod_.spec.node_selector.size(), 2U);
  EXPECT_EQ(pod_.spec.tolerations.size(), 1U);
  ASSERT_TRUE(admission_.Admit(pod_).ok()) << "again, on what it made";
  EXPECT_EQ(pod_.spec.tolerations.size(), 1U);
}

TEST_F(RuntimeClassAdmission, LeavesAlone) {
  Pod unknown = pod_, placed = pod_, over = pod_;
  unknown.spec.runtime_class_name = "gvisor";
  placed.spec.node_name = "n1";
  placed.spec.overhead.emplace();
  over.status.phase = "Failed";
  EXPECT_FALSE(Admission::MayChange(placed));
  for (Pod* pod : {&unknown, &placed, &over}) {
    ASSERT_TRUE(admission_.Admit(*pod).ok());
    EXPECT_TRUE(pod->spec.node_selector.empty());
  }
  admission_.RemoveRuntimeClass("kata");
  ASSERT_TRUE(admission_.Admit(pod_).ok());
  EXPECT_FALSE(pod_.spec.overhead.has_value());
}

TEST_F(RuntimeClassAdmission, Contradictions) {
  Pod other_overhead = pod_, other_selector = pod_;
  other_overhead.spec.overhead.emplace()["cpu"] = api::Quantity::FromMilli(1);
  EXPECT_EQ(admission_.Admit(other_overhead).error().message,
            "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
  other_selector.spec.node_selector["runtime"] = "runc";
  EXPECT_EQ(admission_.Admit(other_selector).error().message,
            "conflict: runtimeClass.scheduling.nodeSelector[runtime] = kata; pod.spec.nodeSelector[runtime] = runc");
}

struct MergeCase {
  const char* name;
  std::vector<Toleration> first, second, merged;
};

TEST(MergeTolerations, Cases) {
  const Toleration exists_all{.op = "Exists"}, exists_a{.key = "a", .op = "Exists"},
      a1{.key = "a", .op = "Equal", .value = "1"},
      a1_no_schedule{.key = "a", .op = "Equal", .value = "1", .effect = "NoSchedule"},
      for_30{.key = "a", .op = "Exists", .effect = "NoExecute", .toleration_seconds = 30},
      for_60{.key = "a", .op = "Exists", .effect = "NoExecute", .toleration_seconds = 60},
      greater{.key = "a", .op = "Gt", .value = "1"};
  const MergeCase cases[] = {
      {"nothing", {}, {}, {}},
      {"equal ones, once", {a1}, {a1}, {a1}},
      {"covered by an earlier one", {exists_all}, {exists_a, a1_no_schedule}, {exists_all}},
      {"covered by a later one", {a1_no_schedule}, {a1}, {a1}},
      {"another value",
       {a1},
       {{.key = "a", .op = "Equal", .value = "2"}},
       {a1, {.key = "a", .op = "Equal", .value = "2"}}},
      {"the longer time covers", {for_30}, {for_60}, {for_60}},
      {"no time at all is longer", {for_60}, {exists_a}, {exists_a}},
      {"comparisons cover only themselves", {greater}, {greater, a1}, {greater, a1}},
  };
  for (const MergeCase& test : cases) {
    SCOPED_TRACE(test.name);
    EXPECT_EQ(MergeTolerations(test.first, test.second), test.merged);
  }
}

}  // namespace
}  // namespace ksched
