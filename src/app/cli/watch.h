// `simulate --watch`: the answer, and again whenever it changes.
#pragma once

#include <functional>

#include "app/cli/answer.h"
#include "app/cli/connection.h"

namespace ksched::cli {

// Ends by a signal, or when there is no first answer, or nowhere to write answers or the record to. Returns the exit
// status. `before_first`, if any, is called when the input of the first answer is good.
int WatchAnswers(const SimulateOptions& options, const Setup& setup, const InputOptions& input, Connection& connection,
                 const std::function<void()>& before_first, Streams& streams);

}  // namespace ksched::cli
