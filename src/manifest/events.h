// --events FILE: timed changes of the cluster (docs/report.md, "Events").
#pragma once

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

// Sorts the events by time and checks each against the input and those before it. Their objects get what admission adds
// (with the classes that exist by then) and what an update leaves out: uid, and of a pod node, priority and preemption
// policy. `targets` has to know every object of the input that an event names. Fills events and event_pods, and adds
// the namespaces that events make.
void CheckEvents(std::vector<ReadEvent> events, EventTargets& targets, Admission admission, ClusterInput& input,
                 std::vector<std::string>& errors);

// Adds what every Namespace has: the label of its name.
void LabelNamespace(api::Namespace& one);
api::Namespace MakeNamespace(const std::string& name);

}  // namespace ksched
