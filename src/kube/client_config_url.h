// The URLs of API servers and proxies, as far as a client configuration has to understand them.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace ksched::kube {

// A URL (http or https) or "host:port", which means http. The answer has scheme and host, perhaps a port and a path; no
// query, no fragment and no slash at its end.
Result<std::string> NormalizeServer(std::string_view server);

// Only for what NormalizeServer gave.
bool IsHttps(std::string_view server);

// Empty, or a URL with the scheme http, https or socks5.
Result<void> CheckProxyUrl(std::string_view url);

// The URL for messages: with "xxxxx@" in place of a user and a password.
std::string WithoutUserInfo(std::string_view url);

}  // namespace ksched::kube
