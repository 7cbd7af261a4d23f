#include "kube/watch_stream.h"

#include <fmt/format.h>

#include <utility>

namespace ksched::kube {
WatchStream::WatchStream(HttpClient& client, const Resource& resource, std::string label_selector,
                         std::string field_selector, bool json, Hooks hooks)
    : client_(client),
      resource_(resource),
      label_selector_(std::move(label_selector)),
      field_selector_(std::move(field_selector)),
      json_(json),
      hooks_(std::move(hooks)) {}

std::string WatchStream::Target(const WatchStart& start) const {
  std::string target = CollectionPath(resource_, start.version, "") + "?watch=true&allowWatchBookmarks=true";
  if (start.initial_events) target += "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
  target += "&resourceVersion=" + (start.initial_events ? "" : EscapeUrl(start.resource_version));
  target += fmt::format("&timeoutSeconds={}", start.timeout.count());
  if (!label_selector_.empty()) target += "&labelSelector=" + EscapeUrl(label_selector_);
  if (!field_selector_.empty()) target += "&fieldSelector=" + EscapeUrl(field_selector_);
  return target;
}

void WatchStream::Start(const WatchStart& start) {
  reader_.reset();
  failure_.reset();
  HttpRequest request{.target = Target(start)};
  request.accept = json_ ? std::string(kJsonType) : fmt::format("{};stream=watch,{}", kProtobufType, kJsonType);
  request.timeout = std::chrono::milliseconds(0);
  request.idle_timeout = std::chrono::seconds(0);
  request.stream = true;
  running_ = true;
  request_ = client_.Start(std::move(request), *this);
}

void WatchStream::Stop() {
  if (std::exchange(running_, false)) client_.Cancel(request_);
}

ApiError WatchStream::Spoilt(ErrorKind kind, const std::string& why) const {
  return {.kind = kind, .message = fmt::format("the watch of {} broke off: {}", resource_.QualifiedName(), why)};
}

void WatchStream::OnHead(const ResponseHead& head) {
  const std::string type = head.media_type();
  const auto take = [this](const api::WatchEvent& event) { return Take(event); };
  if (type == kProtobufType && !json_) {
    reader_ = api::MakeProtobufWatchReader(take);
  } else if (type == kJsonType) {
    reader_ = api::MakeJsonWatchReader(take, resource_.QualifiedName());
  } else {
    failure_ =
        Spoilt(ErrorKind::kProtocol, fmt::format("the server answered with the content type {:?}", OneLine(type, 100)));
    return;
  }
  hooks_.heard();
}

Result<void> WatchStream::OnData(std::string_view chunk) {
  if (failure_) return failure_->ToError();
  hooks_.heard();
  Result<void> fed = reader_->Feed(chunk);
  if (!fed && !failure_) failure_ = Spoilt(ErrorKind::kProtocol, fed.error().message);
  return fed;
}

Result<void> WatchStream::Take(const api::WatchEvent& event) {
  if (!running_) return Error{"the watch was stopped"};
  if (event.type != "ERROR") {
    hooks_.event(event);
    return {};
  }
  if (const auto status = ParseStatusBody(event.status)) {
    failure_ = ErrorOfAnswer(status->code, event.status, std::nullopt, "",
                             fmt::format("(watch of {})", resource_.QualifiedName()));
  } else {
    failure_ = Spoilt(ErrorKind::kProtocol, "the server sent an error that says nothing");
  }
  return failure_->ToError();
}

void WatchStream::OnDone(const ApiError* error) {
  running_ = false;
  if (!failure_ && error == nullptr && reader_ != nullptr && !reader_->complete()) {
    failure_ = Spoilt(ErrorKind::kTruncated, "it ended within an event");
  }
  const std::optional<ApiError> said = failure_ || error == nullptr ? failure_ : std::optional(*error);
  hooks_.ended(said ? &*said : nullptr);
}

}  // namespace ksched::kube
