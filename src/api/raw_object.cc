#include "api/raw_object.h"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

namespace ksched::api {
namespace {

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

void WriteMembers(const rapidjson::Value& object, std::string_view without, Writer& writer) {
  writer.StartObject();
  for (const auto& member : object.GetObject()) {
    const std::string_view name(member.name.GetString(), member.name.GetStringLength());
    if (name == without) continue;
    writer.Key(member.name.GetString(), member.name.GetStringLength());
    if (without.empty() && name == "metadata" && member.value.IsObject()) {
      WriteMembers(member.value, "managedFields", writer);
    } else {
      member.value.Accept(writer);
    }
  }
  writer.EndObject();
}

}  // namespace

std::string ToJson(const rapidjson::Value& value) {
  rapidjson::StringBuffer buffer;
  Writer writer(buffer);
  value.Accept(writer);
  return {buffer.GetString(), buffer.GetSize()};
}

std::string WithoutManagedFields(const rapidjson::Value& object) {
  if (!object.IsObject()) return "null";
  rapidjson::StringBuffer buffer;
  Writer writer(buffer);
  WriteMembers(object, "", writer);
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace ksched::api
