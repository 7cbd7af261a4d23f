#include "api/kinds.h"

#include <algorithm>

#include "api/field_reader.h"
#include "api/fields_node.h"
#include "api/fields_pod.h"
#include "api/fields_workload.h"

namespace ksched::api {
namespace {

template <typename T, typename Table = T>
void Read(const rapidjson::Value& root, Object& out, ProblemReporter& reporter) {
  ReadFields<Table>(root, out.emplace<T>(), FieldPath(), reporter);
}

template <typename SpecPart>
constexpr auto kReadWorkload = &Read<Workload, WorkloadKind<SpecPart>>;

constexpr std::string_view kV1[] = {"v1"};
constexpr std::string_view kV1OrBeta[] = {"v1", "v1beta1"};
constexpr std::string_view kV1OrBetas[] = {"v1", "v1beta2", "v1beta1"};
constexpr std::string_view kV1OrBeta2[] = {"v1", "v1beta2"};
constexpr std::string_view kV1OrOlder[] = {"v1", "v1beta1", "v1alpha1"};
constexpr std::string_view kBeta[] = {"v1beta1"};
constexpr std::string_view kResource[] = {"v1", "v1beta2", "v1beta1", "v1alpha3"};

constexpr std::string_view kStorage = "storage.k8s.io", kDra = "resource.k8s.io", kScheduling = "scheduling.k8s.io";
constexpr std::string_view kPodGroups = "pod groups are not supported yet";
constexpr std::string_view kNoDaemonSets = "DaemonSet: pods of this kind are not made yet";
constexpr std::string_view kNoCronJobs = "CronJob: pods of this kind are not made yet";

constexpr KindInfo kKinds[] = {
    {"", "Pod", kV1, true, &Read<Pod>},
    {"", "Node", kV1, false, &Read<Node>},
    {"", "Namespace", kV1, false, &Read<Namespace>},
    {"", "PersistentVolume", kV1, false, &Read<OtherObject>},
    {"", "PersistentVolumeClaim", kV1, true, &Read<OtherObject>},
    {"", "Service", kV1, true, &Read<OtherObject>},
    {"", "LimitRange", kV1, true, &Read<OtherObject>},
    {"", "ResourceQuota", kV1, true, &Read<OtherObject>},
    {"", "ReplicationController", kV1, true, kReadWorkload<ReplicationControllerSpecPart>},

    {"apps", "Deployment", kV1OrBetas, true, kReadWorkload<DeploymentSpecPart>},
    {"apps", "ReplicaSet", kV1OrBeta2, true, kReadWorkload<ReplicaSetSpecPart>},
    {"apps", "StatefulSet", kV1OrBetas, true, kReadWorkload<StatefulSetSpecPart>},
    {"apps", "DaemonSet", kV1OrBeta2, true, nullptr, {}, kNoDaemonSets},
    {"extensions", "Deployment", kBeta, true, kReadWorkload<DeploymentSpecPart>},
    {"extensions", "ReplicaSet", kBeta, true, kReadWorkload<ReplicaSetSpecPart>},
    {"extensions", "DaemonSet", kBeta, true, nullptr, {}, kNoDaemonSets},
    {"batch", "Job", kV1, true, kReadWorkload<JobSpecPart>},
    {"batch", "CronJob", kV1OrBeta, true, nullptr, {}, kNoCronJobs},

    {kScheduling, "PriorityClass", kV1OrOlder, false, &Read<PriorityClass>},
    {kScheduling, "Workload", {}, true, nullptr, kPodGroups},
    {kScheduling, "PodGroup", {}, true, nullptr, kPodGroups},
    {kScheduling, "CompositePodGroup", {}, true, nullptr, kPodGroups},
    {"node.k8s.io", "RuntimeClass", kV1OrBeta, false, &Read<RuntimeClass>},
    {"policy", "PodDisruptionBudget", kV1OrBeta, true, &Read<OtherObject>},

    {kStorage, "StorageClass", kV1OrBeta, false, &Read<OtherObject>},
    {kStorage, "CSINode", kV1OrBeta, false, &Read<OtherObject>},
    {kStorage, "CSIDriver", kV1OrBeta, false, &Read<OtherObject>},
    {kStorage, "CSIStorageCapacity", kV1OrOlder, true, &Read<OtherObject>},
    {kStorage, "VolumeAttachment", kV1OrOlder, false, &Read<OtherObject>},

    {kDra, "DeviceClass", kResource, false, &Read<DeviceClass>},
    {kDra, "ResourceClaim", kResource, true, &Read<OtherObject>},
    {kDra, "ResourceClaimTemplate", kResource, true, &Read<OtherObject>},
    {kDra, "ResourceSlice", kResource, false, &Read<OtherObject>},
    {kDra, "DeviceTaintRule", kResource, false, &Read<OtherObject>},
};

}  // namespace

bool ParseGroupVersion(std::string_view api_version, GroupVersion& out) {
  const size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) {
    out = {{}, api_version};
    return true;
  }
  out = {api_version.substr(0, slash), api_version.substr(slash + 1)};
  return out.version.find('/') == std::string_view::npos;
}

const KindInfo* FindKind(std::string_view group, std::string_view kind) {
  const auto found = std::find_if(std::begin(kKinds), std::end(kKinds),
                                  [&](const KindInfo& info) { return info.kind == kind && info.group == group; });
  return found == std::end(kKinds) ? nullptr : found;
}

bool IsKindOfSomeGroup(std::string_view kind) {
  return std::any_of(std::begin(kKinds), std::end(kKinds), [&](const KindInfo& info) { return info.kind == kind; });
}

}  // namespace ksched::api
