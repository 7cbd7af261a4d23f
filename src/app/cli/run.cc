#include <algorithm>
#include <fstream>
#include <iterator>

#include "app/bind/bind.h"
#include "app/cli/commands.h"
#include "app/cli/version.h"
#include "app/daemon/config_text.h"
#include "app/daemon/live_scheduler.h"
#include "app/webhook/webhook.h"

namespace ksched::cli {
namespace {

constexpr const char* kHelp =
    R"(kubectl ksched tells where kube-scheduler would place pods, and why not, without placing them.

Usage:
  kubectl ksched COMMAND [flags]

Commands:
  simulate   Schedule the pods of manifests on a cluster, live or from a file, and report where each of them goes
  bind       Find nodes for pods that wait in the cluster, and bind them there
  run        Schedule pods of a live cluster, as kube-scheduler does
  webhook    Refuse pods that can never be scheduled, as a validating webhook
  snapshot   Write everything that scheduling reads of a cluster to one file
  version    Print the version, that of kube-scheduler whose decisions are made, and what the cluster runs
  help       Show this help, or that of a command

Example:
  kubectl ksched simulate -f deploy.yaml

`kubectl ksched COMMAND --help` describes the flags of a command.
)";

constexpr const char* kSimulateHead =
    R"(Schedules the pods that manifests would create on the cluster that kubectl talks to, as kube-scheduler would, and
reports for each pod where it goes or why it cannot. Nothing is changed in any cluster.

Workloads become the pods that their controllers would make; what the cluster has of them already counts: the same
template brings only the missing replicas, another one a rollout. Other objects that matter to scheduling join the
cluster before the pods.

Usage:
  kubectl ksched simulate [-f PATH] [flags]

Examples:
  # What happens if I apply this now?
  kubectl ksched simulate -f deploy.yaml

  # Why do the pods that wait in the cluster not get a node?
  kubectl ksched simulate --explain

  # The same without a cluster at hand
  kubectl ksched snapshot -o cluster.json.gz
  kubectl ksched simulate --snapshot cluster.json.gz -f deploy.yaml

  # Tell me when that changes; and keep what happens, to simulate it again
  kubectl ksched simulate -f deploy.yaml --watch --record tonight.json.gz
  kubectl ksched simulate --replay tonight.json.gz --config other-scheduler.yaml

  # And if that node comes back in a minute?
  kubectl ksched simulate -f deploy.yaml --events node-back.yaml

Flags:
)";

constexpr const char* kSimulateTail = R"(
Exit status:
  0  every pod is placed (of --filename, if it has pods; else of the cluster)
  1  some pod is not, is rejected by admission, or a workload does not come to its end
  2  wrong usage or input; nothing was simulated
  3  the cluster could not be read, or not enough of it for an answer; nothing was simulated
)";

constexpr const char* kSnapshotHead =
    R"(Writes everything that scheduling reads of the cluster that kubectl talks to: one file for `simulate --snapshot`.
It says which server it is of, when it was taken, and what could not be listed. Workloads are in it whole, with the
environment variables of their templates; of other objects only what scheduling reads, and no Secret or ConfigMap.

Usage:
  kubectl ksched snapshot -o FILE [flags]

Examples:
  kubectl ksched snapshot -o cluster.json.gz
  kubectl ksched snapshot -o - --context staging | less

Flags:
)";

constexpr const char* kSnapshotTail = R"(
Exit status:
  0  the file is written, with a warning for each kind that may not be listed
  2  wrong usage, or the file could not be written
  3  the cluster could not be read
)";

constexpr const char* kVersionHead =
    R"(Prints the version, and that of kube-scheduler whose decisions are made. Then what the cluster runs: the version of
its API server, and version, flags and configuration of its kube-scheduler, as far as its pods can be read; with a
warning for what differs from what a simulation assumes.

Usage:
  kubectl ksched version [flags]

Exit status: 0, or 2 for wrong usage, or 3 if the cluster does not answer.

Flags:
)";

constexpr const char* kRunHead =
    R"(Schedules the pods of the cluster that name this scheduler (spec.schedulerName), as kube-scheduler does: finds their
nodes, binds them, says in their status and in events why others have none, and preempts. Several may run: the one that
holds the Lease schedules. Ctrl-C or SIGTERM ends it, when what has begun is done.

Usage:
  kubectl ksched run [flags]

Examples:
  # A second scheduler, for pods with schedulerName: ksched
  kubectl ksched run

  # In place of kube-scheduler, with its configuration
  kubectl ksched run --config kube-scheduler.yaml

Flags:
)";

constexpr const char* kRunTail = R"(
It serves HTTPS: /healthz, /livez and /readyz for everybody, /metrics and /configz for whom the cluster lets read them.

What is not there yet: extenders, dynamic resource allocation, pod groups.

Exit status:
  0  it was told to stop
  2  wrong usage or configuration
  3  the cluster could not be reached, or the Lease was lost
)";

constexpr const char* kBindHead =
    R"(Binds pods that wait in the cluster: finds a node for each as kube-scheduler would, with everything that belongs to
that (volumes are reserved and bound, too), and binds the pod there. It is for clusters whose scheduler does not run, and
for pods that it shall not decide about. Right before a pod is bound, pod and node are looked at once more; what has been
bound meanwhile is reported, and never bound twice.

Pods of schedulers that run are refused (with --selector and --all: left out), unless --force is given. A scheduler runs
if it holds the Lease of its name in kube-system (default-scheduler: that of kube-scheduler), or, for default-scheduler,
if a pod of kube-scheduler runs there. One that elects no leader and runs elsewhere cannot be noticed.
Pods whose schedulerName is that of no profile are handled as those of the default profile.

Usage:
  kubectl ksched bind (POD ... | -l SELECTOR | --all) [flags]

Examples:
  # Where would it go?
  kubectl ksched bind web-0 --dry-run=client

  # All pods that wait, while kube-scheduler is down
  kubectl ksched bind --all -A

  # There, and nowhere else; if need be, whatever speaks against it
  kubectl ksched bind web-0 --node node-7
  kubectl ksched bind web-0 --node node-7 --force-node

  # Less important pods have to leave for it
  kubectl ksched bind web-0 --preempt --timeout 10m

Flags:
)";

constexpr const char* kBindTail = R"(
Exit status:
  0  every pod is bound, or would be (--dry-run)
  1  some pod is not: the reason is on standard error
  2  wrong usage or configuration; nothing was bound
  3  the cluster could not be read
)";

constexpr const char* kWebhookHead =
    R"(Serves an HTTPS validating webhook (admission.k8s.io/v1, path /validate) that judges pods, and workloads that make
pods, before they are stored: refuses those that no node could ever run, and warns of those that have no room now. When
in doubt it lets through. What is refused, and what only warned of, is a matter of the policy.

Usage:
  kubectl ksched webhook [flags]
  kubectl ksched webhook test -f FILE [flags]     what would be answered, without a webhook

Examples:
  # With a certificate in files
  kubectl ksched webhook --cert-dir /certs --policy policy.yaml

  # With one that it makes and renews itself
  kubectl ksched webhook --service ksched-webhook/ksched-webhook --certificate-secret ksched-webhook/certificate     --webhook-configuration ksched-webhook

Flags:
)";

constexpr const char* kWebhookTail = R"(
It also serves /healthz, /livez, /readyz and /metrics, to everybody.

Exit status:
  0  it was told to stop
  2  wrong usage, configuration, policy or certificate
  3  the cluster could not be reached
)";

constexpr const char* kWebhookTestHead =
    R"(Says what the webhook would answer if the objects of manifests were created one by one: those that make pods are
judged, the others count as being there. Nothing is created, and no webhook has to run.

Usage:
  kubectl ksched webhook test -f FILE [flags]

Examples:
  kubectl ksched webhook test -f deploy.yaml --policy policy.yaml
  kubectl ksched webhook test -f deploy.yaml --snapshot cluster.json.gz -o json

Flags:
)";

constexpr const char* kWebhookTestTail = R"(
Exit status:
  0  nothing would be refused
  1  something would
  2  wrong usage or input
  3  the cluster could not be read
)";

int Fail(const std::string& message, const std::string& command, Streams& streams) {
  streams.err << "error: " << message << "\nSee 'kubectl ksched " << command << (command.empty() ? "" : " ")
              << "--help'.\n";
  return kExitUsage;
}

// One command: what parses its flags, its help, and what it does.
struct Command {
  const char* name;
  std::string (*help)();
  int (*run)(const std::vector<std::string>& arguments, Streams& streams);
};

template <typename Options>
int ParseAndRun(const char* name, Result<Options> options, std::string (*help)(), int (*run)(const Options&, Streams&),
                Streams& streams) {
  if (!options) return Fail(options.error().message, name, streams);
  if (!options->help) return run(*options, streams);
  streams.out << help();
  return kExitSuccess;
}

std::string SimulateHelp() { return kSimulateHead + DescribeSimulateFlags() + kSimulateTail; }
std::string RunHelp() { return kRunHead + daemon::DescribeRunFlags() + kRunTail; }
std::string BindHelp() { return kBindHead + bind::DescribeBindFlags() + kBindTail; }
std::string WebhookHelp() { return kWebhookHead + webhook::DescribeWebhookFlags() + kWebhookTail; }
std::string WebhookTestHelp() { return kWebhookTestHead + webhook::DescribeWebhookTestFlags() + kWebhookTestTail; }
std::string SnapshotHelp() { return kSnapshotHead + DescribeSnapshotFlags() + kSnapshotTail; }
std::string VersionHelp() { return kVersionHead + DescribeVersionFlags(); }

int WriteConfigurationTo(const std::string& path, const Setup& setup, Streams& streams) {
  std::ofstream file(path);
  YamlEmitter yaml(file);
  daemon::WriteConfiguration(setup.configuration, yaml);
  if (!file.flush()) return Fail("--write-config-to: " + path + " cannot be written", "run", streams);
  streams.err << "wrote the configuration to " << path << '\n';
  return kExitSuccess;
}

int RunScheduler(const daemon::RunOptions& options, Streams& streams) {
  const auto setup = daemon::MakeRunSetup(options);
  if (!setup) return Fail(setup.error().message, "run", streams);
  if (!options.write_config_to.empty()) return WriteConfigurationTo(options.write_config_to, *setup, streams);
  kube::ClientOptions cluster = options.connection;
  // What the configuration says, unless a flag does.
  cluster.kubeconfig = setup->configuration.client_connection.kubeconfig;
  auto connection = Connect(cluster, /*stdin_in_use=*/options.config == "-");
  if (!connection) {
    PrintErrors({connection.error().message}, streams);
    return kExitCluster;
  }
  return daemon::LiveScheduler(options, *setup, *connection, streams).Run();
}

int RunWebhook(const std::vector<std::string>& arguments, Streams& streams) {
  if (arguments.empty() || arguments.front() != "test") {
    return ParseAndRun("webhook", webhook::ParseWebhookOptions(arguments), &WebhookHelp, &webhook::Webhook, streams);
  }
  return ParseAndRun("webhook test", webhook::ParseWebhookTestOptions({arguments.begin() + 1, arguments.end()}),
                     &WebhookTestHelp, &webhook::WebhookTest, streams);
}

constexpr Command kCommands[] = {
    {"simulate", &SimulateHelp,
     [](const auto& arguments, Streams& streams) {
       return ParseAndRun("simulate", ParseSimulateOptions(arguments), &SimulateHelp, &Simulate, streams);
     }},
    {"bind", &BindHelp,
     [](const auto& arguments, Streams& streams) {
       return ParseAndRun("bind", bind::ParseBindOptions(arguments), &BindHelp, &bind::Bind, streams);
     }},
    {"run", &RunHelp,
     [](const auto& arguments, Streams& streams) {
       return ParseAndRun("run", daemon::ParseRunOptions(arguments), &RunHelp, &RunScheduler, streams);
     }},
    {"webhook", &WebhookHelp, &RunWebhook},
    {"snapshot", &SnapshotHelp,
     [](const auto& arguments, Streams& streams) {
       return ParseAndRun("snapshot", ParseSnapshotOptions(arguments), &SnapshotHelp, &Snapshot, streams);
     }},
    {"version", &VersionHelp,
     [](const auto& arguments, Streams& streams) {
       return ParseAndRun("version", ParseVersionOptions(arguments), &VersionHelp, &Version, streams);
     }},
};

const Command* FindCommand(const std::string& name) {
  const auto found = std::ranges::find(kCommands, name, [](const Command& command) { return command.name; });
  return found == std::end(kCommands) ? nullptr : &*found;
}

int FailUnknown(const std::string& command, Streams& streams) {
  std::vector<std::string> names = {"help"};
  for (const Command& one : kCommands) names.emplace_back(one.name);
  const std::string meant = Suggest(command, names);
  const bool flag = !command.empty() && command[0] == '-';
  const std::string what = flag ? "unknown flag: " + command : "unknown command \"" + command + "\"";
  return Fail(what + (meant.empty() ? "" : " (did you mean " + meant + "?)"), "", streams);
}

int PrintHelp(const std::vector<std::string>& arguments, Streams& streams) {
  const std::string name = arguments.size() > 1 ? arguments[1] : "help";
  const Command* command = FindCommand(name);
  if (command == nullptr && name != "help") return FailUnknown(name, streams);
  streams.out << (command == nullptr ? kHelp : command->help());
  return kExitSuccess;
}

int RunCommand(const std::vector<std::string>& arguments, Streams& streams) {
  const std::string name = arguments.empty() ? "help" : arguments[0];
  if (name == "help" || name == "--help" || name == "-h") return PrintHelp(arguments, streams);
  if (name == "--version") {
    PrintVersion(streams.out);
    return kExitSuccess;
  }
  const Command* command = FindCommand(name);
  return command == nullptr ? FailUnknown(name, streams)
                            : command->run({arguments.begin() + 1, arguments.end()}, streams);
}

}  // namespace

int Run(const std::vector<std::string>& arguments, Streams& streams) {
  const int status = RunCommand(arguments, streams);
  streams.out.flush();
  if (streams.out.good()) return status;
  streams.err << "error: writing to standard output failed\n";
  return kExitUsage;
}

}  // namespace ksched::cli
