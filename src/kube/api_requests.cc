#include "kube/api_requests.h"

#include <fmt/format.h>
#include <rapidjson/document.h>

#include <utility>

namespace ksched::kube {
namespace {

ObjectReply PerformJson(HttpClient& client, HttpRequest request) {
  const std::string label = fmt::format("({} {}{})", request.method, client.config().server, request.target);
  HttpResponse response = client.Perform(std::move(request));
  if (response.error) return {.error = std::move(response.error)};
  const std::string type = response.head.media_type();
  if (type != "application/json") {
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

std::string TextOf(const rapidjson::Document& json, const char* name) {
  const auto member = json.FindMember(name);
  return member != json.MemberEnd() && member->value.IsString() ? member->value.GetString() : "";
}

}  // namespace

ObjectReply GetObject(HttpClient& client, const Resource& resource, std::string_view ns, std::string_view name) {
  return InAnyVersion(client, resource, [&](std::string_view version) {
    return HttpRequest{.target = CollectionPath(resource, version, ns) + "/" + EscapeUrl(name)};
  });
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
  if (json.HasParseError() || !json.IsObject() || TextOf(json, "gitVersion").empty()) {
    ApiError error{.kind = ErrorKind::kProtocol, .status = 200};
    error.message = fmt::format("the server's /version is not a version (GET {}/version)", client.config().server);
    return {.error = std::move(error)};
  }
  return {.git_version = TextOf(json, "gitVersion"), .major = TextOf(json, "major"), .minor = TextOf(json, "minor")};
}

}  // namespace ksched::kube
