#include "app/cli/live_cluster.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kube/api_requests.h"

namespace ksched::cli {
namespace {

// Kinds that change seldom, of which what the API server's cache has is as good as the newest.
constexpr std::array<std::string_view, 6> kFromCache = {"csidrivers",     "csinodes",       "csistoragecapacities",
                                                        "resourceslices", "runtimeclasses", "volumeattachments"};

// Kinds that only matter in the namespaces of the objects that are created.
constexpr std::array<std::string_view, 13> kPerNamespace = {"limitranges",
                                                            "resourcequotas",
                                                            "replicasets",
                                                            "deployments",
                                                            "statefulsets",
                                                            "daemonsets",
                                                            "jobs",
                                                            "cronjobs",
                                                            "horizontalpodautoscalers",
                                                            "persistentvolumeclaims",
                                                            "services",
                                                            "replicationcontrollers",
                                                            "resourceclaimtemplates"};

template <typename Names>
bool IsAmong(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

api::ClusterSnapshot::Absent AbsentOf(const kube::ListResult& result) {
  api::ClusterSnapshot::Absent absent;
  absent.kind = result.request.resource->kind;
  absent.resource = result.request.resource->QualifiedName();
  absent.reason = result.outcome == kube::ListResult::Outcome::kNotFound ? "NotFound" : "Forbidden";
  absent.message = result.error ? result.error->message : "";
  return absent;
}

// Decodes what comes and hands it on.
class DecodingSink final : public kube::ListSink {
 public:
  explicit DecodingSink(ClusterSource::Sink& sink) : sink_(sink) {}

  Result<void> OnItem(const kube::ListedFrom& from, std::string_view protobuf) override {
    api::Decoded decoded;
    api::Problems problems;
    const std::string source(from.resource().plural);
    if (api::DecodeProtobuf(ApiVersionOf(from), from.resource().kind, protobuf, source, decoded, problems)) {
      sink_.OnObject(std::move(decoded));
    }
    Tell(problems);
    return {};
  }
  Result<void> OnDocument(const kube::ListedFrom&, const api::Document& document) override {
    api::Decoded decoded;
    api::Problems problems;
    if (api::DecodeObject(document, decoded, problems, api::ValidationMode::kStored)) {
      sink_.OnObject(std::move(decoded));
    }
    Tell(problems);
    return {};
  }
  void OnRestart(const kube::ListedFrom& from) override { sink_.OnRestart(std::string(from.resource().kind)); }

 private:
  void Tell(const api::Problems& problems) {
    for (const api::Problem& problem : problems) sink_.OnProblem("the cluster's " + problem.ToString());
  }

  ClusterSource::Sink& sink_;
};

}  // namespace

std::string ApiVersionOf(const kube::ListedFrom& from) {
  const std::string version(from.version);
  return from.resource().group.empty() ? version : std::string(from.resource().group) + "/" + version;
}

const kube::Resource* ResourceOfKind(std::string_view kind) {
  const auto all = kube::AllResources();
  const auto found = std::ranges::find(all, kind, &kube::Resource::kind);
  return found == all.end() ? nullptr : &*found;
}

std::vector<kube::ListRequest> AllRequests() {
  std::vector<kube::ListRequest> requests;
  for (const kube::Resource& resource : kube::AllResources()) {
    kube::ListRequest& request = requests.emplace_back();
    request.resource = &resource;
    request.from_cache = IsAmong(kFromCache, resource.plural);
  }
  return requests;
}

Result<api::ClusterSnapshot> ListCluster(kube::HttpClient& client, std::vector<kube::ListRequest> requests,
                                         const std::vector<std::string>& namespaces, kube::ListSink& sink,
                                         const ShowProgress& progress) {
  api::ClusterSnapshot snapshot;
  const auto results = kube::ListAll(client, requests, {}, sink, progress);
  std::vector<kube::ListRequest> again;
  for (const kube::ListResult& result : results) {
    if (result.outcome == kube::ListResult::Outcome::kOk) continue;
    if (result.outcome == kube::ListResult::Outcome::kError) return result.error->ToError();
    const bool narrower = result.outcome == kube::ListResult::Outcome::kForbidden && !namespaces.empty() &&
                          IsAmong(kPerNamespace, result.request.resource->plural);
    if (!narrower) {
      snapshot.absent.push_back(AbsentOf(result));
      continue;
    }
    for (const std::string& ns : namespaces) {
      again.push_back(result.request);
      again.back().ns = ns;
    }
  }
  if (again.empty()) return snapshot;
  // Lists of one kind in several namespaces: what one of them gave cannot be taken back alone, so none starts anew.
  kube::ListOptions at_once;
  at_once.page_size = 0;
  at_once.max_page_retries = 0;
  for (const kube::ListResult& result : kube::ListAll(client, again, at_once, sink, progress)) {
    if (result.outcome == kube::ListResult::Outcome::kError) return result.error->ToError();
    if (result.outcome != kube::ListResult::Outcome::kOk) snapshot.absent.push_back(AbsentOf(result));
  }
  return snapshot;
}

Result<api::ClusterSnapshot> LiveCluster::Read(const std::vector<std::string>& namespaces, Sink& sink) {
  DecodingSink decoding(sink);
  return ListCluster(client_, AllRequests(), namespaces, decoding, progress_);
}

Result<std::vector<std::optional<std::string>>> LiveCluster::Fetch(const std::vector<ObjectKey>& keys) {
  std::vector<std::optional<std::string>> objects;
  for (const ObjectKey& key : keys) {
    std::optional<std::string>& object = objects.emplace_back();
    const kube::Resource* resource = ResourceOfKind(key.kind);
    if (resource == nullptr) continue;
    kube::ObjectReply reply = kube::GetObject(client_, *resource, key.ns, key.name);
    if (reply.ok()) {
      object = std::move(reply.json);
    } else if (reply.error->kind != kube::ErrorKind::kNotFound) {
      return reply.error->ToError();
    }
  }
  return objects;
}

Result<ClusterSource::Created> LiveCluster::DryRunCreate(const ObjectKey& key, const std::string& json) {
  const kube::Resource* resource = ResourceOfKind(key.kind);
  if (resource == nullptr) return Error{"no resource is known for the kind " + key.kind};
  kube::ObjectReply reply = kube::CreateDryRun(client_, *resource, key.ns, json);
  Created created;
  if (reply.ok()) {
    created.object = std::move(reply.json);
    return created;
  }
  // A 4xx that names the object is the server's answer about it; all else says that it was not asked properly.
  const kube::ErrorKind kind = reply.error->kind;
  if (kind != kube::ErrorKind::kRejected && kind != kube::ErrorKind::kForbidden && kind != kube::ErrorKind::kNotFound) {
    return reply.error->ToError();
  }
  created.refused = reply.error->message;
  return created;
}

}  // namespace ksched::cli
