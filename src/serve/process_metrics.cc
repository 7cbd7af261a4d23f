#include "serve/process_metrics.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "serve/metrics.h"

namespace ksched::serve {
namespace {

void Add(std::string& out, const char* name, const char* type, const char* help, double value) {
  out += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n{0} {3}\n", name, help, type, FormatValue(value));
}

double LimitOf(rlim_t limit) {
  return limit == RLIM_INFINITY ? static_cast<double>(UINT64_MAX) : static_cast<double>(limit);
}

// Linux' /proc; where there is none, this says nothing.
struct ProcStat {
  double cpu_s = 0, start_s = 0, virtual_bytes = 0, resident_bytes = 0;
};

bool Read(ProcStat& stat) {
  std::ifstream file("/proc/self/stat"), system("/proc/stat");
  std::string line, word;
  if (!std::getline(file, line)) return false;
  std::istringstream fields(line.substr(line.rfind(')') + 2));  // the name may have blanks; field 3 is next
  std::vector<double> values;
  while (fields >> word) values.push_back(std::strtod(word.c_str(), nullptr));
  constexpr size_t kUser = 14 - 3, kSystem = 15 - 3, kStart = 22 - 3, kVirtual = 23 - 3, kResident = 24 - 3;
  if (values.size() <= kResident) return false;
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  stat.cpu_s = (values[kUser] + values[kSystem]) / ticks;
  stat.virtual_bytes = values[kVirtual];
  stat.resident_bytes = values[kResident] * static_cast<double>(sysconf(_SC_PAGESIZE));
  while (system >> word) {
    if (word == "btime" && system >> word) stat.start_s = std::strtod(word.c_str(), nullptr) + values[kStart] / ticks;
  }
  return true;
}

}  // namespace

std::string ProcessMetrics() {
  ProcStat stat;
  if (!Read(stat)) return "";
  rlimit files{}, memory{};
  getrlimit(RLIMIT_NOFILE, &files);
  getrlimit(RLIMIT_AS, &memory);
  std::error_code failed;
  double open = 0;
  for (auto it = std::filesystem::directory_iterator("/proc/self/fd", failed);
       !failed && it != std::filesystem::end(it); it.increment(failed)) {
    ++open;
  }
  std::string out;
  Add(out, "process_cpu_seconds_total", "counter", "Total user and system CPU time spent in seconds.", stat.cpu_s);
  Add(out, "process_max_fds", "gauge", "Maximum number of open file descriptors.", LimitOf(files.rlim_cur));
  Add(out, "process_open_fds", "gauge", "Number of open file descriptors.", open);
  Add(out, "process_resident_memory_bytes", "gauge", "Resident memory size in bytes.", stat.resident_bytes);
  Add(out, "process_start_time_seconds", "gauge", "Start time of the process since unix epoch in seconds.",
      stat.start_s);
  Add(out, "process_virtual_memory_bytes", "gauge", "Virtual memory size in bytes.", stat.virtual_bytes);
  Add(out, "process_virtual_memory_max_bytes", "gauge", "Maximum amount of virtual memory available in bytes.",
      LimitOf(memory.rlim_cur));
  return out;
}

}  // namespace ksched::serve
