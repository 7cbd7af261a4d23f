// TokenReview and SubjectAccessReview: whose token is it, and may a user read a path.
// Reference: k8s.io/apiserver/plugin/pkg/{authenticator/token,authorizer}/webhook, v0.37.2. Differences: a review that
// failed is not repeated here but where HttpClient does it.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "serve/asked.h"
#include "serve/review_client.h"
#include "serve/user.h"

namespace ksched::serve {

class TokenReviews {
 public:
  using Answer = std::optional<User>;  // absent: the token is nobody's
  // `client` is borrowed, and gone before this is.
  TokenReviews(ReviewClient& client, std::chrono::milliseconds keep) : client_(client), keep_(keep) {}
  ~TokenReviews() { asked_.Drop(); }
  // From any thread; `done` is called in this one or in the client's.
  void Review(const std::string& token, Asked<Answer>::Done done);

 private:
  ReviewClient& client_;
  const std::chrono::milliseconds keep_;
  Asked<Answer> asked_;
};

struct AccessAnswer {
  bool allowed = false;
  std::string reason;
};

class AccessReviews {
 public:
  AccessReviews(ReviewClient& client, std::chrono::milliseconds keep_allowed, std::chrono::milliseconds keep_denied)
      : client_(client), keep_allowed_(keep_allowed), keep_denied_(keep_denied) {}
  ~AccessReviews() { asked_.Drop(); }
  void Review(const User& user, const std::string& verb, const std::string& path, Asked<AccessAnswer>::Done done);

 private:
  ReviewClient& client_;
  const std::chrono::milliseconds keep_allowed_, keep_denied_;
  Asked<AccessAnswer> asked_;
};

}  // namespace ksched::serve
