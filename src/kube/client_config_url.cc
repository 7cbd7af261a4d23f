#include "kube/client_config_url.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

namespace ksched::kube {
namespace {

struct Parts {
  std::string scheme;          // lower case; empty if the text has none
  std::string_view authority;  // perhaps with user information and port
  std::string_view path;       // with its first slash; without query and fragment
};

bool IsSchemeChar(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '+' || c == '-' || c == '.';
}

// What stands before "://", or nothing.
std::string_view SchemeOf(std::string_view url) {
  const std::string_view scheme = url.substr(0, url.find("://"));
  if (scheme.size() == url.size() || scheme.empty() || std::isalpha(static_cast<unsigned char>(scheme[0])) == 0)
    return {};
  return std::all_of(scheme.begin(), scheme.end(), IsSchemeChar) ? scheme : std::string_view();
}

Parts Split(std::string_view url) {
  Parts parts;
  const std::string_view scheme = SchemeOf(url);
  for (const char c : scheme) parts.scheme += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (!scheme.empty()) url.remove_prefix(scheme.size() + 3);
  url = url.substr(0, url.find_first_of("?#"));
  const size_t slash = std::min(url.find('/'), url.size());
  parts.authority = url.substr(0, slash);
  parts.path = url.substr(slash);
  return parts;
}

// Host and port without user information.
std::string_view HostOf(std::string_view authority) {
  const size_t at = authority.rfind('@');
  return at == std::string_view::npos ? authority : authority.substr(at + 1);
}

bool IsPort(std::string_view text) {
  int port = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), port);
  return failed == std::errc() && end == text.data() + text.size() && port >= 0 && port <= 65535;
}

// Nothing, or what is wrong with "host", "host:port", "[::1]" or "[::1]:port".
std::optional<std::string> HostProblem(std::string_view host) {
  if (host.empty() || host.starts_with(':')) return "it has no host";
  size_t colon = host.find(':');
  if (host.starts_with('[')) {
    const size_t end = host.find(']');
    if (end == std::string_view::npos) return "missing ']' in host";
    colon = end + 1 == host.size() ? std::string_view::npos : end + 1;
    if (colon != std::string_view::npos && host[colon] != ':') return "invalid port after host";
  }
  if (colon != std::string_view::npos && colon + 1 < host.size() && !IsPort(host.substr(colon + 1))) {
    return "invalid port after host";
  }
  return std::nullopt;
}

bool HasSpaceOrControl(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7f'; });
}

}  // namespace

Result<std::string> NormalizeServer(std::string_view server) {
  const std::string shown = "\"" + WithoutUserInfo(server) + "\"";
  if (HasSpaceOrControl(server)) return Error{"invalid server " + shown + ": a space or control character in it"};
  const Parts parts = Split(server);
  if (parts.authority.empty() || (parts.scheme.empty() && parts.path.size() > 1))
    return Error{"host must be a URL or a host:port pair: " + shown};
  if (!parts.scheme.empty() && parts.scheme != "http" && parts.scheme != "https") {
    return Error{"invalid server " + shown + ": unsupported protocol scheme \"" + parts.scheme + "\""};
  }
  if (const auto problem = HostProblem(HostOf(parts.authority))) {
    return Error{"invalid server " + shown + ": " + *problem};
  }
  std::string url = (parts.scheme.empty() ? "http" : parts.scheme) + "://";
  url += parts.authority;
  url += parts.path.substr(0, parts.path.find_last_not_of('/') + 1);
  return url;
}

bool IsHttps(std::string_view server) { return server.starts_with("https://"); }

Result<void> CheckProxyUrl(std::string_view url) {
  if (url.empty()) return {};
  const Parts parts = Split(url);
  if (HasSpaceOrControl(url)) return Error{"could not parse: " + WithoutUserInfo(url)};
  if (parts.scheme != "http" && parts.scheme != "https" && parts.scheme != "socks5") {
    return Error{"unsupported scheme \"" + parts.scheme + "\", must be http, https, or socks5"};
  }
  if (HostProblem(HostOf(parts.authority))) return Error{"could not parse: " + WithoutUserInfo(url)};
  return {};
}

std::string WithoutUserInfo(std::string_view url) {
  const std::string_view scheme = SchemeOf(url);
  const size_t start = scheme.empty() ? 0 : scheme.size() + 3;
  const size_t end = std::min(url.find_first_of("/?#", start), url.size());
  const size_t at = url.substr(0, end).rfind('@');
  if (at == std::string_view::npos || at < start) return std::string(url);
  return std::string(url.substr(0, start)) + "xxxxx" + std::string(url.substr(at));
}

}  // namespace ksched::kube
