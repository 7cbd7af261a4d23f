#include "serve/serve_test_util.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/pem.h>
#include <sys/socket.h>
#include <unistd.h>

namespace ksched::serve {
namespace {

constexpr timeval kPatience{20, 0};

void Use(SSL_CTX* context, const kube::TestIdentity& identity) {
  BIO* certificate =
      BIO_new_mem_buf(identity.certificate_pem.data(), static_cast<int>(identity.certificate_pem.size()));
  BIO* key = BIO_new_mem_buf(identity.key_pem.data(), static_cast<int>(identity.key_pem.size()));
  X509* x509 = PEM_read_bio_X509(certificate, nullptr, nullptr, nullptr);
  EVP_PKEY* pkey = PEM_read_bio_PrivateKey(key, nullptr, nullptr, nullptr);
  SSL_CTX_use_certificate(context, x509);
  SSL_CTX_use_PrivateKey(context, pkey);
  X509_free(x509);
  EVP_PKEY_free(pkey);
  BIO_free(certificate);
  BIO_free(key);
}

}  // namespace

TestClient::TestClient(uint16_t port, const kube::TestIdentity* identity, int max_version)
    : socket_(::socket(AF_INET, SOCK_STREAM, 0)), context_(SSL_CTX_new(TLS_client_method())) {
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return;
  if (identity != nullptr) Use(context_.get(), *identity);
  if (max_version != 0) SSL_CTX_set_max_proto_version(context_.get(), max_version);
  SSL* ssl = SSL_new(context_.get());
  SSL_set_fd(ssl, socket_);
  if (SSL_connect(ssl) == 1) {
    ssl_ = ssl;
  } else {
    SSL_free(ssl);
  }
}

TestClient::~TestClient() {
  if (ssl_ != nullptr) SSL_free(ssl_);
  close(socket_);
}

std::string TestClient::server_name() const {
  char name[256] = "";
  X509_NAME_get_text_by_NID(X509_get_subject_name(SSL_get0_peer_certificate(ssl_)), NID_commonName, name, sizeof name);
  return name;
}

std::string TestClient::version() const { return SSL_get_version(ssl_); }

bool TestClient::Send(const std::string& bytes) {
  return ssl_ != nullptr && SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size())) > 0;
}

Answered TestClient::Read(bool head) {
  const auto more = [this] {
    char bytes[4096];
    const int got = ssl_ == nullptr ? 0 : SSL_read(ssl_, bytes, sizeof bytes);
    if (got > 0) read_.append(bytes, static_cast<size_t>(got));
    return got > 0;
  };
  while (read_.find("\r\n\r\n") == std::string::npos) {
    if (!more()) return {};
  }
  Answered answer;
  const size_t end = read_.find("\r\n\r\n") + 4;
  answer.status = std::stoi(read_.substr(9, 3));
  for (size_t at = read_.find("\r\n") + 2; at < end - 2; at = read_.find("\r\n", at) + 2) {
    const size_t colon = read_.find(": ", at);
    std::string name = read_.substr(at, colon - at);
    for (char& c : name) c = static_cast<char>(std::tolower(c));
    answer.headers[name] = read_.substr(colon + 2, read_.find("\r\n", at) - colon - 2);
  }
  const size_t size =
      head || answer.headers["content-length"].empty() ? 0 : std::stoul(answer.headers["content-length"]);
  while (read_.size() < end + size) {
    if (!more()) return {};
  }
  answer.body = read_.substr(end, size);
  read_.erase(0, end + size);
  return answer;
}

Answered TestClient::Ask(const std::string& method, const std::string& target, const std::string& headers,
                         const std::string& body) {
  std::string text = method + " " + target + " HTTP/1.1\r\nHost: test\r\n" + headers;
  if (!body.empty()) text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return Send(text + "\r\n" + body) ? Read(method == "HEAD") : Answered{};
}

bool TestClient::AtEnd() {
  char byte = 0;
  return ssl_ == nullptr || SSL_read(ssl_, &byte, 1) <= 0;
}

TestServer::TestServer(Handler& handler, ServerOptions options) {
  options.address = "127.0.0.1";
  identity = std::move(*TlsIdentity::FromPair(*MakeSelfSigned("first", {"localhost"}, {"127.0.0.1"}), {}));
  server = std::move(*Server::Listen(std::move(options), *identity));
  server->Start(handler);
}

}  // namespace ksched::serve
