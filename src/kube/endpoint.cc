#include "kube/endpoint.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

namespace ksched::kube {
namespace {

struct UrlDeleter {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
using Url = std::unique_ptr<CURLU, UrlDeleter>;

Url ParseUrl(const std::string& text, unsigned flags = 0) {
  Url url(curl_url());
  if (!url || curl_url_set(url.get(), CURLUPART_URL, text.c_str(), flags) != CURLUE_OK) return nullptr;
  return url;
}

std::string Part(const Url& url, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (curl_url_get(url.get(), part, &text, flags) != CURLUE_OK || text == nullptr) return "";
  std::string copy(text);
  curl_free(text);
  return copy;
}

std::string WithoutSlash(std::string text) {
  while (text.ends_with('/')) text.pop_back();
  return text;
}

std::string WithoutBrackets(const std::string& host) {
  return host.starts_with('[') && host.ends_with(']') ? host.substr(1, host.size() - 2) : host;
}

// The proxy's URL as curl is to have it. Go lets a SOCKS5 proxy resolve the server's name; curl calls that socks5h.
Result<std::string> CheckedProxy(const std::string& proxy) {
  const Url url = ParseUrl(proxy, CURLU_NON_SUPPORT_SCHEME);
  const std::string scheme = url ? Part(url, CURLUPART_SCHEME) : "";
  const size_t begin = proxy.find("://");
  if (begin != std::string::npos && scheme == "socks5") return "socks5h" + proxy.substr(begin);
  if (begin != std::string::npos && (scheme == "http" || scheme == "https" || scheme == "socks5h")) return proxy;
  const size_t at = proxy.rfind('@');  // what is before may be a password
  return Error{fmt::format("the proxy {:?} is not usable: it has to be a URL with http, https or socks5",
                           at == std::string::npos ? proxy : proxy.substr(at + 1))};
}

// tls-server-name: curl expects the name of the URL in the certificate, so the URL gets it and the connection goes to
// the server all the same.
void ExpectName(const std::string& name, const Url& url, Endpoint& endpoint) {
  endpoint.connect_to = "::" + Part(url, CURLUPART_HOST) + ":" + Part(url, CURLUPART_PORT, CURLU_DEFAULT_PORT);
  const std::string port = Part(url, CURLUPART_PORT);
  endpoint.host_header = Part(url, CURLUPART_HOST) + (port.empty() ? "" : ":" + port);
  const bool v6 = name.find(':') != std::string::npos && !name.starts_with('[');
  curl_url_set(url.get(), CURLUPART_HOST, (v6 ? "[" + name + "]" : name).c_str(), 0);
}

}  // namespace

Result<Endpoint> MakeEndpoint(const ClientConfig& config, const ProxyEnvironment& environment) {
  const Url url = ParseUrl(config.server);
  const std::string scheme = url ? Part(url, CURLUPART_SCHEME) : "";
  if (scheme != "https" && scheme != "http") {
    return Error{fmt::format("the server {:?} is not usable: it has to be a URL with https or http", config.server)};
  }
  Endpoint endpoint{.tls = scheme == "https"};
  curl_url_set(url.get(), CURLUPART_USER, nullptr, 0);
  curl_url_set(url.get(), CURLUPART_PASSWORD, nullptr, 0);
  curl_url_set(url.get(), CURLUPART_QUERY, nullptr, 0);
  curl_url_set(url.get(), CURLUPART_FRAGMENT, nullptr, 0);
  endpoint.display = WithoutSlash(Part(url, CURLUPART_URL));
  const std::string host = Part(url, CURLUPART_HOST), port = Part(url, CURLUPART_PORT);
  endpoint.host_port = host + (port.empty() ? "" : ":" + port);
  std::optional<std::string> proxy;
  if (!config.proxy_url.empty()) {
    proxy = config.proxy_url;
  } else {
    proxy = ProxyFor(environment, scheme, WithoutBrackets(host), Part(url, CURLUPART_PORT, CURLU_DEFAULT_PORT));
  }
  if (proxy) {
    Result<std::string> checked = CheckedProxy(*proxy);
    if (!checked) return std::move(checked).error();
    endpoint.proxy = *std::move(checked);
  }
  if (endpoint.tls && !config.tls.server_name.empty() && config.tls.server_name != WithoutBrackets(host)) {
    ExpectName(config.tls.server_name, url, endpoint);
  }
  endpoint.url = WithoutSlash(Part(url, CURLUPART_URL));
  return endpoint;
}

}  // namespace ksched::kube
