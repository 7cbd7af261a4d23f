#include "api/objects.h"

#include <utility>

#include "api/defaults.h"
#include "api/json_values.h"
#include "api/kinds.h"
#include "api/message_document.h"
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

// What older versions of the API mean by the same fields.
void Convert(const Decoded& head, Object& object) {
  auto* budget = std::get_if<PodDisruptionBudget>(&object);
  if (budget == nullptr || head.api_version != "policy/v1beta1" || budget->selector != LabelSelector()) return;
  budget->selector.reset();  // there an empty selector selects nothing
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

namespace {

// Finds the kind of out.api_version and out.kind. Nothing if it does not matter to scheduling, or after a problem.
const KindInfo* ResolveKind(const Decoded& out, ProblemReporter& reporter) {
  const FieldPath path;
  const auto unknown = [&] {
    reporter.Add(path.Child("apiVersion"),
                 "no kind \"" + out.kind + "\" is registered for version \"" + out.api_version + "\"");
    return nullptr;
  };
  GroupVersion version;
  if (!ParseGroupVersion(out.api_version, version)) {
    reporter.Add(path.Child("apiVersion"), "unexpected GroupVersion string: " + out.api_version);
    return nullptr;
  }
  const KindInfo* info = FindKind(version.group, out.kind);
  if (info == nullptr) {
    // Custom resources have a dot in their group: without one a kind of ours is a slip of the pen (app/v1).
    const bool may_be_custom = version.group.find('.') != std::string_view::npos;
    return may_be_custom || !IsKindOfSomeGroup(out.kind) ? nullptr : unknown();
  }
  if (!info->problem.empty()) {
    reporter.Add(path.Child("kind"), std::string(info->problem));
    return nullptr;
  }
  return IsKnownVersion(*info, version.version) ? info : unknown();
}

// From what was read to an object that can be used; false after a problem.
bool Complete(const KindInfo& info, ValidationMode mode, Decoded& out, ProblemReporter& reporter) {
  SetHead(out, out.object);
  Convert(out, out.object);
  SetDefaults(out.object);
  CompleteMetadata(info, MetadataOf(out.object));
  ValidateObject(out.object, info.kind, info.namespaced, mode, reporter);
  return !reporter.Finish();
}

}  // namespace

bool DecodeObject(const Document& document, Decoded& out, Problems& problems, ValidationMode mode) {
  out = Decoded();
  ProblemReporter reporter(document, problems);
  const rapidjson::Value& root = document.root();
  if (!ReadHead(root, out, reporter)) return !reporter.Finish();
  const KindInfo* info = ResolveKind(out, reporter);
  if (info == nullptr) return !reporter.Finish();

  out.kind_class = KindClass::kScheduling;
  info->codec.read(root, out.object, reporter);
  if (reporter.Finish()) return false;  // what could not be read cannot be judged
  return Complete(*info, mode, out, reporter);
}

bool DecodeProtobuf(std::string_view api_version, std::string_view kind, std::string_view bytes,
                    const std::string& source, Decoded& out, Problems& problems) {
  out = Decoded();
  out.api_version = api_version;
  out.kind = kind;
  const MessageDocument document(source, kind, bytes);
  ProblemReporter reporter(document, problems);
  const KindInfo* info = ResolveKind(out, reporter);
  if (info == nullptr) return !reporter.Finish();

  out.kind_class = KindClass::kScheduling;
  if (!info->codec.read_protobuf(bytes, out.object, reporter)) return !reporter.Finish();
  return Complete(*info, ValidationMode::kStored, out, reporter);
}

}  // namespace ksched::api
