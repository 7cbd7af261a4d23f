#include "api/json_writer.h"

#include "api/json_output.h"
#include "api/json_values.h"
#include "api/json_window.h"
#include "api/kinds.h"

namespace ksched::api {
namespace {

constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

}  // namespace

std::string ValidUtf8(std::string_view text) {
  std::string good;
  while (!text.empty()) {
    bool valid = true;
    const size_t prefix = Utf8Prefix(text, /*more=*/false, valid);
    good.append(text.substr(0, prefix));
    text.remove_prefix(prefix);
    if (text.empty()) break;
    good.append("\xEF\xBF\xBD");
    text.remove_prefix(1);
  }
  return good;
}

void JsonOutput::WriteText(std::string_view text) {
  bool valid = true;
  if (Utf8Prefix(text, /*more=*/false, valid) == text.size()) {
    writer_.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
    return;
  }
  const std::string good = ValidUtf8(text);
  writer_.String(good.data(), static_cast<rapidjson::SizeType>(good.size()));
}

void JsonOutput::Write(const IntOrString& value) {
  if (value.is_text) return WriteText(value.text);
  Write(value.number);
}

void JsonOutput::Write(const StringMap& map) {
  StartObject();
  for (const auto& [key, value] : map) {
    if (options_.without_last_applied && key == kLastApplied) continue;
    Key(ValidUtf8(key));
    WriteText(value);
  }
  EndObject();
}

void JsonOutput::Write(const ResourceList& map) {
  StartObject();
  for (const auto& [key, value] : map) {
    Key(ValidUtf8(key));
    Write(value);
  }
  EndObject();
}

void JsonOutput::WriteTime(TimeNs time) { WriteText(FormatTime(time)); }

void JsonOutput::WriteTime(const TimeMap& times) {
  StartObject();
  for (const auto& [key, time] : times) {
    Key(ValidUtf8(key));
    WriteTime(time);
  }
  EndObject();
}

Result<void> AppendJson(const Decoded& decoded, std::string& out, const JsonOptions& options) {
  GroupVersion version;
  const KindInfo* info =
      ParseGroupVersion(decoded.api_version, version) ? FindKind(version.group, decoded.kind) : nullptr;
  if (decoded.kind_class != KindClass::kScheduling || info == nullptr || info->codec.write == nullptr) {
    return Error{decoded.api_version + " " + decoded.kind + " is a kind that is not read, so it cannot be written"};
  }
  JsonOutput output(out, options);
  output.StartObject();
  output.Key("apiVersion");
  output.Write(decoded.api_version);
  output.Key("kind");
  output.Write(decoded.kind);
  info->codec.write(decoded.object, output);
  output.EndObject();
  return {};
}

}  // namespace ksched::api
