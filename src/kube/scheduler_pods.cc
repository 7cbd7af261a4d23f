#include "kube/scheduler_pods.h"

#include <algorithm>
#include <span>
#include <utility>

#include <rapidjson/document.h>

#include "api/json_values.h"

namespace ksched::kube {
namespace {

using api::TextAt;

constexpr std::string_view kName = "kube-scheduler";

// What is no list has no elements.
std::span<const rapidjson::Value> ListAt(const rapidjson::Value& object, std::initializer_list<const char*> path) {
  const rapidjson::Value* list = api::FindField(object, path);
  if (list == nullptr || !list->IsArray()) return {};
  return {list->Begin(), list->Size()};
}

std::vector<std::string> Words(const rapidjson::Value& container) {
  std::vector<std::string> words;
  for (const char* list : {"command", "args"}) {
    for (const rapidjson::Value& value : ListAt(container, {list})) words.push_back(TextAt(value, {}));
  }
  return words;
}

// The last part of a path, without a tag: "kube-scheduler" of "registry/kube-scheduler:v1.37.2".
std::string_view BaseName(std::string_view path) {
  path = path.substr(path.rfind('/') + 1);
  return path.substr(0, path.find_first_of(":@"));
}

bool IsScheduler(const rapidjson::Value& container, const std::vector<std::string>& words) {
  return BaseName(TextAt(container, {"image"})) == kName ||
         std::ranges::any_of(words, [](const std::string& word) { return BaseName(word) == kName; });
}

std::string TagOf(std::string image) {
  image = image.substr(0, image.find('@'));
  const size_t colon = image.rfind(':');
  return colon == std::string::npos || image.find('/', colon) != std::string::npos ? "" : image.substr(colon + 1);
}

// The flags with their values, however they are written: "--config=x", "--config x", "-v=2".
std::vector<std::string> Flags(const std::vector<std::string>& words) {
  std::vector<std::string> flags;
  for (const std::string& word : words) {
    if (word.starts_with("-")) {
      flags.push_back(word.starts_with("--") ? word : "-" + word);
    } else if (!flags.empty() && flags.back().find('=') == std::string::npos) {
      flags.back() += "=" + word;
    }
  }
  return flags;
}

std::string ValueOf(const std::vector<std::string>& flags, const std::string& name) {
  const std::string prefix = "--" + name + "=";
  std::string value;  // the last one counts
  for (const std::string& flag : flags) {
    if (flag.starts_with(prefix)) value = flag.substr(prefix.size());
  }
  return value;
}

std::string SourceOfVolume(const rapidjson::Value& volume, const rapidjson::Value& pod, const std::string& rest) {
  const std::string ns = TextAt(pod, {"metadata", "namespace"});
  if (const std::string map = TextAt(volume, {"configMap", "name"}); !map.empty()) {
    return "ConfigMap " + ns + "/" + map;
  }
  if (const std::string secret = TextAt(volume, {"secret", "secretName"}); !secret.empty()) {
    return "Secret " + ns + "/" + secret;
  }
  const std::string path = TextAt(volume, {"hostPath", "path"});
  return path.empty() ? "" : "file " + path + rest + " of the node " + TextAt(pod, {"spec", "nodeName"});
}

// What is mounted where the file lies.
std::string SourceOf(const std::string& path, const rapidjson::Value& container, const rapidjson::Value& pod) {
  std::string volume_name, mounted_at;
  for (const rapidjson::Value& mount : ListAt(container, {"volumeMounts"})) {
    const std::string at = TextAt(mount, {"mountPath"});
    const bool around =
        !at.empty() && path.starts_with(at) && (path.size() == at.size() || at.back() == '/' || path[at.size()] == '/');
    if (!around || at.size() < mounted_at.size()) continue;
    mounted_at = at;
    volume_name = TextAt(mount, {"name"});
  }
  for (const rapidjson::Value& volume : ListAt(pod, {"spec", "volumes"})) {
    if (volume_name.empty() || TextAt(volume, {"name"}) != volume_name) continue;
    return SourceOfVolume(volume, pod, path.substr(mounted_at.size()));
  }
  return "";
}

void ReadContainer(const rapidjson::Value& container, const rapidjson::Value& pod, std::vector<SchedulerPod>& out) {
  const std::vector<std::string> words = Words(container);
  if (!IsScheduler(container, words)) return;
  SchedulerPod& one = out.emplace_back();
  one.pod = TextAt(pod, {"metadata", "namespace"}) + "/" + TextAt(pod, {"metadata", "name"});
  one.image = TextAt(container, {"image"});
  one.version = TagOf(one.image);
  one.running = TextAt(pod, {"status", "phase"}) == "Running" && TextAt(pod, {"metadata", "deletionTimestamp"}).empty();
  one.flags = Flags(words);
  one.config_path = ValueOf(one.flags, "config");
  one.feature_gates = ValueOf(one.flags, "feature-gates");
  if (!one.config_path.empty()) one.config_source = SourceOf(one.config_path, container, pod);
}

}  // namespace

Result<std::vector<SchedulerPod>> ParseSchedulerPods(std::string_view pods) {
  rapidjson::Document list;
  list.Parse<rapidjson::kParseIterativeFlag>(pods.data(), pods.size());
  const rapidjson::Value* items = list.HasParseError() ? nullptr : api::FindField(list, {"items"});
  if (items == nullptr || !items->IsArray()) return Error{"the answer is no list of pods"};
  std::vector<SchedulerPod> found;
  for (const rapidjson::Value& pod : items->GetArray()) {
    for (const rapidjson::Value& container : ListAt(pod, {"spec", "containers"})) ReadContainer(container, pod, found);
  }
  return found;
}

Result<std::vector<SchedulerPod>> FindSchedulerPods(HttpClient& client) {
  HttpRequest request;
  request.target = "/api/v1/namespaces/kube-system/pods";
  const HttpResponse response = client.Perform(std::move(request));
  if (!response.ok()) return response.error->ToError();
  return ParseSchedulerPods(response.body);
}

}  // namespace ksched::kube
