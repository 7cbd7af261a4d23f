#include "serve/request_header.h"

#include <algorithm>

namespace ksched::serve {
namespace {

std::string Lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  return text;
}

std::string First(const std::vector<std::string>& names, const Request& request) {
  for (const std::string& name : names) {
    if (const std::string_view value = request.Find(Lower(name)); !value.empty()) return std::string(value);
  }
  return "";
}

}  // namespace

bool MayVouch(const RequestHeaderNames& names, const std::string& common_name) {
  return names.allowed_names.empty() || std::ranges::count(names.allowed_names, common_name) > 0;
}

User UserOfHeaders(const RequestHeaderNames& names, const Request& request) {
  User user{.name = First(names.user, request), .uid = First(names.uid, request), .groups = {}};
  for (const std::string& name : names.group) {
    for (const std::string_view value : request.FindAll(Lower(name))) {
      if (!value.empty()) user.groups.emplace_back(value);
    }
  }
  for (const std::string& name : names.extra_prefix) {
    const std::string prefix = Lower(name);
    for (const auto& [key, value] : request.headers) {
      if (key.starts_with(prefix)) user.extra[Unescape(key.substr(prefix.size()), false)].push_back(value);
    }
  }
  return user;
}

}  // namespace ksched::serve
