#include "admission/admission.h"

#include <gtest/gtest.h>

namespace ksched {
namespace {

using api::Pod;

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

TEST(AdmissionNone, Priority) {
  Admission admission(AdmissionPlugins::none());
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

TEST(AdmissionNone, PriorityWithoutClasses) {
  Pod pod;
  ASSERT_TRUE(Admission(AdmissionPlugins::none()).Admit(pod).ok());
  EXPECT_EQ(pod.spec.priority, 0);
  EXPECT_EQ(pod.spec.preemption_policy, "PreemptLowerPriority");
  Pod unknown;
  unknown.spec.priority_class_name = "gold";
  EXPECT_EQ(Admission(AdmissionPlugins::none()).Admit(unknown).error().message,
            "no PriorityClass with name gold was found");
}

class AdmissionNoneRuntimeClass : public testing::Test {
 protected:
  AdmissionNoneRuntimeClass() {
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
  Admission admission_{AdmissionPlugins::none()};
  Pod pod_;
};

TEST_F(AdmissionNoneRuntimeClass, Adds) {
  pod_.spec.node_selector["disk"] = "ssd";
  ASSERT_TRUE(admission_.Admit(pod_).ok());
  EXPECT_EQ(pod_.spec.overhead->at("cpu"), api::Quantity::FromMilli(250));
  EXPECT_EQ(pod_.spec.node_selector.size(), 2U);
  EXPECT_EQ(pod_.spec.tolerations.size(), 1U);
  ASSERT_TRUE(admission_.Admit(pod_).ok()) << "again, on what it made";
  EXPECT_EQ(pod_.spec.tolerations.size(), 1U);
}

TEST_F(AdmissionNoneRuntimeClass, LeavesAlone) {
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
  admission_.Remove("RuntimeClass", "", "kata");
  ASSERT_TRUE(admission_.Admit(pod_).ok());
  EXPECT_FALSE(pod_.spec.overhead.has_value());
}

TEST_F(AdmissionNoneRuntimeClass, Contradictions) {
  Pod other_overhead = pod_, other_selector = pod_;
  other_overhead.spec.overhead.emplace()["cpu"] = api::Quantity::FromMilli(1);
  EXPECT_EQ(admission_.Admit(other_overhead).error().message,
            "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
  other_selector.spec.node_selector["runtime"] = "runc";
  EXPECT_EQ(admission_.Admit(other_selector).error().message,
            "conflict: runtimeClass.scheduling.nodeSelector[runtime] = kata; pod.spec.nodeSelector[runtime] = runc");
}

}  // namespace
}  // namespace ksched
