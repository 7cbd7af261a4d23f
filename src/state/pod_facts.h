// PodFacts: what a pod says about itself beyond its class. A record is never changed once somebody else may have it, so
// that snapshots, readers on other threads and whoever is told of an update share it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/types.h"
#include "state/pod_class.h"

namespace ksched {

// status.conditions[PodScheduled], to tell whether a failure changes the pod; all empty: there is none.
struct ScheduledCondition {
  std::string status, reason, message;
  bool operator==(const ScheduledCondition&) const = default;
};

struct PodFacts {
  PodClassPtr pod_class;
  std::string name, uid;
  uint64_t resource_version = 0;    // metadata.resourceVersion; 0: none, or no number
  int64_t generation = 0;           // metadata.generation
  std::string nominated_node_name;  // status.nominatedNodeName
  std::optional<api::TimeNs> start_time, creation_timestamp;
  // Volumes with a source that scheduling reads, or a claim; null: none.
  std::shared_ptr<const std::vector<api::Volume>> volumes;
  std::shared_ptr<const ScheduledCondition> condition;  // null: none. Equal ones are often the same.
  bool deleting = false;                                // has a deletionTimestamp
  bool preempted = false;  // has the condition DisruptionTarget=True with the reason PreemptionByScheduler
};
using PodFactsPtr = std::shared_ptr<const PodFacts>;

// What is read of a pod, without its class. The texts are moved from it.
PodFacts TakePodFacts(api::Pod& pod);

}  // namespace ksched
