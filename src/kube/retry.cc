#include "kube/retry.h"

#include <algorithm>

namespace ksched::kube {

std::optional<std::chrono::milliseconds> NextRetry(const AttemptResult& result, std::string_view method,
                                                   const HttpClientOptions& options, RetryCount& count) {
  if (!result.error || result.head_given) return std::nullopt;
  const ApiError& error = *result.error;
  if (error.retry_after && (error.status == 429 || error.status >= 500)) {
    if (++count.told > options.max_retries) return std::nullopt;
    return std::min<std::chrono::milliseconds>(*error.retry_after, options.max_retry_wait);
  }
  const bool may_pass = result.connection_lost || error.status == 500 || (error.status >= 502 && error.status <= 504);
  if (method != "GET" || !may_pass || ++count.blind > options.max_blind_retries) return std::nullopt;
  return std::min(options.first_backoff * (1 << (count.blind - 1)), options.max_retry_wait);
}

}  // namespace ksched::kube
