// Which kinds of objects scheduling reads, and which it will.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "api/objects.h"
#include "api/reporter.h"

namespace ksched::api {

class JsonOutput;

// How a kind is read and written, by its table (api/fields.h). All are null for a kind that is refused or ignored.
struct KindCodec {
  // The object of its type; what is wrong goes to the reporter.
  void (*read)(const rapidjson::Value& root, Object& out, ProblemReporter& reporter) = nullptr;
  // The same of a message of protobuf; false after a problem.
  bool (*read_protobuf)(std::string_view bytes, Object& out, ProblemReporter& reporter) = nullptr;
  // Its fields, without the braces and without apiVersion and kind.
  void (*write)(const Object& object, JsonOutput& out) = nullptr;
};

struct KindInfo {
  std::string_view group, kind;
  std::span<const std::string_view> versions;  // that can be read
  bool namespaced = false;
  KindCodec codec = {};
  std::string_view problem = {};  // why objects of this kind are refused; empty: they are not
};

struct GroupVersion {
  std::string_view group, version;
};
// "apps/v1", "v1". False if it has more than one slash.
bool ParseGroupVersion(std::string_view api_version, GroupVersion& out);

// The kind in any version; nullptr for what does not matter to scheduling.
const KindInfo* FindKind(std::string_view group, std::string_view kind);
// Whether any group has a kind of this name that matters to scheduling.
bool IsKindOfSomeGroup(std::string_view kind);

}  // namespace ksched::api
