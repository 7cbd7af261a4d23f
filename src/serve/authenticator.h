// Who asks: a proxy that vouches for a user, a client certificate, a bearer token; else it is anybody.
// Reference: k8s.io/apiserver/pkg/authentication/authenticatorfactory, v0.37.2.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "base/result.h"
#include "kube/credentials_file.h"
#include "serve/authorities.h"
#include "serve/http.h"
#include "serve/request_header.h"
#include "serve/reviews.h"

namespace ksched::serve {

struct AuthenticationOptions {
  std::string client_ca_file;          // "": what the cluster says
  std::string request_header_ca_file;  // "": what the cluster says, with its names
  RequestHeaderNames request_header;
  bool skip_lookup = false;                // the cluster is not asked
  bool tolerate_lookup_failure = true;     // Load does not wait for its answer
  std::chrono::milliseconds keep{10'000};  // answers to TokenReviews
};

class Authenticator {
 public:
  using Warn = std::function<void(const std::string&)>;
  // An error: the caller is not who it says.
  using Done = std::function<void(const Result<User>&)>;

  // `client` is borrowed; it has ended before this goes. Null: tokens are nobody's, and nothing is looked up.
  Authenticator(AuthenticationOptions options, ReviewClient* client);

  // Reads the files, and asks the cluster.
  Result<void> Load(const Warn& warn);
  // Now and then, in the server's thread: takes what has changed.
  void Check(const Warn& warn);
  // In the server's thread; `done` is called in it, or in the client's.
  void Authenticate(const Request& request, Done done);

 private:
  Result<void> ReadFiles();
  void Lookup(std::function<void(const Result<void>&)> done);
  Result<void> TakeConfigMap(std::string_view body);
  bool NeedsLookup() const;
  RequestHeaderNames request_header() const;
  Result<User> ByCertificate(const Request& request) const;
  static bool FindToken(const Request& request, std::string& token);

  const AuthenticationOptions options_;
  ReviewClient* const client_;
  std::unique_ptr<TokenReviews> tokens_;
  kube::WatchedFile client_ca_file_, request_header_ca_file_;
  Authorities client_ca_, request_header_ca_;
  mutable std::mutex mutex_;
  RequestHeaderNames request_header_;
  std::string trouble_;  // of the last look-up
  std::string told_;     // in the server's thread: what was warned of last
  int seconds_to_lookup_ = 0;
};

}  // namespace ksched::serve
