// metav1.Status out of a body: JSON, or runtime.Unknown in protobuf ("k8s\0", then type and raw bytes).
#include <rapidjson/document.h>

#include <protozero/pbf_reader.hpp>

#include "api/message_reader.h"
#include "kube/api_error.h"

namespace ksched::kube {
namespace {

constexpr std::string_view kTooLarge = "ResourceVersionTooLarge";

std::string Text(const rapidjson::Value& object, const char* name) {
  const auto member = object.FindMember(name);
  if (member == object.MemberEnd() || !member->value.IsString()) return "";
  return {member->value.GetString(), member->value.GetStringLength()};
}

std::optional<std::chrono::seconds> Seconds(int64_t value) {
  if (value <= 0 || value > INT32_MAX) return std::nullopt;
  return std::chrono::seconds(value);
}

std::optional<ServerStatus> FromJson(std::string_view body) {
  rapidjson::Document json;
  json.Parse<rapidjson::kParseIterativeFlag>(body.data(), body.size());  // no recursion: the body may nest as it likes
  if (json.HasParseError() || !json.IsObject() || Text(json, "kind") != "Status") return std::nullopt;
  ServerStatus status{.message = Text(json, "message"), .reason = Text(json, "reason")};
  if (const auto code = json.FindMember("code"); code != json.MemberEnd() && code->value.IsInt()) {
    status.code = code->value.GetInt();
  }
  if (const auto details = json.FindMember("details"); details != json.MemberEnd() && details->value.IsObject()) {
    const auto wait = details->value.FindMember("retryAfterSeconds");
    if (wait != details->value.MemberEnd() && wait->value.IsInt()) status.retry_after = Seconds(wait->value.GetInt());
    const auto causes = details->value.FindMember("causes");
    if (causes != details->value.MemberEnd() && causes->value.IsArray()) {
      for (const auto& cause : causes->value.GetArray()) {
        if (cause.IsObject() && Text(cause, "reason") == kTooLarge) status.version_too_large = true;
      }
    }
  }
  return status;
}

std::string Text(protozero::pbf_reader& reader) {
  const protozero::data_view view = reader.get_view();
  return {view.data(), view.size()};
}

constexpr auto kBytes = protozero::pbf_wire_type::length_delimited;
constexpr auto kVarint = protozero::pbf_wire_type::varint;
constexpr uint32_t Field(uint32_t tag, protozero::pbf_wire_type type) { return protozero::tag_and_type(tag, type); }

void ReadDetails(protozero::pbf_reader details, ServerStatus& status) {
  while (details.next()) {
    if (details.tag_and_type() == Field(5, kVarint)) {
      status.retry_after = Seconds(details.get_int32());
    } else if (details.tag_and_type() == Field(4, kBytes)) {
      protozero::pbf_reader cause = details.get_message();
      while (cause.next(1, kBytes)) status.version_too_large |= Text(cause) == kTooLarge;
    } else {
      details.skip();
    }
  }
}

ServerStatus ReadStatus(protozero::pbf_reader reader) {
  ServerStatus status;
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case Field(3, kBytes):
        status.message = Text(reader);
        break;
      case Field(4, kBytes):
        status.reason = Text(reader);
        break;
      case Field(5, kBytes):
        ReadDetails(reader.get_message(), status);
        break;
      case Field(6, kVarint):
        status.code = reader.get_int32();
        break;
      default:
        reader.skip();
    }
  }
  return status;
}

// Throws what protozero throws on broken input.
std::optional<ServerStatus> ReadEnvelope(std::string_view envelope) {
  protozero::pbf_reader unknown(envelope.data(), envelope.size());
  std::string kind;
  protozero::data_view raw;
  while (unknown.next()) {
    if (unknown.tag_and_type() == Field(1, kBytes)) {
      protozero::pbf_reader type = unknown.get_message();
      while (type.next(2, kBytes)) kind = Text(type);
    } else if (unknown.tag_and_type() == Field(2, kBytes)) {
      raw = unknown.get_view();
    } else {
      unknown.skip();
    }
  }
  if (kind != "Status") return std::nullopt;
  return ReadStatus(protozero::pbf_reader(raw));
}

}  // namespace

std::optional<ServerStatus> ParseStatusBody(std::string_view body) {
  if (!body.starts_with(api::kProtobufMagic)) return FromJson(body);
  try {
    return ReadEnvelope(body.substr(api::kProtobufMagic.size()));
  } catch (const protozero::exception&) {
    return std::nullopt;
  }
}

}  // namespace ksched::kube
