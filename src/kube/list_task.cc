#include "kube/list_task.h"

#include <fmt/format.h>

#include <functional>
#include <utility>

namespace ksched::kube {
namespace {

constexpr size_t kMaxPages = 100'000;

ApiError Spoilt(ErrorKind kind, const std::string& what, const std::string& why) {
  return {.kind = kind, .message = fmt::format("cannot read the list of {}: {}", what, why)};
}

}  // namespace

ListTask::ListTask(HttpClient& client, const ListRequest& request, const ListOptions& options, ListSink& sink,
                   const Hooks& hooks)
    : client_(client),
      request_(request),
      options_(options),
      sink_(sink),
      hooks_(hooks),
      result_{.request = request},
      paged_(options.page_size > 0) {}

void ListTask::Begin() { StartPage(std::chrono::milliseconds(0)); }

void ListTask::Abort(const ApiError& error) {
  if (ended_) return;
  client_.Cancel(running_);
  End(ListResult::Outcome::kError, &error);
}

std::string ListTask::Target() const {
  std::string target = CollectionPath(*request_.resource, version(), request_.ns);
  char separator = '?';
  const auto add = [&](std::string_view name, const std::string& value) {
    if (value.empty()) return;
    target += fmt::format("{}{}={}", separator, name, EscapeUrl(value));
    separator = '&';
  };
  add("limit", paged_ ? std::to_string(options_.page_size) : "");
  add("continue", continue_);
  // A page that goes on has the version of the first one, and may not name another.
  add("resourceVersion", request_.from_cache && continue_.empty() ? "0" : "");
  add("labelSelector", request_.label_selector);
  add("fieldSelector", request_.field_selector);
  return target;
}

void ListTask::StartPage(std::chrono::milliseconds delay) {
  reader_.reset();
  given_of_page_ = 0;
  head_error_.reset();
  read_error_.reset();
  HttpRequest request{.target = Target()};
  request.accept = request_.json ? std::string(kJsonType) : fmt::format("{},{}", kProtobufType, kJsonType);
  running_ = client_.StartAfter(delay, std::move(request), *this);
}

bool ListTask::Counts() {
  ++given_of_page_;
  if (skip_ == 0) return true;
  --skip_;
  return false;
}

Result<void> ListTask::Given(Result<void> taken) {
  if (!taken) {
    sink_error_ = taken.error();
    return taken;
  }
  ++result_.count;
  hooks_.items(1);
  return {};
}

void ListTask::OnHead(const ResponseHead& head) {
  const std::string type = head.media_type();
  if (type == kProtobufType && !request_.json) {
    reader_ = api::MakeProtobufListReader([this](std::string_view item) -> Result<void> {
      return Counts() ? Given(sink_.OnItem(from(), item)) : Result<void>();
    });
  } else if (type == kJsonType) {
    reader_ = api::MakeJsonListReader(
        [this](const api::Document& document) -> Result<void> {
          return Counts() ? Given(sink_.OnDocument(from(), document)) : Result<void>();
        },
        request_.resource->QualifiedName());
  } else {
    head_error_ = Error{fmt::format("the server answered with the content type {:?}", OneLine(type, 100))};
  }
}

Result<void> ListTask::OnData(std::string_view chunk) {
  if (head_error_) return *head_error_;
  Result<void> fed = reader_->Feed(chunk);
  if (!fed && !sink_error_) read_error_ = fed.error();
  return fed;
}

void ListTask::OnDone(const ApiError* error) {
  const std::string what = request_.resource->QualifiedName();
  if (sink_error_) {
    const ApiError failure = Spoilt(ErrorKind::kProtocol, what, sink_error_->message);
    return End(ListResult::Outcome::kError, &failure);
  }
  if (head_error_) {
    const ApiError failure = Spoilt(ErrorKind::kProtocol, what, head_error_->message);
    return End(ListResult::Outcome::kError, &failure);
  }
  if (read_error_) return RetryPage(Spoilt(ErrorKind::kProtocol, what, read_error_->message));
  if (error != nullptr) return Failed(*error);
  Result<api::ListMeta> meta = reader_->Finish();
  if (sink_error_) {  // the last item may come only now
    const ApiError failure = Spoilt(ErrorKind::kProtocol, what, sink_error_->message);
    return End(ListResult::Outcome::kError, &failure);
  }
  if (!meta) return RetryPage(Spoilt(ErrorKind::kTruncated, what, meta.error().message));
  EndPage(*meta);
}

void ListTask::EndPage(const api::ListMeta& meta) {
  hooks_.page_done();
  const bool goes_on = meta.continue_token.empty() || IsNew(meta.continue_token);
  if (skip_ > 0 || !goes_on) {
    return Restart(Spoilt(ErrorKind::kProtocol, request_.resource->QualifiedName(),
                          goes_on ? "a page that was read again is shorter" : "the server's pages do not go on"));
  }
  if (continue_.empty()) result_.resource_version = meta.resource_version;
  if (meta.continue_token.empty()) return End(ListResult::Outcome::kOk, nullptr);
  continue_ = meta.continue_token;
  page_retries_ = 0;
  StartPage(std::chrono::milliseconds(0));
}

// Where pages lead round in a circle, or never end, a token comes again, or there are more than any cluster has.
bool ListTask::IsNew(const std::string& token) {
  return tokens_.insert(std::hash<std::string>()(token)).second && tokens_.size() <= kMaxPages;
}

void ListTask::Failed(const ApiError& error) {
  switch (error.kind) {
    case ErrorKind::kNotFound:
      if (continue_.empty() && TryOlderVersion()) return;
      return End(continue_.empty() ? ListResult::Outcome::kNotFound : ListResult::Outcome::kError, &error);
    case ErrorKind::kForbidden:
      return End(ListResult::Outcome::kForbidden, &error);
    case ErrorKind::kExpired:
      return Restart(error);
    case ErrorKind::kTruncated:
      return RetryPage(error);
    default:
      return End(ListResult::Outcome::kError, &error);
  }
}

bool ListTask::TryOlderVersion() {
  if (version_ + 1 >= request_.resource->known_versions().size()) return false;
  ++version_;
  StartPage(std::chrono::milliseconds(0));
  return true;
}

// A page after the first is of a fixed version of the store: asked for again it has the same items, and goes on behind
// those that were given. The first may be of a newer one.
void ListTask::RetryPage(const ApiError& error) {
  if (++page_retries_ > options_.max_page_retries) return End(ListResult::Outcome::kError, &error);
  if (continue_.empty()) {
    Withdraw();
  } else {
    skip_ += given_of_page_;  // of a try that broke off while it still skipped, both parts
  }
  StartPage(options_.retry_delay * (1 << (page_retries_ - 1)));
}

void ListTask::Restart(const ApiError& error) {
  if (!paged_ || restarts_ > options_.max_restarts) return End(ListResult::Outcome::kError, &error);
  if (++restarts_ > options_.max_restarts) paged_ = false;  // the last try: all at once cannot expire
  Withdraw();
  continue_.clear();
  tokens_.clear();
  page_retries_ = 0;
  StartPage(std::chrono::milliseconds(0));
}

void ListTask::Withdraw() {
  skip_ = 0;
  if (result_.count == 0) return;
  hooks_.items(-static_cast<ptrdiff_t>(std::exchange(result_.count, 0)));
  sink_.OnRestart(from());
}

void ListTask::End(ListResult::Outcome outcome, const ApiError* error) {
  ended_ = true;
  result_.outcome = outcome;
  result_.version = std::string(version());
  if (error != nullptr) result_.error = *error;
  hooks_.ended(*this);
}

}  // namespace ksched::kube
