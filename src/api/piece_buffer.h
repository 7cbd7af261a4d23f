// Input that comes in pieces of any size, for a reader that takes it apart as far as it goes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ksched::api {

class PieceBuffer {
 public:
  // Calls consume(rest) with what has been left over and the new piece, unless that is less than NeedAtLeast said. It
  // takes from the front of `rest` what it is done with; what it leaves comes again. The views are good for the call.
  template <typename Consume>
  Result<void> Feed(std::string_view piece, Consume&& consume) {
    std::string_view rest = piece;
    if (!held_.empty()) {
      held_.append(piece);
      if (held_.size() < needed_) return {};
      rest = held_;
    }
    const size_t before = rest.size();
    if (Result<void> done = consume(rest); !done) return done;
    if (held_.empty()) {
      held_ = rest;
    } else {
      held_.erase(0, before - rest.size());
    }
    if (held_.empty() && held_.capacity() > kKeptBytes) held_ = std::string();
    return {};
  }

  // With fewer bytes consume cannot go on. Said within it.
  void NeedAtLeast(size_t bytes) { needed_ = bytes; }
  bool empty() const { return held_.empty(); }

 private:
  static constexpr size_t kKeptBytes = size_t{1} << 20;  // a larger buffer is given back

  std::string held_;
  size_t needed_ = 0;
};

}  // namespace ksched::api
