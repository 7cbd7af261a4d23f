// Where a ClientConfig's server is and how it is reached: its URL taken apart, the proxy, the name in its certificate.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "kube/client_config.h"
#include "kube/proxy.h"

namespace ksched::kube {

struct Endpoint {
  std::string url;  // what requests start with; its host is tls-server-name where that is given. No slash at the end
  std::string connect_to;   // curl's CURLOPT_CONNECT_TO: the host that is meant; empty: the URL's
  std::string host_header;  // with connect_to: "host" or "host:port" for the Host header
  std::string proxy;        // URL; empty: none
  std::string display;      // the server as the user knows it, for messages: without user and password
  std::string host_port;    // the same as "host:port"
  bool tls = false;
};

// Fails for a URL that is none of http and https, and for a proxy that is none of http, https, socks5, socks5h.
Result<Endpoint> MakeEndpoint(const ClientConfig& config, const ProxyEnvironment& environment);

}  // namespace ksched::kube
