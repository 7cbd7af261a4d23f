// Judge: says what would become of the pods of a target, from a snapshot of the cluster. One for each thread; what it
// learns about specs of pods stays with it, so that the next replica costs little.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "admission/admission.h"
#include "state/snapshot_reader.h"
#include "webhook/ideal_cluster.h"
#include "webhook/policy.h"
#include "webhook/rehearsal.h"
#include "webhook/target.h"

namespace ksched::webhook {

// The cluster at one moment, for all judges. Shared, and never changed.
struct Picture {
  SnapshotPtr snapshot;
  std::shared_ptr<const Admission> admission;  // what completes pods that are made of templates
  std::shared_ptr<const Policy> policy;
  std::shared_ptr<ResourceNames> names;  // of the state that the snapshots are of
};

inline constexpr std::string_view kDeadline = "Deadline";

struct Verdict {
  enum class Kind : uint8_t {
    kFits,        // or there is nothing to place now
    kImpossible,  // neither waiting nor autoscaling nor another pod can help
    kNoRoom,      // not now
    // Something that it names is not there yet, or there are no nodes: nothing can be said. Or, with the reason
    // kDeadline, there was no time.
    kUnknown,
  };
  Kind kind = Kind::kFits;
  std::string reason;                     // a word, or names of plugins: "NodeAffinity", "NoNodes"
  std::string message;                    // starts with the count; all of it, with what would help
  std::string brief;                      // the same in a line; begins like the message
  std::vector<std::string_view> plugins;  // that turned the pod down
};

class Judge {
 public:
  using SteadyTime = std::chrono::steady_clock::time_point;
  // Errors: the configuration cannot be built.
  static Result<std::unique_ptr<Judge>> Create(const SchedulingRules& rules, ResourceFeatures features,
                                               const Picture& first);

  // Takes over what has changed. An error: the policy's shapes cannot be taken over.
  Result<void> Follow(const Picture& picture);
  // From what was followed last. After the deadline it stops trying replicas, and says of how many it knows.
  Verdict Ask(const Target& target, SteadyTime deadline);
  // Labels of the namespace; null: it is not known. Good until the next Follow.
  const api::StringMap* LabelsOf(std::string_view ns) const;
  // So many texts and groups have been collected that a new one does better.
  bool grown_large() const;

 private:
  struct Room {
    size_t placed = 0, nominated = 0, tried = 0;
    bool cut = false;                    // the deadline came first
    std::string error;                   // of the first pod that failed with one, or for want of what is not there yet
    std::vector<CountedReason> reasons;  // of the first that found no node
    std::vector<std::string_view> plugins;
  };

  Judge(const SchedulingRules& rules, ResourceFeatures features, const Picture& first);
  std::optional<api::Pod> PatternOf(const Target& target, std::span<const PodId> existing, std::string& why_not);
  api::Pod PodNumber(const Target& target, const api::Pod& pattern, int64_t number) const;
  void DropUnknownClaims(api::Pod& pod) const;
  bool TryOne(api::Pod pod, OfNodes nodes, Room& room);
  // `leaving`: pods that make room for these.
  Room FindRoom(const Target& target, const api::Pod& pattern, int64_t missing, std::span<const PodId> leaving,
                SteadyTime deadline);
  Room FindRoomForDaemons(const api::Pod& pattern, std::span<const NodeId> nodes, std::span<const PodId> leaving,
                          SteadyTime deadline);
  // `existing`: the workload's pods on nodes, where they matter.
  Verdict AskForReplicas(const Target& target, const api::Pod& pattern, std::span<const PodId> existing,
                         SteadyTime deadline);
  Verdict AskForDaemons(const Target& target, const api::Pod& pattern, std::span<const PodId> existing,
                        SteadyTime deadline);
  Verdict Impossible(const Target& target, const IdealCluster::Verdict& ideal) const;
  Verdict NoRoom(const Target& target, const Room& room, int64_t missing) const;
  std::string Nodes() const;

  const SchedulingRules rules_;
  const config::SchedulerConfiguration configuration_;  // with a second profile for each, which takes any node
  SnapshotReader reader_;
  std::unique_ptr<Rehearsal> room_;
  std::unique_ptr<IdealCluster> ideal_;
  Picture picture_;
  std::optional<Admission> admission_;  // a copy of its own
  uint64_t device_classes_ = 0;         // the version of that table that was seen
};

}  // namespace ksched::webhook
