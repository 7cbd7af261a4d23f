// QuietPorts: what is written about pods that are bound by hand: that they got their node, and that another pod has
// taken the place which they were promised. That a pod cannot be bound is said to who asked, not to the cluster.
#pragma once

#include <string>
#include <string_view>

#include "framework/ports.h"

namespace ksched::bind {

class QuietPorts final : public StatusWriter, public EventSink {
 public:
  // Borrowed; null: nothing is written.
  QuietPorts(StatusWriter* statuses, EventSink* events) : statuses_(statuses), events_(events) {}

  void Write(const PodInfo&, const FailureUpdate&) override {}
  void ClearNomination(const PodInfo& pod) override {
    if (statuses_ != nullptr) statuses_->ClearNomination(pod);
  }
  void Scheduled(const PodInfo& pod, const std::string& node) override {
    if (events_ != nullptr) events_->Scheduled(pod, node);
  }
  void FailedScheduling(const PodInfo&, std::string_view) override {}

 private:
  StatusWriter* statuses_;
  EventSink* events_;
};

}  // namespace ksched::bind
