#include "app/daemon/reference_flags.h"

#include <algorithm>

#include "app/daemon/flag_values.h"

namespace ksched::daemon {
namespace {

// Not heeded, and nothing but logs or the choice of metrics would be different.
struct Ignored {
  const char* flag;
  const char* why;
  bool is_bool = false;
};
constexpr Ignored kIgnored[] = {
    {"vmodule", "levels are the same for all files"},
    {"log-flush-frequency", "every line is written at once"},
    {"log-json-info-buffer-size", "every line is written at once"},
    {"log-text-info-buffer-size", "every line is written at once"},
    {"log-json-split-stream", "all lines go to standard error", true},
    {"log-text-split-stream", "all lines go to standard error", true},
    {"allow-metric-labels", "all values of labels are shown"},
    {"allow-metric-labels-manifest", "all values of labels are shown"},
    {"min-compatibility-version", "there is no older version to be compatible with"},
};

// As with kube-scheduler, the file of --config counts in place of these.
constexpr const char* kOfTheFile[] = {"kubeconfig", "kube-api-qps",        "kube-api-burst", "kube-api-content-type",
                                      "profiling",  "contention-profiling"};

constexpr const char* kVersion = "1.37";
constexpr const char* kPreviousVersion = "1.36";

std::string WithoutComponent(const std::string& text) { return text.starts_with("kube=") ? text.substr(5) : text; }

}  // namespace

void AddReferenceFlags(cxxopts::Options& options) {
  auto add = options.add_options();
  for (const Ignored& one : kIgnored) {
    const std::string help = std::string("Taken, and not heeded: ") + one.why;
    const bool list = std::string_view(one.flag).find("compatibility") != std::string_view::npos;
    if (one.is_bool) {
      add(one.flag, help, BoolValue(), "BOOL");
    } else if (list) {
      add(one.flag, help, cxxopts::value<std::vector<std::string>>(), "TEXT");
    } else {
      add(one.flag, help, cxxopts::value<std::string>(), "TEXT");
    }
  }
  add("emulated-version", "1.37 (or kube=1.37) is the only one", cxxopts::value<std::vector<std::string>>(), "VERSION");
  add("show-hidden-metrics-for-version", "1.36 is taken: no metric is hidden", cxxopts::value<std::string>(),
      "VERSION");
  add("leader-elect-resource-lock", "leases: there are no others", cxxopts::value<std::string>(), "KIND");
  add("kube-api-content-type", "Taken, and only told by /configz: watches are protobuf, the rest is JSON",
      cxxopts::value<std::string>(), "TYPE");
}

Result<void> CheckReferenceFlags(const cxxopts::ParseResult& parsed, std::vector<std::string>& warnings) {
  for (const Ignored& one : kIgnored) {
    if (parsed.count(one.flag) != 0) warnings.push_back(std::string("--") + one.flag + " is not heeded: " + one.why);
  }
  for (const char* flag : kOfTheFile) {
    if (parsed.count("config") == 0 || parsed.count(flag) == 0) continue;
    warnings.push_back(std::string("--") + flag + " is not heeded: the file of --config says that");
  }
  std::vector<std::string> versions;
  ReadList(parsed, "emulated-version", versions);
  const auto is_ours = [](const std::string& version) { return WithoutComponent(version) == kVersion; };
  if (!std::ranges::all_of(versions, is_ours)) {
    return Error{std::string("--emulated-version: ") + kVersion + " is the only version whose decisions are made"};
  }
  const auto shown = cli::ValueOr<std::string>(parsed, "show-hidden-metrics-for-version", "");
  if (!shown.empty() && shown != kPreviousVersion) {
    return Error{std::string("--show-hidden-metrics-for-version must be omitted or have the value '") +
                 kPreviousVersion + "'. Only the previous minor version is allowed"};
  }
  if (cli::ValueOr<std::string>(parsed, "leader-elect-resource-lock", "leases") != "leases") {
    return Error{"--leader-elect-resource-lock: leases is the only one"};
  }
  return {};
}

}  // namespace ksched::daemon
