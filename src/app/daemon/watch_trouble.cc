#include "app/daemon/watch_trouble.h"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace ksched::daemon {

void WatchTrouble::Tell(std::span<const kube::ReflectorStatus> statuses) {
  std::vector<std::string> failing, back;
  for (const kube::ReflectorStatus& status : statuses) {
    uint64_t& told = told_errors_[status.resource];
    if (status.errors > told && !status.watching && status.last_error) {
      failing.push_back(fmt::format("{}: {}", status.resource->QualifiedName(), status.last_error->message));
      told = UINT64_MAX;
    } else if (told == UINT64_MAX && status.watching) {
      back.push_back(status.resource->QualifiedName());
      told = status.errors;
    }
  }
  constexpr size_t kNamed = 3;
  if (failing.size() > kNamed) {
    failing = {fmt::format("{} kinds are not watched, the first: {}", failing.size(), failing.front())};
  }
  for (const std::string& one : failing) log_.Write(0, fmt::format("warning: {}: trying again", one));
  if (back.size() > kNamed) back = {fmt::format("{} kinds", back.size())};
  for (const std::string& one : back) log_.Write(0, one + ": watched again");
}

void WatchTrouble::TellForbidden(std::span<const kube::ReflectorStatus* const> forbidden) {
  for (const kube::ReflectorStatus* status : forbidden) {
    const bool told = !told_forbidden_.insert(status->resource).second;
    if (told || !status->last_error) continue;
    log_.Write(0, fmt::format("warning: {} cannot be listed, which is waited for: {}",
                              status->resource->QualifiedName(), status->last_error->message));
  }
}

}  // namespace ksched::daemon
