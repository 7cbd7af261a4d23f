#include "serve/server.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <future>
#include <map>
#include <thread>
#include <utility>

#include "base/block_signals.h"
#include "serve/connection.h"

namespace ksched::serve {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Code = boost::system::error_code;

// Go's rule: an address that stands for all of them is that of both families, where the host has both.
Code Open(tcp::acceptor& acceptor, const ServerOptions& options) {
  Code failed;
  auto address = asio::ip::make_address(options.address.empty() ? "::" : options.address, failed);
  if (failed) return failed;
  const bool any = address.is_unspecified();
  if (any) address = asio::ip::address_v6::any();
  acceptor.open(address.is_v6() ? tcp::v6() : tcp::v4(), failed);
  if (any && failed) {
    address = asio::ip::address_v4::any();
    acceptor.open(tcp::v4(), failed);
  }
  if (failed) return failed;
  acceptor.set_option(asio::socket_base::reuse_address(true), failed);
  if (any && address.is_v6()) acceptor.set_option(asio::ip::v6_only(false), failed);
  if (options.share_port) {
    acceptor.set_option(asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>(true), failed);
  }
  if (!failed) acceptor.bind({address, options.port}, failed);
  if (!failed) acceptor.listen(asio::socket_base::max_listen_connections, failed);
  return failed;
}

}  // namespace

class Server::Core {
 public:
  Core(ServerOptions options, const TlsIdentity& identity)
      : options_(std::move(options)), identity_(identity), acceptor_(io_), ticker_(io_), retry_(io_) {}

  Result<void> Open() {
    if (const Code failed = serve::Open(acceptor_, options_)) {
      return Error{"failed to listen on " + options_.address + ":" + std::to_string(options_.port) + ": " +
                   failed.message()};
    }
    port_ = acceptor_.local_endpoint().port();
    return {};
  }
  uint16_t port() const { return port_; }

  void Start(Handler& handler) {
    handler_ = &handler;
    Accept();
    Tick();
    thread_ = std::thread([this] {
      BlockSignals();
      io_.run();
      ended_.set_value();
    });
  }

  void Stop(std::chrono::milliseconds grace) {
    if (!thread_.joinable()) return;
    asio::post(io_, [this] { BeginStop(); });
    if (ended_.get_future().wait_for(grace) != std::future_status::ready) asio::post(io_, [this] { CloseAll(); });
    thread_.join();
    const std::lock_guard lock(gate_->mutex);
    gate_->open = false;
  }

 private:
  void Accept() {
    acceptor_.async_accept([this](Code failed, tcp::socket socket) {
      if (stopping_) return;
      if (failed) return AcceptLater();
      socket.set_option(tcp::no_delay(true), failed);
      Serve(std::move(socket));
      accepting_ = connections_.size() < options_.max_connections + options_.max_turned_away;
      if (accepting_) Accept();
    });
  }
  // There may be no file descriptor left for a moment.
  void AcceptLater() {
    retry_.expires_after(std::chrono::milliseconds(100));
    retry_.async_wait([this](Code failed) {
      if (!failed && !stopping_) Accept();
    });
  }

  void Serve(tcp::socket socket) {
    const uint64_t number = ++last_;
    const bool turned_away = connections_.size() >= options_.max_connections;
    const ConnectionWorld world{options_, *handler_, stopping_, gate_, turned_away};
    auto connection = std::make_shared<Connection>(std::move(socket), identity_.Current(), world, [this, number] {
      // It may be the last one to let go of it, in another thread.
      asio::post(io_, [this, number] { Ended(number); });
    });
    connections_[number] = connection;
    connection->Start();
  }
  void Ended(uint64_t number) {
    connections_.erase(number);
    if (std::exchange(accepting_, true) || stopping_) return;
    Accept();
  }

  void Tick() {
    if (!options_.every_second) return;
    ticker_.expires_after(std::chrono::seconds(1));
    ticker_.async_wait([this](Code failed) {
      if (failed || stopping_) return;
      options_.every_second();
      Tick();
    });
  }

  void BeginStop() {
    Code ignored;
    stopping_ = true;
    acceptor_.close(ignored);
    ticker_.cancel();
    retry_.cancel();
    for (const auto& [number, one] : connections_) {
      if (const auto connection = one.lock()) connection->CloseWhenIdle();
    }
  }
  void CloseAll() {
    for (const auto& [number, one] : connections_) {
      if (const auto connection = one.lock()) connection->CloseNow();
    }
  }

  const ServerOptions options_;
  const TlsIdentity& identity_;
  asio::io_context io_{1};
  tcp::acceptor acceptor_;
  asio::steady_timer ticker_, retry_;
  uint16_t port_ = 0;
  Handler* handler_ = nullptr;
  bool stopping_ = false, accepting_ = true;
  uint64_t last_ = 0;
  std::map<uint64_t, std::weak_ptr<Connection>> connections_;
  const std::shared_ptr<AnswerGate> gate_ = std::make_shared<AnswerGate>();
  std::promise<void> ended_;
  std::thread thread_;
};

Server::Server(std::unique_ptr<Core> core) : core_(std::move(core)) {}
Server::~Server() { Stop(std::chrono::milliseconds(0)); }

Result<std::unique_ptr<Server>> Server::Listen(ServerOptions options, const TlsIdentity& identity) {
  auto core = std::make_unique<Core>(std::move(options), identity);
  if (auto opened = core->Open(); !opened) return std::move(opened).error();
  return std::unique_ptr<Server>(new Server(std::move(core)));
}

uint16_t Server::port() const { return core_->port(); }
void Server::Start(Handler& handler) { core_->Start(handler); }
void Server::Stop(std::chrono::milliseconds grace) { core_->Stop(grace); }

}  // namespace ksched::serve
