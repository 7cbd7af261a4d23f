// For tests: an HTTP/1.1 server on loopback that answers by script, and a client for it.
#pragma once

#include <openssl/ssl.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "kube/http_client.h"

namespace ksched::kube {

struct SeenRequest {
  int connection = 0;  // from 0
  std::string method, target, head, body;
  bool tls = false;
  std::string peer;  // the common name of the client's certificate

  // The values of a header, by its name in lower case.
  std::vector<std::string> Values(std::string_view name) const;
  std::string Value(std::string_view name) const;
};

struct Reply {
  std::string bytes;   // head and body as they go over the wire
  size_t piece = 0;    // bytes per write; 0: all at once
  bool close = false;  // the connection, afterwards
  bool reset = false;  // the same, rudely
  bool hang = false;   // says nothing more until the client has gone

  Reply Close() && { return close = true, std::move(*this); }
  Reply InPieces(size_t bytes_each) && { return piece = bytes_each, std::move(*this); }
};

// A whole answer with its Content-Length.
Reply Answer(int status, const std::string& body, const std::string& type = "application/json",
             const std::string& more_headers = "");
// The same with a chunked body, its chunks cut every `size` bytes.
Reply Chunked(const std::string& body, size_t size, const std::string& type = "application/json");
Reply StatusAnswer(int status, const std::string& reason, const std::string& message,
                   const std::string& more_headers = "");
std::string Gzip(const std::string& text);

class ScriptedServer {
 public:
  // Called for every request, from several threads, one at a time. `nth`: from 0.
  using Script = std::function<Reply(const SeenRequest& request, size_t nth)>;

  // tls: borrowed; null: plain. socks: speaks SOCKS5 first and is then the server itself. After CONNECT, too, it is
  // the server that was asked for.
  explicit ScriptedServer(Script script, SSL_CTX* tls = nullptr, bool socks = false);
  ~ScriptedServer();
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  int port() const { return port_; }
  std::string host_port() const { return "127.0.0.1:" + std::to_string(port_); }
  std::string url() const { return (tls_ != nullptr ? "https://" : "http://") + host_port(); }
  std::vector<SeenRequest> seen() const;

 private:
  struct Wire;
  void Accept();
  void Serve(int socket, int number);
  void Converse(Wire& wire, int number);
  bool ReadRequest(Wire& wire, SeenRequest& request) const;
  static bool Write(Wire& wire, const Reply& reply);

  Script script_;
  SSL_CTX* tls_;
  bool socks_;
  int listener_ = -1, port_ = 0;
  mutable std::mutex mutex_;
  std::vector<SeenRequest> seen_;
  std::vector<int> sockets_;
  std::atomic<bool> stopping_{false};
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

class FixedCredentials final : public CredentialSource {
 public:
  explicit FixedCredentials(Credential credential = {}, std::vector<Credential> refreshed = {})
      : current_(std::move(credential)), next_(std::move(refreshed)) {}
  Result<Credential> Get() override { return current_; }
  bool Refresh() override {
    ++refreshes;
    if (next_.empty()) return false;
    current_ = next_.front();
    next_.erase(next_.begin());
    return true;
  }
  int refreshes = 0;

 private:
  Credential current_;
  std::vector<Credential> next_;
};

inline ClientConfig ConfigFor(const std::string& server, Credential credential = {}) {
  ClientConfig config{.server = server, .credentials = std::make_shared<FixedCredentials>(std::move(credential))};
  config.ns = "default";
  config.request_timeout = std::chrono::seconds(20);  // no test hangs
  return config;
}

inline HttpClientOptions QuickRetries() {
  return {.first_backoff = std::chrono::milliseconds(1), .max_retry_wait = std::chrono::milliseconds(5)};
}

// Until no request is left.
inline void UntilIdle(HttpClient& client) {
  client.PollUntil([&] { return client.idle(); });
}

// Never fails for what tests give it.
std::unique_ptr<HttpClient> MakeClient(const ClientConfig& config, const HttpClientOptions& options = QuickRetries());

}  // namespace ksched::kube
