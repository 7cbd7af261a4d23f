#include "api/kinds.h"

#include <algorithm>

#include "api/field_reader.h"
#include "api/field_writer.h"
#include "api/fields_node.h"
#include "api/fields_pod.h"
#include "api/fields_policy.h"
#include "api/fields_storage.h"
#include "api/fields_workload.h"
#include "api/protobuf_reader.h"

namespace ksched::api {
namespace {

template <typename T, typename Table>
void Read(const rapidjson::Value& root, Object& out, ProblemReporter& reporter) {
  ReadFields<Table>(root, out.emplace<T>(), FieldPath(), reporter);
}

template <typename T, typename Table>
bool ReadProto(std::string_view bytes, Object& out, ProblemReporter& reporter) {
  ProtobufContext context(reporter);
  return ReadMessage<Table>(bytes, out.emplace<T>(), FieldPath(), context);
}

template <typename T, typename Table>
void Write(const Object& object, JsonOutput& out) {
  WriteFields<Table>(std::get<T>(object), out);
}

template <typename T, typename Table = T>
constexpr KindCodec kCodec = {&Read<T, Table>, &ReadProto<T, Table>, &Write<T, Table>};
template <typename SpecPart, typename StatusPart = void>
constexpr KindCodec kWorkload = kCodec<Workload, WorkloadKind<SpecPart, StatusPart>>;
constexpr KindCodec kDeployment = kWorkload<DeploymentSpecPart, DeploymentStatusPart>;
constexpr KindCodec kReplicaSet = kWorkload<ReplicaSetSpecPart, ReplicaSetStatusPart>;
constexpr KindCodec kController = kWorkload<ReplicationControllerSpecPart, ReplicaSetStatusPart>;
constexpr KindCodec kStatefulSet = kWorkload<StatefulSetSpecPart, StatefulSetStatusPart>;
constexpr KindCodec kDaemonSet = kWorkload<DaemonSetSpecPart, DaemonSetStatusPart>;
constexpr KindCodec kJob = kWorkload<JobSpecPart, JobStatusPart>;
constexpr KindCodec kCronJob = kWorkload<CronJobSpecPart>;

constexpr std::string_view kV1[] = {"v1"};
constexpr std::string_view kV1OrBeta[] = {"v1", "v1beta1"};
constexpr std::string_view kV1OrBetas[] = {"v1", "v1beta2", "v1beta1"};
constexpr std::string_view kV1OrBeta2[] = {"v1", "v1beta2"};
constexpr std::string_view kV1OrOlder[] = {"v1", "v1beta1", "v1alpha1"};
constexpr std::string_view kV1OrV2[] = {"v1", "v2"};
constexpr std::string_view kBeta[] = {"v1beta1"};
constexpr std::string_view kAlpha[] = {"v1alpha1"};
constexpr std::string_view kResource[] = {"v1", "v1beta2", "v1beta1", "v1alpha3"};

constexpr std::string_view kStorage = "storage.k8s.io", kDra = "resource.k8s.io", kScheduling = "scheduling.k8s.io";
constexpr std::string_view kPodGroups = "pod groups are not supported yet";

constexpr KindInfo kKinds[] = {
    {"", "Pod", kV1, true, kCodec<Pod>},
    {"", "Node", kV1, false, kCodec<Node>},
    {"", "Namespace", kV1, false, kCodec<Namespace>},
    {"", "PersistentVolume", kV1, false, kCodec<PersistentVolume>},
    {"", "PersistentVolumeClaim", kV1, true, kCodec<PersistentVolumeClaim>},
    {"", "Service", kV1, true, kCodec<Service>},
    {"", "LimitRange", kV1, true, kCodec<LimitRange>},
    {"", "ResourceQuota", kV1, true, kCodec<ResourceQuota>},
    {"", "ReplicationController", kV1, true, kController},
    {"", "PodTemplate", kV1, true, kCodec<Workload, PodTemplateTable>},

    {"apps", "Deployment", kV1OrBetas, true, kDeployment},
    {"apps", "ReplicaSet", kV1OrBeta2, true, kReplicaSet},
    {"apps", "StatefulSet", kV1OrBetas, true, kStatefulSet},
    {"apps", "DaemonSet", kV1OrBeta2, true, kDaemonSet},
    {"extensions", "Deployment", kBeta, true, kDeployment},
    {"extensions", "ReplicaSet", kBeta, true, kReplicaSet},
    {"extensions", "DaemonSet", kBeta, true, kDaemonSet},
    {"batch", "Job", kV1, true, kJob},
    {"batch", "CronJob", kV1OrBeta, true, kCronJob},

    {kScheduling, "PriorityClass", kV1OrOlder, false, kCodec<PriorityClass>},
    {kScheduling, "Workload", {}, true, {}, kPodGroups},
    {kScheduling, "PodGroup", {}, true, {}, kPodGroups},
    {kScheduling, "CompositePodGroup", {}, true, {}, kPodGroups},
    {"node.k8s.io", "RuntimeClass", kV1OrBeta, false, kCodec<RuntimeClass>},
    {"autoscaling", "HorizontalPodAutoscaler", kV1OrV2, true, kCodec<HorizontalPodAutoscaler>},
    {"policy", "PodDisruptionBudget", kV1OrBeta, true, kCodec<PodDisruptionBudget>},

    {kStorage, "StorageClass", kV1OrBeta, false, kCodec<StorageClass>},
    {kStorage, "CSINode", kV1OrBeta, false, kCodec<CsiNode>},
    {kStorage, "CSIDriver", kV1OrBeta, false, kCodec<CsiDriver>},
    {kStorage, "CSIStorageCapacity", kV1OrOlder, true, kCodec<CsiStorageCapacity>},
    {kStorage, "VolumeAttachment", kV1OrOlder, false, kCodec<VolumeAttachment>},

    {kDra, "DeviceClass", kResource, false, kCodec<DeviceClass>},
    {kDra, "ResourceClaim", kResource, true, kCodec<OtherObject>},
    {kDra, "ResourceClaimTemplate", kResource, true, kCodec<OtherObject>},
    {kDra, "ResourceSlice", kResource, false, kCodec<OtherObject>},
    {kDra, "DeviceTaintRule", kResource, false, kCodec<OtherObject>},

    {"ksched.dev", "ClusterSnapshot", kAlpha, false, kCodec<ClusterSnapshot>},
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
