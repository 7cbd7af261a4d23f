// ObjectStore: the objects of a watched cluster, as the API server sent them, to be read like one that is listed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kube/change_ledger.h"
#include "manifest/cluster_source.h"

namespace ksched::cli {

class ObjectStore final : public kube::ChangeSink {
 public:
  Result<void> OnAdd(const kube::WatchedObject& object, const api::ObjectHead& head) override;
  Result<void> OnUpdate(const kube::WatchedObject& object, const api::ObjectHead& head) override;
  void OnRemove(const kube::Resource& resource, std::string_view ns, std::string_view name) override;

  // All of them, kind by kind in the order of AllResources, each kind in the order of the API server; and what is wrong
  // with those that cannot be read.
  void Read(ClusterSource::Sink& sink) const;

  size_t size() const;
  // What has changed since the last call: how much, and the first few in words ("Pod default/web").
  struct Changes {
    uint64_t count = 0;
    std::vector<std::string> first;
  };
  const Changes& changes() const { return changes_; }
  Changes TakeChanges();
  // Something else has changed, that an answer depends on.
  void Note(std::string what);

 private:
  struct Value {
    std::optional<api::Decoded> object;  // nothing: it cannot be read
    std::vector<std::string> problems;
  };
  struct Stored {
    std::string version;                      // of the API
    std::variant<std::string, Value> object;  // protobuf; a value where the server gave JSON
  };
  using Key = std::pair<std::string, std::string>;
  using Objects = std::map<Key, Stored>;

  static Value ReadNow(const kube::WatchedObject& object);
  Result<void> Put(const kube::WatchedObject& object, const api::ObjectHead& head);
  void NoteChange(const kube::Resource& resource, std::string_view ns, std::string_view name);

  std::map<const kube::Resource*, Objects> objects_;  // in the order of AllResources: that of their addresses
  Changes changes_;
};

}  // namespace ksched::cli
