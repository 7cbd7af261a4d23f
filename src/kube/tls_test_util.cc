#include "kube/tls_test_util.h"

#include <gtest/gtest.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

namespace ksched::kube {
namespace {

struct Deleter {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
template <typename T>
using Owned = std::unique_ptr<T, Deleter>;

Owned<BIO> Text(const std::string& text) {
  return Owned<BIO>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::string Written(const Owned<BIO>& bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<size_t>(size)};
}

Owned<X509> ReadCertificate(const std::string& pem) {
  return Owned<X509>(PEM_read_bio_X509(Text(pem).get(), nullptr, nullptr, nullptr));
}

Owned<EVP_PKEY> ReadKey(const std::string& pem) {
  return Owned<EVP_PKEY>(PEM_read_bio_PrivateKey(Text(pem).get(), nullptr, nullptr, nullptr));
}

void AddExtension(X509* certificate, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
  ASSERT_NE(extension, nullptr) << value;
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

}  // namespace

TestIdentity MakeIdentity(const TestCertificate& wanted, const TestIdentity* issuer) {
  static long serial = 0;
  const Owned<EVP_PKEY> key(EVP_EC_gen("P-256"));
  const Owned<X509> certificate(X509_new());
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), wanted.valid_from_s);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), wanted.valid_from_s + wanted.valid_for_s);
  X509_set_pubkey(certificate.get(), key.get());
  X509_NAME* name = X509_get_subject_name(certificate.get());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(wanted.common_name.c_str()), -1, -1, 0);
  const Owned<X509> signer = issuer != nullptr ? ReadCertificate(issuer->certificate_pem) : nullptr;
  X509_set_issuer_name(certificate.get(), signer ? X509_get_subject_name(signer.get()) : name);
  if (wanted.is_authority) AddExtension(certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
  if (!wanted.alternative_names.empty()) {
    AddExtension(certificate.get(), NID_subject_alt_name, wanted.alternative_names);
  }
  const Owned<EVP_PKEY> signing = issuer != nullptr ? ReadKey(issuer->key_pem) : nullptr;
  EXPECT_GT(X509_sign(certificate.get(), signing ? signing.get() : key.get(), EVP_sha256()), 0);
  const Owned<BIO> certificate_text(BIO_new(BIO_s_mem())), key_text(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(certificate_text.get(), certificate.get());
  PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  return {Written(certificate_text), Written(key_text)};
}

std::unique_ptr<SSL_CTX, SslContextDeleter> MakeServerContext(const TestIdentity& identity,
                                                              const std::string& client_ca, int max_version) {
  std::unique_ptr<SSL_CTX, SslContextDeleter> context(SSL_CTX_new(TLS_server_method()));
  EXPECT_EQ(SSL_CTX_use_certificate(context.get(), ReadCertificate(identity.certificate_pem).get()), 1);
  EXPECT_EQ(SSL_CTX_use_PrivateKey(context.get(), ReadKey(identity.key_pem).get()), 1);
  if (max_version != 0) {
    SSL_CTX_set_security_level(context.get(), 0);
    SSL_CTX_set_max_proto_version(context.get(), max_version);
  }
  if (!client_ca.empty()) {
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context.get()), ReadCertificate(client_ca).get());
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  return context;
}

}  // namespace ksched::kube
