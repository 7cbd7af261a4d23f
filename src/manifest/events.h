// --events FILE: timed changes of the cluster (docs/report.md, "Events").
#pragma once

#include <set>
#include <string>
#include <vector>

#include "admission/admission.h"
#include "manifest/cluster_input.h"
#include "manifest/event_targets.h"

namespace ksched {

// An event as it was read, and what messages and checks need of the document.
struct ReadEvent {
  TimedEvent event;
  std::string where;     // "events.yaml:12"
  bool has_uid = false;  // the document itself gave metadata.uid
};

// Reads the file; objects without a namespace are in `ns`. What is wrong goes to `errors`, and is not in the answer.
std::vector<ReadEvent> ReadEvents(const std::string& file, const std::string& ns, std::vector<std::string>& errors);

// What `simulate --record` wrote: the cluster as it was when the record began, and what happened since.
struct RecordedEvents {
  std::vector<api::Decoded> objects;  // of the beginning
  api::ClusterSnapshot head;          // what the record lacks
  std::vector<ReadEvent> events;
};
// A file that is cut off (whoever wrote it was killed) is read as far as it goes, and `notices` says so.
RecordedEvents ReadRecording(const std::string& file, std::vector<std::string>& errors,
                             std::vector<std::string>& notices);

// Sorts the events by time and checks each against the input and those before it. Their objects get what admission adds
// (with the classes that exist by then) and what an update leaves out: uid, and of a pod node, priority and preemption
// policy. `targets` has to know every object of the input that an event names. Fills events and event_pods, and adds
// the namespaces that events make.
void CheckEvents(std::vector<ReadEvent> events, EventTargets& targets, Admission admission, ClusterInput& input,
                 std::vector<std::string>& errors);
// The same for a recording, of which nothing is refused: what does not fit the input (its pods may be among the
// manifests) is passed over. Pods that waited while it was made are for the run to place, if their scheduler is one of
// `schedulers`: where they were bound then is left out.
void TakeRecordedEvents(std::vector<ReadEvent> events, const std::set<std::string>& schedulers, EventTargets& targets,
                        Admission admission, ClusterInput& input);

// Adds what every Namespace has: the label of its name.
void LabelNamespace(api::Namespace& one);
api::Namespace MakeNamespace(const std::string& name);

}  // namespace ksched
