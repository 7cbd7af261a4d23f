// What a live scheduler writes about pods: the ports Binder, StatusWriter and EventSink over the API server. Of one pod
// everything is written in the order in which it was said: a condition that is late would undo what its binding said.
// Reference: updatePod and handleSchedulingFailure in pkg/scheduler/schedule_one.go, plugins/defaultbinder, v1.37.2.
// Difference: what has gone, or is bound by now, gets no condition any more.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "framework/ports.h"
#include "kube/binding_writer.h"
#include "kube/event_writer.h"
#include "kube/pod_writer.h"

namespace ksched::kube {

PodName NameOf(const PodInfo& pod);
ObjectReference ReferenceTo(const PodInfo& pod);

class PodPorts final : public Binder, public StatusWriter, public EventSink {
 public:
  // Borrowed. `failed` is told of statuses that could not be written: "pod default/web: ...".
  PodPorts(BindingWriter& bindings, PodWriter& writer, EventWriter& events,
           std::function<void(const std::string&)> failed)
      : bindings_(bindings), writer_(writer), events_(events), failed_(std::move(failed)) {}

  void Bind(const PodInfo& pod, const std::string& node, ResultCallback done) override;
  void Write(const PodInfo& pod, const FailureUpdate& update) override;
  void ClearNomination(const PodInfo& pod) override;
  void Expect(const PodInfo& pod, const std::string& node) override;
  void Scheduled(const PodInfo& pod, const std::string& node) override;
  void FailedScheduling(const PodInfo& pod, std::string_view message) override;

  bool idle() const { return lines_.empty(); }
  // Statuses that are being written, or wait for that.
  size_t statuses() const { return statuses_; }

 private:
  // What is to be written about one pod: one thing at a time. A status that has not begun gives way to a newer one, and
  // to a binding.
  struct Status {
    PodName name;
    KnownPodStatus known;
    PodStatusChange change;
  };
  struct Line {
    bool running = false;
    std::optional<Status> status;
    std::optional<PodStatusChange> written;  // what the last status has made of the pod, which may not be known yet
    std::function<void()> bind;
  };

  void Patch(const PodInfo& pod, PodStatusChange change);
  void Next(const std::string& uid);
  void WriteStatus(const std::string& uid, const Status& status);
  void DropStatus(Line& line);
  void Record(const PodInfo& pod, const char* type, const char* reason, const char* action, std::string note);

  BindingWriter& bindings_;
  PodWriter& writer_;
  EventWriter& events_;
  std::function<void(const std::string&)> failed_;
  std::map<std::string, Line> lines_;  // by uid
  size_t statuses_ = 0;
};

}  // namespace ksched::kube
