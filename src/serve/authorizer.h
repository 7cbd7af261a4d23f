// Who may ask for what. Reference: k8s.io/apiserver/pkg/server/options/authorization.go, v0.37.2.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "serve/reviews.h"

namespace ksched::serve {

struct AuthorizationOptions {
  std::vector<std::string> always_allow_paths = {"/healthz", "/readyz", "/livez"};  // a * may be at the end
  std::chrono::milliseconds keep_allowed{10'000}, keep_denied{10'000};
};

class Authorizer {
 public:
  // `client` is borrowed; it has ended before this goes. Null: what is not open to everybody is forbidden.
  static Result<std::unique_ptr<Authorizer>> Create(const AuthorizationOptions& options, ReviewClient* client);

  // `done` is called in this thread, or in the client's. An error: nobody knows.
  void Authorize(const User& user, const std::string& verb, const std::string& path, Asked<AccessAnswer>::Done done);

 private:
  std::vector<std::string> paths_, prefixes_;  // without the first slash
  std::unique_ptr<AccessReviews> reviews_;
};

}  // namespace ksched::serve
