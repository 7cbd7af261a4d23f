// Writes typed values as JSON by their tables (api/fields.h). Empty fields are left out, as the API does (omitempty);
// what is optional is written whenever it is there.
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "api/fields.h"
#include "api/json_output.h"

namespace ksched::api {

// The fields of Fields<Table> that `object` has, without the braces: Table is its type, or a part of it.
template <typename Table, typename T>
void WriteFields(const T& object, JsonOutput& out);
// Whether that is none.
template <typename Table, typename T>
bool HasNoFields(const T& object);

namespace field_writer_internal {

template <typename M>
concept HasTable = requires { Fields<M>::kTable; };

template <typename M>
bool IsEmpty(const M& value) {
  if constexpr (HasTable<M>) {
    return HasNoFields<M>(value);
  } else if constexpr (std::is_arithmetic_v<M>) {
    return value == M{};
  } else {
    return value.empty();
  }
}
template <typename M>
bool IsEmpty(const std::optional<M>& value) {
  return !value.has_value();
}

template <typename M>
void WriteValue(const M& value, JsonOutput& out) {
  if constexpr (HasTable<M>) {
    out.StartObject();
    WriteFields<M>(value, out);
    out.EndObject();
  } else {
    out.Write(value);
  }
}
template <typename M>
void WriteValue(const std::vector<M>& values, JsonOutput& out) {
  out.StartArray();
  for (const M& value : values) WriteValue(value, out);
  out.EndArray();
}
template <typename M>
void WriteValue(const std::optional<M>& value, JsonOutput& out) {
  if (!value) return out.Null();
  WriteValue(*value, out);
}

// ---- by how a field is stored ----

template <Storage kStorage, typename T, typename M>
bool IsAbsent(const MemberAccess<kStorage, T, M>& access, const T& object) {
  return IsEmpty(object.*access.member);
}
template <typename T, typename M>
bool IsAbsent(const PresentAccess<T, M>& access, const T& object) {
  return !(object.*access.present);
}
template <typename P, typename T, typename M>
bool IsAbsent(const TableAccess<P, T, M>& access, const T& object) {
  return HasNoFields<P>(object.*access.member);
}
template <typename P, typename T, typename M>
bool IsAbsent(const TableAccess<P, T, std::optional<M>>& access, const T& object) {
  return !(object.*access.member).has_value();
}
template <typename T, typename M, typename Access>
bool IsAbsent(const WithinAccess<T, M, Access>& access, const T& object) {
  return IsAbsent(access.access, object.*access.outer);
}
template <typename P, typename T>
bool IsAbsent(const TextAccess<P, T>& access, const T& object) {
  return (object.*access.member).empty();
}
template <typename P, typename Presence, typename T>
bool IsAbsent(const PartAccess<P, Presence>& access, const T& object) {
  if constexpr (std::is_void_v<Presence>) {
    return HasNoFields<P>(object);
  } else {
    return !(object.*access.present);
  }
}

template <Storage kStorage, typename T, typename M>
void WriteAccess(const MemberAccess<kStorage, T, M>& access, const T& object, JsonOutput& out) {
  const M& member = object.*access.member;
  if constexpr (kStorage == Storage::kPlain) {
    WriteValue(member, out);
  } else if constexpr (kStorage == Storage::kTime) {
    if constexpr (std::is_same_v<M, TimeMap>) {
      out.WriteTime(member);
    } else {
      out.WriteTime(*member);
    }
  } else if constexpr (kStorage == Storage::kNames) {
    out.StartArray();
    for (const std::string& name : member) {
      out.StartObject();
      out.Key("name");
      out.Write(name);
      out.EndObject();
    }
    out.EndArray();
  } else if constexpr (kStorage == Storage::kPresence) {
    out.StartObject();
    out.EndObject();
  } else {
    static_assert(kStorage == Storage::kMatchLabels);
    WriteValue(member->match_labels, out);
  }
}
template <typename T, typename M>
void WriteAccess(const PresentAccess<T, M>& access, const T& object, JsonOutput& out) {
  WriteValue(object.*access.member, out);
}
template <typename Table, typename T>
void WriteObject(const T& object, JsonOutput& out) {
  out.StartObject();
  WriteFields<Table>(object, out);
  out.EndObject();
}
template <typename P, typename T, typename M>
void WriteAccess(const TableAccess<P, T, M>& access, const T& object, JsonOutput& out) {
  WriteObject<P>(object.*access.member, out);
}
template <typename P, typename T, typename M>
void WriteAccess(const TableAccess<P, T, std::optional<M>>& access, const T& object, JsonOutput& out) {
  WriteObject<P>(*(object.*access.member), out);
}
template <typename T, typename M, typename Access>
void WriteAccess(const WithinAccess<T, M, Access>& access, const T& object, JsonOutput& out) {
  WriteAccess(access.access, object.*access.outer, out);
}
template <typename P, typename T>
void WriteAccess(const TextAccess<P, T>& access, const T& object, JsonOutput& out) {
  out.Raw(object.*access.member);
}
template <typename P, typename Presence, typename T>
void WriteAccess(const PartAccess<P, Presence>&, const T& object, JsonOutput& out) {
  WriteObject<P>(object, out);
}

}  // namespace field_writer_internal

template <typename Table, typename T>
bool HasNoFields(const T& object) {
  return std::apply(
      [&](const auto&... fields) { return (field_writer_internal::IsAbsent(fields.access, object) && ...); },
      Fields<Table>::kTable);
}

template <typename Table, typename T>
void WriteFields(const T& object, JsonOutput& out) {
  const auto write = [&](const auto& field) {
    if (field_writer_internal::IsAbsent(field.access, object)) return;
    out.Key(field.json);
    field_writer_internal::WriteAccess(field.access, object, out);
  };
  std::apply([&](const auto&... fields) { (write(fields), ...); }, Fields<Table>::kTable);
}

// A value with a table, as JSON.
template <typename T>
std::string TableJson(const T& object) {
  std::string text;
  const JsonOptions options;
  JsonOutput out(text, options);
  field_writer_internal::WriteObject<T>(object, out);
  return text;
}

}  // namespace ksched::api
