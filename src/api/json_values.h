// Reading single JSON values. Each function leaves `out` alone and reports to `reporter` when the value is of another
// type; null has been dealt with by the caller, except inside of lists and maps, where it is the zero value as in Go.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include <rapidjson/document.h>

#include "api/field_path.h"
#include "api/reporter.h"
#include "api/types.h"

namespace ksched::api {

void ReadJson(const rapidjson::Value& json, std::string& out, const FieldPath& path, ProblemReporter& reporter);
void ReadJson(const rapidjson::Value& json, bool& out, const FieldPath& path, ProblemReporter& reporter);
void ReadJson(const rapidjson::Value& json, int32_t& out, const FieldPath& path, ProblemReporter& reporter);
void ReadJson(const rapidjson::Value& json, int64_t& out, const FieldPath& path, ProblemReporter& reporter);
void ReadJson(const rapidjson::Value& json, Quantity& out, const FieldPath& path, ProblemReporter& reporter);
void ReadJson(const rapidjson::Value& json, IntOrString& out, const FieldPath& path, ProblemReporter& reporter);
void ReadJson(const rapidjson::Value& json, StringMap& out, const FieldPath& path, ProblemReporter& reporter);
void ReadJson(const rapidjson::Value& json, ResourceList& out, const FieldPath& path, ProblemReporter& reporter);

// ---- values of which it is not known what they are ----

// The value at a path of members; null if it is not there.
const rapidjson::Value* FindField(const rapidjson::Value& object, std::initializer_list<const char*> path);
// The text at the path; empty if there is none.
std::string TextAt(const rapidjson::Value& object, std::initializer_list<const char*> path);

// A list of {"name": ...}: their names.
void ReadNames(const rapidjson::Value& json, std::vector<std::string>& out, const FieldPath& path,
               ProblemReporter& reporter);
// A time as RFC 3339 writes it.
void ReadTime(const rapidjson::Value& json, std::optional<TimeNs>& out, const FieldPath& path,
              ProblemReporter& reporter);
void ReadTime(const rapidjson::Value& json, TimeMap& out, const FieldPath& path, ProblemReporter& reporter);
// Nothing if it is not one.
std::optional<TimeNs> ParseTime(std::string_view text);
// RFC 3339 in UTC, with as many digits of a second as it takes. ParseTime reads it back.
std::string FormatTime(TimeNs time);

// JSON without spaces and with sorted keys: equal for equal values.
std::string CanonicalJson(const rapidjson::Value& json);

}  // namespace ksched::api
