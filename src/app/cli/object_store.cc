#include "app/cli/object_store.h"

#include <utility>

#include "kube/decode_watched.h"

namespace ksched::cli {
namespace {

constexpr size_t kNamedChanges = 3;

}  // namespace

ObjectStore::Value ObjectStore::ReadNow(const kube::WatchedObject& object) {
  Value value;
  api::Problems problems;
  api::Decoded decoded;
  if (kube::Decode(object, decoded, problems)) value.object = std::move(decoded);
  for (const api::Problem& problem : problems) value.problems.push_back("the cluster's " + problem.ToString());
  if (!value.object && value.problems.empty()) {
    value.problems.push_back("the cluster's " + std::string(object.resource.kind) + " cannot be read");
  }
  return value;
}

Result<void> ObjectStore::OnAdd(const kube::WatchedObject& object, const api::ObjectHead& head) {
  return Put(object, head);
}

Result<void> ObjectStore::OnUpdate(const kube::WatchedObject& object, const api::ObjectHead& head) {
  return Put(object, head);
}

Result<void> ObjectStore::Put(const kube::WatchedObject& object, const api::ObjectHead& head) {
  Stored stored{std::string(object.version), std::string(object.protobuf)};
  if (object.document != nullptr) stored.object = ReadNow(object);
  objects_[&object.resource].insert_or_assign(Key(head.ns, head.name), std::move(stored));
  NoteChange(object.resource, head.ns, head.name);
  return {};
}

void ObjectStore::OnRemove(const kube::Resource& resource, std::string_view ns, std::string_view name) {
  objects_[&resource].erase(Key(ns, name));
  NoteChange(resource, ns, name);
}

void ObjectStore::NoteChange(const kube::Resource& resource, std::string_view ns, std::string_view name) {
  if (changes_.first.size() >= kNamedChanges) {
    ++changes_.count;
    return;
  }
  std::string text(resource.kind);
  text.append(1, ' ').append(ns).append(ns.empty() ? "" : "/").append(name);
  Note(std::move(text));
}

void ObjectStore::Note(std::string text) {
  ++changes_.count;
  if (changes_.first.size() >= kNamedChanges) return;
  if (changes_.first.empty() || changes_.first.back() != text) changes_.first.push_back(std::move(text));
}

ObjectStore::Changes ObjectStore::TakeChanges() { return std::exchange(changes_, {}); }

size_t ObjectStore::size() const {
  size_t size = 0;
  for (const auto& [resource, objects] : objects_) size += objects.size();
  return size;
}

void ObjectStore::Read(ClusterSource::Sink& sink) const {
  for (const auto& [resource, objects] : objects_) {
    for (const auto& [key, stored] : objects) {
      const auto* kept = std::get_if<Value>(&stored.object);
      Value value =
          kept != nullptr ? *kept : ReadNow({*resource, stored.version, std::get<std::string>(stored.object)});
      if (value.object) sink.OnObject(std::move(*value.object));
      for (const std::string& problem : value.problems) sink.OnProblem(problem);
    }
  }
}

}  // namespace ksched::cli
