// Finds what a document says beyond the tables of its type (api/fields.h), for files whose every word has to mean
// something: readers skip what no table names.
#pragma once

#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include <rapidjson/document.h>

#include "api/field_index.h"
#include "api/field_path.h"
#include "api/fields.h"
#include "api/reporter.h"

namespace ksched::api {

namespace unknown_fields_internal {

template <typename T>
struct Held {
  using Type = void;  // neither list nor optional
};
template <typename T>
struct Held<std::vector<T>> {
  using Type = T;
};
template <typename T>
struct Held<std::optional<T>> {
  using Type = T;
};

// Strict types have plain fields only; another one does not compile here.
template <typename Access>
struct MemberOf;
template <typename T, typename M>
struct MemberOf<MemberAccess<Storage::kPlain, T, M>> {
  using Type = M;
};

}  // namespace unknown_fields_internal

// Reports each field of `json`, and of what is in it, that the tables of T do not name. Values of a wrong type are
// passed over: reading reports those.
template <typename T>
void ReportUnknownFields(const rapidjson::Value& json, const FieldPath& path, ProblemReporter& reporter) {
  using Held = typename unknown_fields_internal::Held<T>::Type;
  if constexpr (std::is_same_v<T, std::vector<Held>>) {
    if (!json.IsArray()) return;
    size_t index = 0;
    for (const rapidjson::Value& element : json.GetArray()) {
      ReportUnknownFields<Held>(element, path.Index(index++), reporter);
    }
  } else if constexpr (std::is_same_v<T, std::optional<Held>>) {
    ReportUnknownFields<Held>(json, path, reporter);
  } else if constexpr (requires { Fields<T>::kTable; }) {
    if (!json.IsObject()) return;
    for (const auto& member : json.GetObject()) {
      const std::string_view name(member.name.GetString(), member.name.GetStringLength());
      const FieldPath child = path.Child(name);
      if (FieldIndex<T>::Find(name) < 0) reporter.Add(child, "unknown field");
      const auto check = [&]<typename Access>(const Field<Access>& field) {
        using Member = typename unknown_fields_internal::MemberOf<Access>::Type;
        if (field.json == name) ReportUnknownFields<Member>(member.value, child, reporter);
      };
      std::apply([&](const auto&... fields) { (check(fields), ...); }, Fields<T>::kTable);
    }
  }
}

}  // namespace ksched::api
