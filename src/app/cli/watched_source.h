// The watched objects, to be read like a cluster that is listed, with the API server at hand for what is asked of it
// one by one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/cli/live_cluster.h"
#include "app/cli/object_store.h"
#include "kube/reflector.h"

namespace ksched::cli {

class WatchedSource final : public ClusterSource {
 public:
  // All are borrowed.
  WatchedSource(const ObjectStore& objects, const kube::Reflectors& reflectors, kube::HttpClient& client)
      : objects_(objects), reflectors_(reflectors), live_(client, nullptr) {}

  // What is not there, or not for us.
  api::ClusterSnapshot Head() const;

  Result<api::ClusterSnapshot> Read(const std::vector<std::string>& namespaces, Sink& sink) override;
  Result<std::vector<std::optional<std::string>>> Fetch(const std::vector<ObjectKey>& keys) override {
    return live_.Fetch(keys);
  }
  Result<std::vector<std::string>> FetchRevisions(const std::string& ns) override { return live_.FetchRevisions(ns); }
  Result<Created> DryRunCreate(const ObjectKey& key, const std::string& json) override {
    return live_.DryRunCreate(key, json);
  }

 private:
  const ObjectStore& objects_;
  const kube::Reflectors& reflectors_;
  LiveCluster live_;
};

}  // namespace ksched::cli
