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
#include "app/daemon/live_engine.h"
#include "app/daemon/options.h"
#include "app/daemon/telemetry.h"
#include "app/daemon/watch_trouble.h"
#include "base/stop_signal.h"
#include "kube/boot_clock.h"
#include "kube/lease_elector.h"

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
  bool Leads() const { return elector_ == nullptr || elector_->leading(); }
  bool Ends() const { return stop_.requested() || lost_; }
  void WaitForLease();
  bool WaitForAll();
  bool AllIsKnown();
  bool MaySchedule();
  void Publish();
  void Turn();
  void RunCycles();
  void RecordCycle();
  void Drain();
  int End(int status);
  void Log(int32_t level, const std::string& text, const std::string& pod = "") { log_.Write(level, text, pod); }

  const RunOptions& options_;
  const cli::Setup& setup_;
  kube::HttpClient& client_;
  cli::Streams& streams_;
  Logger log_;
  WatchTrouble trouble_{log_};
  StopSignal stop_;
  SystemClock clock_;
  kube::BootClock steady_;

  std::optional<Telemetry> telemetry_;  // absent: nothing is served
  std::unique_ptr<kube::LeaseElector> elector_;
  std::optional<CycleRecorder> recorder_;
  std::optional<LiveEngine> engine_;
  bool lost_ = false;             // the lease
  bool took_over_ = false;        // it has the lease, and has not looked yet what was bound last
  std::optional<Error> failure_;  // what ends it
  uint64_t cycles_ = 0, bound_ = 0, failed_ = 0;
};

}  // namespace ksched::daemon
