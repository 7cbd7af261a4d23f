#include "serve/self_check.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>

namespace ksched::serve {
namespace {

namespace asio = boost::asio;
using Code = boost::system::error_code;

}  // namespace

Result<void> ShakeHands(const std::string& address, uint16_t port, std::chrono::milliseconds most) {
  Code failed;
  auto ip = asio::ip::make_address(address.empty() ? "0.0.0.0" : address, failed);
  if (failed) return Error{address + " is no address"};
  if (ip.is_unspecified()) ip = asio::ip::address_v4::loopback();
  asio::io_context io{1};
  asio::ssl::context context(asio::ssl::context::tls_client);
  context.set_verify_mode(asio::ssl::verify_none);
  asio::ssl::stream<asio::ip::tcp::socket> stream(io, context);
  std::string stage = "connecting";
  Code result = asio::error::timed_out;
  stream.lowest_layer().async_connect({ip, port}, [&](Code connected) {
    result = connected;
    if (connected) return;
    stage = "the TLS handshake";
    result = asio::error::timed_out;
    stream.async_handshake(asio::ssl::stream_base::client, [&](Code shaken) { result = shaken; });
  });
  io.run_for(most);
  stream.lowest_layer().close(failed);
  if (result) return Error{stage + ": " + result.message()};
  return {};
}

}  // namespace ksched::serve
