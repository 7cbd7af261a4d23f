// Who asks, for users whose credentials stand in the kubeconfig, in flags or in files.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "kube/client_config.h"
#include "kube/credentials_file.h"

namespace ksched::kube {

// Values and files that have them. A file that is given wins over the value beside it as long as it can be read.
struct StoredCredential {
  Credential values;
  std::string token_file;  // its content is trimmed
  std::string client_certificate_file, client_key_file;
};

// Files are read once more when they change and after a 401. What was last read well stays when a file cannot be read
// or (a token) is empty.
class StoredCredentialSource final : public CredentialSource {
 public:
  // Reads the files: fails on one that cannot be read, or a token that is empty.
  static Result<std::shared_ptr<CredentialSource>> Create(StoredCredential stored);

  Result<Credential> Get() override;
  bool Refresh() override;

 private:
  explicit StoredCredentialSource(StoredCredential stored);
  void ReadFiles(bool force);
  Result<void> ReadToken(bool force);
  Result<void> ReadCertificate(bool force);

  std::mutex mutex_;
  Credential current_;
  std::optional<WatchedFile> token_file_, certificate_file_, key_file_;
};

}  // namespace ksched::kube
