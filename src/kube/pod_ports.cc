#include "kube/pod_ports.h"

#include <fmt/format.h>

#include <utility>

namespace ksched::kube {
namespace {

constexpr const char* kPodScheduled = "PodScheduled";

KnownPodStatus KnownOf(const PodInfo& pod) {
  KnownPodStatus known;
  known.nominated_node = pod.nominated_node_name();
  if (const ScheduledCondition* condition = pod.facts->condition.get()) {
    known.condition =
        PodCondition{kPodScheduled, condition->status, condition->reason, condition->message, std::nullopt};
  }
  return known;
}

}  // namespace

PodName NameOf(const PodInfo& pod) { return {pod.ns(), pod.name(), pod.uid()}; }

ObjectReference ReferenceTo(const PodInfo& pod) {
  ObjectReference reference;
  reference.ns = pod.ns();
  reference.name = pod.name();
  reference.uid = pod.uid();
  if (pod.resource_version() != 0) reference.resource_version = std::to_string(pod.resource_version());
  return reference;
}

void PodPorts::Bind(const PodInfo& pod, const std::string& node, ResultCallback done) {
  const std::string& uid = pod.uid();
  Line& line = lines_[uid];
  DropStatus(line);  // it would say that the pod has no place
  line.bind = [this, uid, name = NameOf(pod), node, done = std::move(done)] {
    bindings_.Bind(name, node, [this, uid, done](const ApiError* error) {
      lines_.at(uid).running = false;
      Next(uid);
      done(error == nullptr ? Result<void>() : error->ToError());
    });
  };
  Next(uid);
}

void PodPorts::Patch(const PodInfo& pod, PodStatusChange change) {
  const std::string& uid = pod.uid();
  Line& line = lines_[uid];
  if (line.status) {
    if (!change.condition) change.condition = std::move(line.status->change.condition);
    if (!change.nominated_node) change.nominated_node = std::move(line.status->change.nominated_node);
  } else {
    ++statuses_;
  }
  line.status = Status{NameOf(pod), KnownOf(pod), std::move(change)};
  Next(uid);
}

void PodPorts::DropStatus(Line& line) {
  if (!line.status) return;
  line.status.reset();
  --statuses_;
}

void PodPorts::Next(const std::string& uid) {
  Line& line = lines_.at(uid);
  if (line.running) return;
  if (line.bind) {
    line.running = true;
    return std::exchange(line.bind, nullptr)();
  }
  if (!line.status) {
    lines_.erase(uid);
    return;
  }
  line.running = true;
  Status status = *std::exchange(line.status, std::nullopt);
  if (line.written) {
    if (line.written->condition) status.known.condition = line.written->condition;
    if (line.written->nominated_node) status.known.nominated_node = *line.written->nominated_node;
  }
  WriteStatus(uid, status);
}

void PodPorts::WriteStatus(const std::string& uid, const Status& status) {
  const PodName name = status.name;
  const PodStatusChange change = status.change;
  writer_.PatchStatus(name, status.known, change, [this, uid, name, change](const ApiError* error) {
    if (error != nullptr && error->kind != ErrorKind::kNotFound) {
      failed_(fmt::format("pod {}/{}: its status could not be written: {}", name.ns, name.name, error->message));
    }
    --statuses_;
    Line& line = lines_.at(uid);
    line.running = false;
    if (error == nullptr) line.written = change;
    Next(uid);
  });
}

void PodPorts::Write(const PodInfo& pod, const FailureUpdate& update) {
  PodStatusChange change;
  change.condition = PodCondition{kPodScheduled, "False", std::string(update.reason), std::string(update.message),
                                  pod.facts->generation};
  if (update.nominates) change.nominated_node = std::string(update.nominated_node);
  Patch(pod, std::move(change));
}

void PodPorts::ClearNomination(const PodInfo& pod) { Expect(pod, ""); }

void PodPorts::Expect(const PodInfo& pod, const std::string& node) {
  PodStatusChange change;
  change.nominated_node = node;
  Patch(pod, std::move(change));
}

void PodPorts::Record(const PodInfo& pod, const char* type, const char* reason, const char* action, std::string note) {
  EventMessage message;
  message.controller = pod.pod_class->scheduler_name();
  message.type = type;
  message.reason = reason;
  message.action = action;
  message.note = std::move(note);
  message.regarding = ReferenceTo(pod);
  events_.Record(std::move(message));
}

void PodPorts::Scheduled(const PodInfo& pod, const std::string& node) {
  Record(pod, "Normal", "Scheduled", "Binding",
         fmt::format("Successfully assigned {}/{} to {}", pod.ns(), pod.name(), node));
}

void PodPorts::FailedScheduling(const PodInfo& pod, std::string_view message) {
  Record(pod, "Warning", "FailedScheduling", "Scheduling", std::string(message));
}

}  // namespace ksched::kube
