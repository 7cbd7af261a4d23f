#include "manifest/decode.h"

namespace ksched {
namespace {

const rapidjson::Value* Find(const rapidjson::Value& value, const char* name) {
  if (!value.IsObject()) return nullptr;
  const auto member = value.FindMember(name);
  if (member == value.MemberEnd() || member->value.IsNull()) return nullptr;
  if (member->value.IsString() && member->value.GetStringLength() == 0) return nullptr;
  return &member->value;
}

}  // namespace

api::Problem NameRequired(const std::string& kind, const std::string& file, api::Position position) {
  return {file, position, kind, "metadata.name", "Required value: only pods get a name from generateName here"};
}

bool HasValue(const rapidjson::Value& root, const char* name) { return Find(root, name) != nullptr; }

bool HasValue(const rapidjson::Value& root, const char* outer, const char* name) {
  const rapidjson::Value* value = Find(root, outer);
  return value != nullptr && HasValue(*value, name);
}

bool DecodeInto(const std::string& ns, const api::Document& document, api::ValidationMode mode, api::Decoded& out,
                api::Problems& problems) {
  const bool good = api::DecodeObject(document, out, problems, mode);
  if (ns == "default" || HasValue(document.root(), "metadata", "namespace")) return good;
  if (!good || out.kind_class != api::KindClass::kScheduling || !api::IsNamespaced(out.api_version, out.kind))
    return good;
  api::ObjectMeta& metadata = api::MetadataOf(out.object);
  metadata.ns = ns;
  if (!metadata.name.empty() && !HasValue(document.root(), "metadata", "uid")) metadata.uid = ns + "/" + metadata.name;
  return good;
}

}  // namespace ksched
