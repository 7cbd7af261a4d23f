// Says in the log what cannot be watched.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>

#include "app/daemon/log.h"
#include "kube/reflector.h"

namespace ksched::daemon {

class WatchTrouble {
 public:
  // `log` is borrowed.
  explicit WatchTrouble(Logger& log) : log_(log) {}

  // What is new since the last call: each kind once until it goes well again; of many at the same time only how many.
  void Tell(std::span<const kube::ReflectorStatus> statuses);
  // What is waited for because it may not be listed; each kind once.
  void TellForbidden(std::span<const kube::ReflectorStatus* const> forbidden);

 private:
  Logger& log_;
  std::map<const kube::Resource*, uint64_t> told_errors_;
  std::set<const kube::Resource*> told_forbidden_;
};

}  // namespace ksched::daemon
