// A line on a terminal that says how far lists have come.
#pragma once

#include <chrono>
#include <ostream>

#include "kube/lister.h"

namespace ksched::cli {

// Shows nothing in the first second, and nothing at all unless the stream is a terminal. Gone when it is destroyed.
class ProgressLine {
 public:
  ProgressLine(std::ostream& err, bool is_terminal)
      : err_(err), is_terminal_(is_terminal), start_(std::chrono::steady_clock::now()) {}
  ~ProgressLine() { Hide(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void Show(const kube::ListProgress& progress);
  // Makes way for other text, until it is shown again.
  void Hide();

 private:
  std::ostream& err_;
  const bool is_terminal_;
  const std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point shown_;
  bool visible_ = false;
};

}  // namespace ksched::cli
