#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/decode_test_util.h"

namespace ksched::api {
namespace {

using ::testing::IsEmpty;

constexpr IntOrString Number(int32_t number) { return {.number = number}; }
IntOrString Percent(const char* text) { return {.is_text = true, .text = text}; }

template <typename T>
T Decode(const std::string& version, const std::string& kind, const std::string& fields) {
  const DecodeOutcome outcome =
      DecodeText("{apiVersion: " + version + ", kind: " + kind + ", metadata: {name: x}, " + fields + "}",
                 ValidationMode::kStored);
  EXPECT_THAT(outcome.problems, IsEmpty());
  return outcome.ok ? outcome.As<T>() : T();
}

TEST(Defaults, HowPodsAreReplaced) {
  using Amount = std::optional<IntOrString>;
  const struct {
    const char *version, *kind, *spec;
    std::string strategy;
    Amount unavailable, surge;
  } kCases[] = {
      {"apps/v1", "Deployment", "{}", "RollingUpdate", Percent("25%"), Percent("25%")},
      {"apps/v1beta1", "Deployment", "{}", "RollingUpdate", Percent("25%"), Percent("25%")},
      {"extensions/v1beta1", "Deployment", "{}", "RollingUpdate", Number(1), Number(1)},
      {"apps/v1", "Deployment", "{strategy: {rollingUpdate: {maxSurge: 3}}}", "RollingUpdate", Percent("25%"),
       Number(3)},
      {"apps/v1", "Deployment", "{strategy: {type: Recreate}}", "Recreate", {}, {}},
      {"apps/v1", "DaemonSet", "{}", "RollingUpdate", Number(1), Number(0)},
      {"extensions/v1beta1", "DaemonSet", "{}", "OnDelete", {}, {}},
      {"apps/v1", "StatefulSet", "{}", "RollingUpdate", Number(1), {}},
      {"apps/v1", "StatefulSet", "{updateStrategy: {type: RollingUpdate}}", "RollingUpdate", {}, {}},
      {"apps/v1beta1", "StatefulSet", "{}", "OnDelete", {}, {}},
      {"apps/v1", "ReplicaSet", "{}", "", {}, {}},
  };
  for (const auto& test : kCases) {
    const Workload workload = Decode<Workload>(test.version, test.kind, std::string("spec: ") + test.spec);
    EXPECT_EQ(workload.strategy, test.strategy) << test.version << " " << test.kind << " " << test.spec;
    EXPECT_EQ(workload.max_unavailable, test.unavailable) << test.version << " " << test.kind << " " << test.spec;
    EXPECT_EQ(workload.max_surge, test.surge) << test.version << " " << test.kind << " " << test.spec;
  }
}

TEST(Defaults, Replicas) {
  EXPECT_EQ(Decode<Workload>("apps/v1", "Deployment", "spec: {}").replicas, 1);
  EXPECT_FALSE(Decode<Workload>("apps/v1", "Deployment", "spec: {}").replicas_given);
  EXPECT_TRUE(Decode<Workload>("apps/v1", "Deployment", "spec: {replicas: 1}").replicas_given);
  EXPECT_FALSE(Decode<Workload>("apps/v1", "DaemonSet", "spec: {}").replicas.has_value());
  EXPECT_FALSE(Decode<Workload>("batch/v1", "CronJob", "spec: {}").parallelism.has_value());
}

TEST(Defaults, StatefulSets) {
  const Workload set = Decode<Workload>("apps/v1", "StatefulSet", "spec: {volumeClaimTemplates: [{}]}");
  EXPECT_EQ(set.partition, 0);
  EXPECT_EQ(set.pod_management_policy, "OrderedReady");
  EXPECT_EQ(set.claims_when_deleted, "Retain");
  EXPECT_EQ(set.claims_when_scaled, "Retain");
  EXPECT_EQ(set.claim_templates.at(0).spec.volume_mode, "Filesystem");
}

TEST(Defaults, Storage) {
  const auto volume = Decode<PersistentVolume>("v1", "PersistentVolume", "spec: {capacity: {storage: 1u}}");
  EXPECT_EQ(volume.spec.reclaim_policy, "Retain");
  EXPECT_EQ(volume.spec.volume_mode, "Filesystem");
  EXPECT_EQ(volume.status.phase, "Pending");
  EXPECT_EQ(volume.spec.capacity.at("storage"), Quantity::FromMilli(1));
  EXPECT_FALSE(volume.spec.source.azure_disk.has_value());
  const auto azure = Decode<PersistentVolume>("v1", "PersistentVolume", "spec: {azureDisk: {diskURI: u}}");
  EXPECT_EQ(azure.spec.source.azure_disk->kind, "Shared");
  const auto rbd = Decode<PersistentVolume>("v1", "PersistentVolume", "spec: {rbd: {image: i}}");
  EXPECT_EQ(rbd.spec.source.rbd->pool, "rbd");
  const auto pod =
      Decode<Pod>("v1", "Pod", "spec: {volumes: [{azureDisk: {kind: Managed}}, {rbd: {pool: p}}, {rbd: {}}]}");
  EXPECT_EQ(pod.spec.volumes.at(0).source.azure_disk->kind, "Managed");
  EXPECT_EQ(pod.spec.volumes.at(1).source.rbd->pool, "p");
  EXPECT_EQ(pod.spec.volumes.at(2).source.rbd->pool, "rbd");
  EXPECT_EQ(Decode<PersistentVolumeClaim>("v1", "PersistentVolumeClaim", "spec: {}").status.phase, "Pending");
  const auto storage_class = Decode<StorageClass>("storage.k8s.io/v1", "StorageClass", "provisioner: p");
  EXPECT_EQ(storage_class.volume_binding_mode, "Immediate");
  EXPECT_EQ(storage_class.reclaim_policy, "Delete");
  const auto driver = Decode<CsiDriver>("storage.k8s.io/v1", "CSIDriver", "spec: {}");
  EXPECT_EQ(driver.attach_required, true);
  EXPECT_EQ(driver.storage_capacity, false);
}

TEST(Defaults, LimitsOfContainersFollowFromOneAnother) {
  const auto range = Decode<LimitRange>(
      "v1", "LimitRange",
      "spec: {limits: [{type: Container, max: {cpu: 4, memory: 4Gi}, default: {cpu: 2}, min: {pods: 1}},"
      " {type: Pod, max: {cpu: 8}}]}");
  EXPECT_EQ(range.limits.at(0).defaults.at("cpu").Value(), 2);
  EXPECT_EQ(range.limits.at(0).defaults.at("memory").Value(), int64_t{4} << 30);
  EXPECT_EQ(range.limits.at(0).default_requests.at("cpu").Value(), 2);
  EXPECT_EQ(range.limits.at(0).default_requests.at("pods").Value(), 1);
  EXPECT_THAT(range.limits.at(1).defaults, IsEmpty());
}

TEST(Defaults, AnEmptySelectorOfAnOldBudgetSelectsNothing) {
  const std::string spec = "spec: {selector: {}}";
  EXPECT_TRUE(Decode<PodDisruptionBudget>("policy/v1", "PodDisruptionBudget", spec).selector.has_value());
  EXPECT_FALSE(Decode<PodDisruptionBudget>("policy/v1beta1", "PodDisruptionBudget", spec).selector.has_value());
}

}  // namespace
}  // namespace ksched::api
