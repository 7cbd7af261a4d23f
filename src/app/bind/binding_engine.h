// BindingEngine: schedules some pods of a watched cluster, and binds them; each is tried once, or again when victims
// have left for it, or its node has become no good meanwhile.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/bind/options.h"
#include "app/bind/quiet_ports.h"
#include "app/bind/target.h"
#include "app/bind/teller.h"
#include "app/cli/trouble_teller.h"
#include "app/daemon/live_engine.h"
#include "base/stop_signal.h"
#include "kube/checked_binder.h"
#include "kube/eviction_port.h"

namespace ksched::bind {

class BindingEngine {
 public:
  // Borrowed. Those of `targets` that are decided stay as they are.
  BindingEngine(const BindOptions& options, const cli::Setup& setup, kube::HttpClient& client, const StopSignal& stop,
                std::vector<Target>& targets, Teller& teller, cli::Streams& streams);

  // Creates the scheduler. An error is one of the configuration.
  Result<void> Create();
  // Until the cluster is known. An error says why it will not be.
  Result<void> WaitForCluster();
  // Until every target is decided.
  void Run();

 private:
  using SteadyClock = std::chrono::steady_clock;

  void Turn();
  void RunCycles();
  void AfterCycle(const CycleRecord& record);
  void NeedsVictims(const CycleRecord& record, Target& target);
  void BindingEnded(const PodInfo& pod, const CycleOutcome& outcome);
  void LookAtTargets();
  void EndInTime();
  void Drain();

  Result<void> CheckNode(const PodInfo& pod, api::Decoded&& node);
  std::string WhyNot(const CycleRecord& record) const;
  std::string Violations(const std::vector<Status>& statuses) const;
  std::string Describe(PodId victim);
  kube::CheckedBinder::Write MakeWrite();
  Ports MakePorts();

  Target* Find(const std::string& uid);
  void Bound(Target& target, const std::string& node);
  void NotBound(Target& target, const std::string& why);
  void Decide(Target& target);
  void DropDecided();
  bool dry() const { return options_.dry_run != DryRun::kNone; }
  Scheduler& scheduler() { return engine_.scheduler(); }

  const BindOptions& options_;
  kube::HttpClient& client_;
  const StopSignal& stop_;
  std::vector<Target>& targets_;
  Teller& teller_;
  const cli::Setup& setup_;
  daemon::LiveEngine engine_;
  QuietPorts quiet_;
  kube::CheckedBinder binder_;
  kube::EvictionPort evictions_;
  cli::TroubleTeller troubles_;
  std::map<std::string, Target*> pending_;  // by uid; what the scheduler handles
  std::set<std::string> dropped_;           // decided, and perhaps still in the queue
  std::optional<SteadyClock::time_point> end_;
  std::string over_;  // why nothing more is begun; empty: things go on
};

}  // namespace ksched::bind
