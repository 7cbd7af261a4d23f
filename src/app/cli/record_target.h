// Where --record may write to.
#pragma once

#include "app/cli/options.h"
#include "base/result.h"

namespace ksched::cli {

// Not onto what the command reads, nor into a folder whose files are read for each answer.
Result<void> CheckRecordTarget(const SimulateOptions& options);

}  // namespace ksched::cli
