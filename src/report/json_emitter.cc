#include <array>

#include <fmt/format.h>

#include "report/emitter.h"

namespace ksched {
namespace {

// The length of the valid UTF-8 sequence at the start of `text` (not empty), 0 if there is none.
size_t Utf8Length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  size_t length = 0;
  unsigned char low = 0x80, high = 0xBF;  // of the second byte
  if (first >= 0xC2 && first <= 0xDF) {
    length = 2;
  } else if (first >= 0xE0 && first <= 0xEF) {
    length = 3;
    if (first == 0xE0) low = 0xA0;
    if (first == 0xED) high = 0x9F;
  } else if (first >= 0xF0 && first <= 0xF4) {
    length = 4;
    if (first == 0xF0) low = 0x90;
    if (first == 0xF4) high = 0x8F;
  }
  if (length == 0 || text.size() < length || byte(1) < low || byte(1) > high) return 0;
  for (size_t i = 2; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

void WriteEscaped(std::ostream& out, unsigned char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  switch (c) {
    case '"':
    case '\\':
      out << '\\' << static_cast<char>(c);
      break;
    case '\b':
      out << "\\b";
      break;
    case '\f':
      out << "\\f";
      break;
    case '\n':
      out << "\\n";
      break;
    case '\r':
      out << "\\r";
      break;
    case '\t':
      out << "\\t";
      break;
    default:
      out << "\\u00" << kHex[c >> 4] << kHex[c & 15];
  }
}

bool IsPlain(unsigned char c) { return c >= 0x20 && c < 0x80 && c != '"' && c != '\\'; }

}  // namespace

void WriteJsonString(std::ostream& out, std::string_view text) {
  out << '"';
  while (!text.empty()) {
    size_t plain = 0;
    while (plain < text.size() && IsPlain(static_cast<unsigned char>(text[plain]))) ++plain;
    out << text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const size_t length = Utf8Length(text);
    const std::string_view one = text.substr(0, length == 0 ? 1 : length);
    if (length == 0) {
      out << "\\ufffd";
    } else if (length == 1) {
      WriteEscaped(out, static_cast<unsigned char>(text[0]));
    } else if (one == "\u2028" || one == "\u2029") {  // line ends to JavaScript
      out << (one == "\u2028" ? "\\u2028" : "\\u2029");
    } else {
      out << one;
    }
    text.remove_prefix(one.size());
  }
  out << '"';
}

void JsonEmitter::BeforeElement() {
  if (empty_.empty()) return;
  out_ << (empty_.back() ? "\n" : ",\n");
  empty_.back() = false;
  for (size_t i = 0; i < empty_.size(); ++i) out_ << "  ";
}

void JsonEmitter::BeforeValue() {
  if (!after_key_) BeforeElement();
  after_key_ = false;
}

void JsonEmitter::Begin(char bracket) {
  BeforeValue();
  out_ << bracket;
  empty_.push_back(true);
}

void JsonEmitter::End(char bracket) {
  const bool was_empty = empty_.back();
  empty_.pop_back();
  if (!was_empty) {
    out_ << '\n';
    for (size_t i = 0; i < empty_.size(); ++i) out_ << "  ";
  }
  out_ << bracket;
  if (empty_.empty()) out_ << '\n';
}

void JsonEmitter::Key(std::string_view key) {
  BeforeElement();
  WriteJsonString(out_, key);
  out_ << ": ";
  after_key_ = true;
}

void JsonEmitter::String(std::string_view text) {
  BeforeValue();
  WriteJsonString(out_, text);
}

void JsonEmitter::Int(int64_t number) {
  BeforeValue();
  out_ << number;
}

void JsonEmitter::Double(double number) {
  BeforeValue();
  out_ << fmt::format("{}", number);
}

void JsonEmitter::Bool(bool value) {
  BeforeValue();
  out_ << (value ? "true" : "false");
}

}  // namespace ksched
