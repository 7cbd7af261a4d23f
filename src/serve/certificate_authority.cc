#include "serve/certificate_authority.h"

#include <arpa/inet.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <functional>

#include "serve/openssl.h"

namespace ksched::serve {
namespace {

struct Extension {
  int nid;
  std::string value;  // as OpenSSL's configuration has it
};

struct Template {
  std::string common_name;
  Validity validity;
  std::vector<Extension> extensions;
};

struct Issuer {
  X509* certificate = nullptr;
  EVP_PKEY* key = nullptr;
};

Result<void> AddExtension(X509* certificate, X509* issuer, const Extension& wanted) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, wanted.nid, wanted.value.c_str());
  if (extension == nullptr) return Error{"a certificate for " + wanted.value + " cannot be made: " + OpenSslError()};
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
  return {};
}

std::string Pem(const std::function<int(BIO*)>& write) {
  const Bio out(BIO_new(BIO_s_mem()));
  write(out.get());
  char* data = nullptr;
  const long size = BIO_get_mem_data(out.get(), &data);
  return std::string(data, static_cast<size_t>(size));
}

Result<void> Fill(X509* certificate, EVP_PKEY* key, const Template& wanted, X509* issuer) {
  uint64_t serial = 0;
  RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial);
  X509_set_version(certificate, X509_VERSION_3);
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial >> 1);
  ASN1_TIME_set(X509_getm_notBefore(certificate), wanted.validity.begin / kNsPerSecond);
  ASN1_TIME_set(X509_getm_notAfter(certificate), wanted.validity.end / kNsPerSecond);
  X509_set_pubkey(certificate, key);
  const auto* name = reinterpret_cast<const unsigned char*>(wanted.common_name.c_str());
  if (X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_UTF8, name, -1, -1, 0) != 1) {
    return Error{"a certificate for " + wanted.common_name + " cannot be made: " + OpenSslError()};
  }
  X509_set_issuer_name(certificate, X509_get_subject_name(issuer));
  for (const Extension& extension : wanted.extensions) {
    if (auto added = AddExtension(certificate, issuer, extension); !added) return added;
  }
  return {};
}

// Signed by itself if there is no issuer.
Result<CertificatePair> Make(const Template& wanted, Issuer issuer = {}) {
  const Key key(EVP_EC_gen("P-256"));
  const Certificate certificate(X509_new());
  if (key == nullptr || certificate == nullptr) return Error{"a key cannot be made: " + OpenSslError()};
  if (issuer.certificate == nullptr) issuer = {certificate.get(), key.get()};
  auto filled = Fill(certificate.get(), key.get(), wanted, issuer.certificate);
  if (!filled) return std::move(filled).error();
  if (X509_sign(certificate.get(), issuer.key, EVP_sha256()) == 0) return Error{"signing failed: " + OpenSslError()};
  return CertificatePair{Pem([&](BIO* out) { return PEM_write_bio_X509(out, certificate.get()); }), Pem([&](BIO* out) {
                           return PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
                         })};
}

Extension AlternativeNames(const std::vector<std::string>& names, const std::vector<std::string>& addresses) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "DNS:" : ",DNS:") + name;
  for (const std::string& address : addresses) text += (text.empty() ? "IP:" : ",IP:") + address;
  return {NID_subject_alt_name, text};
}

struct ReadPair {
  Certificate certificate;
  Key key;
};

Result<ReadPair> Read(const CertificatePair& pair) {
  ReadPair read{NextCertificate(Reader(pair.certificate_pem)), NextKey(Reader(pair.key_pem))};
  if (read.certificate == nullptr) return Error{"no certificate: " + OpenSslError()};
  if (read.key == nullptr) return Error{"no private key: " + OpenSslError()};
  if (X509_check_private_key(read.certificate.get(), read.key.get()) != 1) {
    return Error{"certificate and key do not belong together: " + OpenSslError()};
  }
  return read;
}

std::string AddressText(const ASN1_OCTET_STRING* address) {
  char text[INET6_ADDRSTRLEN] = "";
  const int family = ASN1_STRING_length(address) == 4 ? AF_INET : AF_INET6;
  if (family == AF_INET6 && ASN1_STRING_length(address) != 16) return "";
  inet_ntop(family, ASN1_STRING_get0_data(address), text, sizeof text);
  return text;
}

void ReadNames(X509* certificate, CertificateFacts& facts) {
  const std::unique_ptr<GENERAL_NAMES, Freer<GENERAL_NAMES_free>> names(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* one = sk_GENERAL_NAME_value(names.get(), i);
    if (one->type == GEN_DNS) {
      const auto* text = reinterpret_cast<const char*>(ASN1_STRING_get0_data(one->d.dNSName));
      facts.names.emplace_back(text, static_cast<size_t>(ASN1_STRING_length(one->d.dNSName)));
    } else if (one->type == GEN_IPADD) {
      facts.addresses.push_back(AddressText(one->d.iPAddress));
    }
  }
  std::ranges::sort(facts.names);
  std::ranges::sort(facts.addresses);
}

}  // namespace

Result<CertificatePair> MakeAuthority(const std::string& common_name, Validity validity) {
  return Make({common_name,
               validity,
               {{NID_basic_constraints, "critical,CA:TRUE,pathlen:0"},
                {NID_key_usage, "critical,digitalSignature,keyCertSign"},
                {NID_subject_key_identifier, "hash"},
                {NID_authority_key_identifier, "keyid"}}});
}

Result<CertificatePair> MakeServing(const CertificatePair& authority, const ServerNames& server, Validity validity) {
  auto issuer = Read(authority);
  if (!issuer) return std::move(issuer).error().Within("the authority");
  return Make({server.common_name,
               validity,
               {{NID_basic_constraints, "critical,CA:FALSE"},
                {NID_key_usage, "critical,digitalSignature"},
                {NID_ext_key_usage, "serverAuth"},
                {NID_subject_key_identifier, "hash"},
                {NID_authority_key_identifier, "keyid"},
                AlternativeNames(server.names, server.addresses)}},
              {issuer->certificate.get(), issuer->key.get()});
}

Result<CertificatePair> MakeSelfSigned(const std::string& common_name, const std::vector<std::string>& names,
                                       const std::vector<std::string>& addresses) {
  constexpr TimeNs kHour = 3600 * kNsPerSecond, kYear = 365 * 24 * kHour;
  const TimeNs now = SystemClock().Now();
  return Make({common_name,
               {now - kHour, now + kYear},  // clocks differ
               {{NID_basic_constraints, "critical,CA:TRUE"},
                {NID_key_usage, "critical,digitalSignature,keyEncipherment,keyCertSign"},
                {NID_ext_key_usage, "serverAuth"},
                AlternativeNames(names, addresses)}});
}

Result<CertificateFacts> ReadCertificate(const std::string& pem) {
  const Certificate certificate = NextCertificate(Reader(pem));
  if (certificate == nullptr) return Error{"no certificate: " + OpenSslError()};
  CertificateFacts facts;
  facts.validity = {TimeOf(X509_get0_notBefore(certificate.get())), TimeOf(X509_get0_notAfter(certificate.get()))};
  ReadNames(certificate.get(), facts);
  return facts;
}

Result<void> CheckPair(const CertificatePair& pair) {
  if (auto read = Read(pair); !read) return std::move(read).error();
  return {};
}

bool IsSignedByOneOf(const std::string& authorities_pem, const std::string& certificate_pem) {
  const Certificate certificate = NextCertificate(Reader(certificate_pem));
  const Bio authorities = Reader(authorities_pem);
  bool is = false;
  while (certificate != nullptr && !is) {
    const Certificate authority = NextCertificate(authorities);
    if (authority == nullptr) break;
    is = X509_verify(certificate.get(), X509_get0_pubkey(authority.get())) == 1;
  }
  ERR_clear_error();  // the end of the text, and authorities that did not sign
  return is;
}

}  // namespace ksched::serve
