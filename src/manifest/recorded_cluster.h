// RecordedCluster: the beginning of a recording, to be read like a cluster.
#pragma once

#include <utility>

#include "manifest/cluster_source.h"
#include "manifest/events.h"

namespace ksched {

class RecordedCluster final : public ClusterSource {
 public:
  // Borrowed; its objects are moved from by Read.
  explicit RecordedCluster(RecordedEvents& recorded) : recorded_(recorded) {}

  Result<api::ClusterSnapshot> Read(const std::vector<std::string>&, Sink& sink) override {
    for (api::Decoded& object : recorded_.objects) sink.OnObject(std::move(object));
    recorded_.objects.clear();
    return recorded_.head;
  }
  // A recording has of each object what scheduling reads.
  Result<std::vector<std::optional<std::string>>> Fetch(const std::vector<ObjectKey>& keys) override {
    return std::vector<std::optional<std::string>>(keys.size());
  }
  Result<std::vector<std::string>> FetchRevisions(const std::string&) override { return std::vector<std::string>(); }
  Result<Created> DryRunCreate(const ObjectKey&, const std::string&) override {
    return Error{"a recording cannot be asked"};
  }

 private:
  RecordedEvents& recorded_;
};

}  // namespace ksched
