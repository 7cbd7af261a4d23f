// Reads typed values from JSON by their tables (api/fields.h). Fields that no table names are skipped, null is absent.
#pragma once

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include <rapidjson/document.h>

#include "api/field_index.h"
#include "api/field_path.h"
#include "api/fields.h"
#include "api/json_values.h"
#include "api/reporter.h"

namespace ksched::api {

// The fields of Fields<Table> into `object`: Table is its type, or a part of it.
template <typename Table, typename T>
void ReadFields(const rapidjson::Value& json, T& object, const FieldPath& path, ProblemReporter& reporter);

template <typename T>
  requires requires { Fields<T>::kTable; }
void ReadJson(const rapidjson::Value& json, T& out, const FieldPath& path, ProblemReporter& reporter) {
  ReadFields<T>(json, out, path, reporter);
}

template <typename T>
void ReadJson(const rapidjson::Value& json, std::vector<T>& out, const FieldPath& path, ProblemReporter& reporter) {
  if (!json.IsArray()) return reporter.WrongType(path, "a list", json);
  out.clear();
  out.reserve(json.Size());
  for (const rapidjson::Value& element : json.GetArray()) {
    const size_t index = out.size();
    out.emplace_back();
    if (!element.IsNull()) ReadJson(element, out.back(), path.Index(index), reporter);
  }
}

template <typename T>
void ReadJson(const rapidjson::Value& json, std::optional<T>& out, const FieldPath& path, ProblemReporter& reporter) {
  ReadJson(json, out.emplace(), path, reporter);
}

namespace field_reader_internal {

template <Storage kStorage, typename T, typename M>
void ReadAccess(const MemberAccess<kStorage, T, M>& access, const rapidjson::Value& json, T& object,
                const FieldPath& path, ProblemReporter& reporter) {
  M& member = object.*access.member;
  if constexpr (kStorage == Storage::kPlain) {
    ReadJson(json, member, path, reporter);
  } else if constexpr (kStorage == Storage::kTime) {
    ReadTime(json, member, path, reporter);
  } else if constexpr (kStorage == Storage::kNames) {
    ReadNames(json, member, path, reporter);
  } else if constexpr (kStorage == Storage::kPresence) {
    member = true;
  } else {
    static_assert(kStorage == Storage::kMatchLabels);
    ReadJson(json, member.emplace().match_labels, path, reporter);
  }
}

template <typename P, typename T>
void ReadAccess(const TextAccess<P, T>& access, const rapidjson::Value& json, T& object, const FieldPath&,
                ProblemReporter&) {
  object.*access.member = CanonicalJson(json);
}

template <typename Table, typename M>
void ReadByTable(const rapidjson::Value& json, M& member, const FieldPath& path, ProblemReporter& reporter) {
  ReadFields<Table>(json, member, path, reporter);
}
template <typename Table, typename M>
void ReadByTable(const rapidjson::Value& json, std::optional<M>& member, const FieldPath& path,
                 ProblemReporter& reporter) {
  ReadFields<Table>(json, member.emplace(), path, reporter);
}

template <typename P, typename T, typename M>
void ReadAccess(const TableAccess<P, T, M>& access, const rapidjson::Value& json, T& object, const FieldPath& path,
                ProblemReporter& reporter) {
  ReadByTable<P>(json, object.*access.member, path, reporter);
}

template <typename T, typename M, typename Access>
void ReadAccess(const WithinAccess<T, M, Access>& access, const rapidjson::Value& json, T& object,
                const FieldPath& path, ProblemReporter& reporter) {
  ReadAccess(access.access, json, object.*access.outer, path, reporter);
}

template <typename T, typename M>
void ReadAccess(const PresentAccess<T, M>& access, const rapidjson::Value& json, T& object, const FieldPath& path,
                ProblemReporter& reporter) {
  object.*access.present = true;
  ReadJson(json, object.*access.member, path, reporter);
}

template <typename P, typename Presence, typename T>
void ReadAccess(const PartAccess<P, Presence>& access, const rapidjson::Value& json, T& object, const FieldPath& path,
                ProblemReporter& reporter) {
  if constexpr (!std::is_void_v<Presence>) object.*access.present = true;
  ReadFields<P>(json, object, path, reporter);
}

template <typename Table, typename T, size_t kIndex>
void ReadField(const rapidjson::Value& json, T& object, const FieldPath& path, ProblemReporter& reporter) {
  ReadAccess(std::get<kIndex>(Fields<Table>::kTable).access, json, object, path, reporter);
}

template <typename T>
using FieldReader = void (*)(const rapidjson::Value&, T&, const FieldPath&, ProblemReporter&);

template <typename Table, typename T, size_t... kIndices>
constexpr std::array<FieldReader<T>, sizeof...(kIndices)> MakeReaders(std::index_sequence<kIndices...>) {
  return {&ReadField<Table, T, kIndices>...};
}

}  // namespace field_reader_internal

template <typename Table, typename T>
void ReadFields(const rapidjson::Value& json, T& object, const FieldPath& path, ProblemReporter& reporter) {
  static constexpr auto kReaders =
      field_reader_internal::MakeReaders<Table, T>(std::make_index_sequence<FieldIndex<Table>::kCount>());
  if (!json.IsObject()) return reporter.WrongType(path, "an object", json);
  for (const auto& member : json.GetObject()) {
    if (member.value.IsNull()) continue;
    const std::string_view name(member.name.GetString(), member.name.GetStringLength());
    const int index = FieldIndex<Table>::Find(name);
    if (index < 0) continue;
    kReaders[static_cast<size_t>(index)](member.value, object, path.Child(name), reporter);
  }
}

}  // namespace ksched::api
