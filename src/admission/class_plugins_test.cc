// Plugins that go by a class or a namespace: priority, runtime class, storage class, namespace.
#include <gtest/gtest.h>

#include "admission/namespace_lifecycle.h"
#include "admission/priority.h"
#include "admission/runtime_class.h"
#include "admission/storage_class.h"
#include "admission/testing.h"

namespace ksched {
namespace {

using testing_admission::ErrorOf;
using testing_admission::MakeClaim;
using testing_admission::Resources;

api::PriorityClass Class(const std::string& name, int32_t value, bool global, const std::string& policy) {
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
  std::string given_policy, error;
  int32_t priority;  // expected, as the two that follow, if there is no error
  std::string final_class, policy;
};

void CheckPriority(const PriorityPlugin& plugin, const PriorityCase& test) {
  SCOPED_TRACE(test.name);
  api::PodSpec spec;
  spec.priority_class_name = test.class_name;
  spec.priority = test.given;
  spec.preemption_policy = test.given_policy;
  EXPECT_EQ(ErrorOf(plugin.Admit(spec)), test.error);
  if (!test.error.empty()) return;
  EXPECT_EQ(spec.priority, test.priority);
  EXPECT_EQ(spec.priority_class_name, test.final_class);
  EXPECT_EQ(spec.preemption_policy, test.policy);
}

TEST(PriorityPlugin, Admit) {
  PriorityPlugin plugin;
  const PriorityCase zero = {"no default", "", {}, "", "", 0, "", "PreemptLowerPriority"};
  CheckPriority(plugin, zero);
  plugin.Put(Class("high", 1000, false, "Never"));
  plugin.Put(Class("plain", 5, true, ""));
  const std::string number_5 =
      "the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 1000 "
      "from the given PriorityClass name";
  const std::string other_policy =
      "the string value of PreemptionPolicy (PreemptLowerPriority) must not be provided in pod spec; priority "
      "admission controller computed Never from the given PriorityClass name";
  const PriorityCase cases[] = {
      {"the class", "high", {}, "", "", 1000, "high", "Never"},
      {"the default", "", {}, "", "", 5, "plain", "PreemptLowerPriority"},
      {"the same number", "high", 1000, "Never", "", 1000, "high", "Never"},
      {"another number", "high", 5, "", number_5, 0, "", ""},
      {"another policy", "high", {}, "PreemptLowerPriority", other_policy, 0, "", ""},
      {"no such class", "gold", {}, "", "no PriorityClass with name gold was found", 0, "", ""},
      {"of the system", "system-node-critical", {}, "", "", 2000001000, "system-node-critical", "PreemptLowerPriority"},
  };
  for (const PriorityCase& test : cases) CheckPriority(plugin, test);
  plugin.Remove("plain");
  CheckPriority(plugin, zero);
}

struct RuntimeCase {
  const char* name;
  std::string class_name;
  std::optional<api::ResourceList> overhead;
  std::string selected;  // the pod's nodeSelector[runtime]
  std::string admit_error, check_error;
};

TEST(RuntimeClassPlugin, AdmitAndCheck) {
  RuntimeClassPlugin plugin;
  api::RuntimeClass kata, plain;
  kata.metadata.name = "kata";
  kata.overhead = Resources("cpu=250m");
  kata.has_scheduling = true;
  kata.node_selector["runtime"] = "kata";
  kata.tolerations = {{.key = "kata", .op = "Exists"}};
  plain.metadata.name = "plain";
  plugin.Put(kata);
  plugin.Put(plain);
  const std::string other = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
  const std::string without = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead";
  const RuntimeCase cases[] = {
      {"none", "", {}, "", "", ""},
      {"completes", "kata", {}, "", "", ""},
      {"an empty overhead is none", "kata", Resources(""), "", "", ""},
      {"the same overhead", "kata", Resources("cpu=0.25"), "kata", "", ""},
      {"another overhead", "kata", Resources("cpu=1"), "", other, ""},
      {"another node selector",
       "kata",
       {},
       "runc",
       "conflict: runtimeClass.scheduling.nodeSelector[runtime] = kata; pod.spec.nodeSelector[runtime] = runc",
       ""},
      {"not there", "gone", {}, "", "pod rejected: RuntimeClass \"gone\" not found", ""},
      {"overhead without a class", "", Resources("cpu=1"), "", "", without},
      {"overhead, and a class without", "plain", Resources("cpu=1"), "", "", without},
      {"even an empty one", "plain", Resources(""), "", "", without},
  };
  for (const RuntimeCase& test : cases) {
    SCOPED_TRACE(test.name);
    api::PodSpec spec;
    spec.node_name = "n1";  // makes no difference when a pod is created
    spec.runtime_class_name = test.class_name;
    spec.overhead = test.overhead;
    if (!test.selected.empty()) spec.node_selector["runtime"] = test.selected;
    EXPECT_EQ(ErrorOf(plugin.Admit(spec)), test.admit_error);
    if (!test.admit_error.empty()) continue;
    EXPECT_EQ(ErrorOf(plugin.Check(spec)), test.check_error);
    if (test.class_name != "kata") continue;
    EXPECT_EQ(spec.overhead, kata.overhead);
    EXPECT_EQ(spec.node_selector.at("runtime"), "kata");
    EXPECT_EQ(spec.tolerations, kata.tolerations);
  }
}

api::StorageClass Storage(const std::string& name, const std::string& annotation, std::optional<api::TimeNs> created) {
  api::StorageClass one;
  one.metadata.name = name;
  one.metadata.creation_timestamp = created;
  if (!annotation.empty()) one.metadata.annotations[annotation] = "true";
  return one;
}

TEST(DefaultStorageClass, Cases) {
  const std::string by_annotation = "storageclass.kubernetes.io/is-default-class";
  const auto chosen = [](const DefaultStorageClass& plugin) {
    api::PersistentVolumeClaim claim = MakeClaim("v", "storage=1Gi");
    plugin.Admit(claim);
    return claim.spec.storage_class_name;
  };
  DefaultStorageClass plugin;
  plugin.Put(Storage("ordinary", "", 100));
  EXPECT_EQ(chosen(plugin), std::nullopt);
  plugin.Put(Storage("timeless", by_annotation, {}));
  EXPECT_EQ(chosen(plugin), "timeless");
  plugin.Put(Storage("b", by_annotation, 10));
  plugin.Put(Storage("c", "storageclass.beta.kubernetes.io/is-default-class", 20));
  plugin.Put(Storage("a", by_annotation, 20));
  EXPECT_EQ(chosen(plugin), "a") << "the youngest, then the name";
  plugin.Remove("a");
  EXPECT_EQ(chosen(plugin), "c");
  api::StorageClass no_more = Storage("c", "", 20);
  no_more.metadata.annotations[by_annotation] = "false";
  plugin.Put(no_more);
  EXPECT_EQ(chosen(plugin), "b");

  api::PersistentVolumeClaim none = MakeClaim("v", ""), old_style = none;
  none.spec.storage_class_name = "";
  plugin.Admit(none);
  EXPECT_EQ(none.spec.storage_class_name, "");
  old_style.metadata.annotations["volume.beta.kubernetes.io/storage-class"] = "x";
  plugin.Admit(old_style);
  EXPECT_EQ(old_style.spec.storage_class_name, std::nullopt);
}

TEST(NamespaceLifecycle, Cases) {
  NamespaceLifecycle plugin;
  api::Namespace team, ending;
  team.metadata.name = "team";
  ending.metadata.name = "ending";
  ending.metadata.deletion_timestamp = 1;
  plugin.Put(team);
  plugin.Put(ending);
  const auto error = [&](const std::string& ns) {
    api::ObjectMeta metadata;
    metadata.name = "web";
    metadata.ns = ns;
    return ErrorOf(plugin.Admit("pods", metadata));
  };
  EXPECT_EQ(error("team"), "");
  EXPECT_EQ(error("kube-system"), "");
  EXPECT_EQ(error("gone"), "namespaces \"gone\" not found");
  EXPECT_EQ(error("ending"),
            "pods \"web\" is forbidden: unable to create new content in namespace ending because it is being "
            "terminated");
  plugin.Remove("team");
  EXPECT_EQ(error("team"), "namespaces \"team\" not found");
}

}  // namespace
}  // namespace ksched
