// The authorities that sign certificates of clients.
#pragma once

#include <openssl/x509.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "serve/user.h"

namespace ksched::serve {

class Authorities {
 public:
  // Takes these in place of the old ones; "": none. An error leaves the old ones.
  Result<void> Set(const std::string& pem);
  bool empty() const;
  // Another one after every change: whoever was verified before may not be any more.
  uint64_t version() const { return version_; }
  // The user that the first certificate of the chain (DER) names, if an authority here has signed it for clients: the
  // common name, with the organisations as groups. An error: nobody has, or it is out of date.
  Result<User> Verify(const std::vector<std::string>& chain) const;

 private:
  std::shared_ptr<X509_STORE> store() const;

  mutable std::mutex mutex_;
  std::shared_ptr<X509_STORE> store_;  // null: none
  std::string pem_;
  std::atomic<uint64_t> version_{0};
};

}  // namespace ksched::serve
