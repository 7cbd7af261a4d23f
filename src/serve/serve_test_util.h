// For tests: a client that speaks HTTP/1.1 over TLS by hand.
#pragma once

#include <openssl/ssl.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kube/tls_test_util.h"
#include "serve/server.h"

namespace ksched::serve {

struct Answered {
  int status = 0;                              // 0: the connection ended before
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
};

class TestClient {
 public:
  // identity: null: no certificate.
  explicit TestClient(uint16_t port, const kube::TestIdentity* identity = nullptr, int max_version = 0);
  ~TestClient();
  TestClient(const TestClient&) = delete;
  TestClient& operator=(const TestClient&) = delete;

  bool connected() const { return ssl_ != nullptr; }
  std::string server_name() const;  // the common name of the server's certificate
  std::string version() const;
  bool Send(const std::string& bytes);
  Answered Read(bool head = false);
  Answered Ask(const std::string& method, const std::string& target, const std::string& headers = "",
               const std::string& body = "");
  bool AtEnd();  // waits for the server to close the connection

 private:
  int socket_ = -1;
  std::unique_ptr<SSL_CTX, kube::SslContextDeleter> context_;
  SSL* ssl_ = nullptr;
  std::string read_;
};

inline Answered AskOnce(uint16_t port, const std::string& target, const kube::TestIdentity* identity = nullptr,
                        const std::string& headers = "") {
  return TestClient(port, identity).Ask("GET", target, headers);
}

// A server with a certificate of its own for `name`, which serves `handler` as long as this lives.
struct TestServer {
  explicit TestServer(Handler& handler, ServerOptions options = {});
  std::unique_ptr<TlsIdentity> identity;
  std::unique_ptr<Server> server;
  uint16_t port() const { return server->port(); }
};

}  // namespace ksched::serve
