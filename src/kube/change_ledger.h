// ChangeLedger: makes of lists and watches, with whatever comes twice or is missed, the changes that there were: each
// told once, and only those.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "api/object_head.h"
#include "kube/watch_sink.h"

namespace ksched::kube {

// Hears what changed. An object is added, updated any number of times, and removed; if another one takes its name, the
// first is removed before. An error says that the object could not be read: it counts as told all the same.
class ChangeSink {
 public:
  virtual ~ChangeSink() = default;
  virtual Result<void> OnAdd(const WatchedObject& object, const api::ObjectHead& head) = 0;
  virtual Result<void> OnUpdate(const WatchedObject& object, const api::ObjectHead& head) = 0;
  virtual void OnRemove(const Resource& resource, std::string_view ns, std::string_view name) = 0;
};

class ChangeLedger final : public WatchSink {
 public:
  struct Counters {
    uint64_t adds = 0, updates = 0, removes = 0;
    uint64_t repeats = 0;  // what was known already, or older than that
    uint64_t missed = 0;   // removes among these that only a new list showed
  };

  // Borrowed for the life of the ledger.
  explicit ChangeLedger(ChangeSink& sink) : sink_(sink) {}

  void OnListBegin(const Resource& resource) override;
  Result<void> OnListed(const WatchedObject& object) override;
  void OnListEnd(const Resource& resource) override;
  Result<void> OnEvent(WatchEventType type, const WatchedObject& object) override;

  size_t size(const Resource& resource) const;  // objects that are there
  Counters counters(const Resource& resource) const;

 private:
  struct Entry {
    uint64_t version = 0;  // resourceVersion: its number, or a hash of what is none
    uint64_t uid = 0;      // a hash
    uint32_t list = 0;     // the list that had it last
  };
  struct Kind {
    const Resource* resource = nullptr;
    boost::unordered_flat_map<std::string, Entry> objects;  // by "namespace/name", "/name" without namespaces
    uint32_t list = 0;                                      // the list that is read, or was last
    bool listing = false;
    uint64_t newest = 0;  // version number; events up to it have been told
    Counters counters;
  };

  Kind& KindOf(const Resource& resource);
  const Kind* FindKind(const Resource& resource) const;
  Result<void> Put(Kind& kind, const WatchedObject& object, const api::ObjectHead& head);
  Result<void> Add(Kind& kind, std::string key, Entry entry, const WatchedObject& object, const api::ObjectHead& head);
  void Delete(Kind& kind, const api::ObjectHead& head);
  void TellRemoved(Kind& kind, std::string_view key);

  ChangeSink& sink_;
  std::vector<Kind> kinds_;  // as AllResources
};

}  // namespace ksched::kube
