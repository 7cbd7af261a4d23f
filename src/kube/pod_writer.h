// Writes what a scheduler has to say about pods: bindings, conditions and nominations, deletions, evictions.
// Nothing blocks: each write says to its function how it went.
//
// What is tried again, up to four times within half a second (client-go's retry.DefaultBackoff), is what the reference
// tries again: a binding or a status that the server had an internal error with, or was not available for, or whose
// connection was refused; a status also after a conflict. Never a write of which nobody knows what became (time-outs,
// connections that break). A binding names the pod's uid, and the server binds no pod twice: trying again after an
// internal error at most finds that the first one was done (409). Below that, HttpClient waits where the server says
// for how long (429).
// Reference: pkg/scheduler/util (BindPod, PatchPodStatus), plugins/defaultbinder, preemption/executor.go, v1.37.2.
// Differences: deletions name the uid, so that a pod which has taken a victim's name is spared.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "base/rng.h"
#include "kube/pod_status_patch.h"
#include "kube/request_sender.h"

namespace ksched::kube {

struct PodName {
  std::string ns, name, uid;
};

// Without a query: "/api/v1/namespaces/shop/pods/web-1".
std::string PathOf(const PodName& pod);

struct PodWriterOptions {
  SenderOptions sender;
  bool dry_run = false;  // the server checks everything and stores nothing (dryRun=All)
  std::chrono::milliseconds first_backoff{10};
  std::chrono::milliseconds timeout{60'000};  // of each try; as long as an API server works on a request at most
  uint64_t seed = 0;                          // of the jitter
};

class PodWriter {
 public:
  // nullptr: it is done.
  using Done = std::function<void(const ApiError* error)>;
  // The same; gone: there was nothing to be done, since the pod is no longer there.
  using PreemptDone = std::function<void(const ApiError* error, bool gone)>;

  // client and wall (the time that conditions get) are borrowed.
  PodWriter(HttpClient& client, const Clock& wall, PodWriterOptions options);
  ~PodWriter();  // what runs is dropped, and nobody hears of it
  PodWriter(const PodWriter&) = delete;
  PodWriter& operator=(const PodWriter&) = delete;

  // All of them call `done` later, within Poll, except for a status that says it all already: at once.

  void Bind(const PodName& pod, std::string_view node, Done done);
  void PatchStatus(const PodName& pod, const KnownPodStatus& known, const PodStatusChange& change, Done done);
  // With the pod's own grace period. kNotFound: it has gone. 409: another pod has its name.
  void Delete(const PodName& pod, Done done);
  // As Delete, if the disruption budgets allow it. kTooManyRequests: not now.
  void Evict(const PodName& pod, Done done);
  // Gives a victim its condition DisruptionTarget, unless that is there, and deletes it.
  void Preempt(const PodName& victim, const KnownPodStatus& known, const PodCondition& disruption_target,
               PreemptDone done);

  size_t waiting_bindings() const { return urgent_.waiting(); }  // those that are not sent yet
  size_t running() const { return sender_.running() + urgent_.running() + pauses_.size(); }

 private:
  struct Write;
  void Try(std::shared_ptr<Write> write);
  void Ended(const std::shared_ptr<Write>& write, const ApiError* error);
  std::string Path(const PodName& pod, std::string_view subresource) const;

  HttpClient& client_;
  const Clock& wall_;
  const PodWriterOptions options_;
  Rng rng_;
  RequestSender sender_, urgent_;
  std::set<Timers::Id> pauses_;  // before another try
};

// The condition of a victim. `scheduler`: the preemptor's schedulerName; `generation`: the victim's.
PodCondition DisruptionTarget(std::string_view scheduler, int64_t generation);

}  // namespace ksched::kube
