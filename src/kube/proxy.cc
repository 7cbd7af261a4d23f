#include "kube/proxy.h"

#include <arpa/inet.h>

#include <array>
#include <charconv>
#include <cstring>

namespace ksched::kube {
namespace {

// An address as 16 bytes; IPv4 as ::ffff:a.b.c.d.
struct Address {
  std::array<uint8_t, 16> bytes{};
  bool v4 = false;

  bool loopback() const {
    if (v4) return bytes[12] == 127;
    std::array<uint8_t, 16> one{};
    one[15] = 1;
    return bytes == one;
  }
};

constexpr std::array<uint8_t, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

std::optional<Address> ParseAddress(std::string_view text) {
  const std::string name(text);
  Address address;
  if (inet_pton(AF_INET, name.c_str(), address.bytes.data() + 12) == 1) {
    std::memcpy(address.bytes.data(), kMapped.data(), kMapped.size());
    address.v4 = true;
    return address;
  }
  if (inet_pton(AF_INET6, name.c_str(), address.bytes.data()) != 1) return std::nullopt;
  address.v4 = std::memcmp(address.bytes.data(), kMapped.data(), kMapped.size()) == 0;
  return address;
}

struct Range {
  Address first;
  unsigned bits = 0;  // of the 128

  bool Contains(const Address& address) const {
    if (first.v4 != address.v4) return false;
    for (unsigned i = 0; i < bits; ++i) {
      const auto mask = static_cast<uint8_t>(0x80U >> (i % 8));
      if (((first.bytes[i / 8] ^ address.bytes[i / 8]) & mask) != 0) return false;
    }
    return true;
  }
};

std::optional<Range> ParseRange(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto address = ParseAddress(text.substr(0, slash));
  if (!address) return std::nullopt;
  const std::string_view length = text.substr(slash + 1);
  const bool written_v4 = text.substr(0, slash).find(':') == std::string_view::npos;
  unsigned bits = 0;
  const auto [end, failure] = std::from_chars(length.data(), length.data() + length.size(), bits);
  if (failure != std::errc() || end != length.data() + length.size()) return std::nullopt;
  if (bits > (written_v4 ? 32U : 128U)) return std::nullopt;
  return Range{*address, written_v4 ? bits + 96 : bits};
}

struct HostPort {
  std::string_view host, port;
};

// host:port or [v6]:port; nothing if there is no port or the host has colons of its own.
std::optional<HostPort> SplitHostPort(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[')) {
    if (!host.ends_with(']')) return std::nullopt;
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return std::nullopt;
  }
  if (host.find_first_of("[]") != std::string_view::npos) return std::nullopt;
  return HostPort{host, text.substr(colon + 1)};
}

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n\v\f";
  const size_t first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

bool MatchesDomain(std::string_view entry, std::string_view host) {
  if (entry.starts_with("*.")) entry.remove_prefix(1);
  if (entry.starts_with('.')) return host.ends_with(entry);
  return host == entry || (host.ends_with(entry) && host[host.size() - entry.size() - 1] == '.');
}

bool Matches(std::string_view entry, std::string_view host, std::string_view port,
             const std::optional<Address>& address) {
  if (entry == "*") return true;
  if (const auto range = ParseRange(entry)) return address && range->Contains(*address);
  HostPort named{entry, ""};
  if (const auto split = SplitHostPort(entry)) named = *split;
  if (named.host.empty()) return false;
  if (!named.port.empty() && named.port != port) return false;
  if (const auto wanted = ParseAddress(named.host)) return address && wanted->bytes == address->bytes;
  return !address && MatchesDomain(named.host, host);
}

std::string FirstOf(const GetEnv& get, const char* upper, const char* lower) {
  for (const char* name : {upper, lower}) {
    if (auto value = get(name); value && !value->empty()) return *value;
  }
  return "";
}

}  // namespace

ProxyEnvironment ProxyEnvironment::Read(const GetEnv& get) {
  return {.http_proxy = FirstOf(get, "HTTP_PROXY", "http_proxy"),
          .https_proxy = FirstOf(get, "HTTPS_PROXY", "https_proxy"),
          .no_proxy = FirstOf(get, "NO_PROXY", "no_proxy")};
}

std::optional<std::string> ProxyFor(const ProxyEnvironment& environment, std::string_view scheme, std::string_view host,
                                    std::string_view port) {
  const std::string& proxy = scheme == "https" ? environment.https_proxy : environment.http_proxy;
  if (proxy.empty()) return std::nullopt;
  const std::string name = Lower(Trim(host));
  const auto address = ParseAddress(std::string_view(name).substr(0, name.find('%')));
  if (host == "localhost" || (address && address->loopback())) return std::nullopt;
  std::string_view rest = environment.no_proxy;
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    const std::string entry = Lower(Trim(rest.substr(0, comma)));
    if (!entry.empty() && Matches(entry, name, port, address)) return std::nullopt;
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  const size_t scheme_end = proxy.find("://");
  const bool whole = scheme_end != std::string::npos && scheme_end > 0 && scheme_end + 3 < proxy.size();
  return whole ? proxy : "http://" + proxy;
}

}  // namespace ksched::kube
