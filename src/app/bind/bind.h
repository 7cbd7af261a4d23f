// `kubectl ksched bind`.
#pragma once

#include "app/bind/options.h"
#include "app/cli/streams.h"

namespace ksched::bind {

// Returns the exit status.
int Bind(const BindOptions& options, cli::Streams& streams);

}  // namespace ksched::bind
