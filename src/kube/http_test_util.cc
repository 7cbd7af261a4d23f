#include "kube/http_test_util.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <openssl/x509.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>

#include "kube/sigpipe_guard.h"

namespace ksched::kube {

struct ScriptedServer::Wire {
  int socket = -1;
  SSL* ssl = nullptr;
  std::string buffer;

  ptrdiff_t Read(char* to, size_t size) {
    return ssl != nullptr ? SSL_read(ssl, to, static_cast<int>(size)) : recv(socket, to, size, 0);
  }
  bool WriteAll(std::string_view bytes) {
    while (!bytes.empty()) {
      const ptrdiff_t written = ssl != nullptr ? SSL_write(ssl, bytes.data(), static_cast<int>(bytes.size()))
                                               : send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (written <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(written));
    }
    return true;
  }
  bool Fill() {
    char piece[16384];
    const ptrdiff_t got = Read(piece, sizeof piece);
    if (got > 0) buffer.append(piece, static_cast<size_t>(got));
    return got > 0;
  }
  bool FillTo(size_t size) {
    while (buffer.size() < size) {
      if (!Fill()) return false;
    }
    return true;
  }
  std::string Take(size_t size) {
    std::string taken = buffer.substr(0, size);
    buffer.erase(0, size);
    return taken;
  }
  bool StartTls(SSL_CTX* context) {
    ssl = SSL_new(context);
    SSL_set_fd(ssl, socket);
    return SSL_accept(ssl) == 1;
  }
  bool Socks() {
    if (!FillTo(2)) return false;
    Take(2 + static_cast<size_t>(buffer[1]));
    if (!WriteAll(std::string("\x05\x00", 2)) || !FillTo(5)) return false;
    if (buffer[3] != 3) return false;  // by name: Go leaves it to the proxy to resolve
    const size_t length = 7 + static_cast<uint8_t>(buffer[4]);
    if (!FillTo(length)) return false;
    Take(length);
    return WriteAll(std::string("\x05\x00\x00\x01\x7f\x00\x00\x01\x00\x50", 10));
  }
  std::string PeerName() const {
    if (ssl == nullptr) return "";
    X509* certificate = SSL_get1_peer_certificate(ssl);
    if (certificate == nullptr) return "";
    char name[256] = {};
    X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name, sizeof name);
    X509_free(certificate);
    return name;
  }
};

std::vector<std::string> SeenRequest::Values(std::string_view name) const {
  std::vector<std::string> values;
  size_t at = head.find("\r\n");
  while (at != std::string::npos && at + 2 < head.size()) {
    const size_t end = head.find("\r\n", at + 2);
    const std::string line = head.substr(at + 2, end - at - 2);
    const size_t colon = line.find(':');
    std::string key = line.substr(0, colon);
    std::transform(key.begin(), key.end(), key.begin(), [](unsigned char c) { return std::tolower(c); });
    if (colon != std::string::npos && key == name) {
      const size_t value = line.find_first_not_of(' ', colon + 1);
      values.push_back(value == std::string::npos ? "" : line.substr(value));
    }
    at = end;
  }
  return values;
}

std::string SeenRequest::Value(std::string_view name) const {
  const auto values = Values(name);
  return values.empty() ? "(none)" : values.front();
}

Reply Answer(int status, const std::string& body, const std::string& type, const std::string& more_headers) {
  return {.bytes = fmt::format("HTTP/1.1 {} Text\r\nContent-Type: {}\r\nContent-Length: {}\r\n{}\r\n{}", status, type,
                               body.size(), more_headers, body)};
}

Reply Chunked(const std::string& body, size_t size, const std::string& type) {
  std::string bytes = fmt::format("HTTP/1.1 200 OK\r\nContent-Type: {}\r\nTransfer-Encoding: chunked\r\n\r\n", type);
  for (size_t at = 0; at < body.size(); at += size) {
    const std::string chunk = body.substr(at, size);
    bytes += fmt::format("{:x}\r\n{}\r\n", chunk.size(), chunk);
  }
  return {.bytes = bytes + "0\r\n\r\n"};
}

Reply StatusAnswer(int status, const std::string& reason, const std::string& message, const std::string& more_headers) {
  const std::string body =
      fmt::format(R"({{"kind":"Status","apiVersion":"v1","status":"Failure","message":"{}","reason":"{}","code":{}}})",
                  message, reason, status);
  return Answer(status, body, "application/json", more_headers);
}

std::string Gzip(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

ScriptedServer::ScriptedServer(Script script, SSL_CTX* tls, bool socks)
    : script_(std::move(script)), tls_(tls), socks_(socks) {
  listener_ = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{.sin_family = AF_INET};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(listen(listener_, 64), 0);
  socklen_t size = sizeof address;
  EXPECT_EQ(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { Accept(); });
}

ScriptedServer::~ScriptedServer() {
  stopping_ = true;
  acceptor_.join();
  {
    const std::lock_guard lock(mutex_);
    for (const int socket : sockets_) shutdown(socket, SHUT_RDWR);
  }
  for (std::thread& thread : threads_) thread.join();
  for (const int socket : sockets_) close(socket);
  close(listener_);
}

std::vector<SeenRequest> ScriptedServer::seen() const {
  const std::lock_guard lock(mutex_);
  return seen_;
}

void ScriptedServer::Accept() {
  const SigpipeGuard guard;  // the threads of the connections inherit it
  while (!stopping_) {
    pollfd waiting{.fd = listener_, .events = POLLIN};
    if (poll(&waiting, 1, 10) <= 0) continue;
    const int socket = accept(listener_, nullptr, nullptr);
    if (socket < 0) continue;
    const std::lock_guard lock(mutex_);
    const int number = static_cast<int>(sockets_.size());
    sockets_.push_back(socket);
    threads_.emplace_back([this, socket, number] { Serve(socket, number); });
  }
}

void ScriptedServer::Serve(int socket, int number) {
  Wire wire{.socket = socket};
  Converse(wire, number);
  if (wire.ssl != nullptr) {
    SSL_shutdown(wire.ssl);
    SSL_free(wire.ssl);
  }
  shutdown(socket, SHUT_RDWR);
}

void ScriptedServer::Converse(Wire& wire, int number) {
  if (socks_ && !wire.Socks()) return;
  // A proxy for https is asked in plain text; a TLS handshake begins with 0x16.
  char first = 0;
  if (recv(wire.socket, &first, 1, MSG_PEEK) == 1 && first == 0x16) {
    if (tls_ == nullptr) {  // as Go's server
      wire.WriteAll("HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTPS request to an HTTP server.\n");
      return;
    }
    if (!wire.StartTls(tls_)) return;
  }
  while (!stopping_) {
    SeenRequest request{.connection = number};
    if (!ReadRequest(wire, request)) return;
    Reply reply;
    {
      const std::lock_guard lock(mutex_);
      const size_t nth = seen_.size();
      seen_.push_back(request);
      reply = script_(request, nth);
    }
    const bool written = Write(wire, reply);
    if (reply.hang) {
      while (!stopping_ && wire.Fill()) {
      }
    }
    if (reply.reset) {
      const linger now{.l_onoff = 1, .l_linger = 0};
      setsockopt(wire.socket, SOL_SOCKET, SO_LINGER, &now, sizeof now);
      const int nowhere = ::socket(AF_INET, SOCK_STREAM, 0);
      dup2(nowhere, wire.socket);  // closes it with a reset; the number stays ours
      close(nowhere);
    }
    if (!written || reply.close || reply.hang || reply.reset) return;
    if (request.method == "CONNECT" && tls_ != nullptr && reply.bytes.find(" 200 ") != std::string::npos &&
        !wire.StartTls(tls_)) {
      return;
    }
  }
}

bool ScriptedServer::ReadRequest(Wire& wire, SeenRequest& request) const {
  size_t end = std::string::npos;
  while ((end = wire.buffer.find("\r\n\r\n")) == std::string::npos) {
    if (!wire.Fill()) return false;
  }
  request.head = wire.Take(end + 2);
  wire.Take(2);
  const size_t space = request.head.find(' ');
  request.method = request.head.substr(0, space);
  request.target = request.head.substr(space + 1, request.head.find(' ', space + 1) - space - 1);
  request.tls = wire.ssl != nullptr;
  request.peer = wire.PeerName();
  if (const auto length = request.Values("content-length"); !length.empty()) {
    const size_t size = std::stoul(length.front());
    if (!wire.FillTo(size)) return false;
    request.body = wire.Take(size);
  }
  return true;
}

bool ScriptedServer::Write(Wire& wire, const Reply& reply) {
  if (reply.piece == 0) return wire.WriteAll(reply.bytes);
  for (size_t at = 0; at < reply.bytes.size(); at += reply.piece) {
    if (!wire.WriteAll(std::string_view(reply.bytes).substr(at, reply.piece))) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return true;
}

std::unique_ptr<HttpClient> MakeClient(const ClientConfig& config, const HttpClientOptions& options) {
  Result<std::unique_ptr<HttpClient>> client = HttpClient::Create(config, options);
  if (!client) {
    ADD_FAILURE() << client.error().message;
    std::abort();
  }
  return *std::move(client);
}

}  // namespace ksched::kube
