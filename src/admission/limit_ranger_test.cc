#include "admission/limit_ranger.h"

#include <gtest/gtest.h>

#include "admission/testing.h"

namespace ksched {
namespace {

using api::LimitRangeItem;
using testing_admission::ErrorOf;
using testing_admission::MakeClaim;
using testing_admission::MakeContainer;
using testing_admission::MakeLimitRange;
using testing_admission::MakePod;
using testing_admission::Resources;

constexpr const char* kAnnotation = "kubernetes.io/limit-ranger";

struct DefaultCase {
  const char* name;
  LimitRangeItem item;
  std::string requests, limits;              // the container's
  std::string final_requests, final_limits;  // expected
  std::string annotation;                    // after "LimitRanger plugin set: "
};

LimitRangeItem Item(const std::string& type, const std::string& defaults, const std::string& default_requests,
                    const std::string& max = "", const std::string& min = "", const std::string& ratio = "") {
  return {type, Resources(max), Resources(min), Resources(defaults), Resources(default_requests), Resources(ratio)};
}

TEST(LimitRanger, Defaults) {
  const DefaultCase cases[] = {
      {"both", Item("Container", "cpu=2 memory=1Gi", "cpu=100m"), "", "", "cpu=100m memory=1Gi", "cpu=2 memory=1Gi",
       "cpu, memory request for container c; cpu, memory limit for container c"},
      {"what is there stays", Item("Container", "cpu=2", "cpu=100m"), "cpu=1", "", "cpu=1", "cpu=2",
       "cpu limit for container c"},
      {"nothing to add", Item("Container", "cpu=2", "cpu=100m"), "cpu=1", "cpu=1", "cpu=1", "cpu=1", ""},
      {"from max and min", Item("Container", "", "", "cpu=4", "cpu=1 memory=1Mi"), "", "", "cpu=4 memory=1Mi", "cpu=4",
       "cpu, memory request for container c; cpu limit for container c"},
      {"of pods", Item("Pod", "cpu=2", "cpu=1", "cpu=4"), "", "", "", "", ""},
  };
  for (const DefaultCase& test : cases) {
    SCOPED_TRACE(test.name);
    LimitRanger plugin;
    plugin.Put(MakeLimitRange("l", {test.item}));
    api::Pod pod = MakePod("web", test.requests, test.limits);
    plugin.Complete(pod);
    EXPECT_EQ(pod.spec.containers[0].resources.requests, Resources(test.final_requests));
    EXPECT_EQ(pod.spec.containers[0].resources.limits, Resources(test.final_limits));
    EXPECT_EQ(pod.metadata.annotations.contains(kAnnotation), !test.annotation.empty());
    if (test.annotation.empty()) continue;
    EXPECT_EQ(pod.metadata.annotations[kAnnotation], "LimitRanger plugin set: " + test.annotation);
  }
}

TEST(LimitRanger, SeveralItemsAndRanges) {
  LimitRanger plugin;
  plugin.Put(MakeLimitRange("b", {Item("Container", "cpu=3 memory=3Gi", "")}));
  plugin.Put(MakeLimitRange("a", {Item("Container", "cpu=1", "cpu=1"), Item("Container", "cpu=2", "cpu=500m")}));
  api::LimitRange elsewhere = MakeLimitRange("c", {Item("Container", "ephemeral-storage=1Gi", "")});
  elsewhere.metadata.ns = "other";
  plugin.Put(elsewhere);
  api::Pod pod = MakePod("web");
  pod.spec.init_containers = {MakeContainer("i", "cpu=1")};
  plugin.Complete(pod);
  EXPECT_EQ(pod.spec.containers[0].resources.requests, Resources("cpu=500m memory=3Gi"));
  EXPECT_EQ(pod.spec.containers[0].resources.limits, Resources("cpu=2 memory=3Gi"));
  EXPECT_EQ(pod.spec.init_containers[0].resources.requests, Resources("cpu=1 memory=3Gi"));
  EXPECT_EQ(pod.metadata.annotations[kAnnotation],
            "LimitRanger plugin set: memory request for container c; memory limit for container c; memory request for "
            "init container i; memory limit for init container i")
      << "of the last that set something";
  plugin.Remove("default", "a");
  plugin.Remove("default", "nothing");
  plugin.Remove("nowhere", "a");
  api::Pod other = MakePod("web");
  plugin.Complete(other);
  EXPECT_EQ(other.spec.containers[0].resources.limits, Resources("cpu=3 memory=3Gi"));
}

struct LimitCase {
  const char* name;
  LimitRangeItem item;
  std::string requests, limits, error;
};

const LimitCase kContainerCases[] = {
    {"within", Item("Container", "", "", "cpu=2", "cpu=1", "cpu=2"), "cpu=1", "cpu=2", ""},
    {"max, limit", Item("Container", "", "", "cpu=1"), "cpu=1", "cpu=2",
     "maximum cpu usage per Container is 1, but limit is 2"},
    {"max, no limit", Item("Container", "", "", "cpu=1"), "cpu=1", "",
     "maximum cpu usage per Container is 1.  No limit is specified"},
    {"max, request", Item("Container", "", "", "cpu=1"), "cpu=1500m", "cpu=1",
     "maximum cpu usage per Container is 1, but request is 1500m"},
    {"min, request", Item("Container", "", "", "", "memory=64Mi"), "memory=32Mi", "memory=1Gi",
     "minimum memory usage per Container is 64Mi, but request is 32Mi"},
    {"min, no request", Item("Container", "", "", "", "memory=64Mi"), "", "",
     "minimum memory usage per Container is 64Mi.  No request is specified"},
    {"min, limit", Item("Container", "", "", "", "cpu=100m"), "cpu=100m", "cpu=50m",
     "minimum cpu usage per Container is 100m, but limit is 50m"},
    {"ratio", Item("Container", "", "", "", "", "cpu=2"), "cpu=300m", "cpu=1",
     "cpu max limit to request ratio per Container is 2, but provided ratio is 3.333333"},
    {"ratio with a fraction", Item("Container", "", "", "", "", "cpu=1500m"), "cpu=1", "cpu=1500m", ""},
    {"ratio, no request", Item("Container", "", "", "", "", "cpu=2"), "cpu=0", "cpu=1",
     "cpu max limit to request ratio per Container is 2, but no request is specified or request is 0"},
    {"ratio, no limit", Item("Container", "", "", "", "", "cpu=2"), "cpu=1", "",
     "cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0"},
    {"several", Item("Container", "", "", "cpu=1 memory=1Gi", "cpu=500m"), "cpu=2", "cpu=2",
     "[maximum cpu usage per Container is 1, but limit is 2, maximum memory usage per Container is 1Gi.  No limit is "
     "specified]"},
    {"not of containers", Item("PersistentVolumeClaim", "", "", "cpu=1"), "cpu=2", "cpu=2", ""},
};

TEST(LimitRanger, Containers) {
  for (const LimitCase& test : kContainerCases) {
    SCOPED_TRACE(test.name);
    LimitRanger plugin;
    plugin.Put(MakeLimitRange("l", {test.item}));
    EXPECT_EQ(ErrorOf(plugin.Check(MakePod("web", test.requests, test.limits))), test.error);
    api::Pod pod = MakePod("web", "cpu=1 memory=64Mi", "cpu=1 memory=64Mi");
    pod.spec.init_containers = {MakeContainer("i", test.requests, test.limits)};
    EXPECT_EQ(ErrorOf(plugin.Check(pod)), test.error) << "an init container";
  }
}

TEST(LimitRanger, Pods) {
  LimitRanger plugin;
  plugin.Put(MakeLimitRange("l", {Item("Pod", "", "", "cpu=3", "memory=100Mi")}));
  api::Pod pod = MakePod("web", "cpu=1 memory=64Mi", "cpu=2 memory=64Mi");
  EXPECT_EQ(ErrorOf(plugin.Check(pod)), "minimum memory usage per Pod is 100Mi, but request is 64Mi");
  pod.spec.containers.push_back(MakeContainer("d", "cpu=1 memory=64Mi", "cpu=2 memory=64Mi"));
  EXPECT_EQ(ErrorOf(plugin.Check(pod)), "maximum cpu usage per Pod is 3, but limit is 4");
  pod.spec.resources.emplace().limits = Resources("cpu=3");
  EXPECT_EQ(ErrorOf(plugin.Check(pod)), "") << "the pod's own limit counts";
  pod.spec.resources.reset();
  pod.spec.containers = {MakeContainer("c", "cpu=1 memory=64Mi", "cpu=2")};
  pod.spec.init_containers = {MakeContainer("s", "memory=40Mi", "cpu=1", "Always"),
                              MakeContainer("i", "memory=64Mi", "cpu=2500m")};
  EXPECT_EQ(ErrorOf(plugin.Check(pod)), "maximum cpu usage per Pod is 3, but limit is 3500m")
      << "the init container beside the sidecar";
}

TEST(LimitRanger, Claims) {
  LimitRanger plugin;
  plugin.Put(MakeLimitRange("l", {Item("PersistentVolumeClaim", "", "", "storage=10Gi", "storage=1Gi")}));
  EXPECT_EQ(ErrorOf(plugin.Check(MakeClaim("v", "storage=10Gi"))), "");
  EXPECT_EQ(ErrorOf(plugin.Check(MakeClaim("v", "storage=500Mi"))),
            "minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 500Mi");
  EXPECT_EQ(ErrorOf(plugin.Check(MakeClaim("v", "storage=11Gi"))),
            "maximum storage usage per PersistentVolumeClaim is 10Gi, but request is 11Gi");
  EXPECT_EQ(ErrorOf(plugin.Check(MakeClaim("v", ""))),
            "[minimum storage usage per PersistentVolumeClaim is 1Gi.  No request is specified, maximum storage usage "
            "per PersistentVolumeClaim is 10Gi.  No request is specified]");
}

}  // namespace
}  // namespace ksched
