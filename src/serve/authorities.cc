#include "serve/authorities.h"

#include <fmt/format.h>
#include <openssl/sha.h>
#include <openssl/x509v3.h>

#include "serve/openssl.h"

namespace ksched::serve {
namespace {

Certificate FromDer(const std::string& der) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(der.data());
  return Certificate(d2i_X509(nullptr, &bytes, static_cast<long>(der.size())));
}

std::vector<std::string> Entries(X509* certificate, int nid) {
  std::vector<std::string> found;
  const X509_NAME* name = X509_get_subject_name(certificate);
  for (int at = X509_NAME_get_index_by_NID(name, nid, -1); at >= 0; at = X509_NAME_get_index_by_NID(name, nid, at)) {
    unsigned char* text = nullptr;
    const int size = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at)));
    if (size < 0) continue;
    found.emplace_back(reinterpret_cast<char*>(text), static_cast<size_t>(size));
    OPENSSL_free(text);
  }
  return found;
}

std::string Fingerprint(const std::string& der) {
  unsigned char hash[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(der.data()), der.size(), hash);
  std::string text = "X509SHA256=";
  for (const unsigned char byte : hash) text += fmt::format("{:02x}", byte);
  return text;
}

Result<void> Check(X509_STORE* store, X509* leaf, STACK_OF(X509) * others) {
  const std::unique_ptr<X509_STORE_CTX, decltype(&X509_STORE_CTX_free)> context(X509_STORE_CTX_new(),
                                                                                &X509_STORE_CTX_free);
  X509_STORE_CTX_init(context.get(), store, leaf, others);
  X509_STORE_CTX_set_purpose(context.get(), X509_PURPOSE_SSL_CLIENT);
  X509_STORE_CTX_set_flags(context.get(), X509_V_FLAG_PARTIAL_CHAIN);  // whatever is named is trusted, roots or not
  if (X509_verify_cert(context.get()) == 1) return {};
  ERR_clear_error();
  return Error{X509_verify_cert_error_string(X509_STORE_CTX_get_error(context.get()))};
}

}  // namespace

Result<void> Authorities::Set(const std::string& pem) {
  if (pem == pem_) return {};
  std::shared_ptr<X509_STORE> store;
  if (!pem.empty()) {
    store.reset(X509_STORE_new(), &X509_STORE_free);
    const Bio in = Reader(pem);
    size_t number = 0;
    while (const Certificate one = NextCertificate(in)) {
      X509_STORE_add_cert(store.get(), one.get());
      ++number;
    }
    ERR_clear_error();
    if (number == 0) return Error{"there is no certificate of an authority"};
  }
  const std::lock_guard lock(mutex_);
  store_ = std::move(store);
  pem_ = pem;
  ++version_;
  return {};
}

std::shared_ptr<X509_STORE> Authorities::store() const {
  const std::lock_guard lock(mutex_);
  return store_;
}

bool Authorities::empty() const { return store() == nullptr; }

Result<User> Authorities::Verify(const std::vector<std::string>& chain) const {
  const auto trusted = store();
  if (trusted == nullptr || chain.empty()) return Error{"there is no authority for certificates of clients"};
  const Certificate leaf = FromDer(chain.front());
  if (leaf == nullptr) return Error{"the client's certificate cannot be read: " + OpenSslError()};
  STACK_OF(X509)* others = sk_X509_new_null();
  for (size_t i = 1; i < chain.size(); ++i) {
    if (Certificate one = FromDer(chain[i]); one != nullptr) sk_X509_push(others, one.release());
  }
  const auto checked = Check(trusted.get(), leaf.get(), others);
  sk_X509_pop_free(others, &X509_free);
  const auto names = Entries(leaf.get(), NID_commonName);
  const std::string name = names.empty() ? "" : names.back();
  if (!checked) return Error{"the client's certificate of \"" + name + "\": " + checked.error().message};
  if (name.empty()) return Error{"the client's certificate has no common name"};
  User user{.name = name, .uid = "", .groups = Entries(leaf.get(), NID_organizationName)};
  user.extra["authentication.kubernetes.io/credential-id"] = {Fingerprint(chain.front())};
  return user;
}

}  // namespace ksched::serve
