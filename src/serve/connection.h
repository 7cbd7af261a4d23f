// One connection of a Server: for its own sources.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "serve/server.h"

namespace ksched::serve {

// Through it answers come from other threads. Once it is closed they come too late: the server may have gone.
struct AnswerGate {
  std::mutex mutex;
  bool open = true;
};

// What a connection needs of its server, which outlives it.
struct ConnectionWorld {
  const ServerOptions& options;
  Handler& handler;
  const bool& stopping;  // only in the server's thread
  std::shared_ptr<AnswerGate> gate;
  bool turned_away = false;  // there are too many
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  // `ended` is called from the destructor.
  Connection(boost::asio::ip::tcp::socket socket, const SslContext& context, const ConnectionWorld& world,
             std::function<void()> ended);
  ~Connection();

  void Start();
  // Closes it if no request is under way; else after that.
  void CloseWhenIdle();
  void CloseNow();
  // In the server's thread, later; called while the gate is held open.
  void PostAnswer(Response response);
  void PostClose();

 private:
  using Code = boost::beast::error_code;
  using Method = void (Connection::*)(Code, size_t);

  void Handshaken(Code failed);
  void WaitForRequest();
  void Arrived(Code failed, size_t bytes);
  void ReadHeader();
  void HeaderRead(Code failed, size_t bytes);
  void BodyRead(Code failed, size_t bytes);
  void Dispatch();
  void Refuse(Code failed);
  void Answer(Response response);
  void Written(Code failed, size_t bytes);
  void Closed(Code failed);
  void ReadPeerCertificates();
  auto Bind(Method method);

  ConnectionWorld world_;
  const SslContext context_;
  boost::asio::ssl::stream<boost::beast::tcp_stream> stream_;
  std::function<void()> ended_;
  boost::beast::flat_buffer buffer_;
  std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
  boost::beast::http::response<boost::beast::http::string_body> response_;
  std::optional<boost::asio::executor_work_guard<boost::asio::any_io_executor>> answering_;
  std::shared_ptr<Connection> awaiting_;  // itself, while nothing but its answer is waited for
  std::shared_ptr<const std::vector<std::string>> peer_certificates_;
  bool idle_ = false;
};

}  // namespace ksched::serve
