#include "app/cli/record_target.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>

namespace ksched::cli {
namespace {

namespace fs = std::filesystem;

bool IsSame(const fs::path& a, const fs::path& b) {
  std::error_code failure;  // what is not there is not the same
  return fs::equivalent(a, b, failure) && !failure;
}

bool IsReadFromFolders(std::string name) {
  constexpr std::array<std::string_view, 3> kEndings = {".yaml", ".yml", ".json"};
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  return std::ranges::any_of(kEndings, [&](std::string_view ending) { return name.ends_with(ending); });
}

// Whether a file with this path, which need not exist yet, is among those that are read of the folder.
bool IsIn(const fs::path& folder, const fs::path& file, bool recursive) {
  std::error_code failure;
  if (!fs::is_directory(folder, failure) || !IsReadFromFolders(file.filename().string())) return false;
  fs::path parent = fs::weakly_canonical(fs::absolute(file, failure), failure).parent_path();
  while (!IsSame(folder, parent)) {
    if (!recursive || parent == parent.parent_path()) return false;
    parent = parent.parent_path();
  }
  return true;
}

}  // namespace

Result<void> CheckRecordTarget(const SimulateOptions& options) {
  if (options.record.empty()) return {};
  const auto refuse = [&](const std::string& input, const char* flag) -> Result<void> {
    if (input.empty() || !IsSame(input, options.record)) return {};
    return Error{"--record: " + options.record + " is what " + flag + " reads"};
  };
  for (const std::string& manifest : options.filenames) {
    if (auto good = refuse(manifest, "--filename"); !good) return good;
    if (IsIn(manifest, options.record, options.recursive)) {
      return Error{"--record: " + options.record + " would be read with the other files of the folder " + manifest};
    }
  }
  for (const std::string& snapshot : options.snapshots) {
    if (auto good = refuse(snapshot, "--snapshot"); !good) return good;
  }
  if (auto good = refuse(options.replay, "--replay"); !good) return good;
  if (auto good = refuse(options.events, "--events"); !good) return good;
  if (auto good = refuse(options.config, "--config"); !good) return good;
  return refuse(options.connection.kubeconfig, "--kubeconfig");
}

}  // namespace ksched::cli
