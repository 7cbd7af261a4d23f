#include "app/cli/object_store.h"

#include <utility>

#include "kube/decode_watched.h"

namespace ksched::cli {
namespace {

constexpr size_t kNamedChanges = 3;

}  // namespace

Result<void> ObjectStore::OnAdd(const kube::WatchedObject& object, const api::ObjectHead& head) {
  return Put(object, head);
}

Result<void> ObjectStore::OnUpdate(const kube::WatchedObject& object, const api::ObjectHead& head) {
  return Put(object, head);
}

Result<void> ObjectStore::Put(const kube::WatchedObject& object, const api::ObjectHead& head) {
  Stored stored{std::string(object.version), std::string(object.protobuf)};
  if (object.document != nullptr) {
    auto decoded = kube::Decode(object);
    if (!decoded) return std::move(decoded).error();
    stored.object = std::move(*decoded);
  }
  objects_[&object.resource].insert_or_assign(Key(head.ns, head.name), std::move(stored));
  NoteChange(object.resource, head.ns, head.name);
  return {};
}

void ObjectStore::OnRemove(const kube::Resource& resource, std::string_view ns, std::string_view name) {
  objects_[&resource].erase(Key(ns, name));
  NoteChange(resource, ns, name);
}

void ObjectStore::NoteChange(const kube::Resource& resource, std::string_view ns, std::string_view name) {
  ++changes_.count;
  if (changes_.first.size() >= kNamedChanges) return;
  std::string text(resource.kind);
  text.append(1, ' ').append(ns).append(ns.empty() ? "" : "/").append(name);
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
      if (const auto* value = std::get_if<api::Decoded>(&stored.object)) {
        sink.OnObject(api::Decoded(*value));
        continue;
      }
      auto decoded = kube::Decode({*resource, stored.version, std::get<std::string>(stored.object)});
      if (decoded) {
        sink.OnObject(std::move(*decoded));
      } else {
        sink.OnProblem("the cluster's " + decoded.error().message);
      }
    }
  }
}

}  // namespace ksched::cli
