// The part of a JSON stream that is in memory: twice, because parsing in place destroys its text and the original is
// needed again (an object that did not fit is parsed anew, errors are looked up, and some "JSON" is YAML after all).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/document.h"
#include "api/input_source.h"

namespace ksched::api {

class JsonWindow {
 public:
  explicit JsonWindow(InputSource& source) : source_(source) {}

  // Offsets are those of the stream; what lies before begin() has been given up.
  uint64_t begin() const { return begin_; }
  uint64_t end() const { return begin_ + size_; }
  bool ended() const { return ended_; }                // nothing comes after end()
  const std::string& fault() const { return fault_; }  // why it ended there; empty at the true end

  // Reads on, at least as much as there is from `keep` on; gives up what lies before `keep`.
  void Extend(uint64_t keep);

  char* work(uint64_t offset) { return work_.data() + (offset - begin_); }  // ends in NUL at end()
  std::string_view text(uint64_t offset) const { return {text_.data() + (offset - begin_), end() - offset}; }
  void Restore(uint64_t offset);  // makes work() the text again, from `offset` to the end

  // Cheap when the offsets of one call after the other grow.
  Position PositionOf(uint64_t offset) const;
  int LineOf(uint64_t offset) const { return LineAt(offset).lines + 1; }

 private:
  // Somewhere in the stream: how many complete lines come before, and where its own begins.
  struct Place {
    uint64_t offset = 0, line_start = 0;
    int lines = 0;
  };
  const Place& LineAt(uint64_t offset) const;
  void GiveUp(size_t count);
  void Validate();

  InputSource& source_;
  std::vector<char> text_, work_;
  uint64_t begin_ = 0;
  size_t size_ = 0;
  size_t valid_ = 0;     // so many bytes of the window are UTF-8
  Place start_;          // begin_
  mutable Place known_;  // the last one that was asked for, not before begin_
  bool ended_ = false;
  std::string fault_;
};

// Length of the longest prefix that is UTF-8. With `more` to come, a sequence cut off at the end is left out of it;
// `valid` says whether the rest, if any, is such a sequence.
size_t Utf8Prefix(std::string_view text, bool more, bool& valid);

}  // namespace ksched::api
