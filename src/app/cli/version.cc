// `version`, and what -v says of whose decisions are made.
#include "app/cli/version.h"

#include <set>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/connection.h"
#include "kube/api_requests.h"
#include "kube/scheduler_pods.h"
#include "report/structure.h"

namespace ksched::cli {
namespace {

// "1.37" of "v1.37.2".
std::string MinorOf(std::string version) {
  if (version.starts_with("v")) version.erase(0, 1);
  const size_t first = version.find('.');
  const size_t second = first == std::string::npos ? first : version.find('.', first + 1);
  return version.substr(0, second);
}

// "A=true,B=false" whatever the order.
std::set<std::string> GatesOf(const std::string& text) {
  const std::vector<std::string> parts = SplitAtCommas({text});
  return {parts.begin(), parts.end()};
}

// What of this scheduler is other than what a run assumes.
void Compare(const kube::SchedulerPod& pod, const AssumedScheduler& assumed, std::ostream& out) {
  if (!pod.version.empty() && MinorOf(pod.version) != MinorOf(std::string(kKubeVersion))) {
    out << "warning: " << pod.pod << " is kube-scheduler " << pod.version << ", and the decisions here are those of "
        << kKubeVersion << ": they may differ\n";
  }
  if (!pod.config_path.empty() && !assumed.has_config) {
    out << "warning: " << pod.pod << " has a configuration of its own, --config=" << pod.config_path
        << (pod.config_source.empty() ? "" : " (" + pod.config_source + ")")
        << ": pass a copy of it as --config, or the default configuration is assumed\n";
  }
  if (GatesOf(pod.feature_gates) != GatesOf(assumed.feature_gates)) {
    out << "warning: " << pod.pod << " has the feature gates \"" << pod.feature_gates << "\", and the run \""
        << assumed.feature_gates << "\": pass them as --feature-gates\n";
  }
}

}  // namespace

void PrintVersion(std::ostream& out) {
  out << "kubectl-ksched " << KSCHED_VERSION << " (decisions of kube-scheduler " << kKubeVersion << ")\n";
}

void DescribeSchedulers(kube::HttpClient& client, const AssumedScheduler& assumed, std::ostream& out,
                        std::ostream& warnings) {
  const auto pods = kube::FindSchedulerPods(client);
  if (!pods) {
    out << "kube-scheduler: not known: " << pods.error().message << '\n';
    return;
  }
  if (pods->empty()) {
    out << "kube-scheduler: no pod of it in kube-system: its version and configuration are not known\n";
    return;
  }
  for (const kube::SchedulerPod& pod : *pods) {
    out << "kube-scheduler: " << pod.pod << ": " << (pod.version.empty() ? pod.image : pod.version);
    for (const std::string& flag : pod.flags) out << ' ' << flag;
    out << '\n';
  }
  for (const kube::SchedulerPod& pod : *pods) Compare(pod, assumed, warnings);
}

int Version(const VersionOptions& options, Streams& streams) {
  PrintVersion(streams.out);
  if (options.client_only) return kExitSuccess;
  auto connection = Connect(options.connection, /*stdin_in_use=*/false);
  if (!connection) {
    streams.err << "error: " << connection.error().message << '\n';
    return kExitCluster;
  }
  const kube::ServerVersion version = kube::GetServerVersion(*connection->client);
  if (!version.ok()) {
    streams.err << "error: " << version.error->message << '\n';
    return kExitCluster;
  }
  streams.out << "API server: " << version.git_version << '\n';
  DescribeSchedulers(*connection->client, {}, streams.out, streams.err);
  return kExitSuccess;
}

}  // namespace ksched::cli
