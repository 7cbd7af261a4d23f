#include "kube/kubeconfig_base64.h"

#include <algorithm>
#include <cstdint>

namespace ksched::kube {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

Error IllegalAt(size_t offset) { return Error{"illegal base64 data at input byte " + std::to_string(offset)}; }

bool IsLineBreak(char c) { return c == '\r' || c == '\n'; }

// The offset of the first thing after `from` that is no line break.
size_t SkipLineBreaks(std::string_view text, size_t from) {
  while (from < text.size() && IsLineBreak(text[from])) ++from;
  return from;
}

// What follows the first "=" at `offset`, with `digits` digits before it in its group of four.
Result<void> CheckPadding(std::string_view text, size_t offset, int digits) {
  if (digits < 2) return IllegalAt(offset);
  size_t next = SkipLineBreaks(text, offset + 1);
  if (digits == 2) {
    if (next == text.size() || text[next] != '=') return IllegalAt(next);
    next = SkipLineBreaks(text, next + 1);
  }
  if (next != text.size()) return IllegalAt(next);
  return {};
}

}  // namespace

std::string EncodeBase64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - at);
    uint32_t group = 0;
    for (size_t i = 0; i < 3; ++i) group = group << 8 | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    for (size_t i = 0; i < 4; ++i) text += i <= count ? kDigits[group >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

Result<std::string> DecodeBase64(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  uint32_t group = 0;
  int digits = 0;
  for (size_t at = SkipLineBreaks(text, 0); at < text.size(); at = SkipLineBreaks(text, at + 1)) {
    if (text[at] == '=') {
      if (Result<void> checked = CheckPadding(text, at, digits); !checked) return checked.error();
      for (int shift = digits * 6; shift >= 8; shift -= 8) bytes += static_cast<char>(group >> (shift - 8) & 255);
      return bytes;
    }
    const size_t digit = kDigits.find(text[at]);
    if (digit == std::string_view::npos) return IllegalAt(at);
    group = group << 6 | static_cast<uint32_t>(digit);
    if (++digits < 4) continue;
    for (const int shift : {16, 8, 0}) bytes += static_cast<char>(group >> shift & 255);
    group = 0, digits = 0;
  }
  if (digits != 0) return IllegalAt(text.size());
  return bytes;
}

}  // namespace ksched::kube
