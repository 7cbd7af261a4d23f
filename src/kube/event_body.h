// An Event of events.k8s.io/v1 as client-go's tools/events makes it (v0.37.2), and what is sent of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace ksched::kube {

// v1.ObjectReference.
struct ObjectReference {
  std::string api_version = "v1", kind = "Pod", ns, name, uid, resource_version;
  bool operator==(const ObjectReference&) const = default;
};

// What is to be said.
struct EventMessage {
  std::string controller;                  // the scheduler's name
  std::string type, reason, action, note;  // type: Normal, Warning
  ObjectReference regarding;
  std::optional<ObjectReference> related;
};

struct EventRepeats {
  int32_t count = 2;
  TimeNs last = 0;
};

struct Event {
  EventMessage message;
  std::string ns, name, instance;
  TimeNs time = 0;
  std::optional<EventRepeats> series;
};

// Its namespace is that of what it is about, "default" if that has none; its name is "POD.<nanoseconds, hexadecimal>".
// The note is cut to what the API takes (1024 bytes), as kube-scheduler cuts the notes of FailedScheduling.
Event MakeEvent(EventMessage message, std::string_view hostname, TimeNs now);

// Two events with equal keys are the same, again. The note is not part of it.
std::string EventKey(const Event& event);

std::string EventJson(const Event& event);
// A strategic merge patch that tells of the series.
std::string SeriesPatch(const Event& event);

}  // namespace ksched::kube
