#include "serve/health.h"

#include <set>

namespace ksched::serve {
namespace {

std::string Quoted(const std::set<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "\"" : ",\"") + name + "\"";
  return list;
}

}  // namespace

HealthCheck Ping() {
  return {"ping", [] { return std::string(); }};
}

Response AnswerHealth(const std::string& page, const std::vector<HealthCheck>& checks, const Request& request) {
  const std::vector<std::string> given = request.Parameter("exclude");
  const std::set<std::string> excluded(given.begin(), given.end());
  std::set<std::string> unknown = excluded;
  std::string text;
  bool failed = false;
  for (const HealthCheck& check : checks) {
    if (excluded.contains(check.name)) {
      unknown.erase(check.name);
      text += "[+]" + check.name + " excluded: ok\n";
    } else if (check.failure().empty()) {
      text += "[+]" + check.name + " ok\n";
    } else {
      failed = true;
      text += "[-]" + check.name + " failed: reason withheld\n";  // everybody may read this
    }
  }
  if (!unknown.empty()) {
    text += "warn: some health checks cannot be excluded: no matches for " + Quoted(unknown) + "\n";
  }
  if (failed) return TextError(500, text + page + " check failed");
  Response response = Text(request.HasParameter("verbose") ? text + page + " check passed\n" : "ok");
  response.headers.emplace_back("X-Content-Type-Options", "nosniff");
  return response;
}

Response AnswerCheck(const HealthCheck& check) {
  const std::string failure = check.failure();
  return failure.empty() ? Text("ok") : TextError(500, "internal server error: " + failure);
}

}  // namespace ksched::serve
