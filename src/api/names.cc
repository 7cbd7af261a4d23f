#include "api/names.h"

#include <algorithm>

namespace ksched::api {
namespace {

constexpr size_t kMaxLabel = 63, kMaxSubdomain = 253;

bool IsLower(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool IsAlphanumeric(char c) { return IsLower(c) || (c >= 'A' && c <= 'Z'); }

// [a-z0-9]([-a-z0-9]*[a-z0-9])?
bool MatchesLabel(std::string_view value) {
  return !value.empty() && IsLower(value.front()) && IsLower(value.back()) &&
         std::all_of(value.begin(), value.end(), [](char c) { return IsLower(c) || c == '-'; });
}

// Labels with dots between them.
bool MatchesSubdomain(std::string_view value) {
  while (true) {
    const size_t dot = value.find('.');
    if (!MatchesLabel(value.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    value.remove_prefix(dot + 1);
  }
}

// ([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]
bool MatchesName(std::string_view value) {
  return !value.empty() && IsAlphanumeric(value.front()) && IsAlphanumeric(value.back()) &&
         std::all_of(value.begin(), value.end(),
                     [](char c) { return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

std::string TooLong(size_t max) { return "must be no more than " + std::to_string(max) + " bytes"; }

constexpr char kLabelMessage[] =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
constexpr char kSubdomainMessage[] =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr char kNameMessage[] =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr char kValueMessage[] =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

template <size_t kSize>
bool IsOneOf(std::string_view name, const std::string_view (&names)[kSize]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace

Messages CheckDns1123Label(std::string_view value) {
  Messages messages;
  if (value.size() > kMaxLabel) messages.push_back(TooLong(kMaxLabel));
  if (!MatchesLabel(value)) {
    messages.emplace_back(MatchesSubdomain(value) ? "must not contain dots" : kLabelMessage);
  }
  return messages;
}

Messages CheckDns1123Subdomain(std::string_view value) {
  Messages messages;
  if (value.size() > kMaxSubdomain) messages.push_back(TooLong(kMaxSubdomain));
  if (!MatchesSubdomain(value)) messages.emplace_back(kSubdomainMessage);
  return messages;
}

Messages CheckLabelKey(std::string_view value) {
  if (IsLabelKey(value)) return {};
  Messages messages;
  const size_t slash = value.find('/');
  std::string_view name = value;
  if (slash != std::string_view::npos) {
    const std::string_view prefix = value.substr(0, slash);
    name = value.substr(slash + 1);
    if (name.find('/') != std::string_view::npos) {
      return {std::string("a valid label key ") + kNameMessage +
              " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"};
    }
    if (prefix.empty()) {
      messages.emplace_back("prefix part must be non-empty");
    } else {
      for (const std::string& message : CheckDns1123Subdomain(prefix)) messages.push_back("prefix part " + message);
    }
  }
  if (name.empty()) {
    messages.emplace_back("name part must be non-empty");
  } else if (name.size() > kMaxLabel) {
    messages.push_back("name part " + TooLong(kMaxLabel));
  }
  if (!MatchesName(name)) messages.push_back(std::string("name part ") + kNameMessage);
  return messages;
}

Messages CheckLabelValue(std::string_view value) {
  Messages messages;
  if (value.size() > kMaxLabel) messages.push_back(TooLong(kMaxLabel));
  if (!value.empty() && !MatchesName(value)) messages.emplace_back(kValueMessage);
  return messages;
}

Messages CheckPortName(std::string_view value) {
  Messages messages;
  if (value.size() > 15) messages.push_back(TooLong(15));
  if (!std::all_of(value.begin(), value.end(), [](char c) { return IsLower(c) || c == '-'; })) {
    messages.emplace_back("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (std::none_of(value.begin(), value.end(), [](char c) { return c >= 'a' && c <= 'z'; })) {
    messages.emplace_back("must contain at least one letter (a-z)");
  }
  if (value.find("--") != std::string_view::npos) {
    messages.emplace_back("must not contain consecutive hyphens");
  }
  if (!value.empty() && (value.front() == '-' || value.back() == '-')) {
    messages.emplace_back("must not begin or end with a hyphen");
  }
  return messages;
}

Messages CheckPortNumber(int64_t value) {
  if (value >= 1 && value <= 65535) return {};
  return {"must be between 1 and 65535, inclusive"};
}

bool IsDns1123Label(std::string_view value) { return value.size() <= kMaxLabel && MatchesLabel(value); }
bool IsDns1123Subdomain(std::string_view value) { return value.size() <= kMaxSubdomain && MatchesSubdomain(value); }
bool IsLabelKey(std::string_view value) {
  const size_t slash = value.find('/');
  if (slash != std::string_view::npos) {
    if (!IsDns1123Subdomain(value.substr(0, slash))) return false;
    value.remove_prefix(slash + 1);
  }
  return value.size() <= kMaxLabel && MatchesName(value);  // a second slash is no character of a name
}
bool IsLabelValue(std::string_view value) { return value.empty() || (value.size() <= kMaxLabel && MatchesName(value)); }

bool IsHugePageResource(std::string_view name) { return name.starts_with("hugepages-"); }

bool IsNativeResource(std::string_view name) {
  return name.find('/') == std::string_view::npos || name.find("kubernetes.io/") != std::string_view::npos;
}

bool IsExtendedResource(std::string_view name) {
  if (IsNativeResource(name) || name.starts_with("requests.")) return false;
  return IsLabelKey("requests." + std::string(name));  // it has to fit into a quota, too
}

bool IsOvercommitAllowed(std::string_view name) { return IsNativeResource(name) && !IsHugePageResource(name); }

constexpr std::string_view kCounted[] = {
    "pods",       "resourcequotas",         "services",           "replicationcontrollers", "secrets",
    "configmaps", "persistentvolumeclaims", "services.nodeports", "services.loadbalancers"};
constexpr std::string_view kMeasured[] = {"cpu",          "memory",          "ephemeral-storage",
                                          "requests.cpu", "requests.memory", "requests.ephemeral-storage",
                                          "limits.cpu",   "limits.memory",   "limits.ephemeral-storage",
                                          "storage",      "requests.storage"};

bool IsIntegerResource(std::string_view name) { return IsOneOf(name, kCounted) || IsExtendedResource(name); }

bool IsStandardResource(std::string_view name) {
  return IsOneOf(name, kCounted) || IsOneOf(name, kMeasured) || IsHugePageResource(name) ||
         name.starts_with("requests.hugepages-");
}

bool IsStandardContainerResource(std::string_view name) {
  return name == "cpu" || name == "memory" || name == "ephemeral-storage" || IsHugePageResource(name);
}

bool IsPodLevelResource(std::string_view name) { return name == "cpu" || name == "memory" || IsHugePageResource(name); }

}  // namespace ksched::api
