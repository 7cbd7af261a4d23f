#include "kube/request_headers.h"

#include <fmt/format.h>

#include <algorithm>

namespace ksched::kube {
namespace {

bool IsLegalInName(char c) {
  constexpr std::string_view kOthers = "!#$&'*+-.^_`|~";  // '%' is legal too, but begins an escape
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || kOthers.find(c) != kOthers.npos;
}

bool IsLegalInValue(char c) { return c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f); }

std::string Base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    for (size_t j = 0; j < 3; ++j)
      group = group << 8 | (i + j < bytes.size() ? static_cast<uint8_t>(bytes[i + j]) : 0U);
    for (size_t j = 0; j < 4; ++j) text += i + j > bytes.size() ? '=' : kDigits[group >> (18 - 6 * j) & 63];
  }
  return text;
}

class Lines {
 public:
  void Add(const std::string& name, std::string_view value) {
    if (!std::all_of(value.begin(), value.end(), IsLegalInValue)) {
      failure_ = Error{fmt::format("the value of the header {} has characters that no header may have", name)};
    }
    // curl takes "Name:" as "send none of this name", and "Name;" as an empty value.
    lines_.push_back(value.empty() ? name + ";" : fmt::format("{}: {}", name, value));
  }

  Result<std::vector<std::string>> Take() && {
    if (!failure_.message.empty()) return std::move(failure_);
    return std::move(lines_);
  }

 private:
  std::vector<std::string> lines_;
  Error failure_;
};

}  // namespace

std::string EscapeHeaderKey(std::string_view key) {
  std::string escaped;
  for (char c : key) {
    if (IsLegalInName(c)) {
      escaped += c;
    } else {
      escaped += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return escaped;
}

Result<std::vector<std::string>> RequestHeaders(const HttpRequest& request, const Credential& credential,
                                                const Impersonation& impersonation) {
  Lines lines;
  lines.Add("Accept", request.accept);
  if (!request.body.empty()) lines.Add("Content-Type", request.content_type);
  if (!credential.bearer_token.empty()) {
    lines.Add("Authorization", "Bearer " + credential.bearer_token);
  } else if (!credential.username.empty() || !credential.password.empty()) {
    lines.Add("Authorization", "Basic " + Base64(credential.username + ":" + credential.password));
  }
  if (!impersonation.empty()) lines.Add("Impersonate-User", impersonation.user);
  if (!impersonation.uid.empty()) lines.Add("Impersonate-Uid", impersonation.uid);
  for (const std::string& group : impersonation.groups) lines.Add("Impersonate-Group", group);
  for (const auto& [key, values] : impersonation.extra) {
    for (const std::string& value : values) lines.Add("Impersonate-Extra-" + EscapeHeaderKey(key), value);
  }
  return std::move(lines).Take();
}

}  // namespace ksched::kube
