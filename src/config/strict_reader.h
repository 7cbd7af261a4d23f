// Strict reading of JSON into structs by tables, as kube-scheduler decodes its configuration: an unknown field is an
// error, and so is a value of another type, in the words of Go's encoding/json (which name the Go types).
//
//   template <>
//   struct GoStruct<Plugin> {
//     static constexpr std::string_view kName = "v1.Plugin";
//     static constexpr FieldOf<Plugin> kFields[] = {{"name", Read<&Plugin::name>}, ...};
//   };
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <rapidjson/document.h>

#include "api/field_path.h"
#include "api/types.h"
#include "config/go_text.h"

namespace ksched::config {

struct DecodeError {
  std::string field;  // where, for a look-up in the document
  std::string message;
};

// Collects the errors of one object. Paths are relative to it: the arguments of a plugin are an object of their own.
class StrictReader {
 public:
  // Types that do not fit, and strict ones: unknown fields. Those of the first sort hide the second.
  const std::vector<DecodeError>& type_errors() const { return type_errors_; }
  const std::vector<DecodeError>& unknown_fields() const { return unknown_fields_; }

  void WrongType(const rapidjson::Value& json, const api::FieldPath& path, const std::string& go_type);
  void Unknown(const api::FieldPath& path);
  void Malformed(const api::FieldPath& path, std::string message);

  // The Go struct whose fields are being read, and the type of the field where it is a named one.
  std::string_view struct_name, field_type;

 private:
  std::vector<DecodeError> type_errors_, unknown_fields_;
};

template <typename T>
using FieldReader = void (*)(const rapidjson::Value&, const api::FieldPath&, StrictReader&, T&);

template <typename T>
struct FieldOf {
  std::string_view name;
  FieldReader<T> read;               // null: read by someone else (kind, apiVersion)
  std::string_view field_type = {};  // of a string with a type of its own
};

template <typename T>
struct GoStruct;  // specialised by the tables

template <typename T>
concept IsGoStruct = requires { GoStruct<T>::kName; };

template <typename T>
struct GoTypeOf;

// The type of a struct, list or pointer as Go writes it. A pointer's is that of what it points to.
template <typename T>
std::string GoType() {
  if constexpr (IsGoStruct<T>) {
    return std::string(GoStruct<T>::kName);
  } else {
    return GoTypeOf<T>::Name();
  }
}
template <>
struct GoTypeOf<std::string> {
  static std::string Name() { return "string"; }
};
template <typename T>
struct GoTypeOf<std::vector<T>> {
  static std::string Name() { return "[]" + GoType<T>(); }
};

void ReadValue(const rapidjson::Value& json, const api::FieldPath& path, StrictReader& reader, std::string& out);
void ReadValue(const rapidjson::Value& json, const api::FieldPath& path, StrictReader& reader, bool& out);
void ReadValue(const rapidjson::Value& json, const api::FieldPath& path, StrictReader& reader, int32_t& out);
void ReadValue(const rapidjson::Value& json, const api::FieldPath& path, StrictReader& reader, int64_t& out);
void ReadValue(const rapidjson::Value& json, const api::FieldPath& path, StrictReader& reader, float& out);
void ReadValue(const rapidjson::Value& json, const api::FieldPath& path, StrictReader& reader, api::StringMap& out);
void ReadDurationValue(const rapidjson::Value& json, const api::FieldPath& path, StrictReader& reader, DurationNs& out);

// An object's members by name: the order in which the reference meets them, as it turns YAML into sorted JSON first.
std::vector<const rapidjson::Value::Member*> SortedMembers(const rapidjson::Value& object);

template <IsGoStruct T>
void ReadValue(const rapidjson::Value& json, const api::FieldPath& path, StrictReader& reader, T& out);

template <typename T>
void ReadValue(const rapidjson::Value& json, const api::FieldPath& path, StrictReader& reader, std::vector<T>& out) {
  if (!json.IsArray()) return reader.WrongType(json, path, GoType<std::vector<T>>());
  out.clear();
  for (const rapidjson::Value& element : json.GetArray()) {
    const size_t index = out.size();
    out.emplace_back();
    if (!element.IsNull()) ReadValue(element, path.Index(index), reader, out.back());
  }
}

template <typename T>
void ReadValue(const rapidjson::Value& json, const api::FieldPath& path, StrictReader& reader, std::optional<T>& out) {
  ReadValue(json, path, reader, out.emplace());
}

template <IsGoStruct T>
void ReadValue(const rapidjson::Value& json, const api::FieldPath& path, StrictReader& reader, T& out) {
  if (!json.IsObject()) return reader.WrongType(json, path, GoType<T>());
  const std::string_view outer = reader.struct_name;
  for (const rapidjson::Value::Member* member : SortedMembers(json)) {
    const std::string_view name(member->name.GetString(), member->name.GetStringLength());
    const FieldOf<T>* found = nullptr;
    for (const FieldOf<T>& field : GoStruct<T>::kFields) {
      if (field.name == name) found = &field;
    }
    reader.struct_name = GoStruct<T>::kName;
    reader.field_type = found != nullptr ? found->field_type : std::string_view();
    if (found == nullptr) {
      reader.Unknown(path.Child(name));
    } else if (found->read != nullptr && !member->value.IsNull()) {  // null leaves the default
      found->read(member->value, path.Child(name), reader, out);
    }
  }
  reader.struct_name = outer;
  reader.field_type = {};
}

namespace strict_reader_internal {
template <typename T>
struct MemberOf;
template <typename Owner, typename M>
struct MemberOf<M Owner::*> {
  using OwnerType = Owner;
};
}  // namespace strict_reader_internal

// Reads a field into a member.
template <auto kMember>
void Read(const rapidjson::Value& json, const api::FieldPath& path, StrictReader& reader,
          typename strict_reader_internal::MemberOf<decltype(kMember)>::OwnerType& owner) {
  ReadValue(json, path, reader, owner.*kMember);
}
template <auto kMember>
void ReadDuration(const rapidjson::Value& json, const api::FieldPath& path, StrictReader& reader,
                  typename strict_reader_internal::MemberOf<decltype(kMember)>::OwnerType& owner) {
  DurationNs duration = 0;
  ReadDurationValue(json, path, reader, duration);
  owner.*kMember = duration;
}

}  // namespace ksched::config
