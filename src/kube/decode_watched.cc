#include "kube/decode_watched.h"

#include <utility>

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

Result<api::Decoded> DecodeJson(std::string json) {
  api::Decoded decoded;
  api::Problems problems;
  bool good = false;
  const auto read = [&](const api::Document& document) {
    good = api::DecodeObject(document, decoded, problems, api::ValidationMode::kStored);
  };
  api::ReadDocumentsFromText(std::move(json), "the server's answer", read, problems);
  if (good) return decoded;
  return Error{problems.empty() ? "the server's answer is no object" : problems.front().ToString()};
}

}  // namespace ksched::kube
