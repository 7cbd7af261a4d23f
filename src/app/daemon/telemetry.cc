#include "app/daemon/telemetry.h"

#include <sstream>

#include "app/daemon/config_text.h"
#include "kube/watch_metrics.h"

namespace ksched::daemon {
namespace {

constexpr TimeNs kPublishPeriod = 100 * kNsPerMs;
constexpr TimeNs kTextPeriod = kNsPerSecond;

std::string BuildInfo() {
  return std::string(
             "# HELP ksched_build_info The version that runs, and that of kube-scheduler whose decisions it "
             "makes.\n# TYPE ksched_build_info gauge\nksched_build_info{reference=\"v1.37.2\",version=\"") +
         KSCHED_VERSION +
         "\"} 1\n"
         "# HELP kubernetes_build_info [ALPHA] A metric with a constant '1' value labeled by major, minor, git "
         "version, "
         "git commit, git tree state, build date, Go version, and compiler from which Kubernetes was built, and "
         "platform on which it is running.\n"
         "# TYPE kubernetes_build_info gauge\n"
         "kubernetes_build_info{build_date=\"\",compiler=\"\",git_commit=\"\",git_tree_state=\"\","
         "git_version=\"v1.37.2\",go_version=\"\",major=\"1\",minor=\"37\",platform=\"\"} 1\n";
}

}  // namespace

Telemetry::Telemetry(const RunOptions& options, const cli::Setup& setup, const Clock& steady, Logger& log)
    : options_(options),
      setup_(setup),
      steady_(steady),
      log_(log),
      observer_(metrics_, setup.registry),
      state_(steady) {
  metrics_.AddText(&BuildInfo);
  metrics_.Disable(options.disabled_metrics);
}

Telemetry::~Telemetry() = default;

Result<void> Telemetry::Start() {
  std::ostringstream configuration;
  JsonEmitter json(configuration);
  WriteConfiguration(setup_.configuration, json);
  const config::LeaderElection& election = setup_.configuration.leader_election;
  ServedThings things{metrics_, state_, configuration.str(), election.leader_elect ? election.resource_name : ""};
  auto serving = Serving::Start(options_.serving, std::move(things), log_);
  if (!serving) return std::move(serving).error();
  serving_ = std::move(*serving);
  return {};
}

void Telemetry::Publish(Scheduler& scheduler, const kube::Reflectors& reflectors, const kube::ChangeLedger& ledger,
                        std::optional<bool> leads) {
  const TimeNs now = steady_.Now();
  state_.Beat(leads.value_or(false), setup_.configuration.leader_election.lease_duration);
  if (now - published_ < kPublishPeriod) return;
  published_ = now;
  observer_.Take(scheduler, leads);
  if (now - text_made_ < kTextPeriod) return;
  text_made_ = now;
  const auto statuses = reflectors.statuses();
  state_.SetText(kube::WatchMetrics(statuses, ledger));
}

}  // namespace ksched::daemon
