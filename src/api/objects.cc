#include "api/objects.h"

#include <utility>

#include "api/defaults.h"
#include "api/json_values.h"
#include "api/kinds.h"
#include "api/reporter.h"
#include "api/validation.h"

namespace ksched::api {
namespace {

// apiVersion and kind; false (and a problem) if they are not there.
bool ReadHead(const rapidjson::Value& root, Decoded& out, ProblemReporter& reporter) {
  if (!root.IsObject()) {
    reporter.WrongType(FieldPath(), "an object", root);
    return false;
  }
  bool complete = true;
  const FieldPath path;
  const auto read = [&](const char* name, std::string& text) {
    const auto member = root.FindMember(name);
    if (member != root.MemberEnd() && !member->value.IsNull()) {
      ReadJson(member->value, text, path.Child(name), reporter);
      complete = complete && member->value.IsString();
    }
    if (complete && text.empty()) reporter.Add(path.Child(name), "Required value");
    complete = complete && !text.empty();
  };
  read("apiVersion", out.api_version);
  read("kind", out.kind);
  return complete;
}

bool IsKnownVersion(const KindInfo& info, std::string_view version) {
  for (const std::string_view known : info.versions) {
    if (known == version) return true;
  }
  return info.versions.empty();  // of a kind that is refused or ignored in every version
}

// What the API server and the reader of a cluster add to metadata. Objects that are to be named (generateName) get
// their uid with their name.
void CompleteMetadata(const KindInfo& info, ObjectMeta& metadata) {
  if (!info.namespaced) {
    metadata.ns.clear();
  } else if (metadata.ns.empty()) {
    metadata.ns = "default";
  }
  if (metadata.uid.empty() && !metadata.name.empty()) {
    metadata.uid = info.namespaced ? metadata.ns + "/" + metadata.name : metadata.name;
  }
  if (metadata.resource_version.empty()) metadata.resource_version = "1";
}

void SetHead(const Decoded& head, Object& object) {
  const auto set = [&](auto& typed) {
    typed.api_version = head.api_version;
    typed.kind = head.kind;
  };
  if (auto* workload = std::get_if<Workload>(&object)) set(*workload);
  if (auto* other = std::get_if<OtherObject>(&object)) set(*other);
}

}  // namespace

std::string DescribeObject(const std::string& kind, const ObjectMeta& metadata) {
  const std::string& name = metadata.name.empty() ? metadata.generate_name : metadata.name;
  return metadata.ns.empty() ? kind + " " + name : kind + " " + metadata.ns + "/" + name;
}

const ObjectMeta& MetadataOf(const Object& object) {
  return std::visit([](const auto& typed) -> const ObjectMeta& { return typed.metadata; }, object);
}

ObjectMeta& MetadataOf(Object& object) {
  return std::visit([](auto& typed) -> ObjectMeta& { return typed.metadata; }, object);
}

bool IsNamespaced(std::string_view api_version, std::string_view kind) {
  GroupVersion version;
  if (!ParseGroupVersion(api_version, version)) return false;
  const KindInfo* info = FindKind(version.group, kind);
  return info != nullptr && info->namespaced;
}

bool DecodeObject(const Document& document, Decoded& out, Problems& problems, ValidationMode mode) {
  out = Decoded();
  ProblemReporter reporter(document, problems);
  const rapidjson::Value& root = document.root();
  if (!ReadHead(root, out, reporter)) return !reporter.Finish();

  const FieldPath path;
  GroupVersion version;
  if (!ParseGroupVersion(out.api_version, version)) {
    reporter.Add(path.Child("apiVersion"), "unexpected GroupVersion string: " + out.api_version);
    return !reporter.Finish();
  }
  const KindInfo* info = FindKind(version.group, out.kind);
  if (info == nullptr) {
    // Custom resources have a dot in their group: without one a kind of ours is a slip of the pen (app/v1).
    const bool may_be_custom = version.group.find('.') != std::string_view::npos;
    if (may_be_custom || !IsKindOfSomeGroup(out.kind)) return true;
    reporter.Add(path.Child("apiVersion"),
                 "no kind \"" + out.kind + "\" is registered for version \"" + out.api_version + "\"");
    return !reporter.Finish();
  }
  if (!info->problem.empty()) {
    reporter.Add(path.Child("kind"), std::string(info->problem));
    return !reporter.Finish();
  }
  if (!IsKnownVersion(*info, version.version)) {
    reporter.Add(path.Child("apiVersion"),
                 "no kind \"" + out.kind + "\" is registered for version \"" + out.api_version + "\"");
    return !reporter.Finish();
  }
  if (info->read == nullptr) {
    out.note = info->note;
    return true;
  }

  out.kind_class = KindClass::kScheduling;
  info->read(root, out.object, reporter);
  if (reporter.Finish()) return false;  // what could not be read cannot be judged
  SetHead(out, out.object);
  SetDefaults(out.object);
  CompleteMetadata(*info, MetadataOf(out.object));
  ValidateObject(out.object, info->kind, info->namespaced, mode, reporter);
  return !reporter.Finish();
}

}  // namespace ksched::api
