#include "kube/volumes_port.h"

#include <fmt/format.h>
#include <rapidjson/document.h>

#include <utility>

#include "api/object_head.h"
#include "kube/json_body.h"

namespace ksched::kube {
namespace {

constexpr const char* kBoundByController = "pv.kubernetes.io/bound-by-controller";
constexpr const char* kSelectedNode = "volume.kubernetes.io/selected-node";
constexpr std::chrono::milliseconds kPause{1000};

void OpenMetadata(JsonBody& json, const api::ObjectMeta& metadata, const char* annotation) {
  json.Open("metadata");
  json.Text("uid", metadata.uid);
  json.Text("resourceVersion", metadata.resource_version);
  if (const auto found = metadata.annotations.find(annotation); found != metadata.annotations.end()) {
    json.Open("annotations");
    json.Text(annotation, found->second);
    json.Close();
  }
  json.Close();
}

HttpRequest PatchOf(std::string target, std::string body) {
  HttpRequest request;
  request.method = "PATCH";
  request.target = std::move(target);
  request.content_type = "application/merge-patch+json";
  request.body = std::move(body);
  return request;
}

HttpRequest PatchOf(const api::PersistentVolume& volume) {
  JsonBody json;
  OpenMetadata(json, volume.metadata, kBoundByController);
  json.Open("spec");
  WriteReference(json, "claimRef", *volume.spec.claim_ref);
  json.Close();
  return PatchOf("/api/v1/persistentvolumes/" + volume.metadata.name, json.Take());
}

HttpRequest PatchOf(const api::PersistentVolumeClaim& claim) {
  JsonBody json;
  OpenMetadata(json, claim.metadata, kSelectedNode);
  return PatchOf(fmt::format("/api/v1/namespaces/{}/persistentvolumeclaims/{}", claim.metadata.ns, claim.metadata.name),
                 json.Take());
}

// 0: the answer does not say it.
uint64_t VersionOf(std::string_view body) {
  rapidjson::Document document;
  document.Parse(body.data(), body.size());
  return document.HasParseError() ? 0 : api::VersionNumber(api::TextAt(document, {"metadata", "resourceVersion"}));
}

}  // namespace

VolumesPort::~VolumesPort() {
  for (auto& entry : running_) client_.timers().Cancel(entry.second.timer);
}

void VolumesPort::Bind(const PodInfo& pod, VolumeChanges changes, std::chrono::seconds timeout, VolumesBound bound,
                       ResultCallback done) {
  Binding& binding = running_[pod.id];
  binding = {};
  binding.changes = std::move(changes);
  binding.bound = std::move(bound);
  binding.done = std::move(done);
  binding.timeout = timeout;
  WriteNext(pod.id);
}

void VolumesPort::Cancel(const PodInfo& pod) { Cancel(pod.id); }

void VolumesPort::Cancel(PodId pod) {
  const auto found = running_.find(pod);
  if (found == running_.end()) return;
  sender_.Cancel(found->second.request);
  client_.timers().Cancel(found->second.timer);
  End(pod, Error{"binding volumes: context canceled"});
}

void VolumesPort::CancelWaiting() {
  std::vector<PodId> waiting;
  for (const auto& [pod, binding] : running_) {
    if (binding.until != Timers::SteadyClock::time_point()) waiting.push_back(pod);
  }
  for (const PodId pod : waiting) Cancel(pod);
}

std::vector<VolumeChanges> VolumesPort::Running() const {
  std::vector<VolumeChanges> running;
  running.reserve(running_.size());
  for (const auto& entry : running_) running.push_back(entry.second.changes);
  return running;
}

// Volumes first, then claims.
void VolumesPort::WriteNext(PodId pod) {
  Binding& binding = running_.at(pod);
  const VolumeChanges& changes = binding.changes;
  const size_t volumes = binding.versions.volumes.size(), claims = binding.versions.claims.size();
  if (volumes == changes.volumes.size() && claims == changes.claims.size()) {
    binding.until = Timers::SteadyClock::now() + binding.timeout;
    return AskLater(pod);
  }
  HttpRequest request =
      volumes < changes.volumes.size() ? PatchOf(*changes.volumes[volumes]) : PatchOf(*changes.claims[claims]);
  binding.request = sender_.Send(
      std::move(request), [this, pod](const ApiError* error, std::string_view body) { Written(pod, error, body); });
}

void VolumesPort::Written(PodId pod, const ApiError* error, std::string_view body) {
  if (error != nullptr) return End(pod, error->ToError());
  Binding& binding = running_.at(pod);
  VolumeVersions& versions = binding.versions;
  auto& written = versions.volumes.size() < binding.changes.volumes.size() ? versions.volumes : versions.claims;
  written.push_back(VersionOf(body));
  WriteNext(pod);
}

void VolumesPort::AskLater(PodId pod) {
  running_.at(pod).timer = client_.timers().After(kPause, [this, pod] { Ask(pod); });
}

void VolumesPort::Ask(PodId pod) {
  Binding& binding = running_.at(pod);
  const Result<bool> bound = binding.bound(binding.versions);
  if (!bound) return End(pod, Error{"binding volumes: " + bound.error().message});
  if (*bound) return End(pod, {});
  if (Timers::SteadyClock::now() >= binding.until) {
    return End(pod, Error{"binding volumes: context deadline exceeded"});
  }
  AskLater(pod);
}

void VolumesPort::End(PodId pod, const Result<void>& result) {
  const auto found = running_.find(pod);
  const ResultCallback done = std::move(found->second.done);
  running_.erase(found);
  done(result);
}

}  // namespace ksched::kube
