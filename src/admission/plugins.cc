#include "admission/plugins.h"

#include <algorithm>
#include <iterator>
#include <string>

namespace ksched {
namespace {

// In the order of AdmissionPlugin.
constexpr std::string_view kNames[kAdmissionPlugins] = {
    "NamespaceLifecycle",  "LimitRanger",  "Priority",     "DefaultTolerationSeconds",
    "DefaultStorageClass", "RuntimeClass", "ResourceQuota"};

std::string KnownNames() {
  std::string all;
  for (const std::string_view name : kNames) all += (all.empty() ? "" : ", ") + std::string(name);
  return all;
}

}  // namespace

AdmissionPlugins AdmissionPlugins::all() {
  AdmissionPlugins all;
  all.plugins_.set();
  return all;
}

Result<AdmissionPlugins> AdmissionPlugins::Parse(std::string_view text) {
  if (text == "none") return none();
  if (text == "all") return all();
  AdmissionPlugins chosen;
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find(',', start), text.size());
    const std::string_view name = text.substr(start, end - start);
    const auto* const found = std::find(std::begin(kNames), std::end(kNames), name);
    if (found == std::end(kNames)) {
      return Error{"unknown or unsupported admission plugin \"" + std::string(name) +
                   "\": it is all, none, or some of " + KnownNames()};
    }
    chosen.Add(static_cast<AdmissionPlugin>(found - std::begin(kNames)));
    start = end + 1;
  }
  return chosen;
}

}  // namespace ksched
