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
  in_order_.Add(pod.uid(), [this, name = NameOf(pod), node, done = std::move(done)](const InOrder::Ended& ended) {
    bindings_.Bind(name, node, [done, ended](const ApiError* error) {
      ended();
      done(error == nullptr ? Result<void>() : error->ToError());
    });
  });
}

void PodPorts::Patch(const PodInfo& pod, PodStatusChange change) {
  in_order_.Add(pod.uid(), [this, name = NameOf(pod), known = KnownOf(pod),
                            change = std::move(change)](const InOrder::Ended& ended) {
    writer_.PatchStatus(name, known, change, [this, name, ended](const ApiError* error) {
      if (error != nullptr && error->kind != ErrorKind::kNotFound) {
        failed_(fmt::format("pod {}/{}: its status could not be written: {}", name.ns, name.name, error->message));
      }
      ended();
    });
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
