#include "serve/connection.h"

#include <openssl/x509.h>

#include <atomic>
#include <boost/asio/post.hpp>
#include <ctime>
#include <utility>

namespace ksched::serve {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

constexpr size_t kFirstRead = 4096;
constexpr std::chrono::seconds kFarewell{1};  // a client need not say goodbye

std::string HttpDate() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[64];
  return {text, std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts)};
}

std::string Der(X509* certificate) {
  unsigned char* bytes = nullptr;
  const int size = i2d_X509(certificate, &bytes);
  if (size < 0) return {};
  std::string der(reinterpret_cast<char*>(bytes), static_cast<size_t>(size));
  OPENSSL_free(bytes);
  return der;
}

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  return out;
}

Request ToRequest(http::request<http::string_body>&& from) {
  Request request;
  request.method = std::string(from.method_string());
  request.target = std::string(from.target());
  const size_t question = std::min(request.target.find('?'), request.target.size());
  request.path = Unescape(std::string_view(request.target).substr(0, question), false);
  request.query = request.target.substr(std::min(question + 1, request.target.size()));
  for (const auto& field : from) {
    request.headers.emplace_back(Lower(std::string_view(field.name_string())), std::string(field.value()));
  }
  request.body = std::move(from.body());
  return request;
}

// Answers once, in the server's thread, whoever calls it where.
class AnswerOnce {
 public:
  AnswerOnce(std::weak_ptr<Connection> connection, std::shared_ptr<AnswerGate> gate)
      : connection_(std::move(connection)), gate_(std::move(gate)) {}
  ~AnswerOnce() {
    if (!done_) Reach([](Connection& connection) { connection.PostClose(); });  // nobody will answer
  }
  AnswerOnce(const AnswerOnce&) = delete;
  AnswerOnce& operator=(const AnswerOnce&) = delete;

  void Answer(Response response) {
    if (done_.exchange(true)) return;
    Reach([&](Connection& connection) { connection.PostAnswer(std::move(response)); });
  }

 private:
  template <typename F>
  void Reach(const F& call) {
    const std::lock_guard lock(gate_->mutex);
    if (!gate_->open) return;
    if (const auto connection = connection_.lock()) call(*connection);
  }

  const std::weak_ptr<Connection> connection_;
  const std::shared_ptr<AnswerGate> gate_;
  std::atomic<bool> done_{false};
};

}  // namespace

Connection::Connection(asio::ip::tcp::socket socket, const SslContext& context, const ConnectionWorld& world,
                       std::function<void()> ended)
    : world_(world), context_(context), stream_(std::move(socket), SSL_new(context.get())), ended_(std::move(ended)) {}

Connection::~Connection() { ended_(); }

auto Connection::Bind(Method method) {
  return [self = shared_from_this(), method](Code failed, size_t bytes) { (*self.*method)(failed, bytes); };
}

void Connection::Start() {
  boost::beast::get_lowest_layer(stream_).expires_after(world_.options.handshake_time);
  stream_.async_handshake(asio::ssl::stream_base::server,
                          [self = shared_from_this()](Code failed) { self->Handshaken(failed); });
}

void Connection::Handshaken(Code failed) {
  if (failed) return;
  ReadPeerCertificates();
  WaitForRequest();
}

void Connection::ReadPeerCertificates() {
  SSL* ssl = stream_.native_handle();
  X509* leaf = SSL_get0_peer_certificate(ssl);
  if (leaf == nullptr) return;
  std::vector<std::string> chain = {Der(leaf)};
  const STACK_OF(X509)* sent = SSL_get_peer_cert_chain(ssl);  // of a client, without its own
  for (int i = 0; i < sk_X509_num(sent); ++i) chain.push_back(Der(sk_X509_value(sent, i)));
  peer_certificates_ = std::make_shared<const std::vector<std::string>>(std::move(chain));
}

void Connection::WaitForRequest() {
  if (world_.stopping) return;
  if (buffer_.size() > 0) return ReadHeader();
  idle_ = true;
  boost::beast::get_lowest_layer(stream_).expires_after(world_.options.idle_time);
  stream_.async_read_some(buffer_.prepare(kFirstRead), Bind(&Connection::Arrived));
}

void Connection::Arrived(Code failed, size_t bytes) {
  idle_ = false;
  if (failed) return;
  buffer_.commit(bytes);
  ReadHeader();
}

void Connection::ReadHeader() {
  parser_.emplace();
  parser_->header_limit(static_cast<uint32_t>(world_.options.max_header_bytes));
  parser_->body_limit(world_.options.max_body_bytes);
  boost::beast::get_lowest_layer(stream_).expires_after(world_.options.header_time);
  http::async_read_header(stream_, buffer_, *parser_, Bind(&Connection::HeaderRead));
}

void Connection::HeaderRead(Code failed, size_t /*bytes*/) {
  if (failed) return Refuse(failed);
  boost::beast::get_lowest_layer(stream_).expires_after(world_.options.body_time);
  http::async_read(stream_, buffer_, *parser_, Bind(&Connection::BodyRead));
}

void Connection::BodyRead(Code failed, size_t /*bytes*/) {
  if (failed) return Refuse(failed);
  Dispatch();
}

// What is no request that can be served is answered, if somebody still listens, and the connection closed.
void Connection::Refuse(Code failed) {
  unsigned status = 400;
  if (failed == http::error::header_limit) status = 431;
  if (failed == http::error::body_limit) status = 413;
  if (failed.category() != http::make_error_code(http::error::body_limit).category() ||
      failed == http::error::end_of_stream || failed == http::error::partial_message) {
    return;
  }
  response_ = {};
  response_.version(11);
  response_.keep_alive(false);
  response_.result(status);
  response_.set(http::field::content_type, "text/plain; charset=utf-8");
  response_.body() = std::string(http::obsolete_reason(http::int_to_status(status)));
  response_.prepare_payload();
  boost::beast::get_lowest_layer(stream_).expires_after(world_.options.write_time);
  http::async_write(stream_, response_, Bind(&Connection::Written));
}

void Connection::Dispatch() {
  const bool keep = parser_->keep_alive();
  const bool head = parser_->get().method() == http::verb::head;
  response_ = {};
  response_.version(static_cast<unsigned>(parser_->get().version()));
  response_.keep_alive(keep && !world_.turned_away);
  if (world_.turned_away) return Answer(TextError(503, "too many connections"));
  Request request = ToRequest(parser_->release());
  request.peer_certificates = peer_certificates_;
  parser_.reset();
  boost::beast::get_lowest_layer(stream_).expires_never();
  answering_.emplace(stream_.get_executor());  // the server goes on until the answer is there
  awaiting_ = shared_from_this();
  auto once = std::make_shared<AnswerOnce>(weak_from_this(), world_.gate);
  world_.handler.Handle(std::move(request), [once, head](Response response) {
    if (head) response.headers.emplace_back("Content-Length", std::to_string(response.body.size()));
    if (head) response.body.clear();
    once->Answer(std::move(response));
  });
}

void Connection::PostAnswer(Response response) {
  asio::post(stream_.get_executor(), [self = shared_from_this(), response = std::move(response)]() mutable {
    self->Answer(std::move(response));
  });
}

void Connection::PostClose() {
  asio::post(stream_.get_executor(), [self = shared_from_this()] { self->CloseNow(); });
}

void Connection::Answer(Response response) {
  answering_.reset();
  awaiting_.reset();
  response_.result(response.status);
  response_.set(http::field::cache_control, "no-cache, private");
  response_.set(http::field::date, HttpDate());
  for (const auto& [name, value] : response.headers) response_.set(name, value);
  response_.body() = std::move(response.body);
  if (response_.find(http::field::content_length) == response_.end()) response_.prepare_payload();
  if (world_.stopping) response_.keep_alive(false);
  boost::beast::get_lowest_layer(stream_).expires_after(world_.options.write_time);
  http::async_write(stream_, response_, Bind(&Connection::Written));
}

void Connection::Written(Code failed, size_t /*bytes*/) {
  if (failed) return;
  if (response_.keep_alive() && !world_.stopping) return WaitForRequest();
  boost::beast::get_lowest_layer(stream_).expires_after(kFarewell);
  stream_.async_shutdown([self = shared_from_this()](Code why) { self->Closed(why); });
}

void Connection::Closed(Code /*failed*/) { CloseNow(); }

void Connection::CloseWhenIdle() {
  if (idle_) CloseNow();
}

void Connection::CloseNow() {
  answering_.reset();
  boost::beast::get_lowest_layer(stream_).close();
  awaiting_.reset();  // whoever called holds on to it
}

}  // namespace ksched::serve
