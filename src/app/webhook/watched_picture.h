// WatchedPicture: what the judges are to know, kept true to a watched cluster in one thread, and published to all of
// them.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "admission/admission.h"
#include "api/objects.h"
#include "app/daemon/live_engine.h"
#include "state/snapshot_publisher.h"
#include "webhook/judge.h"
#include "webhook/no_binder.h"

namespace ksched::webhook {

// What completes the pods of workloads. Quotas are no matter of scheduling, and namespaces may be newer than the watch.
AdmissionPlugins CompletingPlugins();
// An object that they read; another one is passed over.
void PutForAdmission(const api::Object& object, Admission& admission);

class WatchedPicture {
 public:
  using SteadyClock = std::chrono::steady_clock;

  // Borrowed.
  WatchedPicture(const cli::Setup& setup, kube::HttpClient& client);
  ~WatchedPicture();
  Result<void> Start(std::shared_ptr<const Policy> policy);

  // ---- the thread that watches ----

  // Waits for changes at most that long, and publishes what there is.
  void Turn(std::chrono::milliseconds most);
  void SetPolicy(std::shared_ptr<const Policy> policy);
  daemon::LiveEngine& engine() { return engine_; }

  // ---- any thread ----

  // The newest; its snapshot is null until everything has been read.
  std::shared_ptr<const Picture> Newest() const;
  bool synced() const { return Newest()->snapshot != nullptr; }
  // How long ago every watch was known to be up. Only if synced.
  std::chrono::milliseconds Age() const;

 private:
  class AdmissionSink;
  bool AllIsKnown() const;
  bool AllAreWatched() const;
  void Publish();

  const cli::Setup& setup_;
  kube::HttpClient& client_;
  NoBinder nothing_;
  daemon::LiveEngine engine_;
  std::unique_ptr<AdmissionSink> admission_;
  std::optional<SnapshotPublisher> publisher_;
  bool known_ = false;
  std::atomic<SteadyClock::duration::rep> true_at_{0};
  mutable std::mutex mutex_;  // held while a pointer is copied
  std::shared_ptr<const Picture> newest_;
};

}  // namespace ksched::webhook
