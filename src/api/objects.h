// Objects from documents: which kinds there are, and the way from a document to a typed, defaulted, validated value.
#pragma once

#include <string>
#include <variant>

#include "api/document.h"
#include "api/types.h"
#include "api/types_policy.h"
#include "api/types_storage.h"
#include "api/types_workload.h"

namespace ksched::api {

using Object = std::variant<Node, Pod, Namespace, PriorityClass, RuntimeClass, DeviceClass, Workload, OtherObject,
                            PersistentVolume, PersistentVolumeClaim, StorageClass, CsiNode, CsiDriver,
                            CsiStorageCapacity, VolumeAttachment, Service, PodDisruptionBudget, LimitRange,
                            ResourceQuota, HorizontalPodAutoscaler, ClusterSnapshot>;

// What a document turned out to be.
enum class KindClass {
  kScheduling,  // decoded into an Object (OtherObject for kinds that scheduling reads but no plugin here uses yet)
  kIgnored,     // a kind that does not matter to scheduling (ConfigMap, custom resources, ...)
};

// How much of the API server's validation an object has to pass.
enum class ValidationMode {
  kStored,  // it comes from a cluster, which has let it in by the rules of its time: only what scheduling cannot read
  kUser,    // it is to be created: everything that the API server checks of what scheduling reads
};

struct Decoded {
  KindClass kind_class = KindClass::kIgnored;
  std::string api_version, kind;
  Object object;  // only kScheduling
};

// "Pod default/web", "Node n1".
std::string DescribeObject(const std::string& kind, const ObjectMeta& metadata);
const ObjectMeta& MetadataOf(const Object& object);
ObjectMeta& MetadataOf(Object& object);

// Whether objects of the kind live in a namespace. False for unknown kinds.
bool IsNamespaced(std::string_view api_version, std::string_view kind);

// Decodes the document: older API versions are converted, the API's defaults set (namespace "default" included), and
// what scheduling reads is validated as `mode` says. Findings go to `problems` with file, line, object and field; then
// the answer is false and `out` is not to be used. An object without name but with generateName is fine: naming it (and
// its uid) is the caller's part.
bool DecodeObject(const Document& document, Decoded& out, Problems& problems,
                  ValidationMode mode = ValidationMode::kUser);

// The same for an object as a cluster sends it in protobuf: the message alone, without the envelope that says its
// apiVersion and kind. `source` stands for the file in problems (a URL). As ValidationMode::kStored.
bool DecodeProtobuf(std::string_view api_version, std::string_view kind, std::string_view bytes,
                    const std::string& source, Decoded& out, Problems& problems);

}  // namespace ksched::api
