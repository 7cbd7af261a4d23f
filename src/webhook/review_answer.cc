// The answer to a review as text.
#include <fmt/format.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <utility>

#include "api/json_output.h"
#include "webhook/review.h"

namespace ksched::webhook {
namespace {

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

constexpr std::string_view kDots = "...";

void Write(Writer& writer, std::string_view text) {
  writer.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}
void WriteMember(Writer& writer, std::string_view key, std::string_view text) {
  writer.Key(key.data(), static_cast<rapidjson::SizeType>(key.size()));
  Write(writer, text);
}

// As many as fit; instead of the others the last one says how many those are.
std::vector<std::string> FittingWarnings(const std::vector<std::string>& warnings) {
  std::vector<std::string> fitting;
  size_t total = 0, before_last = 0;  // how many fit, if one more follows that counts the rest
  for (const std::string& warning : warnings) {
    fitting.push_back(Shortened(Printable(warning), kMaxWarningBytes));
    total += fitting.back().size();
    if (total + kMaxWarningBytes <= kMaxWarningsBytes) before_last = fitting.size();
  }
  if (total <= kMaxWarningsBytes) return fitting;
  fitting.resize(before_last);
  fitting.push_back(fmt::format("{} more warnings", warnings.size() - before_last));
  return fitting;
}

void WriteRefusal(Writer& writer, const Answer& answer) {
  writer.Key("status");
  writer.StartObject();
  WriteMember(writer, "status", "Failure");
  WriteMember(writer, "message", Shortened(Printable(answer.message), kMaxMessageBytes));
  WriteMember(writer, "reason", "Forbidden");
  writer.Key("code");
  writer.Int(403);
  writer.EndObject();
}

void WriteAudit(Writer& writer, const Answer& answer) {
  writer.Key("auditAnnotations");
  writer.StartObject();
  for (const auto& [key, value] : answer.audit) WriteMember(writer, Printable(key), Printable(value));
  writer.EndObject();
}

}  // namespace

// Control characters of Latin-1 (C2 80 to C2 9F) too: an API server drops a warning with one.
std::string Printable(std::string_view text) {
  std::string printable = api::ValidUtf8(text);
  for (size_t i = 0; i < printable.size(); ++i) {
    const auto byte = static_cast<unsigned char>(printable[i]);
    if (byte < 0x20 || byte == 0x7F) printable[i] = ' ';
    if (byte == 0xC2 && static_cast<unsigned char>(printable[i + 1]) < 0xA0) printable.replace(i, 2, " ");
  }
  return printable;
}

std::string Shortened(std::string text, size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  size_t end = max_bytes < kDots.size() ? max_bytes : max_bytes - kDots.size();
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // not within a character
  text.resize(end);
  if (max_bytes >= kDots.size()) text += kDots;
  return text;
}

std::string WriteAnswer(std::string_view uid, const Answer& answer) {
  rapidjson::StringBuffer buffer;
  Writer writer(buffer);
  writer.StartObject();
  WriteMember(writer, "kind", "AdmissionReview");
  WriteMember(writer, "apiVersion", "admission.k8s.io/v1");
  writer.Key("response");
  writer.StartObject();
  WriteMember(writer, "uid", api::ValidUtf8(uid));
  writer.Key("allowed");
  writer.Bool(answer.allowed);
  if (!answer.allowed) WriteRefusal(writer, answer);
  if (!answer.warnings.empty()) {
    writer.Key("warnings");
    writer.StartArray();
    for (const std::string& warning : FittingWarnings(answer.warnings)) Write(writer, warning);
    writer.EndArray();
  }
  if (!answer.audit.empty()) WriteAudit(writer, answer);
  writer.EndObject();
  writer.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace ksched::webhook
