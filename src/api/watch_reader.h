// Takes apart the stream that an API server answers a watch with, event by event, as the bytes come in.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "api/document.h"
#include "base/result.h"

namespace ksched::api {

// Good during the call only.
struct WatchEvent {
  std::string_view type;               // as the server says it: ADDED, MODIFIED, DELETED, BOOKMARK, ERROR; not empty
  std::string_view api_version, kind;  // of the object
  std::string_view protobuf;           // the object, without envelope, where the stream is protobuf
  const Document* document = nullptr;  // the object, where the stream is JSON
  std::string_view resource_version;   // metadata.resourceVersion; empty for ERROR
  bool initial_events_end = false;     // a BOOKMARK that ends what there was when the watch began
  std::string_view status;             // for ERROR: the metav1.Status as the body of an answer would have it
};

// For one stream. After an error there is nothing more to be had from it.
class WatchReader {
 public:
  virtual ~WatchReader() = default;
  // The next bytes of the body, in pieces of any size. Fails with the visitor's error if it returns one.
  virtual Result<void> Feed(std::string_view chunk) = 0;
  // Whether what came so far ends with a whole event. A stream that ends elsewhere was cut off.
  virtual bool complete() const = 0;
};

using WatchVisitor = std::function<Result<void>(const WatchEvent&)>;

// application/vnd.kubernetes.protobuf;stream=watch: each event is its length in four bytes, the largest first, and a
// metav1.WatchEvent whose object is "k8s\0" and a runtime.Unknown. Memory is that of one event and one piece.
std::unique_ptr<WatchReader> MakeProtobufWatchReader(WatchVisitor visit);

// application/json: {"type": ..., "object": ...}, one after the other. `name` stands for the file in problems.
std::unique_ptr<WatchReader> MakeJsonWatchReader(WatchVisitor visit, std::string name);

}  // namespace ksched::api
