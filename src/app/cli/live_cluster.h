// LiveCluster: the cluster that kubectl talks to, as the loader of a run reads it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kube/http_client.h"
#include "kube/lister.h"
#include "manifest/cluster_source.h"

namespace ksched::cli {

using ShowProgress = std::function<void(const kube::ListProgress&)>;

class LiveCluster final : public ClusterSource {
 public:
  // `client` is borrowed.
  LiveCluster(kube::HttpClient& client, ShowProgress progress) : client_(client), progress_(std::move(progress)) {}

  Result<api::ClusterSnapshot> Read(const std::vector<std::string>& namespaces, Sink& sink) override;
  Result<std::vector<std::optional<std::string>>> Fetch(const std::vector<ObjectKey>& keys) override;
  Result<std::vector<std::string>> FetchRevisions(const std::string& ns) override;
  Result<Created> DryRunCreate(const ObjectKey& key, const std::string& json) override;

 private:
  kube::HttpClient& client_;
  ShowProgress progress_;
};

// Lists what scheduling reads. What may not be listed in all namespaces is listed in each of `namespaces`, where it is
// of a kind for which they are enough. The answer says what could not be listed, or in some namespaces only; it is an
// error if that is the fault of the connection, or of the server as a whole.
Result<api::ClusterSnapshot> ListCluster(kube::HttpClient& client, std::vector<kube::ListRequest> requests,
                                         const std::vector<std::string>& namespaces, kube::ListSink& sink,
                                         const ShowProgress& progress);

// A request for every resource. Those that a scheduling decision hangs on are as new as the server can give them.
std::vector<kube::ListRequest> AllRequests();

// The resource of a kind; nullptr for a kind that is not listed.
const kube::Resource* ResourceOfKind(std::string_view kind);

// Why objects of a resource are not known.
api::ClusterSnapshot::Absent AbsentOf(const kube::Resource& resource, bool not_found,
                                      const std::optional<kube::ApiError>& error);

}  // namespace ksched::cli
