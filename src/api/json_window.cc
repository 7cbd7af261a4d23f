#include "api/json_window.h"

#include <algorithm>
#include <cstring>

namespace ksched::api {
namespace {

constexpr size_t kChunk = size_t{512} << 10;      // fits the second-level cache, twice
constexpr size_t kFirstChunk = size_t{32} << 10;  // most files have no more
constexpr size_t kPadding = 1;                    // the terminating NUL

bool IsAscii(const char* text, size_t size) {
  unsigned char any = 0;
  for (size_t i = 0; i < size; ++i) any |= static_cast<unsigned char>(text[i]);
  return any < 0x80;
}

// Length of the sequence at `text`, 0 if it is invalid, -1 if it is cut off by the end.
int SequenceLength(const unsigned char* text, size_t size) {
  const unsigned char lead = text[0];
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const int length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  // The second byte excludes overlong forms, surrogates and what lies beyond U+10FFFF.
  unsigned char low = 0x80, high = 0xBF;
  if (lead == 0xE0) low = 0xA0;
  if (lead == 0xED) high = 0x9F;
  if (lead == 0xF0) low = 0x90;
  if (lead == 0xF4) high = 0x8F;
  for (int i = 1; i < length; ++i) {
    if (static_cast<size_t>(i) >= size) return -1;
    if (text[i] < low || text[i] > high) return 0;
    low = 0x80;
    high = 0xBF;
  }
  return length;
}

}  // namespace

size_t Utf8Prefix(std::string_view text, bool more, bool& valid) {
  constexpr size_t kBlock = 4096;
  valid = true;
  size_t at = 0;
  while (at < text.size()) {
    const size_t block = std::min(kBlock, text.size() - at);
    if (IsAscii(text.data() + at, block)) {
      at += block;
      continue;
    }
    for (const size_t stop = at + block; at < stop;) {
      const int length = SequenceLength(reinterpret_cast<const unsigned char*>(text.data()) + at, text.size() - at);
      if (length <= 0) {
        valid = length < 0 && more;
        return at;
      }
      at += static_cast<size_t>(length);
    }
  }
  return at;
}

void JsonWindow::Extend(uint64_t keep) {
  if (ended_) return;
  GiveUp(keep - begin_);
  const size_t wanted = std::max(text_.empty() ? kFirstChunk : kChunk, size_);
  if (text_.size() < size_ + wanted + kPadding) {
    const size_t needed = size_ + wanted + kPadding;
    text_.reserve(needed);  // exactly: resize alone may take twice as much
    text_.resize(needed);
    work_.reserve(needed);
    work_.resize(needed);
  }
  size_t count = 0;
  while (count < wanted && !ended_) {
    Result<size_t> got = source_.Read(text_.data() + size_ + count, wanted - count);
    if (!got) fault_ = got.error().message;
    ended_ = !got || *got == 0;
    if (got) count += *got;
  }
  std::memcpy(work_.data() + size_, text_.data() + size_, count);
  size_ += count;
  Validate();
  work_[size_] = '\0';
}

void JsonWindow::GiveUp(size_t count) {
  if (count == 0) return;
  start_ = LineAt(begin_ + count);
  std::memmove(text_.data(), text_.data() + count, size_ - count);
  std::memmove(work_.data(), work_.data() + count, size_ - count);
  begin_ += count;
  size_ -= count;
  valid_ = valid_ > count ? valid_ - count : 0;
}

void JsonWindow::Validate() {
  bool valid = true;
  valid_ += Utf8Prefix(std::string_view(text_.data() + valid_, size_ - valid_), !ended_, valid);
  if (valid) return;
  size_ = valid_;  // what came before is still good
  if (fault_.empty()) fault_ = "invalid UTF-8";
  ended_ = true;
}

void JsonWindow::Restore(uint64_t offset) {
  const size_t from = offset - begin_;
  std::memcpy(work_.data() + from, text_.data() + from, size_ - from);
  work_[size_] = '\0';
}

const JsonWindow::Place& JsonWindow::LineAt(uint64_t offset) const {
  offset = std::min(offset, end());
  Place place = offset < known_.offset ? start_ : known_;
  const char* const text = text_.data();
  for (uint64_t at = place.offset; at < offset; ++at) {
    const void* found = std::memchr(text + (at - begin_), '\n', offset - at);
    if (found == nullptr) break;
    at = begin_ + static_cast<uint64_t>(static_cast<const char*>(found) - text);
    ++place.lines;
    place.line_start = at + 1;
  }
  place.offset = offset;
  return known_ = place;
}

Position JsonWindow::PositionOf(uint64_t offset) const {
  const Place place = LineAt(offset);
  Position position{place.lines + 1, 1};
  // Columns count characters; on a line that began before the window, bytes.
  if (place.line_start < begin_) {
    position.column = static_cast<int>(std::min<uint64_t>(offset - place.line_start, INT32_MAX - 1)) + 1;
    return position;
  }
  for (size_t i = place.line_start - begin_; i < place.offset - begin_; ++i) {
    position.column += (text_[i] & 0xC0) != 0x80;
  }
  return position;
}

}  // namespace ksched::api
