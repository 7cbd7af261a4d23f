// What the scheduler says of itself, a line each: text, or JSON as Kubernetes' components write it. For several
// threads.
#pragma once

#include <cstdint>
#include <mutex>
#include <ostream>
#include <string>
#include <string_view>

namespace ksched::daemon {

enum class LogFormat : uint8_t { kText, kJson };

class Logger {
 public:
  // `out` is borrowed.
  Logger(std::ostream& out, LogFormat format, int32_t verbosity) : out_(out), format_(format), verbosity_(verbosity) {}

  bool Says(int32_t level) const { return level <= verbosity_; }
  // What begins with "error: " or "warning: " is one. `pod`: the key of the pod that it is about, "" if of none.
  void Write(int32_t level, std::string_view text, std::string_view pod = {});

 private:
  std::ostream& out_;
  const LogFormat format_;
  const int32_t verbosity_;
  std::mutex mutex_;
};

}  // namespace ksched::daemon
