// Which kube-scheduler a cluster runs, as far as its pods tell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kube/http_client.h"

namespace ksched::kube {

struct SchedulerPod {
  std::string pod;                 // "kube-system/kube-scheduler-a"
  std::string image, version;      // version: the image's tag, "v1.37.2"; empty if it has none
  std::string config_path;         // of --config; empty: there is none
  std::string config_source;       // where the file comes from: "ConfigMap kube-system/scheduler", "file /etc/x of the
                                   // node n1"; empty if that is not known
  std::string feature_gates;       // of --feature-gates
  std::vector<std::string> flags;  // all of them, "--leader-elect=true"
  bool running = false;            // and not about to end
};

// The pods that `pods` (a PodList in JSON) says to be kube-schedulers: a container whose command or image is
// kube-scheduler. An error if it is no list.
Result<std::vector<SchedulerPod>> ParseSchedulerPods(std::string_view pods);

// Those of kube-system. An error if they may not be listed.
Result<std::vector<SchedulerPod>> FindSchedulerPods(HttpClient& client);

}  // namespace ksched::kube
