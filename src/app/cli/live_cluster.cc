#include "app/cli/live_cluster.h"

#include <algorithm>
#include <array>
#include <utility>

#include "api/raw_object.h"
#include "kube/api_requests.h"
#include "kube/decode_watched.h"

namespace ksched::cli {
namespace {

// Kinds that change seldom, of which what the API server's cache has is as good as the newest.
constexpr std::array<std::string_view, 6> kFromCache = {"csidrivers",     "csinodes",       "csistoragecapacities",
                                                        "resourceslices", "runtimeclasses", "volumeattachments"};

// Kinds that only matter in the namespaces of the objects that are created.
constexpr std::array<std::string_view, 14> kPerNamespace = {"limitranges",
                                                            "resourcequotas",
                                                            "replicasets",
                                                            "deployments",
                                                            "statefulsets",
                                                            "daemonsets",
                                                            "jobs",
                                                            "cronjobs",
                                                            "controllerrevisions",
                                                            "horizontalpodautoscalers",
                                                            "persistentvolumeclaims",
                                                            "services",
                                                            "replicationcontrollers",
                                                            "resourceclaimtemplates"};

template <typename Names>
bool IsAmong(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// Decodes what comes and hands it on.
class DecodingSink final : public kube::ListSink {
 public:
  explicit DecodingSink(ClusterSource::Sink& sink) : sink_(sink) {}

  Result<void> OnItem(const kube::ListedFrom& from, std::string_view protobuf) override {
    return Take({from.resource(), from.version, protobuf});
  }
  Result<void> OnDocument(const kube::ListedFrom& from, const api::Document& document) override {
    return Take({from.resource(), from.version, {}, &document});
  }
  void OnRestart(const kube::ListedFrom& from) override { sink_.OnRestart(std::string(from.resource().kind)); }

 private:
  Result<void> Take(const kube::WatchedObject& object) {
    api::Decoded decoded;
    api::Problems problems;
    if (kube::Decode(object, decoded, problems)) sink_.OnObject(std::move(decoded));
    for (const api::Problem& problem : problems) sink_.OnProblem("the cluster's " + problem.ToString());
    return {};
  }

  ClusterSource::Sink& sink_;
};

}  // namespace

const kube::Resource* ResourceOfKind(std::string_view kind) {
  const auto all = kube::AllResources();
  const auto found = std::ranges::find(all, kind, &kube::Resource::kind);
  return found == all.end() ? nullptr : &*found;
}

api::ClusterSnapshot::Absent AbsentOf(const kube::Resource& resource, bool not_found,
                                      const std::optional<kube::ApiError>& error) {
  api::ClusterSnapshot::Absent absent;
  absent.kind = resource.kind;
  absent.resource = resource.QualifiedName();
  absent.reason = not_found ? "NotFound" : "Forbidden";
  absent.message = error ? error->message : "";
  return absent;
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
      snapshot.absent.push_back(
          AbsentOf(*result.request.resource, result.outcome == kube::ListResult::Outcome::kNotFound, result.error));
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
    const auto same = [&](const auto& absent) { return absent.kind == result.request.resource->kind; };
    auto absent = std::ranges::find_if(snapshot.absent, same);
    if (absent == snapshot.absent.end()) {
      snapshot.absent.push_back(AbsentOf(*result.request.resource, /*not_found=*/false, result.error));
      absent = snapshot.absent.end() - 1;
    }
    if (result.outcome == kube::ListResult::Outcome::kOk) {
      absent->namespaces.push_back(result.request.ns);
      if (absent->message.empty()) absent->message = "not allowed but in the namespaces of the objects";
    } else if (result.error) {
      absent->message = result.error->message;
    }
  }
  return snapshot;
}

Result<api::ClusterSnapshot> LiveCluster::Read(const std::vector<std::string>& namespaces, Sink& sink) {
  DecodingSink decoding(sink);
  std::vector<kube::ListRequest> requests = AllRequests();
  // Only of workloads whose template changes (FetchRevisions).
  std::erase_if(requests, [](const kube::ListRequest& one) { return one.resource->plural == "controllerrevisions"; });
  return ListCluster(client_, std::move(requests), namespaces, decoding, progress_);
}

Result<std::vector<std::optional<std::string>>> LiveCluster::Fetch(const std::vector<ObjectKey>& keys) {
  std::vector<kube::ObjectRef> refs;
  refs.reserve(keys.size());
  for (const ObjectKey& key : keys) refs.push_back({ResourceOfKind(key.kind), key.ns, key.name});
  std::vector<std::optional<std::string>> objects;
  for (kube::ObjectReply& reply : kube::GetObjects(client_, refs)) {
    std::optional<std::string>& object = objects.emplace_back();
    if (reply.ok()) {
      object = std::move(reply.json);
    } else if (reply.error->kind != kube::ErrorKind::kNotFound) {
      return reply.error->ToError();
    }
  }
  return objects;
}

namespace {

class TextSink final : public kube::ListSink {
 public:
  Result<void> OnItem(const kube::ListedFrom&, std::string_view) override {
    return Error{"the server answered in protobuf where JSON was asked for"};
  }
  Result<void> OnDocument(const kube::ListedFrom&, const api::Document& document) override {
    texts.push_back(api::WithoutManagedFields(document.root()));
    return {};
  }
  void OnRestart(const kube::ListedFrom&) override { texts.clear(); }

  std::vector<std::string> texts;
};

}  // namespace

Result<std::vector<std::string>> LiveCluster::FetchRevisions(const std::string& ns) {
  TextSink sink;
  const kube::ListRequest request{
      .resource = kube::FindResource("apps", "controllerrevisions"), .ns = ns, .json = true};
  const auto results = kube::ListAll(client_, {&request, 1}, {}, sink, {});
  if (results.front().outcome == kube::ListResult::Outcome::kError) return results.front().error->ToError();
  return std::move(sink.texts);
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
  // Who may not create such objects at all is told nothing about this one.
  const bool no_right = reply.error->message.find("cannot create resource \"") != std::string::npos;
  if (kind == kube::ErrorKind::kForbidden && no_right) return reply.error->ToError();
  created.refused = reply.error->message;
  return created;
}

}  // namespace ksched::cli
