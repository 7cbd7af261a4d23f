// Single requests to the API server, in JSON.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube/http_client.h"
#include "kube/resources.h"

namespace ksched::kube {

// An object as the server wrote it, or why there is none.
struct ObjectReply {
  std::string json;
  std::optional<ApiError> error;

  bool ok() const { return !error; }
};

// ns: for resources with namespaces. A resource with several versions is looked for in the newest one first.
ObjectReply GetObject(HttpClient& client, const Resource& resource, std::string_view ns, std::string_view name);

// Several objects at once, of resources with one version; replies in the order of the refs. A null resource gets
// kNotFound.
struct ObjectRef {
  const Resource* resource = nullptr;
  std::string ns, name;
};
std::vector<ObjectReply> GetObjects(HttpClient& client, std::span<const ObjectRef> refs);

// Creates with dryRun=All: admission, defaults and validation run, and nothing is stored. What the server says against
// the object is the error (kRejected, kForbidden; its reason is the Status').
ObjectReply CreateDryRun(HttpClient& client, const Resource& resource, std::string_view ns, std::string json);

struct ServerVersion {
  std::string git_version;  // "v1.37.2"
  std::string major, minor;
  std::optional<ApiError> error;

  bool ok() const { return !error; }
};
ServerVersion GetServerVersion(HttpClient& client);

}  // namespace ksched::kube
