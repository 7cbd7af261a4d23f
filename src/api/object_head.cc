#include "api/object_head.h"

#include <charconv>

#include "api/json_values.h"
#include "api/message_reader.h"

namespace ksched::api {
namespace {

bool ReadMetadata(std::string_view bytes, ObjectHead& head) {
  constexpr int kName = 1, kNamespace = 3, kUid = 5, kResourceVersion = 6;
  MessageReader in(bytes);
  while (in.Next()) {
    std::string_view* field = in.number() == kName              ? &head.name
                              : in.number() == kNamespace       ? &head.ns
                              : in.number() == kUid             ? &head.uid
                              : in.number() == kResourceVersion ? &head.resource_version
                                                                : nullptr;
    if (field != nullptr && !in.ReadBytes(*field)) return false;
  }
  return !in.failed();
}

std::string_view MetadataText(const Document& document, const char* name) {
  const rapidjson::Value* found = FindField(document.root(), {"metadata", name});
  if (found == nullptr || !found->IsString()) return {};
  return {found->GetString(), found->GetStringLength()};
}

}  // namespace

Result<ObjectHead> ReadHead(std::string_view protobuf) {
  constexpr int kMetadata = 1;  // of every object
  ObjectHead head;
  MessageReader in(protobuf);
  while (in.Next()) {
    if (in.number() != kMetadata) continue;
    std::string_view metadata;
    if (!in.ReadBytes(metadata)) break;
    if (!ReadMetadata(metadata, head)) return Error{"malformed protobuf in metadata"};
  }
  if (in.failed()) return Error{in.fault()};
  return head;
}

ObjectHead ReadHead(const Document& document) {
  return {.ns = MetadataText(document, "namespace"),
          .name = MetadataText(document, "name"),
          .uid = MetadataText(document, "uid"),
          .resource_version = MetadataText(document, "resourceVersion")};
}

uint64_t VersionNumber(std::string_view resource_version) {
  uint64_t number = 0;
  const char* end = resource_version.data() + resource_version.size();
  const auto [stop, error] = std::from_chars(resource_version.data(), end, number);
  return error == std::errc() && stop == end ? number : 0;
}

}  // namespace ksched::api
