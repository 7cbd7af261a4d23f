// The flags of the commands.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/flags.h"
#include "base/result.h"

namespace ksched::cli {

enum class OutputFormat { kTable, kWide, kJson, kYaml, kName };

struct SimulateOptions {
  bool help = false;
  std::vector<std::string> filenames, snapshots;
  bool recursive = false;
  kube::ClientOptions connection;  // the cluster, when there are no snapshots; its ns is -n
  bool ignore_pending = false;
  bool ignore_other_schedulers = false;
  std::string admission = "all";  // all, none, server, or plugins' names
  bool fresh = false;
  std::string config, feature_gates, events;
  bool watch = false;          // answer again whenever the cluster changes
  std::string record, replay;  // files; empty: none
  std::optional<int32_t> percentage_of_nodes_to_score;
  OutputFormat output = OutputFormat::kTable;
  bool explain = false, use_cache = true, stats = false;
  int32_t verbosity = 0;

  bool live() const { return snapshots.empty() && replay.empty(); }
  bool reads_stdin() const;
};

struct SnapshotOptions {
  bool help = false;
  std::string output;  // a file; "-": standard output
  kube::ClientOptions connection;
  int32_t verbosity = 0;
};

struct VersionOptions {
  bool help = false;
  bool client_only = false;  // do not ask the cluster
  kube::ClientOptions connection;
};

// `arguments` are those after the command. The error says what is wrong with which flag, and perhaps what was meant.
Result<SimulateOptions> ParseSimulateOptions(const std::vector<std::string>& arguments);
Result<SnapshotOptions> ParseSnapshotOptions(const std::vector<std::string>& arguments);
Result<VersionOptions> ParseVersionOptions(const std::vector<std::string>& arguments);

// Every flag of the command with what it does, for --help.
std::string DescribeSimulateFlags();
std::string DescribeSnapshotFlags();
std::string DescribeVersionFlags();

}  // namespace ksched::cli
