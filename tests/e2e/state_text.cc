#include "state_text.h"

#include <algorithm>
#include <type_traits>

#include <fmt/format.h>

#include "api/json_writer.h"

namespace ksched {
namespace {

template <typename T>
std::string Json(const char* kind, T object) {
  std::string text;
  api::Decoded decoded{api::KindClass::kScheduling, "v1", kind, std::move(object)};
  if (auto done = api::AppendJson(decoded, text); !done) return done.error().message;
  return text;
}

std::string Join(std::vector<std::string> words) {
  std::sort(words.begin(), words.end());
  std::string joined;
  for (const std::string& word : words) joined += " " + word;
  return joined;
}

std::string DescribeNode(const ClusterState& state, NodeId id) {
  std::string text = state.present(id) ? Json("Node", state.node(id)) : "not there";
  std::vector<std::string> resources;  // their numbers differ between states
  for (ResourceId r = 0; r < state.resource_names().size(); ++r) {
    const int64_t requested = state.requested(id, r);
    const int64_t allocatable = state.present(id) ? state.allocatable(id, r) : 0;
    if (requested == 0 && allocatable == 0) continue;
    resources.push_back(fmt::format("{}={}/{}", state.resource_names().Name(r), requested, allocatable));
  }
  text += Join(std::move(resources));
  text += fmt::format(" nonzero={}/{}", state.nonzero_requested_milli_cpu(id), state.nonzero_requested_memory(id));
  std::vector<std::string> pods;
  for (const PodId pod : state.pods(id)) pods.push_back(state.pod_store().Get(pod).Key());
  return text + " pods:" + Join(std::move(pods));
}

std::string DescribePod(const ClusterState& state, const PodInfo& pod) {
  api::Pod whole;
  whole.metadata.ns = pod.ns();
  whole.metadata.labels = pod.pod_class->labels;
  whole.metadata.creation_timestamp = pod.creation_timestamp();
  whole.spec = pod.pod_class->spec;
  std::string text = Json("Pod", std::move(whole));
  text += fmt::format(" uid={} version={} owner={} node={} nominated={} deleting={} preempted={} start={}", pod.uid(),
                      pod.resource_version(), pod.pod_class->controller.uid, pod.node_name(), pod.nominated_node_name(),
                      pod.deleting(), pod.preempted(), pod.start_time().value_or(0));
  for (const auto& [name, amount] : pod.pod_class->assigned_request_list) text += " " + name + "=" + amount.ToString();
  if (pod.volumes() != nullptr) {
    for (const api::Volume& volume : *pod.volumes()) text += " volume=" + volume.name + "/" + volume.claim_name;
  }
  return text + (pod.node == kNoNode ? "" : " counted on " + state.node_name(pod.node));
}

}  // namespace

std::map<std::string, std::string> DescribeObjects(ClusterState& state) {
  state.TakeSnapshot();
  std::map<std::string, std::string> objects;
  for (NodeId id = 0; id < state.node_capacity(); ++id) {
    if (!state.present(id) && state.pods(id).empty()) continue;
    objects["Node " + state.node_name(id)] = DescribeNode(state, id);
  }
  const PodStore& store = state.pod_store();
  for (PodId id = 0; id < store.capacity(); ++id) {
    if (store.exists(id)) objects["Pod " + store.Get(id).Key()] = DescribePod(state, store.Get(id));
  }
  for (const char* kind : {"Namespace", "PersistentVolume", "PersistentVolumeClaim", "StorageClass", "CSINode",
                           "CSIDriver", "CSIStorageCapacity", "VolumeAttachment", "Service", "ReplicationController",
                           "ReplicaSet", "StatefulSet", "PodDisruptionBudget", "DeviceClass"}) {
    VisitTable(state.objects(), kind, [&](auto& table) {
      for (const auto& [key, object] : table.all()) {
        objects[fmt::format("{} {}/{}", kind, key.first, key.second)] = Json(kind, *object);
      }
    });
  }
  return objects;
}

std::vector<std::string> Differences(const std::map<std::string, std::string>& first,
                                     const std::map<std::string, std::string>& second) {
  std::vector<std::string> found;
  for (const auto& [name, text] : first) {
    const auto other = second.find(name);
    if (other == second.end()) {
      found.push_back(name + ": only in the first");
    } else if (other->second != text) {
      found.push_back(name + ": " + text + " | " + other->second);
    }
  }
  for (const auto& [name, text] : second) {
    if (!first.contains(name)) found.push_back(name + ": only in the second");
  }
  return found;
}

std::string Digest(const std::map<std::string, std::string>& objects) {
  uint64_t hash = 1469598103934665603U;  // FNV-1a
  const auto add = [&hash](const std::string& text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  };
  for (const auto& [name, text] : objects) {
    add(name);
    add(text);
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace ksched
