// EventRecorder: writes what changes in the cluster as a file of events (docs/report.md, "Events"), one a line, each
// with its time, so that it can be played again.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "api/types_policy.h"
#include "base/output_file.h"
#include "kube/change_ledger.h"

namespace ksched::kube {

class EventRecorder final : public ChangeSink {
 public:
  using Now = std::function<std::chrono::steady_clock::time_point()>;

  // Hands on to `next`. Both are borrowed; the file is open. `api::ClusterSnapshot` objects say what the record lacks.
  // An object that cannot be read is not recorded; that is the error of OnAdd and OnUpdate, unless `next` has one.
  EventRecorder(OutputFile& file, ChangeSink& next, Now now = std::chrono::steady_clock::now);

  // Until here everything has the time 0: it is what the cluster had when the record began.
  void Begin(const api::ClusterSnapshot& head);

  Result<void> OnAdd(const WatchedObject& object, const api::ObjectHead& head) override;
  Result<void> OnUpdate(const WatchedObject& object, const api::ObjectHead& head) override;
  void OnRemove(const Resource& resource, std::string_view ns, std::string_view name) override;

  uint64_t events() const { return events_; }
  // Why nothing is written any more.
  const std::optional<Error>& failure() const { return failure_; }

 private:
  int64_t AtMs() const;
  Result<void> WriteObject(std::string_view type, const WatchedObject& object, const api::ObjectHead& head);
  void WriteLine(std::string_view type, std::string_view object);

  OutputFile& file_;
  ChangeSink& next_;
  Now now_;
  std::optional<std::chrono::steady_clock::time_point> start_;
  std::set<std::string> unknown_;  // objects that have never been recorded, since they could not be read
  uint64_t events_ = 0;
  std::optional<Error> failure_;
};

}  // namespace ksched::kube
