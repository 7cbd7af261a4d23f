// The documents of an events file.
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "api/kinds.h"
#include "base/clock.h"
#include "manifest/decode.h"
#include "manifest/events.h"

namespace ksched {
namespace {

constexpr int64_t kLastEventMs = 1'000'000'000;                        // of what people write
constexpr int64_t kLastRecordedMs = INT64_MAX / kNsPerMs - 1'000'000;  // what a clock can show

// The object of an event as a document of its own, that knows where it stands.
class ObjectOfEvent final : public api::Document {
 public:
  explicit ObjectOfEvent(const api::Document& event) : event_(event), root_(event.root()["object"]) {}
  const rapidjson::Value& root() const override { return root_; }
  const std::string& file() const override { return event_.file(); }
  api::Position Locate(const api::FieldPath& path) const override {
    std::vector<const api::FieldPath*> parts;  // innermost first
    for (const api::FieldPath* part = &path; part->kind() != api::FieldPath::Kind::kRoot; part = part->parent()) {
      parts.push_back(part);
    }
    const api::FieldPath root;
    return LocateBelow(root.Child("object"), parts, parts.size());
  }

 private:
  // A path refers to its parent on the stack, so the way down is a recursion.
  api::Position LocateBelow(const api::FieldPath& path, const std::vector<const api::FieldPath*>& parts,
                            size_t left) const {
    if (left == 0) return event_.Locate(path);
    const api::FieldPath& next = *parts[left - 1];
    switch (next.kind()) {
      case api::FieldPath::Kind::kIndex:
        return LocateBelow(path.Index(next.index()), parts, left - 1);
      case api::FieldPath::Kind::kKey:
        return LocateBelow(path.Key(next.name()), parts, left - 1);
      default:
        return LocateBelow(path.Child(next.name()), parts, left - 1);
    }
  }

  const api::Document& event_;
  const rapidjson::Value& root_;
};

std::string TextOf(const rapidjson::Value& value, const char* name) {
  const auto member = value.FindMember(name);
  return member != value.MemberEnd() && member->value.IsString() ? member->value.GetString() : "";
}

// The kind that a delete names, perhaps without an apiVersion: a kind is in one group.
const api::KindInfo* KindOfDelete(const std::string& api_version, const std::string& kind) {
  constexpr std::array<std::string_view, 8> kGroups = {
      "", "apps", "batch", "scheduling.k8s.io", "node.k8s.io", "policy", "storage.k8s.io", "resource.k8s.io"};
  if (!api_version.empty()) {
    api::GroupVersion version;
    return api::ParseGroupVersion(api_version, version) ? api::FindKind(version.group, kind) : nullptr;
  }
  for (const std::string_view group : kGroups) {
    if (const api::KindInfo* info = api::FindKind(group, kind)) return info;
  }
  return nullptr;
}

// An object with nothing but metadata.
api::Object Nameless(const std::string& kind) {
  if (kind == "Pod") return api::Pod();
  if (kind == "Node") return api::Node();
  if (kind == "Namespace") return api::Namespace();
  if (kind == "PriorityClass") return api::PriorityClass();
  if (kind == "RuntimeClass") return api::RuntimeClass();
  if (kind == "DeviceClass") return api::DeviceClass();
  return api::OtherObject();
}

class EventReader {
 public:
  // `recorded`: the objects are a cluster's, of any kind.
  EventReader(const std::string& ns, bool recorded, std::vector<std::string>& errors, std::vector<ReadEvent>& events)
      : ns_(ns), recorded_(recorded), errors_(errors), events_(events) {}

  void Read(const api::Document& document) {
    const size_t before = errors_.size();
    if (before >= kMaxErrors) return document.EndReading();
    ReadEvent read;
    read.where = (document.file() == "-" ? "<stdin>" : document.file()) + ":" +
                 std::to_string(document.Locate(api::FieldPath()).line);
    if (!document.root().IsObject()) return Fail(read, "an event is an object with atMs, type and object");
    ReadHead(document.root(), read);
    if (errors_.size() != before) return;
    if (read.event.type == TimedEvent::Type::kDelete) {
      ReadDelete(document.root()["object"], read);
    } else {
      ReadObject(document, read);
    }
    if (errors_.size() == before) events_.push_back(std::move(read));
  }

 private:
  void Fail(const ReadEvent& read, const std::string& message) { errors_.push_back(read.where + ": " + message); }

  void ReadHead(const rapidjson::Value& root, ReadEvent& read) {
    for (const auto& member : root.GetObject()) {
      const std::string name = member.name.GetString();
      if (name != "atMs" && name != "type" && name != "object")
        Fail(read, "unknown field \"" + name + "\" of an event");
    }
    const auto at = root.FindMember("atMs");
    if (at != root.MemberEnd() && at->value.IsInt64()) read.event.at_ms = at->value.GetInt64();
    const int64_t last = recorded_ ? kLastRecordedMs : kLastEventMs;
    if (at == root.MemberEnd() || !at->value.IsInt64() || read.event.at_ms < 0 || read.event.at_ms > last) {
      Fail(read, "atMs has to be a number of milliseconds from 0 to " + std::to_string(last));
    }
    const std::string type = TextOf(root, "type");
    if (type == "add") {
      read.event.type = TimedEvent::Type::kAdd;
    } else if (type == "update") {
      read.event.type = TimedEvent::Type::kUpdate;
    } else if (type == "delete") {
      read.event.type = TimedEvent::Type::kDelete;
    } else {
      Fail(read, "type \"" + type + "\" is none of add, update and delete");
    }
    const auto object = root.FindMember("object");
    if (object == root.MemberEnd() || !object->value.IsObject()) Fail(read, "an event needs an object");
  }

  void ReadDelete(const rapidjson::Value& object, ReadEvent& read) {
    const std::string api_version = TextOf(object, "apiVersion"), kind = TextOf(object, "kind");
    const api::KindInfo* info = KindOfDelete(api_version, kind);
    if (info == nullptr || (!recorded_ && !IsKindOfEvents(info))) return FailKind(read, api_version, kind);
    read.event.object = Nameless(kind);
    api::ObjectMeta& metadata = api::MetadataOf(read.event.object);
    if (HasValue(object, "metadata", "name")) metadata.name = TextOf(object["metadata"], "name");
    if (metadata.name.empty()) return Fail(read, kind + " without metadata.name");
    if (info->namespaced) {
      metadata.ns = HasValue(object, "metadata", "namespace") ? TextOf(object["metadata"], "namespace") : ns_;
    }
    SetNames(kind, metadata, read);
  }

  void ReadObject(const api::Document& document, ReadEvent& read) {
    const ObjectOfEvent object(document);
    api::Decoded decoded;
    api::Problems problems;
    const bool good = DecodeInto(ns_, object, recorded_ ? api::ValidationMode::kStored : api::ValidationMode::kUser,
                                 decoded, problems);
    for (const api::Problem& problem : problems) errors_.push_back(problem.ToString());
    if (!good) return;
    const api::KindInfo* info = KindOfDelete(decoded.api_version, decoded.kind);
    if (!recorded_ && !IsKindOfEvents(info)) return FailKind(read, decoded.api_version, decoded.kind);
    const api::ObjectMeta& metadata = api::MetadataOf(decoded.object);
    const bool is_head = recorded_ && std::holds_alternative<api::ClusterSnapshot>(decoded.object);
    if (decoded.kind_class != api::KindClass::kScheduling) return FailKind(read, decoded.api_version, decoded.kind);
    if (metadata.name.empty() && !is_head) return Fail(read, decoded.kind + " without metadata.name");
    SetNames(decoded.kind, metadata, read);
    // Who writes an update leaves out what stays; a record has all that there is.
    read.event.keeps_status =
        !recorded_ && read.event.type == TimedEvent::Type::kUpdate && !HasValue(object.root(), "status");
    read.has_uid = HasValue(object.root(), "metadata", "uid");
    read.event.object = std::move(decoded.object);
  }

  static void SetNames(const std::string& kind, const api::ObjectMeta& metadata, ReadEvent& read) {
    read.event.kind = kind;
    read.event.ns = metadata.ns;
    read.event.name = metadata.name;
  }

  // Workloads that only say which pods are alike count; those whose pods would have to be made do not.
  static bool IsKindOfEvents(const api::KindInfo* info) {
    constexpr std::array<std::string_view, 7> kNotPlayed = {
        "Deployment", "Job", "DaemonSet", "CronJob", "PodTemplate", "HorizontalPodAutoscaler", "ClusterSnapshot"};
    return info != nullptr && info->codec.read != nullptr &&
           std::find(kNotPlayed.begin(), kNotPlayed.end(), info->kind) == kNotPlayed.end();
  }
  void FailKind(const ReadEvent& read, const std::string& api_version, const std::string& kind) {
    const bool workload = kind == "Deployment" || kind == "Job" || kind == "DaemonSet" || kind == "CronJob";
    Fail(read, workload ? "events of a " + kind + " are not played: name its pods"
                        : "unknown kind " + api_version + (api_version.empty() ? "" : " ") + kind);
  }

  const std::string& ns_;
  const bool recorded_;
  std::vector<std::string>& errors_;
  std::vector<ReadEvent>& events_;
};

// What a record lacks is written when all of the cluster has been read.
bool IsHead(const ReadEvent& read) { return std::holds_alternative<api::ClusterSnapshot>(read.event.object); }

}  // namespace

std::vector<ReadEvent> ReadEvents(const std::string& file, const std::string& ns, std::vector<std::string>& errors) {
  std::vector<ReadEvent> events;
  EventReader reader(ns, /*recorded=*/false, errors, events);
  api::Problems problems;
  const auto done = api::ReadDocuments(
      file, [&](const api::Document& document) { reader.Read(document); }, problems);
  for (const api::Problem& problem : problems) errors.push_back(problem.ToString());
  if (!done) errors.push_back(done.error().message);
  return events;
}

RecordedEvents ReadRecording(const std::string& file, std::vector<std::string>& errors,
                             std::vector<std::string>& notices) {
  RecordedEvents recorded;
  const std::string no_namespace;
  std::vector<ReadEvent> events;
  EventReader reader(no_namespace, /*recorded=*/true, errors, events);
  api::Problems problems;
  const auto done = api::ReadDocuments(
      file, [&](const api::Document& document) { reader.Read(document); }, problems);
  if (!done) errors.push_back(done.error().message);
  for (const api::Problem& problem : problems) {
    if (events.empty()) {
      errors.push_back(problem.ToString());
    } else {
      notices.push_back("warning: the recording is read up to its event " + std::to_string(events.size()) + ": " +
                        problem.ToString());
    }
  }
  const auto heads = std::ranges::count_if(events, &IsHead);
  if (errors.empty() && heads != 1) {
    errors.push_back(file + (heads == 0 ? ": the recording ends before the cluster had been read"
                                        : ": there are several recordings in it"));
  }
  std::map<std::string, api::Decoded> objects;  // of the beginning, by name
  for (ReadEvent& read : events) {
    TimedEvent& event = read.event;
    if (auto* head = std::get_if<api::ClusterSnapshot>(&event.object)) {
      recorded.head = std::move(*head);
    } else if (event.at_ms > 0) {
      recorded.events.push_back(std::move(read));
    } else if (const std::string name = api::DescribeObject(event.kind, api::MetadataOf(event.object));
               event.type == TimedEvent::Type::kDelete) {
      objects.erase(name);
    } else {
      objects.insert_or_assign(name,
                               api::Decoded{api::KindClass::kScheduling, "", event.kind, std::move(event.object)});
    }
  }
  for (auto& [name, object] : objects) recorded.objects.push_back(std::move(object));
  return recorded;
}

}  // namespace ksched
