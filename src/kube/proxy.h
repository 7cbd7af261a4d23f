// Which proxy a request goes through, as Go reads it from the environment (golang.org/x/net/http/httpproxy).
// Names that are not ASCII are compared as they stand: Go turns them into punycode first.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ksched::kube {

using GetEnv = std::function<std::optional<std::string>(const std::string& name)>;

struct ProxyEnvironment {
  std::string http_proxy, https_proxy;  // URL or host:port; empty: none
  std::string no_proxy;                 // hosts, domains, addresses, ranges, with or without port; "*": never a proxy

  // HTTP_PROXY, HTTPS_PROXY, NO_PROXY; the lower case ones where the upper case ones are unset or empty.
  static ProxyEnvironment Read(const GetEnv& get);
};

// The URL of the proxy for a server, or nothing. `host` is without brackets; `scheme` http or https. localhost and
// loopback addresses never go through a proxy.
std::optional<std::string> ProxyFor(const ProxyEnvironment& environment, std::string_view scheme, std::string_view host,
                                    std::string_view port);

}  // namespace ksched::kube
