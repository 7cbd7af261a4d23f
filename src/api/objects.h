// Objects from documents: which kinds there are, and the way from a document to a typed, defaulted, validated value.
#pragma once

#include <string>
#include <variant>

#include "api/document.h"
#include "api/types.h"

namespace ksched::api {

using Object =
    std::variant<Node, Pod, Namespace, PriorityClass, RuntimeClass, DeviceClass, Workload, OtherObject>;

// What a document turned out to be.
enum class KindClass {
  kScheduling,  // decoded into an Object (OtherObject for kinds that scheduling reads but no plugin here uses yet)
  kIgnored,     // a kind that does not matter to scheduling (Service, ConfigMap, custom resources, ...)
};

struct Decoded {
  KindClass kind_class = KindClass::kIgnored;
  std::string api_version, kind;
  Object object;
};

// "Pod default/web", "Node n1".
std::string DescribeObject(const std::string& kind, const ObjectMeta& metadata);
const ObjectMeta& MetadataOf(const Object& object);

// Decodes the document: older API versions are converted, the API's defaults set (namespace "default" included), and
// everything that scheduling reads is validated. Findings go to `problems` with file, line, object and field; then the
bool DecodeObject(const Document& document, Decoded& out, Problems& problems);

}  // namespace ksched::api
