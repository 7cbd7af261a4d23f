// Lists many resources at once. Items are given on while they arrive; pages that break off are asked for again, and a
// list that the server can no longer continue (410) starts anew.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/document.h"
#include "base/result.h"
#include "kube/http_client.h"
#include "kube/resources.h"

namespace ksched::kube {

struct ListRequest {
  const Resource* resource = nullptr;  // of AllResources
  std::string ns;                      // empty: all
  std::string label_selector, field_selector;
  bool from_cache = false;  // resourceVersion=0: what the server has at hand, perhaps a little old, perhaps unpaged
  bool json = false;        // never ask for protobuf
};

struct ListOptions {
  int page_size = 500;  // 0: whole lists
  int max_page_retries = 3, max_restarts = 3;
  std::chrono::milliseconds retry_delay{200};  // of a page, doubling
};

// What an item is of: the resource, and the version that the server had.
struct ListedFrom {
  const ListRequest& request;
  std::string_view version;

  const Resource& resource() const { return *request.resource; }
};

// Gets the items, of several lists in turns. An error ends that list with it.
class ListSink {
 public:
  virtual ~ListSink() = default;
  // An object in protobuf (without envelope), to be copied if it is to stay.
  virtual Result<void> OnItem(const ListedFrom& from, std::string_view protobuf) = 0;
  // The same as JSON, where the server gave that.
  virtual Result<void> OnDocument(const ListedFrom& from, const api::Document& document) = 0;
  // All that was given of this list is void: it comes again from its beginning.
  virtual void OnRestart(const ListedFrom& from) = 0;
};

struct ListResult {
  enum class Outcome {
    kOk,
    kNotFound,   // the server has no such resource, in any version
    kForbidden,  // who asks may not list it
    kError,
  };
  ListRequest request;
  Outcome outcome = Outcome::kError;
  std::string version;            // of the API, the one that was listed or tried last
  std::string resource_version;   // of the list: where a watch goes on
  size_t count = 0;               // items that were given and stand; not only with kOk
  std::optional<ApiError> error;  // with all but kOk
};

struct ListProgress {
  size_t lists = 0, lists_done = 0, pages = 0, items = 0;
};

// Lists all of `requests` and returns when every list has ended, results in the order of the requests. What is wrong
// with the connection or the credential ends all of them. `progress` (may be empty) is called after each page, and
// every thousand items, and at least every second.
std::vector<ListResult> ListAll(HttpClient& client, std::span<const ListRequest> requests, const ListOptions& options,
                                ListSink& sink, const std::function<void(const ListProgress&)>& progress);

}  // namespace ksched::kube
