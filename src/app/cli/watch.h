// `simulate --watch`: the answer, and again whenever it changes.
#pragma once

#include "app/cli/answer.h"
#include "app/cli/connection.h"

namespace ksched::cli {

// Ends by a signal, or when there is no first answer. Returns the exit status of the last answer.
int WatchAnswers(const SimulateOptions& options, const Setup& setup, const InputOptions& input, Connection& connection,
                 Streams& streams);

}  // namespace ksched::cli
