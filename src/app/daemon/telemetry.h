// All that others may learn of a scheduler while it runs: its metrics, and what is served.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/cli/answer.h"
#include "app/daemon/options.h"
#include "app/daemon/scheduler_metrics.h"
#include "app/daemon/serving.h"
#include "kube/change_ledger.h"
#include "kube/reflector.h"

namespace ksched::daemon {

class Telemetry {
 public:
  // All borrowed.
  Telemetry(const RunOptions& options, const cli::Setup& setup, const Clock& steady, Logger& log);
  ~Telemetry();

  Observer& observer() { return observer_; }
  LiveState& state() { return state_; }
  // Serves from now on.
  Result<void> Start();
  uint16_t port() const { return serving_->port(); }
  // In the scheduling thread, whenever it has come round. `leads`: absent without an election.
  void Publish(Scheduler& scheduler, const kube::Reflectors& reflectors, const kube::ChangeLedger& ledger,
               std::optional<bool> leads);
  // Whoever asks is told that it is going to end.
  void Stopping() { state_.stopping = true; }
  void Stop() { serving_.reset(); }

 private:
  const RunOptions& options_;
  const cli::Setup& setup_;
  const Clock& steady_;
  Logger& log_;
  serve::Registry metrics_;
  SchedulerMetrics observer_;
  LiveState state_;
  TimeNs published_ = 0, text_made_ = 0;
  std::unique_ptr<Serving> serving_;
};

}  // namespace ksched::daemon
