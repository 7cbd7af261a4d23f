#include "app/cli/progress.h"

#include <fmt/format.h>

namespace ksched::cli {
namespace {

constexpr std::chrono::milliseconds kQuiet{1000}, kBetween{100};
constexpr const char* kClearLine = "\r\x1b[K";

}  // namespace

void ProgressLine::Hide() {
  if (visible_) err_ << kClearLine << std::flush;
  visible_ = false;
}

void ProgressLine::Show(const kube::ListProgress& progress) {
  if (!is_terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - start_ < kQuiet || (visible_ && now - shown_ < kBetween)) return;
  visible_ = true;
  shown_ = now;
  err_ << kClearLine
       << fmt::format("reading the cluster: {} objects, {} of {} lists", progress.items, progress.lists_done,
                      progress.lists)
       << std::flush;
}

}  // namespace ksched::cli
