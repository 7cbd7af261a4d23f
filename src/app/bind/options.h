// The flags of `bind`.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "kube/client_config.h"

namespace ksched::bind {

enum class DryRun { kNone, kClient, kServer };
enum class Output { kText, kName, kJson };

struct BindOptions {
  bool help = false;
  // Which pods: names, or those of a selector (all: an empty one).
  std::vector<std::string> names;
  std::string selector, field_selector;
  bool all = false, all_namespaces = false;

  std::string node;  // empty: the one that the cycle finds
  bool force_node = false;
  bool force = false;  // also pods whose scheduler runs
  bool preempt = false;
  DryRun dry_run = DryRun::kNone;
  std::chrono::milliseconds timeout{std::chrono::minutes(5)};  // 0: none
  Output output = Output::kText;

  std::string config, feature_gates;
  std::optional<uint64_t> seed;  // of the draws between equal nodes
  kube::ClientOptions connection;
  int32_t verbosity = 0;

  bool by_name() const { return !names.empty(); }
};

// `arguments` are those after the command. The error says what is wrong with which flag, and perhaps what was meant.
Result<BindOptions> ParseBindOptions(const std::vector<std::string>& arguments);

// Every flag with what it does, for --help.
std::string DescribeBindFlags();

}  // namespace ksched::bind
