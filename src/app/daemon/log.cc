#include "app/daemon/log.h"

#include <fmt/chrono.h>

#include <chrono>
#include <ctime>

#include "report/emitter.h"

namespace ksched::daemon {
namespace {

bool TakePrefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

double NowMs() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<double>(std::chrono::duration_cast<std::chrono::microseconds>(now).count()) / 1000;
}

void Field(std::ostream& out, std::string_view name, std::string_view value) {
  out << ",\"" << name << "\":";
  WriteJsonString(out, value);
}

void WriteJson(std::ostream& out, int32_t level, std::string_view text, std::string_view pod) {
  const bool error = TakePrefix(text, "error: ");
  const bool warning = TakePrefix(text, "warning: ");
  out << fmt::format("{{\"ts\":{:.3f}", NowMs());
  if (!error) out << ",\"v\":" << level;  // as klog has it: errors have no level
  Field(out, "level", error ? "error" : warning ? "warning" : "info");
  Field(out, "msg", text);
  if (const size_t slash = pod.find('/'); slash != std::string_view::npos) {
    out << ",\"pod\":{\"name\":";
    WriteJsonString(out, pod.substr(slash + 1));
    out << ",\"namespace\":";
    WriteJsonString(out, pod.substr(0, slash));
    out << '}';
  }
  out << "}\n";
}

}  // namespace

void Logger::Write(int32_t level, std::string_view text, std::string_view pod) {
  if (!Says(level)) return;
  const std::lock_guard lock(mutex_);
  if (format_ == LogFormat::kJson) {
    WriteJson(out_, level, text, pod);
  } else {
    out_ << fmt::format("{:%Y-%m-%dT%H:%M:%S}Z {}\n", fmt::gmtime(std::time(nullptr)), text);
  }
  out_.flush();
}

}  // namespace ksched::daemon
