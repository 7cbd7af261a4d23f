// Writes Events about objects into the cluster, for people: what kube-scheduler's recorders and their broadcaster do
// (client-go tools/events, v0.37.2). Nothing blocks, and no event holds anything else up.
//
// What the server rejects is dropped. What does not reach it is tried again after ten seconds, and given up after
// twelve tries.
// Differences: at most max_pending events wait to be written, those beyond it are counted and dropped (client-go's
// bound is one of goroutines that take over at once); memory for repetitions is bounded (kube/event_series.h).
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <set>
#include <string>

#include "base/clock.h"
#include "base/rng.h"
#include "kube/event_series.h"
#include "kube/request_sender.h"

namespace ksched::kube {

struct EventWriterOptions {
  SenderOptions sender;
  std::string hostname;  // of reportingInstance
  size_t max_pending = 10'000, max_in_flight = 16, max_remembered = 10'000;
  int max_tries = 12;
  std::chrono::milliseconds retry_wait{10'000};  // stretched at random by up to a quarter
  std::chrono::milliseconds refresh_period{std::chrono::minutes(30)}, finish_period{std::chrono::minutes(6)};
  uint64_t seed = 0;  // of the stretching
};

struct EventCounters {
  uint64_t recorded = 0;  // calls of Record
  uint64_t written = 0;   // requests that succeeded: events, and series of them
  uint64_t dropped = 0;   // too many were waiting
  uint64_t rejected = 0;  // by the server, or they were not allowed to be sent
  uint64_t given_up = 0;  // after all tries
};

class EventWriter {
 public:
  // client and wall are borrowed.
  EventWriter(HttpClient& client, const Clock& wall, EventWriterOptions options);
  ~EventWriter();  // what waits is dropped
  EventWriter(const EventWriter&) = delete;
  EventWriter& operator=(const EventWriter&) = delete;

  void Record(EventMessage message);

  // How many are not written yet: they wait, run, or are to be tried again.
  size_t pending() const { return queue_.size() + in_flight_ + pauses_.size(); }
  const EventCounters& counters() const { return counters_; }

 private:
  struct Write {
    EventPtr event;
    int tries = 0;
  };
  using WritePtr = std::shared_ptr<Write>;

  void Enqueue(EventPtr event);
  void StartQueued();
  void Create(const WritePtr& write);
  void Patch(const WritePtr& write);
  void Ended(const WritePtr& write, const ApiError* error);
  void TryLater(const WritePtr& write);
  void Refresh();
  void Finish();

  HttpClient& client_;
  const Clock& wall_;
  const EventWriterOptions options_;
  Rng rng_;
  EventSeries series_;
  RequestSender sender_;
  std::deque<WritePtr> queue_;
  std::set<Timers::Id> pauses_;  // before another try
  size_t in_flight_ = 0;
  Timers::Id refresh_ = 0, finish_ = 0;
  TimeNs last_time_ = 0;
  EventCounters counters_;
};

}  // namespace ksched::kube
