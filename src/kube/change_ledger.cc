#include "kube/change_ledger.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace ksched::kube {
namespace {

uint64_t VersionOf(const api::ObjectHead& head) {
  const uint64_t number = api::VersionNumber(head.resource_version);
  return number != 0 ? number : std::hash<std::string_view>()(head.resource_version);
}

std::string KeyOf(const api::ObjectHead& head) {
  std::string key;
  key.reserve(head.ns.size() + 1 + head.name.size());
  key.append(head.ns).append(1, '/').append(head.name);
  return key;
}

// What has no name could never be deleted.
Result<api::ObjectHead> HeadOf(const WatchedObject& object) {
  Result<api::ObjectHead> head = object.document != nullptr ? Result<api::ObjectHead>(api::ReadHead(*object.document))
                                                            : api::ReadHead(object.protobuf);
  if (head && head->name.empty()) return Error{"the server sent an object without a name"};
  return head;
}

}  // namespace

ChangeLedger::Kind& ChangeLedger::KindOf(const Resource& resource) {
  const auto found = std::ranges::find(kinds_, &resource, &Kind::resource);
  if (found != kinds_.end()) return *found;
  Kind& kind = kinds_.emplace_back();
  kind.resource = &resource;
  return kind;
}

const ChangeLedger::Kind* ChangeLedger::FindKind(const Resource& resource) const {
  const auto found = std::ranges::find(kinds_, &resource, &Kind::resource);
  return found == kinds_.end() ? nullptr : &*found;
}

void ChangeLedger::OnListBegin(const Resource& resource) {
  Kind& kind = KindOf(resource);
  ++kind.list;
  kind.listing = true;
  kind.newest = 0;  // the server may have been set back: what its list says counts
}

Result<void> ChangeLedger::OnListed(const WatchedObject& object) {
  const auto head = HeadOf(object);
  if (!head) return head.error();
  Kind& kind = KindOf(object.resource);
  kind.newest = std::max(kind.newest, api::VersionNumber(head->resource_version));
  return Put(kind, object, *head);
}

void ChangeLedger::OnListEnd(const Resource& resource) {
  Kind& kind = KindOf(resource);
  kind.listing = false;
  boost::unordered::erase_if(kind.objects, [&](const auto& known) {
    if (known.second.list == kind.list) return false;
    ++kind.counters.missed;
    TellRemoved(kind, known.first);
    return true;
  });
}

Result<void> ChangeLedger::OnEvent(WatchEventType type, const WatchedObject& object) {
  const auto head = HeadOf(object);
  if (!head) return head.error();
  Kind& kind = KindOf(object.resource);
  const uint64_t version = api::VersionNumber(head->resource_version);
  if (!kind.listing && version != 0) {
    // Events come in the order of their versions, so that one that is not newer has been here before.
    if (version <= kind.newest) {
      ++kind.counters.repeats;
      return {};
    }
    kind.newest = version;
  }
  if (type != WatchEventType::kDeleted) return Put(kind, object, *head);
  Delete(kind, *head);
  return {};
}

Result<void> ChangeLedger::Put(Kind& kind, const WatchedObject& object, const api::ObjectHead& head) {
  const Entry now{VersionOf(head), std::hash<std::string_view>()(head.uid), kind.list};
  std::string key = KeyOf(head);
  const auto found = kind.objects.find(key);
  if (found == kind.objects.end()) return Add(kind, std::move(key), now, object, head);
  Entry& entry = found->second;
  // What is older than what was said before does not count, unless a new list says it: that is right, whatever it says.
  const bool numbered = api::VersionNumber(head.resource_version) != 0;
  const bool older = entry.list == kind.list && numbered && now.version < entry.version;
  const bool same = entry.uid == now.uid;
  if (older || (same && now.version == entry.version)) {
    entry.list = kind.list;
    ++kind.counters.repeats;
    return {};
  }
  if (same) {
    entry = now;
    ++kind.counters.updates;
    return sink_.OnUpdate(object, head);
  }
  TellRemoved(kind, key);
  kind.objects.erase(found);
  return Add(kind, std::move(key), now, object, head);
}

Result<void> ChangeLedger::Add(Kind& kind, std::string key, Entry entry, const WatchedObject& object,
                               const api::ObjectHead& head) {
  kind.objects.emplace(std::move(key), entry);
  ++kind.counters.adds;
  return sink_.OnAdd(object, head);
}

void ChangeLedger::Delete(Kind& kind, const api::ObjectHead& head) {
  const auto found = kind.objects.find(KeyOf(head));
  const bool same =
      found != kind.objects.end() && (head.uid.empty() || found->second.uid == std::hash<std::string_view>()(head.uid));
  if (!same) {
    ++kind.counters.repeats;
    return;
  }
  TellRemoved(kind, found->first);
  kind.objects.erase(found);
}

void ChangeLedger::TellRemoved(Kind& kind, std::string_view key) {
  const size_t slash = key.find('/');
  ++kind.counters.removes;
  sink_.OnRemove(*kind.resource, key.substr(0, slash), key.substr(slash + 1));
}

size_t ChangeLedger::size(const Resource& resource) const {
  const Kind* kind = FindKind(resource);
  return kind == nullptr ? 0 : kind->objects.size();
}

ChangeLedger::Counters ChangeLedger::counters(const Resource& resource) const {
  const Kind* kind = FindKind(resource);
  return kind == nullptr ? Counters() : kind->counters;
}

}  // namespace ksched::kube
