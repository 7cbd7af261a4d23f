// The flags of `simulate`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace ksched::cli {

enum class OutputFormat { kTable, kWide, kJson, kYaml, kName };

struct SimulateOptions {
  bool help = false;
  std::vector<std::string> filenames, snapshots;
  bool recursive = false;
  std::string ns = "default";
  bool ignore_pending = false;
  bool ignore_other_schedulers = false;
  std::string config, feature_gates, events;
  std::optional<int32_t> percentage_of_nodes_to_score;
  OutputFormat output = OutputFormat::kTable;
  bool explain = false, use_cache = true, stats = false;
};

// `arguments` are those after the command. The error says what is wrong with which flag, and perhaps what was meant.
Result<SimulateOptions> ParseSimulateOptions(const std::vector<std::string>& arguments);

// Every flag of `simulate` with what it does, for --help.
std::string DescribeSimulateFlags();

// Of `words` the one that `word` most probably was meant to be; empty if none is near.
std::string Suggest(const std::string& word, const std::vector<std::string>& words);

}  // namespace ksched::cli
