#include "kube/decode_watched.h"

namespace ksched::kube {

std::string ApiVersion(const Resource& resource, std::string_view version) {
  return resource.group.empty() ? std::string(version) : std::string(resource.group) + "/" + std::string(version);
}

bool Decode(const WatchedObject& object, api::Decoded& decoded, api::Problems& problems) {
  if (object.document != nullptr) {
    return api::DecodeObject(*object.document, decoded, problems, api::ValidationMode::kStored);
  }
  return api::DecodeProtobuf(ApiVersion(object.resource, object.version), object.resource.kind, object.protobuf,
                             std::string(object.resource.plural), decoded, problems);
}

Result<api::Decoded> Decode(const WatchedObject& object) {
  api::Decoded decoded;
  api::Problems problems;
  if (Decode(object, decoded, problems)) return decoded;
  return Error{problems.empty() ? "cannot be read" : problems.front().ToString()};
}

}  // namespace ksched::kube
