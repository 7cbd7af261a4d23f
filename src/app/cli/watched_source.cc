#include "app/cli/watched_source.h"

namespace ksched::cli {

api::ClusterSnapshot WatchedSource::Head() const {
  api::ClusterSnapshot head;
  for (const kube::ReflectorStatus& status : reflectors_.statuses()) {
    if (status.absent == kube::Absence::kNo) continue;
    head.absent.push_back(AbsentOf(*status.resource, status.absent == kube::Absence::kNotFound, status.last_error));
  }
  return head;
}

Result<api::ClusterSnapshot> WatchedSource::Read(const std::vector<std::string>&, Sink& sink) {
  objects_.Read(sink);
  return Head();
}

}  // namespace ksched::cli
