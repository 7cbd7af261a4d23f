#include "app/bind/bind.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "app/bind/binding_engine.h"
#include "app/cli/connection.h"
#include "app/cli/version.h"
#include "kube/api_requests.h"
#include "kube/running_schedulers.h"

namespace ksched::bind {
namespace {

constexpr const char* kReference = "default-scheduler";

// The profile for pods whose schedulerName is that of no profile.
const config::Profile& DefaultProfile(const std::vector<config::Profile>& profiles) {
  const auto found = std::ranges::find(profiles, kReference, &config::Profile::scheduler_name);
  return found == profiles.end() ? profiles.front() : *found;
}

class Command {
 public:
  Command(const BindOptions& options, cli::Setup setup, cli::Connection connection, cli::Streams& streams)
      : options_(options),
        setup_(std::move(setup)),
        connection_(std::move(connection)),
        streams_(streams),
        teller_(options.output, options.dry_run, streams) {
    client().StopWhen([this] { return stop_.requested(); });
  }
  ~Command() { client().StopWhen({}); }
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  int Run() {
    SayWhose();
    auto found = FindTargets(client(), options_, connection_.ns);
    if (!found) return Fail(found.error(), cli::kExitCluster);
    targets_ = std::move(*found);
    if (targets_.empty()) {
      teller_.Progress(options_.all_namespaces ? "No pending pods found"
                                               : fmt::format("No pending pods found in {} namespace.", connection_.ns));
    }
    for (const Target& target : targets_) {
      if (target.decided()) teller_.Decided(target);
    }
    if (auto checked = RefuseServed(); !checked) return Fail(checked.error(), cli::kExitCluster);
    if (auto checked = CheckNode(); !checked) return Fail(checked.error(), cli::kExitCluster);
    AddProfiles();
    if (std::ranges::any_of(targets_, [](const Target& target) { return !target.decided(); })) {
      if (const int status = BindTargets(); status != cli::kExitSuccess) return status;
    }
    teller_.End(targets_);
    return ExitStatusOf(targets_);
  }

 private:
  kube::HttpClient& client() { return *connection_.client; }

  int Fail(const Error& error, int status) {
    teller_.Error(error.message);
    return status;
  }

  void SayWhose() {
    if (options_.verbosity == 0) return;
    cli::PrintVersion(streams_.err);
    cli::DescribeSchedulers(client(), {!options_.config.empty(), options_.feature_gates}, streams_.err, streams_.err);
  }

  int BindTargets() {
    BindingEngine engine(options_, setup_, client(), stop_, targets_, teller_, streams_);
    if (auto created = engine.Create(); !created) return Fail(created.error(), cli::kExitUsage);
    if (auto known = engine.WaitForCluster(); !known) return Fail(known.error(), cli::kExitCluster);
    engine.Run();
    return cli::kExitSuccess;
  }

  // Pods of schedulers that run are theirs: two that bind the same pods would be in each other's way.
  Result<void> RefuseServed() {
    if (options_.force) return {};
    std::set<std::string> names;
    for (const Target& target : targets_) {
      if (!target.decided()) names.insert(target.scheduler);
    }
    const auto running = kube::FindRunningSchedulers(client(), names);
    if (!running) {
      return Error{fmt::format("it cannot be told which schedulers run (--force binds all the same): {}",
                               running.error().message)};
    }
    for (Target& target : targets_) {
      const auto served = running->find(target.scheduler);
      if (target.decided() || served == running->end()) continue;
      Refuse(
          target,
          fmt::format("its scheduler \"{}\" runs: {} (--force binds all the same)", target.scheduler, served->second),
          options_.by_name() ? Target::State::kNotBound : Target::State::kLeftOut);
    }
    return {};
  }

  Result<void> CheckNode() {
    if (options_.node.empty()) return {};
    const auto reply = kube::GetObject(client(), *kube::FindResource("", "nodes"), "", options_.node);
    if (reply.ok()) return {};
    if (reply.error->kind != kube::ErrorKind::kNotFound) return reply.error->ToError();
    for (Target& target : targets_) {
      if (!target.decided()) {
        Refuse(target, fmt::format("nodes \"{}\" not found", options_.node), Target::State::kNotBound);
      }
    }
    return {};
  }

  void Refuse(Target& target, std::string why, Target::State state) {
    target.state = state;
    target.why = std::move(why);
    teller_.Decided(target);
  }

  // Pods of a scheduler that no profile is for are handled as if they named the default profile.
  void AddProfiles() {
    std::vector<config::Profile>& profiles = setup_.configuration.profiles;
    const config::Profile profile = DefaultProfile(profiles);
    for (const Target& target : targets_) {
      const bool known =
          std::ranges::find(profiles, target.scheduler, &config::Profile::scheduler_name) != profiles.end();
      if (target.decided() || known) continue;
      teller_.Progress(fmt::format("no profile is for the scheduler \"{}\": its pods are handled as those of \"{}\"",
                                   target.scheduler, profile.scheduler_name));
      profiles.push_back(profile);
      profiles.back().scheduler_name = target.scheduler;
    }
  }

  const BindOptions& options_;
  cli::Setup setup_;
  cli::Connection connection_;
  cli::Streams& streams_;
  Teller teller_;
  StopSignal stop_;
  std::vector<Target> targets_;
};

}  // namespace

int Bind(const BindOptions& options, cli::Streams& streams) {
  auto setup = cli::MakeSetup(options.config, options.feature_gates);
  if (!setup) {
    cli::PrintErrors({setup.error().message}, streams);
    return cli::kExitUsage;
  }
  auto connection = cli::Connect(options.connection, /*stdin_in_use=*/options.config == "-");
  if (!connection) {
    cli::PrintErrors({connection.error().message}, streams);
    return cli::kExitCluster;
  }
  return Command(options, std::move(*setup), std::move(*connection), streams).Run();
}

}  // namespace ksched::bind
