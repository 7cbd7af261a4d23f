// --admission server: what the API server itself makes of objects that are created, asked by dry runs. Mutating
// webhooks and policies take part.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "manifest/cluster_source.h"
#include "manifest/manifest_reader.h"

namespace ksched {

class ServerAdmission {
 public:
  explicit ServerAdmission(ClusterSource& cluster) : cluster_(cluster) {}

  // Replaces the object by what the server would store. Of what makes pods, a pod of its template is asked about too,
  // and the template replaced by what the server makes of that pod. An object that exists already stays as it is. The
  // answer is the server's message if it refuses; an error is one of the connection.
  Result<std::optional<std::string>> Admit(ManifestObject& object);

 private:
  Result<std::optional<std::string>> AdmitPodOf(ManifestObject& object);
  Result<std::optional<std::string>> Ask(const ObjectKey& key, const std::string& text, api::Decoded& out);

  ClusterSource& cluster_;
};

}  // namespace ksched
