// Reading JSON values field by field, for objects that no table of api/ describes. The first thing that is wrong is
// kept; what follows it is skipped. Messages name the field and the types, never the value: it may be a secret.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <rapidjson/document.h>

#include "api/field_path.h"

namespace ksched::kube {

// What is wrong first, and where.
struct FieldProblem {
  std::function<int(const api::FieldPath&)> line_of;  // may be empty: no line is said
  std::string message;                                // empty: nothing

  void Say(const api::FieldPath& path, const std::string& what);
};

// One object. A field that is absent or null leaves `out` alone, as does one of the wrong type.
class ObjectFields {
 public:
  ObjectFields(const rapidjson::Value& json, const api::FieldPath& path, FieldProblem& problem);

  // Null if absent, null or no object at all.
  const rapidjson::Value* Find(const char* name) const;

  void Read(const char* name, std::string& out) const;
  void Read(const char* name, bool& out) const;
  void Read(const char* name, std::vector<std::string>& out) const;
  void Read(const char* name, std::map<std::string, std::string>& out) const;
  void Read(const char* name, std::map<std::string, std::vector<std::string>>& out) const;
  void ReadBase64(const char* name, std::string& out) const;

  using Visit = std::function<void(const ObjectFields&)>;
  void Object(const char* name, const Visit& visit) const;  // not called if absent or null
  void List(const char* name, const Visit& visit) const;    // of objects; a null item is an empty object

  const api::FieldPath& path() const { return path_; }
  FieldProblem& problem() const { return problem_; }

 private:
  const rapidjson::Value& json_;
  const api::FieldPath& path_;
  FieldProblem& problem_;
};

}  // namespace ksched::kube
