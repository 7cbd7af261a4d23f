#include "app/cli/commands.h"
#include "report/structure.h"

namespace ksched::cli {
namespace {

constexpr const char* kHelp =
    R"(kubectl ksched tells where kube-scheduler would place pods, and why not, without placing them.

Usage:
  kubectl ksched COMMAND [flags]

Commands:
  simulate   Schedule pods of manifests on a snapshot of a cluster and report where each of them goes
  version    Print the version, and that of kube-scheduler whose decisions are made
  help       Show this help, or that of a command

Example:
  kubectl get nodes,pods,namespaces,priorityclasses -A -o yaml > cluster.yaml
  kubectl ksched simulate --snapshot cluster.yaml -f deploy.yaml

`kubectl ksched COMMAND --help` describes the flags of a command.
)";

constexpr const char* kSimulateHead =
    R"(Schedules the pods that manifests would create on the cluster of a snapshot, as kube-scheduler would, and reports
for each pod where it goes or why it cannot. Nothing is changed in any cluster.

Pods, Deployments, ReplicaSets, ReplicationControllers, StatefulSets and Jobs become pods; other objects that matter
to scheduling join the cluster before them.

Usage:
  kubectl ksched simulate --snapshot FILE [-f PATH] [flags]

Examples:
  # Will this deployment fit?
  kubectl get nodes,pods,namespaces,priorityclasses -A -o yaml > cluster.yaml
  kubectl ksched simulate --snapshot cluster.yaml -f deploy.yaml

  # Why do the pods that wait in the cluster not get a node?
  kubectl ksched simulate --snapshot cluster.yaml --explain

  # And if that node comes back in a minute?
  kubectl ksched simulate --snapshot cluster.yaml -f deploy.yaml --events node-back.yaml

Flags:
)";

constexpr const char* kSimulateTail = R"(
Exit status:
  0  every pod is placed (of --filename, if it has pods; else of the snapshot)
  1  some pod is not
  2  wrong usage or input; nothing was simulated
)";

int Fail(const std::string& message, const std::string& command, Streams& streams) {
  streams.err << "error: " << message << "\nSee 'kubectl ksched " << command << (command.empty() ? "" : " ")
              << "--help'.\n";
  return kExitUsage;
}

int PrintSimulateHelp(Streams& streams) {
  streams.out << kSimulateHead << DescribeSimulateFlags() << kSimulateTail;
  return kExitSuccess;
}

int PrintHelp(const std::vector<std::string>& arguments, Streams& streams) {
  if (arguments.size() > 1 && arguments[1] == "simulate") return PrintSimulateHelp(streams);
  if (arguments.size() > 1 && arguments[1] != "version" && arguments[1] != "help") {
    return Fail("unknown command \"" + arguments[1] + "\"", "", streams);
  }
  streams.out << kHelp;
  return kExitSuccess;
}

int RunCommand(const std::vector<std::string>& arguments, Streams& streams) {
  const std::string command = arguments.empty() ? "--help" : arguments[0];
  if (command == "help" || command == "--help" || command == "-h") return PrintHelp(arguments, streams);
  if (command == "version" || command == "--version") {
    streams.out << "kubectl-ksched " << KSCHED_VERSION << " (decisions of kube-scheduler " << kKubeVersion << ")\n";
    return kExitSuccess;
  }
  if (command != "simulate") {
    const std::string meant = Suggest(command, {"simulate", "version", "help"});
    const std::string what = command[0] == '-' ? "unknown flag: " + command : "unknown command \"" + command + "\"";
    return Fail(what + (meant.empty() ? "" : " (did you mean " + meant + "?)"), "", streams);
  }
  const auto options = ParseSimulateOptions({arguments.begin() + 1, arguments.end()});
  if (!options) return Fail(options.error().message, "simulate", streams);
  return options->help ? PrintSimulateHelp(streams) : Simulate(*options, streams);
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
