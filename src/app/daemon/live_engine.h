// LiveEngine: a scheduler on a cluster that is watched, with everything that keeps its state true, and the ports that
// write to the API server. It does nothing by itself: its owner polls the client, ticks, and asks for cycles.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/answer.h"
#include "kube/binding_writer.h"
#include "kube/change_ledger.h"
#include "kube/event_writer.h"
#include "kube/pod_ports.h"
#include "kube/pod_writer.h"
#include "kube/rate_limiter.h"
#include "kube/reflector.h"
#include "kube/victims_port.h"
#include "kube/volumes_port.h"
#include "kube/watched_cluster.h"
#include "scheduler/cluster_feed.h"

namespace ksched::daemon {

struct LiveEngineOptions {
  uint64_t seed = 0;                               // of draws between equal nodes, and of jitter
  std::function<bool()> may_write;                 // asked before each write; absent: yes
  std::function<void(const std::string&)> failed;  // told of writes that nobody waits for
  std::vector<kube::WatchRequest> also_watched;    // besides what a scheduler watches
  bool dry_run = false;                            // what writes about pods is checked by the server, and not stored
};

class LiveEngine {
 public:
  // Borrowed, but for the options.
  LiveEngine(const cli::Setup& setup, kube::HttpClient& client, const LiveEngineOptions& options);
  ~LiveEngine();
  LiveEngine(const LiveEngine&) = delete;
  LiveEngine& operator=(const LiveEngine&) = delete;

  // Those that write to the API server, as `run` has them.
  Ports ports();
  // `options` is complete but for the draws. `tap` is put before what keeps the state, if it is there: it gets that
  // sink, and returns the one that changes are told to.
  using Tap = std::function<kube::ChangeSink&(kube::ChangeSink& below)>;
  Result<void> Create(SchedulerOptions options, const Ports& ports, const Tap& tap = {});
  // After Create: begins to watch.
  void Start() { reflectors_->Start(); }

  // What the reference's queue does at every second, and every thirty.
  void Tick();
  // How long Poll may wait, if cycles are (not) to be run.
  std::chrono::milliseconds UntilSomethingIsDue(bool cycles) const;
  // Something that has begun has not come to its end: bindings, statuses and victims; or events, which nothing depends
  // on.
  bool writing() const;
  bool telling() const { return events_.pending() > 0; }

  ClusterState& state() { return state_; }
  const Clock& clock() const { return clock_; }
  Scheduler& scheduler() { return *scheduler_; }
  ClusterFeed& feed() { return *feed_; }
  kube::Reflectors& reflectors() { return *reflectors_; }
  const kube::Reflectors& reflectors() const { return *reflectors_; }
  // What may not be listed, or of the core is said not to be there: decisions without it would be wrong.
  std::vector<const kube::ReflectorStatus*> WhatIsForbidden() const;
  const kube::ChangeLedger& ledger() const { return *ledger_; }
  kube::PodWriter& writer() { return writer_; }
  kube::BindingWriter& bindings() { return bindings_; }
  kube::EventWriter& events() { return events_; }
  kube::PodPorts& pods() { return pods_; }
  // So much waits to be written that cycles, which would make more, are better put off: what is decided later is
  // decided from what is known then.
  bool held_back() const {
    return pods_.statuses() >= kMostWaiting || writer_.waiting_bindings() + volumes_.waiting() >= kMostWaiting;
  }
  kube::VolumesPort& volumes() { return volumes_; }

 private:
  static constexpr size_t kMostWaiting = 100;

  const cli::Setup& setup_;
  kube::HttpClient& client_;
  const LiveEngineOptions options_;
  SystemClock clock_;
  ClusterState state_;
  kube::RateLimiter limiter_, event_limiter_;  // as the reference: two clients
  kube::PodWriter writer_;
  kube::BindingWriter bindings_;
  kube::EventWriter events_;
  kube::PodPorts pods_;
  kube::VictimsPort victims_;
  kube::VolumesPort volumes_;
  std::unique_ptr<Scheduler> scheduler_;
  std::optional<EventHandlers> handlers_;
  std::optional<ClusterFeed> feed_;
  std::optional<kube::WatchedCluster> cluster_;
  std::optional<kube::ChangeLedger> ledger_;
  std::optional<kube::Reflectors> reflectors_;
  TimeNs last_second_ = 0, last_flush_ = 0;  // on the wall
};

}  // namespace ksched::daemon
