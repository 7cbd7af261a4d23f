// ClusterSource: a live cluster, as far as reading the input of a run needs one. Implemented where the API client is
// (app/cli); files are read by the loader itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/objects.h"
#include "api/types_policy.h"
#include "base/result.h"

namespace ksched {

struct ObjectKey {
  std::string api_version, kind, ns, name;
};

class ClusterSource {
 public:
  // What is read, kind by kind in the order of the API server, kinds mixed.
  class Sink {
   public:
    virtual ~Sink() = default;
    virtual void OnObject(api::Decoded&& decoded) = 0;
    // What came of this kind is void: it comes again from the start.
    virtual void OnRestart(const std::string& kind) = 0;
    // An object of the cluster that cannot be read, in words.
    virtual void OnProblem(const std::string& problem) = 0;
  };

  virtual ~ClusterSource() = default;

  // Reads everything that scheduling reads. The answer says what could not be listed, and why. `namespaces` are those
  // in which something is to be created: what may not be listed everywhere is listed there.
  virtual Result<api::ClusterSnapshot> Read(const std::vector<std::string>& namespaces, Sink& sink) = 0;

  // The objects as JSON with all of their fields, in the order of the keys; nothing for one that is not there.
  virtual Result<std::vector<std::optional<std::string>>> Fetch(const std::vector<ObjectKey>& keys) = 0;

  // The ControllerRevisions of the namespace (the templates that its StatefulSets and DaemonSets have had), each as
  // JSON. None if they may not be listed.
  virtual Result<std::vector<std::string>> FetchRevisions(const std::string& ns) = 0;

  // What the API server would store of this object (JSON) in the namespace of the key, by a dry run. `refused`: the
  // server answered, and the answer is no, with its message.
  struct Created {
    std::string object;
    std::optional<std::string> refused;
  };
  virtual Result<Created> DryRunCreate(const ObjectKey& key, const std::string& json) = 0;
};

}  // namespace ksched
