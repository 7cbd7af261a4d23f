#include "api/json_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

namespace ksched::api {
namespace {

std::string_view TextOf(const rapidjson::Value& json) { return {json.GetString(), json.GetStringLength()}; }

// A whole number, also one written as 2.0 or 1e3. `found` says what else it is.
bool ReadInteger(const rapidjson::Value& json, int64_t& out, const FieldPath& path, ProblemReporter& reporter) {
  if (json.IsInt64()) {
    out = json.GetInt64();
    return true;
  }
  if (!json.IsNumber()) {
    reporter.WrongType(path, "an integer", json);
    return false;
  }
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  const double number = json.GetDouble();
  if (json.IsUint64() || !(number >= -kLimit && number < kLimit)) {
    reporter.Add(path, "number out of range");
    return false;
  }
  if (number != std::trunc(number)) {
    reporter.Add(path, "expected an integer, found a number with a fraction");
    return false;
  }
  out = static_cast<int64_t>(number);
  return true;
}

// The number as Go would hand it to the parser: the shortest text that says it.
std::string_view NumberText(const rapidjson::Value& json, std::array<char, 32>& buffer) {
  char* const begin = buffer.data();
  char* const end = begin + buffer.size();
  std::to_chars_result result{begin, std::errc()};
  if (json.IsInt64()) {
    result = std::to_chars(begin, end, json.GetInt64());
  } else if (json.IsUint64()) {
    result = std::to_chars(begin, end, json.GetUint64());
  } else {
    result = std::to_chars(begin, end, json.GetDouble());
  }
  return {begin, static_cast<size_t>(result.ptr - begin)};
}

std::string_view TrimSpaces(std::string_view text) {
  const size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// Fills a map of `Map`'s type with what `read` makes of each member. The keys of an API server come sorted; others are
// sorted once, so that no input makes this quadratic.
template <typename Map, typename Read>
void ReadMap(const rapidjson::Value& json, Map& out, const FieldPath& path, ProblemReporter& reporter,
             const Read& read) {
  if (!json.IsObject()) return reporter.WrongType(path, "an object", json);
  typename Map::sequence_type entries;
  entries.reserve(json.MemberCount());
  for (const auto& member : json.GetObject()) {
    auto& entry = entries.emplace_back();
    entry.first.assign(member.name.GetString(), member.name.GetStringLength());
    if (!member.value.IsNull()) read(member.value, entry.second, path.Key(entry.first), reporter);
  }
  const auto less = [](const auto& a, const auto& b) { return a.first < b.first; };
  if (!std::is_sorted(entries.begin(), entries.end(), less)) std::stable_sort(entries.begin(), entries.end(), less);
  // Documents have no key twice (their reader sees to it); the map must not have one whatever happens.
  const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
  entries.erase(std::unique(entries.begin(), entries.end(), same), entries.end());
  out.adopt_sequence(boost::container::ordered_unique_range, std::move(entries));
}

void WriteCanonical(const rapidjson::Value& json, rapidjson::Writer<rapidjson::StringBuffer>& writer) {
  if (json.IsArray()) {
    writer.StartArray();
    for (const auto& element : json.GetArray()) WriteCanonical(element, writer);
    writer.EndArray();
    return;
  }
  if (!json.IsObject()) {
    json.Accept(writer);
    return;
  }
  std::vector<rapidjson::Value::ConstMemberIterator> members;
  for (auto member = json.MemberBegin(); member != json.MemberEnd(); ++member) members.push_back(member);
  std::sort(members.begin(), members.end(),
            [](const auto& a, const auto& b) { return TextOf(a->name) < TextOf(b->name); });
  writer.StartObject();
  for (const auto& member : members) {
    writer.Key(member->name.GetString(), member->name.GetStringLength());
    WriteCanonical(member->value, writer);
  }
  writer.EndObject();
}

}  // namespace

void ReadJson(const rapidjson::Value& json, std::string& out, const FieldPath& path, ProblemReporter& reporter) {
  if (!json.IsString()) return reporter.WrongType(path, "a string", json);
  out.assign(json.GetString(), json.GetStringLength());
}

void ReadJson(const rapidjson::Value& json, bool& out, const FieldPath& path, ProblemReporter& reporter) {
  if (!json.IsBool()) return reporter.WrongType(path, "a boolean", json);
  out = json.GetBool();
}

void ReadJson(const rapidjson::Value& json, int32_t& out, const FieldPath& path, ProblemReporter& reporter) {
  int64_t wide = 0;
  if (!ReadInteger(json, wide, path, reporter)) return;
  if (wide != static_cast<int32_t>(wide)) {
    return reporter.Add(path, "number " + std::to_string(wide) + " out of range: it has to fit 32 bits");
  }
  out = static_cast<int32_t>(wide);
}

void ReadJson(const rapidjson::Value& json, int64_t& out, const FieldPath& path, ProblemReporter& reporter) {
  ReadInteger(json, out, path, reporter);
}

void ReadJson(const rapidjson::Value& json, Quantity& out, const FieldPath& path, ProblemReporter& reporter) {
  std::array<char, 32> buffer;
  std::string_view text;
  if (json.IsString()) {
    text = TrimSpaces(TextOf(json));
  } else if (json.IsNumber()) {
    text = NumberText(json, buffer);
  } else {
    return reporter.WrongType(path, "a quantity like 500m or 2Gi", json);
  }
  const Result<Quantity> quantity = Quantity::Parse(text);
  if (!quantity) return reporter.Add(path, "Invalid value: \"" + std::string(text) + "\": " + quantity.error().message);
  out = *quantity;
}

void ReadJson(const rapidjson::Value& json, IntOrString& out, const FieldPath& path, ProblemReporter& reporter) {
  out = {};
  out.is_text = json.IsString();
  if (out.is_text) return ReadJson(json, out.text, path, reporter);
  ReadJson(json, out.number, path, reporter);
}

void ReadJson(const rapidjson::Value& json, StringMap& out, const FieldPath& path, ProblemReporter& reporter) {
  ReadMap(json, out, path, reporter,
          [](const auto& value, std::string& text, const FieldPath& key, ProblemReporter& problems) {
            ReadJson(value, text, key, problems);
          });
}

void ReadJson(const rapidjson::Value& json, ResourceList& out, const FieldPath& path, ProblemReporter& reporter) {
  ReadMap(json, out, path, reporter,
          [](const auto& value, Quantity& quantity, const FieldPath& key, ProblemReporter& problems) {
            ReadJson(value, quantity, key, problems);
          });
}

void ReadNames(const rapidjson::Value& json, std::vector<std::string>& out, const FieldPath& path,
               ProblemReporter& reporter) {
  if (!json.IsArray()) return reporter.WrongType(path, "a list", json);
  out.clear();
  out.reserve(json.Size());
  for (const rapidjson::Value& element : json.GetArray()) {
    const FieldPath element_path = path.Index(out.size());
    out.emplace_back();
    if (element.IsNull()) continue;
    if (!element.IsObject()) {
      reporter.WrongType(element_path, "an object", element);
      continue;
    }
    const auto name = element.FindMember("name");
    if (name == element.MemberEnd() || name->value.IsNull()) continue;
    ReadJson(name->value, out.back(), element_path.Child("name"), reporter);
  }
}

void ReadTime(const rapidjson::Value& json, std::optional<TimeNs>& out, const FieldPath& path,
              ProblemReporter& reporter) {
  if (!json.IsString()) return reporter.WrongType(path, "a time like 2006-01-02T15:04:05Z", json);
  out = ParseTime(TextOf(json));
  if (out) return;
  reporter.Add(path, "Invalid value: \"" + std::string(TextOf(json)) + "\": expected a time like 2006-01-02T15:04:05Z");
}

void ReadTime(const rapidjson::Value& json, TimeMap& out, const FieldPath& path, ProblemReporter& reporter) {
  ReadMap(json, out, path, reporter,
          [](const auto& value, TimeNs& time, const FieldPath& key, ProblemReporter& problems) {
            std::optional<TimeNs> read;
            ReadTime(value, read, key, problems);
            time = read.value_or(0);
          });
}

std::string CanonicalJson(const rapidjson::Value& json) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  WriteCanonical(json, writer);
  return {buffer.GetString(), buffer.GetSize()};
}

const rapidjson::Value* FindField(const rapidjson::Value& object, std::initializer_list<const char*> path) {
  const rapidjson::Value* at = &object;
  for (const char* name : path) {
    if (!at->IsObject()) return nullptr;
    const auto member = at->FindMember(name);
    if (member == at->MemberEnd()) return nullptr;
    at = &member->value;
  }
  return at;
}

std::string TextAt(const rapidjson::Value& object, std::initializer_list<const char*> path) {
  const rapidjson::Value* value = FindField(object, path);
  return value != nullptr && value->IsString() ? std::string(TextOf(*value)) : std::string();
}

}  // namespace ksched::api
