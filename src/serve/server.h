// An HTTPS server (HTTP/1.1, keep-alive) in a thread of its own. What it serves is a Handler's affair.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "serve/http.h"
#include "serve/tls.h"

namespace ksched::serve {

struct ServerOptions {
  std::string address = "0.0.0.0";  // unspecified (also "" and "::"): every interface, IPv4 and IPv6
  uint16_t port = 0;                // 0: one that is free
  bool share_port = false;          // SO_REUSEPORT
  size_t max_header_bytes = size_t{64} << 10, max_body_bytes = size_t{3} << 20;
  size_t max_connections = 4096;
  size_t max_turned_away = 0;  // so many more get a 503 for their first request; those beyond wait to be accepted
  std::chrono::milliseconds handshake_time{10'000}, header_time{32'000}, body_time{60'000}, idle_time{90'000},
      write_time{60'000};
  std::function<void()> every_second;  // called in the server's thread; empty: nothing is
};

class Server {
 public:
  // Listens, but accepts nobody yet. `identity` is borrowed: each connection gets what it has by then.
  static Result<std::unique_ptr<Server>> Listen(ServerOptions options, const TlsIdentity& identity);
  // Stops at once. Every Respond has to be called or dropped before.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  uint16_t port() const;
  void Start(Handler& handler);  // borrowed until Stop
  // No new connection is accepted, idle ones are closed, and requests that have come are answered, for so long at most.
  void Stop(std::chrono::milliseconds grace);

 private:
  class Core;
  explicit Server(std::unique_ptr<Core> core);
  std::unique_ptr<Core> core_;
};

}  // namespace ksched::serve
