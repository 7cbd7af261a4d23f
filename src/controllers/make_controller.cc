#include "controllers/controller.h"
#include "controllers/daemon_set.h"
#include "controllers/deployment.h"
#include "controllers/job.h"
#include "controllers/replica_set.h"
#include "controllers/stateful_set.h"

namespace ksched::controllers {

Result<std::unique_ptr<WorkloadController>> MakeController(const Request& request) {
  const std::string& kind = request.desired->kind;
  if (kind == "Deployment") return DeploymentController::Create(request);
  if (kind == "StatefulSet") return StatefulSetController::Create(request);
  if (kind == "DaemonSet") return DaemonSetController::Create(request);
  if (kind == "ReplicaSet" || kind == "ReplicationController") {
    return std::unique_ptr<WorkloadController>(std::make_unique<ReplicaSetController>(request));
  }
  if (kind == "Job" || kind == "CronJob") {
    return std::unique_ptr<WorkloadController>(std::make_unique<JobController>(request));
  }
  if (kind == "PodTemplate") return std::unique_ptr<WorkloadController>(std::make_unique<OnePodController>(request));
  return Error{"a " + kind + " makes no pods"};
}

}  // namespace ksched::controllers
