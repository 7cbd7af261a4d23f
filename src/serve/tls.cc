#include "serve/tls.h"

#include <filesystem>
#include <fstream>
#include <utility>

#include "kube/credentials_file.h"
#include "serve/openssl.h"

namespace ksched::serve {
namespace {

Result<void> UsePair(SSL_CTX* context, const CertificatePair& pair) {
  const Bio certificates = Reader(pair.certificate_pem);
  const Certificate leaf = NextCertificate(certificates);
  if (leaf == nullptr || SSL_CTX_use_certificate(context, leaf.get()) != 1) {
    return Error{"no certificate: " + OpenSslError()};
  }
  while (Certificate more = NextCertificate(certificates)) SSL_CTX_add0_chain_cert(context, more.release());
  ERR_clear_error();  // the end of the file
  const Key key = NextKey(Reader(pair.key_pem));
  if (key == nullptr) return Error{"no private key: " + OpenSslError()};
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1 || SSL_CTX_check_private_key(context) != 1) {
    return Error{"certificate and key do not belong together: " + OpenSslError()};
  }
  return {};
}

Result<CertificatePair> ReadPair(const std::string& certificate_file, const std::string& key_file) {
  auto certificate = kube::ReadWholeFile(certificate_file);
  if (!certificate) return std::move(certificate).error();
  auto key = kube::ReadWholeFile(key_file);
  if (!key) return std::move(key).error();
  return CertificatePair{std::move(*certificate), std::move(*key)};
}

Result<void> WriteFile(const std::string& path, const std::string& text, std::filesystem::perms permissions) {
  std::error_code failed;
  std::filesystem::remove(path, failed);
  std::ofstream file(path, std::ios::binary);
  std::filesystem::permissions(path, permissions, failed);
  if (!(file << text) || !file.flush()) return Error{path + ": it cannot be written"};
  return {};
}

}  // namespace

Result<SslContext> MakeServerContext(const CertificatePair& pair, const TlsOptions& options) {
  SslContext context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  SSL_CTX_set_min_proto_version(context.get(), options.min_version);
  // Sessions that are taken up again would bring neither certificates nor the newest pair.
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                         SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, [](int, X509_STORE_CTX*) { return 1; });
  if (!options.cipher_list.empty() && SSL_CTX_set_cipher_list(context.get(), options.cipher_list.c_str()) != 1) {
    return Error{"cipher suites: " + OpenSslError()};
  }
  if (!options.groups.empty() && SSL_CTX_set1_groups_list(context.get(), options.groups.c_str()) != 1) {
    return Error{"curves: " + OpenSslError()};
  }
  if (auto used = UsePair(context.get(), pair); !used) return std::move(used).error();
  return context;
}

Result<std::unique_ptr<TlsIdentity>> TlsIdentity::FromPair(const CertificatePair& pair, TlsOptions options) {
  std::unique_ptr<TlsIdentity> identity(new TlsIdentity(std::move(options)));
  auto context = MakeServerContext(pair, identity->options_);
  if (!context) return std::move(context).error();
  identity->seen_ = pair;
  identity->current_ = std::move(*context);
  return identity;
}

Result<std::unique_ptr<TlsIdentity>> TlsIdentity::FromFiles(std::string certificate_file, std::string key_file,
                                                            TlsOptions options) {
  auto pair = ReadPair(certificate_file, key_file);
  if (!pair) return std::move(pair).error();
  auto identity = FromPair(*pair, std::move(options));
  if (!identity) return std::move(identity).error().Within(certificate_file);
  (*identity)->certificate_file_ = std::move(certificate_file);
  (*identity)->key_file_ = std::move(key_file);
  return identity;
}

SslContext TlsIdentity::Current() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

TimeNs TlsIdentity::ExpiresAt() const {
  const SslContext context = Current();
  return TimeOf(X509_get0_notAfter(SSL_CTX_get0_certificate(context.get())));
}

Result<void> TlsIdentity::Replace(const CertificatePair& pair) {
  auto context = MakeServerContext(pair, options_);
  if (!context) return std::move(context).error();
  const std::lock_guard lock(mutex_);
  current_ = std::move(*context);
  return {};
}

bool TlsIdentity::Check(const Warn& warn) {
  if (certificate_file_.empty()) return false;
  auto pair = ReadPair(certificate_file_, key_file_);
  if (!pair) {
    if (seen_ != CertificatePair{}) warn(pair.error().message + "; the old certificate stays in use");
    seen_ = {};
    return false;
  }
  if (*pair == seen_) return false;
  auto context = MakeServerContext(*pair, options_);
  seen_ = std::move(*pair);
  if (!context) {
    warn(certificate_file_ + ": " + context.error().message + "; the old certificate stays in use");
    return false;
  }
  const std::lock_guard lock(mutex_);
  current_ = std::move(*context);
  return true;
}

Result<std::unique_ptr<TlsIdentity>> SelfSignedIdentity(const std::string& folder, const std::string& name,
                                                        const std::vector<std::string>& addresses, TlsOptions options) {
  const std::filesystem::path base = std::filesystem::path(folder) / name;
  const std::string certificate_file = base.string() + ".crt", key_file = base.string() + ".key";
  const auto readable = [](const std::string& path) { return std::ifstream(path).good(); };
  if (!folder.empty() && readable(certificate_file) && readable(key_file)) {
    return TlsIdentity::FromFiles(certificate_file, key_file, std::move(options));
  }
  auto pair = MakeSelfSigned("localhost", {"localhost"}, addresses);
  if (!pair) return std::move(pair).error();
  if (folder.empty()) return TlsIdentity::FromPair(*pair, std::move(options));
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  using std::filesystem::perms;
  constexpr perms kMine = perms::owner_read | perms::owner_write;
  auto written = WriteFile(certificate_file, pair->certificate_pem, kMine | perms::group_read | perms::others_read);
  if (written) written = WriteFile(key_file, pair->key_pem, kMine);
  if (!written) return std::move(written).error();
  return TlsIdentity::FromFiles(certificate_file, key_file, std::move(options));
}

}  // namespace ksched::serve
