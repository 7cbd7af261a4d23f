#include <algorithm>
#include <cctype>
#include <string>

#include <fmt/format.h>

#include "report/emitter.h"

namespace ksched {
namespace {

// Words that are no strings to readers of YAML 1.1, in lower case.
constexpr std::string_view kWords[] = {"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"};

bool IsWord(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::ranges::find(kWords, lower) != std::end(kWords);
}

// Certainly a plain scalar, and a string: starts with a letter or a slash, and has nothing that could mean something.
bool IsPlain(std::string_view text) {
  if (text.empty() || text.back() == ' ' || text.back() == ':' || IsWord(text)) return false;
  const auto letter = [](unsigned char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (!letter(static_cast<unsigned char>(text[0])) && text[0] != '/') return false;
  const auto harmless = [&](unsigned char c) {
    return letter(c) || (c >= '0' && c <= '9') ||
           std::string_view(" -_./:()+=;,").find(static_cast<char>(c)) != std::string_view::npos;
  };
  return std::ranges::all_of(text, harmless) && text.find(": ") == std::string_view::npos;
}

void WriteString(std::ostream& out, std::string_view text) {
  if (IsPlain(text)) {
    out << text;
  } else {
    WriteJsonString(out, text);  // every string of JSON is a double-quoted one of YAML
  }
}

void Indent(std::ostream& out, int columns) { out << std::string(static_cast<size_t>(columns), ' '); }

}  // namespace

void YamlEmitter::BeforeElement() {
  Level& level = levels_.back();
  const bool inline_with_dash = level.empty && level.place == Place::kAfterDash;
  if (level.empty && level.place == Place::kAfterKey) out_ << '\n';
  if (inline_with_dash) out_ << ' ';
  level.empty = false;
  if (!inline_with_dash) Indent(out_, level.indent);
}

void YamlEmitter::Begin(const char* if_empty) {
  int indent = 0;
  if (!levels_.empty()) {
    const Level& outer = levels_.back();
    indent = outer.indent + 2;
    if (outer.is_list) {
      BeforeElement();
      out_ << '-';
      place_ = Place::kAfterDash;
    }
  }
  // A list in an object stands under its key, as kubectl writes it.
  const bool is_list = if_empty[0] == '[';
  if (is_list && place_ == Place::kAfterKey) indent -= 2;
  levels_.push_back({if_empty, is_list, true, indent, place_});
}

void YamlEmitter::End() {
  const Level level = levels_.back();
  levels_.pop_back();
  if (level.empty) out_ << (level.place == Place::kStart ? "" : " ") << level.if_empty << '\n';
}

void YamlEmitter::Key(std::string_view key) {
  BeforeElement();
  WriteString(out_, key);
  out_ << ':';
  place_ = Place::kAfterKey;
}

void YamlEmitter::Scalar(std::string_view text) {
  if (!levels_.empty() && levels_.back().is_list) {
    BeforeElement();
    out_ << '-';
  }
  out_ << ' ' << text << '\n';
}

void YamlEmitter::String(std::string_view text) {
  if (levels_.back().is_list) {
    BeforeElement();
    out_ << '-';
  }
  out_ << ' ';
  WriteString(out_, text);
  out_ << '\n';
}

void YamlEmitter::Int(int64_t number) { Scalar(std::to_string(number)); }

void YamlEmitter::Double(double number) { Scalar(fmt::format("{}", number)); }

void YamlEmitter::Bool(bool value) { Scalar(value ? "true" : "false"); }

}  // namespace ksched
