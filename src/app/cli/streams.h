// Where a command writes to.
#pragma once

#include <ostream>

namespace ksched::cli {

struct Streams {
  std::ostream& out;  // data
  std::ostream& err;  // everything else
  bool colour = false;
};

enum ExitStatus : int {
  kExitSuccess = 0,
  kExitNotPlaced = 1,  // some pod has no place
  kExitUsage = 2,      // flags or input that cannot be used
  kExitCluster = 3,    // the cluster could not be read
};

}  // namespace ksched::cli
