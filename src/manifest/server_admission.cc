#include "manifest/server_admission.h"

#include <utility>

#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "api/json_values.h"
#include "manifest/decode.h"
#include "manifest/pod_template.h"

namespace ksched {
namespace {

using Answer = Result<std::optional<std::string>>;

// A pod as the controller of the workload would make it from the template of this object; empty if it has none.
std::string PodOfTemplate(const std::string& text, const api::Workload& workload) {
  rapidjson::Document object;
  object.Parse<rapidjson::kParseIterativeFlag>(text.data(), text.size());
  const rapidjson::Value* pod_template = FindPodTemplate(object, workload.kind);
  if (pod_template == nullptr || !pod_template->IsObject()) return "";
  rapidjson::Document pod;
  pod.CopyFrom(*pod_template, pod.GetAllocator());
  auto& allocator = pod.GetAllocator();
  pod.AddMember("apiVersion", "v1", allocator);
  pod.AddMember("kind", "Pod", allocator);
  if (!pod.HasMember("metadata") || !pod["metadata"].IsObject()) {
    pod.RemoveMember("metadata");
    pod.AddMember("metadata", rapidjson::Value(rapidjson::kObjectType), allocator);
  }
  rapidjson::Value& metadata = pod["metadata"];
  for (const char* name : {"name", "namespace", "generateName"}) metadata.RemoveMember(name);
  metadata.AddMember("generateName", rapidjson::Value(workload.metadata.name + "-", allocator), allocator);
  metadata.AddMember("namespace", rapidjson::Value(workload.metadata.ns, allocator), allocator);
  return api::CanonicalJson(pod);
}

}  // namespace

Answer ServerAdmission::Ask(const ObjectKey& key, const std::string& text, api::Decoded& out) {
  auto created = cluster_.DryRunCreate(key, text);
  if (!created) return std::move(created).error();
  if (created->refused) return std::move(created->refused);
  api::Problems problems;
  const auto visit = [&](const api::Document& document) {
    DecodeInto(key.ns, document, api::ValidationMode::kStored, out, problems);
  };
  api::ReadDocumentsFromText(std::move(created->object), "the API server's answer", visit, problems);
  if (!problems.empty()) return Error{problems.front().ToString()};
  return std::optional<std::string>();
}

Answer ServerAdmission::Admit(ManifestObject& object) {
  const api::ObjectMeta& metadata = api::MetadataOf(object.decoded.object);
  const auto* workload = std::get_if<api::Workload>(&object.decoded.object);
  if (workload != nullptr) return AdmitPodOf(object);
  if (!std::holds_alternative<api::Pod>(object.decoded.object)) return std::optional<std::string>();
  api::Decoded stored;
  auto answer = Ask({"v1", "Pod", metadata.ns, metadata.name}, object.text, stored);
  if (!answer || answer->has_value()) return answer;
  auto* pod = std::get_if<api::Pod>(&stored.object);
  if (pod == nullptr) return Error{"the API server's answer to a dry run is no pod"};
  // The server names what has only a generateName, by chance: the loader does it in order.
  const std::string name = metadata.name;
  api::Pod& given = std::get<api::Pod>(object.decoded.object);
  given = std::move(*pod);
  given.metadata.name = name;
  given.metadata.uid = name.empty() ? "" : given.metadata.ns + "/" + name;
  given.metadata.creation_timestamp.reset();
  return std::optional<std::string>();
}

Answer ServerAdmission::AdmitPodOf(ManifestObject& object) {
  auto& workload = std::get<api::Workload>(object.decoded.object);
  const std::string text = PodOfTemplate(object.text, workload);
  if (text.empty()) return std::optional<std::string>();
  api::Decoded stored;
  auto answer = Ask({"v1", "Pod", workload.metadata.ns, ""}, text, stored);
  if (!answer || answer->has_value()) return answer;
  auto* pod = std::get_if<api::Pod>(&stored.object);
  if (pod == nullptr) return Error{"the API server's answer to a dry run is no pod"};
  workload.pod_template.metadata.labels = std::move(pod->metadata.labels);
  workload.pod_template.metadata.annotations = std::move(pod->metadata.annotations);
  workload.pod_template.spec = std::move(pod->spec);
  return std::optional<std::string>();
}

}  // namespace ksched
