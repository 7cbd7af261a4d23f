// ManagedPod: a pod that exists, as the controller that owns it sees it.
#pragma once

#include <optional>
#include <string>

#include "api/types.h"

namespace ksched::controllers {

struct ManagedPod {
  std::string name, uid, node_name;
  std::string owner_kind, owner_name, owner_uid;  // the owner reference with controller: true; empty: an orphan
  std::string template_hash;                      // label pod-template-hash
  std::string revision;                           // label controller-revision-hash
  std::string template_generation;                // label pod-template-generation, of a DaemonSet's pod
  std::string target_node;  // where a DaemonSet's pod belongs: node_name, or what its affinity asks for
  std::string phase;        // empty is taken for Pending
  bool ready = false, deleting = false;
  std::optional<api::TimeNs> created, ready_since;
  int64_t restarts = 0, sidecar_restarts = 0;  // the most of any of its containers
  int32_t deletion_cost = 0;                   // controller.kubernetes.io/pod-deletion-cost
  std::optional<int32_t> completion_index;     // of a pod of an indexed Job

  bool terminal() const { return phase == "Failed" || phase == "Succeeded"; }
  bool active() const { return !terminal() && !deleting; }
};

// What cannot be read as the controllers read it (a deletion cost "+1", an index that is no number) is left at 0 or
// out.
ManagedPod FromPod(const api::Pod& pod);

}  // namespace ksched::controllers
