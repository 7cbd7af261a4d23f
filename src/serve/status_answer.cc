#include "serve/status_answer.h"

#include <fmt/format.h>

#include "kube/json_body.h"

namespace ksched::serve {
namespace {

std::string StatusBody(const std::string& message, const std::string& reason, bool details, int code) {
  kube::JsonBody body;
  body.Text("kind", "Status");
  body.Text("apiVersion", "v1");
  body.Open("metadata");
  body.Close();
  body.Text("status", "Failure");
  body.Text("message", message);
  body.Text("reason", reason);
  if (details) {
    body.Open("details");
    body.Close();
  }
  body.Number("code", code);
  return body.Take() + "\n";
}

// Nothing that a browser could take for HTML.
std::string Sanitized(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else
      out += c;
  }
  return out;
}

std::string GoQuoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f')
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out + "\"";
}

}  // namespace

Response Unauthorized() {
  return {401, {{"Content-Type", "application/json"}}, StatusBody("Unauthorized", "Unauthorized", false, 401)};
}

Response Forbidden(const User& user, const std::string& verb, const std::string& path, const std::string& reason) {
  std::string message =
      "forbidden: " + Sanitized(fmt::format("User {} cannot {} path {}", GoQuoted(user.name), verb, GoQuoted(path)));
  if (!reason.empty()) message += ": " + reason;
  return {403,
          {{"Content-Type", "application/json"}, {"X-Content-Type-Options", "nosniff"}},
          StatusBody(message, "Forbidden", true, 403)};
}

Response InternalError(const Request& request, const std::string& why) {
  return TextError(500, Sanitized("Internal Server Error: " + GoQuoted(request.target) + ": " + why));
}

Response NotFound() { return TextError(404, "404 page not found"); }

}  // namespace ksched::serve
