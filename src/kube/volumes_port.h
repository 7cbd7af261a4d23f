// Volumes on a live cluster, the port VolumeWriter: reserves volumes for claims, names the node for which volumes are
// to be made, and waits until the controllers have bound the claims. Reference: BindPodVolumes in
// pkg/scheduler/framework/plugins/volumebinding/binder.go, v1.37.2. Difference: it updates whole objects; here patches
// change what has changed, with the resourceVersion that this was decided from.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "framework/ports.h"
#include "kube/request_sender.h"

namespace ksched::kube {

class VolumesPort final : public VolumeWriter {
 public:
  // client is borrowed.
  VolumesPort(HttpClient& client, SenderOptions options) : client_(client), sender_(client, std::move(options)) {}
  ~VolumesPort() override;

  void Bind(const PodInfo& pod, VolumeChanges changes, std::chrono::seconds timeout, VolumesBound bound,
            ResultCallback done) override;
  void Cancel(const PodInfo& pod) override;
  // The same for all whose objects are written.
  void CancelWaiting();

  bool idle() const { return running_.empty(); }
  size_t waiting() const { return sender_.waiting(); }  // writes that are not sent yet
  // What is being written, or waited for.
  std::vector<VolumeChanges> Running() const;

 private:
  struct Binding {
    VolumeChanges changes;
    VolumeVersions versions;
    VolumesBound bound;
    ResultCallback done;
    Timers::SteadyClock::time_point until;
    std::chrono::seconds timeout{};
    RequestSender::Id request = 0;
    Timers::Id timer = 0;
  };
  void WriteNext(PodId pod);
  void Written(PodId pod, const ApiError* error, std::string_view body);
  void AskLater(PodId pod);
  void Ask(PodId pod);
  void Cancel(PodId pod);
  void End(PodId pod, const Result<void>& result);

  HttpClient& client_;
  RequestSender sender_;
  std::map<PodId, Binding> running_;
};

}  // namespace ksched::kube
