// Runs a program and waits for it, as os/exec of Go does.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ksched::kube {

struct ProcessRequest {
  std::string path;                      // of the executable; not looked up
  std::vector<std::string> args;         // args[0] is the name it sees itself under
  std::vector<std::string> environment;  // NAME=value; of two with the same name the last counts
  bool inherit_stdin = false;            // otherwise it reads nothing
  size_t max_output_bytes = 16 << 20;
};

struct ProcessOutcome {
  int exit_code = 0;   // -1: ended by a signal
  std::string output;  // its standard output; its stderr is ours
};

// The program is in our process group, and on Linux it is killed when we (the calling thread) die. A program that says
// too much is killed. Errors: it cannot be started ("fork/exec PATH: no such file or directory"), or its output cannot
// be read.
Result<ProcessOutcome> RunProcess(const ProcessRequest& request);

// Where in the folders of `search_path` (a PATH) the executable `name` is. As in Go, what is found relative to the
// working directory does not count.
std::optional<std::string> FindExecutable(const std::string& name, std::string_view search_path);

}  // namespace ksched::kube
