#include "api/object_head.h"

#include <charconv>

#include "api/message_reader.h"

namespace ksched::api {
namespace {

constexpr int kMetadata = 1;  // of every object
enum MetadataField : int { kName = 1, kNamespace = 3, kUid = 5, kResourceVersion = 6 };

bool ReadMetadata(std::string_view bytes, ObjectHead& head) {
  MessageReader in(bytes);
  while (in.Next()) {
    switch (in.number()) {
      case kName:
        if (!in.ReadBytes(head.name)) return false;
        break;
      case kNamespace:
        if (!in.ReadBytes(head.ns)) return false;
        break;
      case kUid:
        if (!in.ReadBytes(head.uid)) return false;
        break;
      case kResourceVersion:
        if (!in.ReadBytes(head.resource_version)) return false;
        break;
      default:
        break;
    }
  }
  return !in.failed();
}

std::string_view TextOf(const rapidjson::Value& object, const char* name) {
  const auto found = object.FindMember(name);
  if (found == object.MemberEnd() || !found->value.IsString()) return {};
  return {found->value.GetString(), found->value.GetStringLength()};
}

}  // namespace

Result<ObjectHead> ReadHead(std::string_view protobuf) {
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
  ObjectHead head;
  if (!document.root().IsObject()) return head;
  const auto metadata = document.root().FindMember("metadata");
  if (metadata == document.root().MemberEnd() || !metadata->value.IsObject()) return head;
  head.ns = TextOf(metadata->value, "namespace");
  head.name = TextOf(metadata->value, "name");
  head.uid = TextOf(metadata->value, "uid");
  head.resource_version = TextOf(metadata->value, "resourceVersion");
  return head;
}

uint64_t VersionNumber(std::string_view resource_version) {
  uint64_t number = 0;
  const char* end = resource_version.data() + resource_version.size();
  const auto [stop, error] = std::from_chars(resource_version.data(), end, number);
  return error == std::errc() && stop == end ? number : 0;
}

}  // namespace ksched::api
