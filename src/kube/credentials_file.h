// Files that hold what a client needs to know: read whole, and again when they have changed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"

namespace ksched::kube {

// The words of errno, as Go writes them: "no such file or directory".
std::string ErrnoText(int number);

// All of a file (or a pipe). The error is Go's: "open PATH: no such file or directory".
Result<std::string> ReadWholeFile(const std::string& path);

// A file that may be replaced while we run. Not thread-safe.
class WatchedFile {
 public:
  explicit WatchedFile(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  // What the file holds now. It is read only if its identity, size or time of change differ from the last time, or
  // `force`.
  Result<std::string> Read(bool force = false);

 private:
  struct Stamp {
    uint64_t device = 0, inode = 0, size = 0;
    int64_t seconds = 0, nanoseconds = 0;
    bool operator==(const Stamp&) const = default;
  };
  std::optional<Stamp> StampOf() const;

  std::string path_;
  std::optional<Stamp> seen_;
  std::string content_;
};

}  // namespace ksched::kube
