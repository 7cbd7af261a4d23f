#include "serve/http.h"

#include <charconv>

namespace ksched::serve {

std::string_view Request::Find(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

std::vector<std::string_view> Request::FindAll(std::string_view name) const {
  std::vector<std::string_view> found;
  for (const auto& [key, value] : headers) {
    if (key == name) found.push_back(value);
  }
  return found;
}

std::vector<std::string> Request::Parameter(std::string_view name) const {
  std::vector<std::string> found;
  std::string_view rest = query;
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    const size_t equals = std::min(part.find('='), part.size());
    if (part.empty() || Unescape(part.substr(0, equals), true) != name) continue;
    found.push_back(Unescape(part.substr(std::min(equals + 1, part.size())), true));
  }
  return found;
}

Response TextError(unsigned status, std::string text) {
  return {status,
          {{"Content-Type", "text/plain; charset=utf-8"}, {"X-Content-Type-Options", "nosniff"}},
          std::move(text) + "\n"};
}

Response Text(std::string text) { return {200, {{"Content-Type", "text/plain; charset=utf-8"}}, std::move(text)}; }

std::string Unescape(std::string_view text, bool plus) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 3, value, 16).ptr == text.data() + i + 3) {
      out += static_cast<char>(value);
      i += 2;
    } else {
      out += plus && text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

}  // namespace ksched::serve
