#include "manifest/events.h"

#include <algorithm>
#include <set>
#include <utility>

namespace ksched {
namespace {

constexpr const char* kNameLabel = "kubernetes.io/metadata.name";

// The cluster as input and events make it, without what the run does to it.
class World {
 public:
  World(EventTargets& targets, Admission admission, ClusterInput& input)
      : targets_(targets), admission_(std::move(admission)), input_(input) {
    for (const auto& [key, one] : input.objects.namespaces.all()) namespaces_.insert(key.second);
  }

  // Checks the event, completes its object, and lets it change the world.
  Result<void> Apply(ReadEvent& read) {
    TimedEvent& event = read.event;
    api::ObjectMeta& metadata = api::MetadataOf(event.object);
    EventTargets::Target& target = targets_.Of(event.kind, metadata);
    if (event.type == TimedEvent::Type::kAdd && target.exists) return Error{"it exists already"};
    if (event.type == TimedEvent::Type::kDelete && !target.exists && MayBeOfWorkload(event)) return {};
    if (event.type != TimedEvent::Type::kAdd && !target.exists) {
      return Error{event.type == TimedEvent::Type::kUpdate ? "there is no such object to update"
                                                           : "there is no such object to delete"};
    }
    if (event.type == TimedEvent::Type::kDelete) {
      Drop(event);
      target = {};
      return {};
    }
    if (event.type == TimedEvent::Type::kUpdate) {
      if (read.has_uid && metadata.uid != target.uid) {
        return Error{"metadata.uid is " + target.uid + ", not " + metadata.uid};
      }
      metadata.uid = target.uid;
    }
    UseNamespace(metadata.ns);
    if (auto completed = Complete(event, target); !completed) return completed;
    target.exists = true;
    target.uid = metadata.uid;
    return {};
  }

  // An event of a recording. False if there is nothing that it could change.
  bool Replay(TimedEvent& event, const std::set<std::string>& schedulers) {
    api::ObjectMeta& metadata = api::MetadataOf(event.object);
    EventTargets::Target& target = targets_.Of(event.kind, metadata);
    if (event.type == TimedEvent::Type::kDelete) {
      if (!target.exists) return false;
      Drop(event);
      replayed_.erase(event.ns + "/" + event.name);
      target = {};
      return true;
    }
    event.replayed = true;
    event.type = target.exists ? TimedEvent::Type::kUpdate : TimedEvent::Type::kAdd;
    UseNamespace(metadata.ns);
    if (auto* pod = std::get_if<api::Pod>(&event.object)) {
      ReplayPod(event, *pod, target, schedulers);
    } else {
      CompleteObject(event);
    }
    target.exists = true;
    target.uid = metadata.uid;
    return true;
  }

 private:
  // Where the scheduler of then put a pod that waited is left out.
  void ReplayPod(TimedEvent& event, api::Pod& pod, EventTargets::Target& target,
                 const std::set<std::string>& schedulers) {
    const std::string key = event.ns + "/" + event.name;
    const bool waited = target.pod ? target.pod->spec.node_name.empty() : pod.spec.node_name.empty();
    if (waited && schedulers.contains(pod.spec.scheduler_name)) replayed_.insert(key);
    if (replayed_.contains(key)) {
      event.replayed_pod = true;
      pod.spec.node_name.clear();
    }
    const bool of_input = event.type == TimedEvent::Type::kUpdate && of_input_.insert(key).second;
    if (of_input && target.pod && !api::IsTerminal(*target.pod)) {
      input_.event_pods.emplace(key, std::move(*target.pod));
    }
    of_input_.insert(key);
    target.pod = pod;
  }

  void UseNamespace(const std::string& ns) {
    if (ns.empty() || !namespaces_.insert(ns).second) return;
    api::Namespace made = MakeNamespace(ns);
    targets_.See("Namespace", made.metadata);
    input_.objects.namespaces.Put(std::move(made));
  }

  // Pods that workloads make come in the run: whether there is one of this name is seen then.
  bool MayBeOfWorkload(const TimedEvent& event) const {
    return event.kind == "Pod" && std::ranges::any_of(input_.workloads, [&](const InputWorkload& workload) {
             const std::string name = workload.source.substr(workload.source.rfind('/') + 1);
             return workload.ns == event.ns && event.name.starts_with(name + "-");
           });
  }

  Result<void> Complete(TimedEvent& event, EventTargets::Target& target) {
    if (auto* pod = std::get_if<api::Pod>(&event.object)) return CompletePod(event, *pod, target);
    CompleteObject(event);
    return {};
  }

  void CompleteObject(TimedEvent& event) {
    if (auto* one = std::get_if<api::Namespace>(&event.object)) {
      namespaces_.insert(one->metadata.name);
      LabelNamespace(*one);
    } else if (auto* priority_class = std::get_if<api::PriorityClass>(&event.object)) {
      admission_.Remove(event.kind, "", event.name);  // a changed class counts as the last that came
      admission_.Put(*priority_class);
    } else if (auto* runtime_class = std::get_if<api::RuntimeClass>(&event.object)) {
      admission_.Put(*runtime_class);
    }
  }

  Result<void> CompletePod(const TimedEvent& event, api::Pod& pod, EventTargets::Target& target) {
    if (event.type == TimedEvent::Type::kUpdate && target.pod) {
      const api::PodSpec& was = target.pod->spec;
      if (pod.spec.scheduler_name != was.scheduler_name) return Error{"spec.schedulerName cannot change"};
      if (!pod.spec.priority) pod.spec.priority = was.priority;
      if (pod.spec.preemption_policy.empty()) pod.spec.preemption_policy = was.preemption_policy;
      if (pod.spec.node_name.empty()) {
        pod.spec.node_name = was.node_name;
      } else if (!was.node_name.empty() && pod.spec.node_name != was.node_name) {
        return Error{"spec.nodeName cannot change"};
      }
      if (of_input_.insert(event.ns + "/" + event.name).second && !api::IsTerminal(*target.pod)) {
        input_.event_pods.emplace(event.ns + "/" + event.name, std::move(*target.pod));
      }
    } else {
      of_input_.insert(event.ns + "/" + event.name);  // from here on it is an event's
    }
    const bool created = event.type == TimedEvent::Type::kAdd;
    if (auto admitted = created ? admission_.Admit(pod) : admission_.Complete(pod); !admitted) return admitted;
    target.pod = pod;
    return {};
  }

  void Drop(const TimedEvent& event) {
    admission_.Remove(event.kind, event.ns, event.name);
    if (event.kind == "Pod") of_input_.insert(event.ns + "/" + event.name);
  }

  EventTargets& targets_;
  Admission admission_;
  ClusterInput& input_;
  std::set<std::string> namespaces_;
  std::set<std::string> of_input_;  // pods whose form in the input has been dealt with
  std::set<std::string> replayed_;  // pods of a recording that the run places
};

}  // namespace

void CheckEvents(std::vector<ReadEvent> events, EventTargets& targets, Admission admission, ClusterInput& input,
                 std::vector<std::string>& errors) {
  std::ranges::stable_sort(events, {}, [](const ReadEvent& read) { return read.event.at_ms; });
  World world(targets, std::move(admission), input);
  for (ReadEvent& read : events) {
    if (auto applied = world.Apply(read); !applied) {
      errors.push_back(read.where + ": event at " + std::to_string(read.event.at_ms) +
                       " ms: " + api::DescribeObject(read.event.kind, api::MetadataOf(read.event.object)) + ": " +
                       applied.error().message);
    } else {
      input.events.push_back(std::move(read.event));
    }
  }
}

void TakeRecordedEvents(std::vector<ReadEvent> events, const std::set<std::string>& schedulers, EventTargets& targets,
                        Admission admission, ClusterInput& input) {
  std::ranges::stable_sort(events, {}, [](const ReadEvent& read) { return read.event.at_ms; });
  World world(targets, std::move(admission), input);
  for (ReadEvent& read : events) {
    if (world.Replay(read.event, schedulers)) input.events.push_back(std::move(read.event));
  }
}

void LabelNamespace(api::Namespace& one) {
  std::string& label = one.metadata.labels[kNameLabel];
  if (label.empty()) label = one.metadata.name;
}

api::Namespace MakeNamespace(const std::string& name) {
  api::Namespace one;
  one.metadata.name = one.metadata.uid = name;
  one.metadata.resource_version = "1";
  LabelNamespace(one);
  return one;
}

}  // namespace ksched
