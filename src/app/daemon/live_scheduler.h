// LiveScheduler: a scheduler on a cluster. Everything happens in one thread, in turns: what the watches bring, cycles,
// and what has come of the writes.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/cli/answer.h"
#include "app/cli/connection.h"
#include "app/cli/streams.h"
#include "app/daemon/cycle_recorder.h"
#include "app/daemon/log.h"
#include "app/daemon/options.h"
#include "app/daemon/telemetry.h"
#include "base/stop_signal.h"
#include "kube/boot_clock.h"
#include "kube/change_ledger.h"
#include "kube/lease_elector.h"
#include "kube/reflector.h"
#include "kube/victims_port.h"
#include "kube/volumes_port.h"
#include "kube/watched_cluster.h"
#include "scheduler/cluster_feed.h"

namespace ksched::daemon {

// Sets up what `options` says of the configuration.
Result<cli::Setup> MakeRunSetup(const RunOptions& options);

class LiveScheduler {
 public:
  // Borrowed.
  LiveScheduler(const RunOptions& options, const cli::Setup& setup, cli::Connection& connection, cli::Streams& streams);
  ~LiveScheduler();

  // Schedules until it is told to stop, or loses its lease. Returns the exit status.
  int Run();

 private:
  Result<void> Create();
  Result<void> CreateElector();
  kube::SenderOptions Sender();
  bool Leads() const { return elector_ == nullptr || elector_->leading(); }
  bool WaitForAll();
  void Publish();
  void Turn();
  void Tick();
  void RunCycles();
  void RecordCycle();
  std::chrono::milliseconds UntilSomethingIsDue() const;
  void TellOfTrouble();
  void Drain();
  int End(int status);
  void Log(int32_t level, const std::string& text, const std::string& pod = "") { log_.Write(level, text, pod); }

  const RunOptions& options_;
  const cli::Setup& setup_;
  kube::HttpClient& client_;
  cli::Streams& streams_;
  Logger log_;
  StopSignal stop_;
  SystemClock clock_;
  kube::BootClock steady_;

  std::optional<Telemetry> telemetry_;  // absent: nothing is served
  ClusterState state_;
  std::unique_ptr<kube::LeaseElector> elector_;
  std::optional<kube::RateLimiter> limiter_;
  std::optional<kube::PodWriter> writer_;
  std::optional<kube::BindingWriter> bindings_;
  std::optional<kube::EventWriter> events_;
  std::optional<kube::PodPorts> pods_;
  std::optional<kube::VictimsPort> victims_;
  std::optional<kube::VolumesPort> volumes_;
  std::unique_ptr<Scheduler> scheduler_;
  std::optional<EventHandlers> handlers_;
  std::optional<ClusterFeed> feed_;
  std::optional<kube::WatchedCluster> cluster_;
  std::optional<CycleRecorder> recorder_;
  std::optional<kube::ChangeLedger> ledger_;
  std::optional<kube::Reflectors> reflectors_;

  TimeNs last_second_ = 0, last_flush_ = 0;  // on the wall
  bool lost_ = false;                        // the lease
  std::optional<Error> failure_;             // what ends it
  uint64_t cycles_ = 0, bound_ = 0, failed_ = 0;
  std::map<const kube::Resource*, uint64_t> told_errors_;
};

}  // namespace ksched::daemon
