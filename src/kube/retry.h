// Whether a request that failed is worth another try, and after how long.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "kube/http_attempt.h"
#include "kube/http_client.h"

namespace ksched::kube {

struct RetryCount {
  int told = 0, blind = 0;  // the server said when; it did not
};

// The wait before the next try, counted in `count`; nothing: this failure is the answer.
std::optional<std::chrono::milliseconds> NextRetry(const AttemptResult& result, std::string_view method,
                                                   const HttpClientOptions& options, RetryCount& count);

}  // namespace ksched::kube
