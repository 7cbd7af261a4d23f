// Asks a webhook over keep-alive TLS connections, at a rate that does not depend on its answers (open loop): a request
// that cannot be sent in its time waits, and its latency counts from when it was due. For reviewing.py.
//
//   webhook_load --port PORT --reviews FILE [--connections N] [--rate PER_SECOND] [--seconds S]
//
// FILE has a review in each line; they are sent in turn. Without --rate every connection asks again as soon as it is
// answered. Prints a line of JSON.
#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/flags.h"
#include "base/cpu_time.h"

namespace ksched {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

struct Options {
  uint16_t port = 0;
  std::string reviews;
  int32_t connections = 64;
  int32_t rate = 0;  // per second; 0: as fast as it goes
  int32_t seconds = 60;
};

struct Figures {
  std::vector<double> latencies_ms;
  size_t allowed = 0, denied = 0, warned = 0, unable = 0;
  std::string failure;  // the first
  size_t failures = 0;

  void Fail(const std::string& text) {
    if (failures++ == 0) failure = text;
  }
  void Count(const http::response<http::string_body>& response) {
    const auto says = [&](std::string_view text) { return response.body().find(text) != std::string::npos; };
    if (response.result() != http::status::ok) return Fail(fmt::format("status {}", response.result_int()));
    ++(says("\"allowed\":true") ? allowed : denied);
    if (says("\"decision\":\"warn\"")) ++warned;
    if (says("\"decision\":\"unable\"")) ++unable;
  }
};

// One connection: a request at a time.
class Asker {
 public:
  using Answered = std::function<void(Asker&)>;
  Asker(asio::io_context& io, asio::ssl::context& tls, Figures& figures, Answered answered)
      : stream_(io, tls), figures_(figures), answered_(std::move(answered)) {}

  // Before the load begins; waits.
  Result<void> Connect(uint16_t port) {
    error_code failed;
    stream_.lowest_layer().connect({asio::ip::address_v4::loopback(), port}, failed);
    if (!failed) stream_.lowest_layer().set_option(asio::ip::tcp::no_delay(true), failed);
    if (!failed) stream_.handshake(asio::ssl::stream_base::client, failed);
    if (failed) return Error{"cannot connect: " + failed.message()};
    return {};
  }

  // `request` outlives the answer.
  void Ask(const std::string& request, Clock::time_point due) {
    due_ = due;
    asio::async_write(stream_, asio::buffer(request), [this](error_code failed, size_t) {
      if (failed) return figures_.Fail("writing: " + failed.message());
      Read();
    });
  }

 private:
  void Read() {
    response_ = {};
    http::async_read(stream_, buffer_, response_, [this](error_code failed, size_t) {
      if (failed) return figures_.Fail("reading: " + failed.message());
      figures_.latencies_ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - due_).count());
      figures_.Count(response_);
      answered_(*this);
    });
  }

  asio::ssl::stream<asio::ip::tcp::socket> stream_;
  boost::beast::flat_buffer buffer_;
  http::response<http::string_body> response_;
  Clock::time_point due_;
  Figures& figures_;
  Answered answered_;
};

class Load {
 public:
  Load(const Options& options, std::vector<std::string> requests)
      : options_(options), requests_(std::move(requests)), timer_(io_) {
    tls_.set_verify_mode(asio::ssl::verify_none);
  }

  Result<void> Run() {
    for (int32_t i = 0; i < options_.connections; ++i) {
      askers_.push_back(std::make_unique<Asker>(io_, tls_, figures_, [this](Asker& asker) { Free(asker); }));
      if (auto connected = askers_.back()->Connect(options_.port); !connected) return connected;
    }
    begin_ = Clock::now();
    end_ = begin_ + std::chrono::seconds(options_.seconds);
    for (const auto& asker : askers_) Free(*asker);
    io_.run();
    return {};
  }

  void Print() {
    std::vector<double>& sorted = figures_.latencies_ms;
    std::sort(sorted.begin(), sorted.end());
    const auto at = [&](double part) {
      return sorted.empty() ? 0.0 : sorted[static_cast<size_t>(part * static_cast<double>(sorted.size() - 1))];
    };
    std::cout << fmt::format(
        R"({{"requests": {}, "seconds": {:.3f}, "p50Ms": {:.3f}, "p99Ms": {:.3f}, "p999Ms": {:.3f}, "mostMs": {:.3f}, )"
        R"("allowed": {}, "denied": {}, "warned": {}, "unable": {}, "failures": {}, "cpuSeconds": {:.2f}}})",
        sorted.size(), std::chrono::duration<double>(last_ - begin_).count(), at(0.5), at(0.99), at(0.999), at(1),
        figures_.allowed, figures_.denied, figures_.warned, figures_.unable, figures_.failures, CpuSeconds());
    std::cout << std::endl;
    if (figures_.failures > 0) std::cerr << "webhook_load: " << figures_.failure << '\n';
  }
  bool failed() const { return figures_.failures > 0; }

 private:
  Clock::time_point DueAt(size_t number) const {
    return begin_ + std::chrono::nanoseconds(std::chrono::seconds(1)) * number / options_.rate;
  }

  void Free(Asker& asker) {
    last_ = Clock::now();
    if (options_.rate == 0) {
      if (last_ < end_) asker.Ask(Next(), last_);
      return;
    }
    free_.push_back(&asker);
    SendDue();
  }

  // What is due goes to whoever is free; the timer waits for the next one if somebody is left.
  void SendDue() {
    const auto now = Clock::now();
    while (!free_.empty() && DueAt(sent_) <= now && DueAt(sent_) < end_) {
      Asker& asker = *free_.back();
      free_.pop_back();
      const auto due = DueAt(sent_);
      asker.Ask(Next(), due);
    }
    if (free_.empty() || DueAt(sent_) >= end_ || waiting_for_ == sent_) return;
    waiting_for_ = sent_;
    timer_.expires_at(DueAt(sent_));
    timer_.async_wait([this](error_code cancelled) {
      if (!cancelled) SendDue();
    });
  }

  const std::string& Next() { return requests_[sent_++ % requests_.size()]; }

  const Options& options_;
  const std::vector<std::string> requests_;
  asio::io_context io_{1};
  asio::ssl::context tls_{asio::ssl::context::tls_client};
  asio::steady_timer timer_;
  Figures figures_;
  std::vector<std::unique_ptr<Asker>> askers_;
  std::vector<Asker*> free_;
  size_t sent_ = 0, waiting_for_ = SIZE_MAX;  // numbers of requests
  Clock::time_point begin_, end_, last_;
};

Result<void> Read(const cxxopts::ParseResult& parsed, Options& out) {
  out.reviews = cli::ValueOr<std::string>(parsed, "reviews", "");
  int32_t port = 0;
  for (const auto& [flag, number] :
       {std::pair{"port", &port}, {"connections", &out.connections}, {"rate", &out.rate}, {"seconds", &out.seconds}}) {
    if (parsed.count(flag) == 0) continue;
    const auto read = cli::NumberOf(flag, parsed[flag].as<std::string>());
    if (!read) return read.error();
    *number = *read;
  }
  if (port < 1 || port > UINT16_MAX || out.reviews.empty()) return Error{"say --port and --reviews"};
  if (out.connections < 1 || out.seconds < 1 || out.rate < 0) return Error{"less than can be"};
  out.port = static_cast<uint16_t>(port);
  return {};
}

Result<Options> ParseOptions(const std::vector<std::string>& arguments) {
  cxxopts::Options flags("webhook_load");
  for (const char* name : {"port", "reviews", "connections", "rate", "seconds"}) {
    flags.add_options()(name, "", cxxopts::value<std::string>());
  }
  flags.add_options()("h,help", "");
  Options options;
  auto parsed = cli::ParseFlags(flags, arguments, [&](const auto& result) { return Read(result, options); });
  if (!parsed) return std::move(parsed).error();
  return options;
}

std::vector<std::string> ReadRequests(const std::string& file) {
  std::vector<std::string> requests;
  std::ifstream lines(file);
  for (std::string body; std::getline(lines, body);) {
    requests.push_back(
        fmt::format("POST /validate?timeout=3s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: "
                    "application/json\r\nContent-Length: {}\r\n\r\n{}",
                    body.size(), body));
  }
  return requests;
}

int Main(const std::vector<std::string>& arguments) {
  const auto options = ParseOptions(arguments);
  if (!options) {
    std::cerr << "error: " << options.error().message << '\n';
    return 2;
  }
  auto requests = ReadRequests(options->reviews);
  if (requests.empty()) {
    std::cerr << "error: no review in " << options->reviews << '\n';
    return 2;
  }
  Load load(*options, std::move(requests));
  if (auto run = load.Run(); !run) {
    std::cerr << "error: " << run.error().message << '\n';
    return 1;
  }
  load.Print();
  return load.failed() ? 1 : 0;
}

}  // namespace
}  // namespace ksched

int main(int argc, char** argv) { return ksched::Main({argv + 1, argv + argc}); }
