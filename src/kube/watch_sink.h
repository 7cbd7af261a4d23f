// Who hears of the objects that are watched.
#pragma once

#include <string_view>

#include "api/document.h"
#include "base/result.h"
#include "kube/resources.h"

namespace ksched::kube {

// Good for the call only.
struct WatchedObject {
  const Resource& resource;
  std::string_view version;                 // of the API
  std::string_view protobuf;                // without envelope; empty if `document` is set
  const api::Document* document = nullptr;  // where the server gave JSON
};

enum class WatchEventType { kAdded, kModified, kDeleted };

// Called within HttpClient::Poll, each resource for itself and several of them in turns:
//   OnListBegin, OnListed..., OnListEnd, OnEvent..., and from the beginning again when the watch cannot go on.
// What OnListed and OnEvent return as an error is counted and shown in the status; the object is passed over, and
// everything else goes on.
class WatchSink {
 public:
  virtual ~WatchSink() = default;
  // What follows of this resource until OnListEnd is all that there is. May come again before OnListEnd: what was given
  // since the last OnListBegin is void then. Until OnListEnd what was known before stands.
  virtual void OnListBegin(const Resource& resource) = 0;
  // The same object may come again, newer, and be deleted (OnEvent, kDeleted) before OnListEnd: a list that is streamed
  // goes on with what happens meanwhile. The last word counts.
  virtual Result<void> OnListed(const WatchedObject& object) = 0;
  // What was not among it is gone.
  virtual void OnListEnd(const Resource& resource) = 0;
  // For kDeleted the object is as it was last. What is known may come as kAdded, and what is not as kModified or
  // kDeleted, if the list was older than the watch.
  virtual Result<void> OnEvent(WatchEventType type, const WatchedObject& object) = 0;
};

}  // namespace ksched::kube
