#include "kube/credentials.h"

#include <utility>

namespace ksched::kube {
namespace {

std::string Trimmed(const std::string& text) {
  static constexpr const char* kSpace = " \t\r\n\v\f";
  const size_t first = text.find_first_not_of(kSpace);
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

}  // namespace

StoredCredentialSource::StoredCredentialSource(StoredCredential stored) : current_(std::move(stored.values)) {
  if (!stored.token_file.empty()) token_file_.emplace(std::move(stored.token_file));
  if (!stored.client_certificate_file.empty()) certificate_file_.emplace(std::move(stored.client_certificate_file));
  if (!stored.client_key_file.empty()) key_file_.emplace(std::move(stored.client_key_file));
}

Result<std::shared_ptr<CredentialSource>> StoredCredentialSource::Create(StoredCredential stored) {
  const bool needs_token = stored.values.bearer_token.empty();
  std::shared_ptr<StoredCredentialSource> source(new StoredCredentialSource(std::move(stored)));
  if (Result<void> read = source->ReadCertificate(true); !read) return read.error();
  if (Result<void> read = source->ReadToken(true); !read && needs_token) return read.error();
  return std::shared_ptr<CredentialSource>(std::move(source));
}

Result<void> StoredCredentialSource::ReadToken(bool force) {
  if (!token_file_) return {};
  Result<std::string> content = token_file_->Read(force);
  if (!content) return std::move(content).error().Within("failed to read token file \"" + token_file_->path() + "\"");
  std::string token = Trimmed(*content);
  if (token.empty()) return Error{"read empty token from file \"" + token_file_->path() + "\""};
  current_.bearer_token = std::move(token);
  return {};
}

// Both or none: a new certificate with an old key would not work.
Result<void> StoredCredentialSource::ReadCertificate(bool force) {
  std::string certificate = current_.client_certificate_pem, key = current_.client_key_pem;
  for (const auto& [file, text] : {std::pair(&certificate_file_, &certificate), std::pair(&key_file_, &key)}) {
    if (!*file) continue;
    Result<std::string> content = (*file)->Read(force);
    if (!content) return std::move(content).error();
    *text = std::move(*content);
  }
  current_.client_certificate_pem = std::move(certificate);
  current_.client_key_pem = std::move(key);
  return {};
}

// A file that cannot be read now says nothing new.
void StoredCredentialSource::ReadFiles(bool force) {
  (void)ReadToken(force);
  (void)ReadCertificate(force);
}

Result<Credential> StoredCredentialSource::Get() {
  const std::lock_guard lock(mutex_);
  ReadFiles(false);
  return current_;
}

bool StoredCredentialSource::Refresh() {
  const std::lock_guard lock(mutex_);
  const Credential before = current_;
  ReadFiles(true);
  return !(current_ == before);
}

}  // namespace ksched::kube
