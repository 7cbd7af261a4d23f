// The header lines of a request that say who asks, for whom, and what is understood.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kube/client_config.h"
#include "kube/http_types.h"

namespace ksched::kube {

// "Name: value" lines: Accept, Content-Type, Authorization, Impersonate-*. Fails if a value cannot stand in a header
// (control characters); the message names the header and never shows the value.
Result<std::vector<std::string>> RequestHeaders(const HttpRequest& request, const Credential& credential,
                                                const Impersonation& impersonation);

// A key of Impersonate-Extra-: bytes that no header name may have, and '%', as %XX.
std::string EscapeHeaderKey(std::string_view key);

}  // namespace ksched::kube
