// /healthz, /livez, /readyz: named checks, one page for all of them and one for each.
// Reference: k8s.io/apiserver/pkg/server/healthz, v0.37.2.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "serve/http.h"

namespace ksched::serve {

struct HealthCheck {
  std::string name;
  std::function<std::string()> failure;  // called in the server's thread; "": all is well
};

// The check of a page that has no other.
HealthCheck Ping();

// The page "healthz" and so on: ok, or with ?verbose every check, which may be left out with ?exclude=.
Response AnswerHealth(const std::string& page, const std::vector<HealthCheck>& checks, const Request& request);
// One check.
Response AnswerCheck(const HealthCheck& check);

}  // namespace ksched::serve
