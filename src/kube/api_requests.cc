#include "kube/api_requests.h"

#include <fmt/format.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <utility>

#include "api/json_values.h"

namespace ksched::kube {
namespace {

constexpr std::string_view kJsonType = "application/json";

ObjectReply PerformJson(HttpClient& client, HttpRequest request) {
  const std::string label = fmt::format("({} {}{})", request.method, client.config().server, request.target);
  HttpResponse response = client.Perform(std::move(request));
  if (response.error) return {.error = std::move(response.error)};
  const std::string type = response.head.media_type();
  if (type != kJsonType) {
    ApiError error{.kind = ErrorKind::kProtocol, .status = response.head.status};
    error.message = fmt::format("the server answered with the content type {:?} where JSON was asked for {}",
                                OneLine(type, 100), label);
    return {.error = std::move(error)};
  }
  return {.json = std::move(response.body)};
}

// In the versions of the resource, the newest first, until one is there.
template <typename MakeRequest>
ObjectReply InAnyVersion(HttpClient& client, const Resource& resource, const MakeRequest& make) {
  ObjectReply reply;
  for (const std::string_view version : resource.known_versions()) {
    reply = PerformJson(client, make(version));
    // A Status about an object has its details; one about an unknown path has the generic text.
    const bool no_such_version =
        reply.error && reply.error->kind == ErrorKind::kNotFound &&
        reply.error->message.find("could not find the requested resource") != std::string::npos;
    if (!no_such_version) break;
  }
  return reply;
}

}  // namespace

ObjectReply GetObject(HttpClient& client, const Resource& resource, std::string_view ns, std::string_view name) {
  return InAnyVersion(client, resource, [&](std::string_view version) {
    return HttpRequest{.target = CollectionPath(resource, version, ns) + "/" + EscapeUrl(name)};
  });
}

namespace {

// Collects one answer.
class Collector final : public ResponseHandler {
 public:
  void OnHead(const ResponseHead& head) override { type_ = head.media_type(); }
  Result<void> OnData(std::string_view chunk) override {
    if (type_ != kJsonType) return Error{"the server answered with the content type " + OneLine(type_, 100)};
    reply_.json += chunk;
    return {};
  }
  void OnDone(const ApiError* error) override {
    if (error != nullptr) reply_ = {.json = {}, .error = *error};
    done_ = true;
  }
  bool done() const { return done_; }
  ObjectReply Take() { return std::move(reply_); }

 private:
  std::string type_;
  ObjectReply reply_;
  bool done_ = false;
};

}  // namespace

std::vector<ObjectReply> GetObjects(HttpClient& client, std::span<const ObjectRef> refs) {
  std::vector<Collector> collectors(refs.size());
  std::vector<HttpClient::RequestId> ids(refs.size());
  for (size_t i = 0; i < refs.size(); ++i) {
    const ObjectRef& ref = refs[i];
    if (ref.resource == nullptr) {
      const ApiError none{.kind = ErrorKind::kNotFound};
      collectors[i].OnDone(&none);
      continue;
    }
    const std::string_view version = ref.resource->known_versions().front();
    HttpRequest request{.target = CollectionPath(*ref.resource, version, ref.ns) + "/" + EscapeUrl(ref.name)};
    ids[i] = client.Start(std::move(request), collectors[i]);
  }
  // Other requests may go on for ever: watches.
  if (!client.PollUntil([&] { return std::ranges::all_of(collectors, &Collector::done); })) {
    const ApiError stopped = InterruptedError();
    for (size_t i = 0; i < collectors.size(); ++i) {
      client.Cancel(ids[i]);
      if (!collectors[i].done()) collectors[i].OnDone(&stopped);
    }
  }
  std::vector<ObjectReply> replies;
  replies.reserve(collectors.size());
  for (Collector& collector : collectors) replies.push_back(collector.Take());
  return replies;
}

ObjectReply CreateDryRun(HttpClient& client, const Resource& resource, std::string_view ns, std::string json) {
  const std::string_view version = resource.known_versions().front();
  return PerformJson(client, {.method = "POST",
                              .target = CollectionPath(resource, version, ns) + "?dryRun=All",
                              .body = std::move(json),
                              .content_type = "application/json"});
}

ServerVersion GetServerVersion(HttpClient& client) {
  ObjectReply reply = PerformJson(client, {.target = "/version"});
  if (reply.error) return {.error = std::move(reply.error)};
  rapidjson::Document json;
  json.Parse<rapidjson::kParseIterativeFlag>(reply.json.data(), reply.json.size());
  if (json.HasParseError() || !json.IsObject() || api::TextAt(json, {"gitVersion"}).empty()) {
    ApiError error{.kind = ErrorKind::kProtocol, .status = 200};
    error.message = fmt::format("the server's /version is not a version (GET {}/version)", client.config().server);
    return {.error = std::move(error)};
  }
  return {.git_version = api::TextAt(json, {"gitVersion"}),
          .major = api::TextAt(json, {"major"}),
          .minor = api::TextAt(json, {"minor"})};
}

}  // namespace ksched::kube
