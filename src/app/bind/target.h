// The pods that `bind` is about, and what becomes of each.
#pragma once

#include <string>
#include <vector>

#include "api/types.h"
#include "app/bind/options.h"
#include "base/result.h"
#include "kube/http_client.h"

namespace ksched::bind {

struct Target {
  enum class State {
    kPending,  // until it is decided
    kBound,    // or would be, in a dry run
    kNotBound,
    kLeftOut,  // it was not meant: a selector has found it, but not for `bind`
  };
  std::string ns, name, uid, scheduler;
  State state = State::kPending;
  std::string node;                  // of kBound
  std::string why;                   // of kNotBound and kLeftOut
  std::vector<std::string> victims;  // who had to leave for it, or would have to: "default/a (priority 0)"
  int tries = 0;                     // bindings that were begun

  std::string Key() const { return ns + "/" + name; }
  bool decided() const { return state != State::kPending; }
};

// The pods that the options name, in `ns`. Those that cannot be bound are decided already. An error if the cluster
// cannot be asked.
Result<std::vector<Target>> FindTargets(kube::HttpClient& client, const BindOptions& options, const std::string& ns);

// What a pod comes to before anything is tried.
Target TargetOf(const api::Pod& pod, bool by_name);

}  // namespace ksched::bind
