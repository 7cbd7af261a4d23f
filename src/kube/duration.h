// --request-timeout: how long one request may take.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ksched::kube {

// Whole seconds ("10") or Go's durations ("1m30s", "500ms", "1.5h"). Zero, less than zero and the empty text mean none:
// 0. More than none but less than a millisecond is one millisecond. The error is kubectl's text.
Result<std::chrono::milliseconds> ParseRequestTimeout(std::string_view text);

}  // namespace ksched::kube
