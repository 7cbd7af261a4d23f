#include "manifest/pod_collector.h"

#include <algorithm>
#include <utility>

#include "manifest/workloads.h"

namespace ksched {
namespace {

// More than the largest cluster that Kubernetes supports has. What is beyond is a mistake, and would fill the memory.
constexpr int64_t kMaxPodsOfWorkloads = 200'000;

}  // namespace

void PodCollector::Add(api::Pod&& pod, Origin origin) {
  const bool waits = pod.metadata.name.empty() || Admission::MayChange(pod) || targets_.Expects("Pod", pod.metadata);
  Entry entry{.origin = origin};
  if (waits) {
    entry.pod = std::make_unique<api::Pod>(std::move(pod));
  } else {
    if (IsTerminal(pod) || (ignore_pending_ && !origin.manifest && pod.spec.node_name.empty())) return;
    entry.id = store_.Add(std::move(pod)).id;
  }
  entries_.push_back(std::move(entry));
}

void PodCollector::Add(api::Workload&& workload, Origin origin) {
  Entry entry{.origin = origin};
  entry.workload = std::make_unique<api::Workload>(std::move(workload));
  entries_.push_back(std::move(entry));
}

std::vector<InputPod> PodCollector::Finish(Admission& admission) {
  pods_.reserve(entries_.size());
  for (Entry& entry : entries_) {
    if (entry.workload) {
      FinishWorkload(*entry.workload, entry.origin, admission);
    } else if (entry.pod) {
      FinishPod(std::move(*entry.pod), entry.origin, admission);
    } else {
      pods_.push_back({entry.id, entry.origin.manifest, ""});
    }
    entry.pod.reset();
    entry.workload.reset();
  }
  SortPending();
  return std::move(pods_);
}

void PodCollector::FinishPod(api::Pod&& pod, Origin origin, Admission& admission) {
  if (pod.metadata.name.empty()) {
    const auto taken = [&](const std::string& name) { return given_.Has("Pod", pod.metadata.ns, name); };
    int64_t& next = next_number_[pod.metadata.ns + "/" + pod.metadata.generate_name];
    pod.metadata.name = GenerateName(pod.metadata.generate_name, next, taken);
    if (pod.metadata.uid.empty()) pod.metadata.uid = pod.metadata.ns + "/" + pod.metadata.name;
    given_.Note("Pod", pod.metadata, origin);
  }
  if (auto done = origin.manifest ? admission.Admit(pod) : admission.Complete(pod); !done) {
    errors_.push_back(given_.Where(origin, "Pod", pod.metadata) + ": " + api::DescribeObject("Pod", pod.metadata) +
                      ": " + done.error().message);
    return;
  }
  Store(std::move(pod), origin, "");
}

void PodCollector::FinishWorkload(const api::Workload& workload, Origin origin, Admission& admission) {
  const std::string source = api::DescribeObject(workload.kind, workload.metadata);
  const auto fail = [&](const std::string& message) {
    errors_.push_back(given_.Where(origin, workload.kind, workload.metadata) + ": " + source + ": " + message);
  };
  if (workload.kind == "Job" && workload.suspend) notices_.push_back(source + " is suspended: it has no pods");
  const int64_t count = PodCountOf(workload);
  if (count > kMaxPodsOfWorkloads - pods_of_workloads_) {
    return fail("more than " + std::to_string(kMaxPodsOfWorkloads) + " pods of workloads in all are not simulated");
  }
  pods_of_workloads_ += count;
  const auto taken = [&](const std::string& name) { return given_.Has("Pod", workload.metadata.ns, name); };
  MakePods(workload, taken, [&](api::Pod&& pod) {
    if (auto done = admission.Admit(pod); !done) {  // the others are like it
      fail(done.error().message);
      return false;
    }
    given_.Note("Pod", pod.metadata, origin);
    Store(std::move(pod), origin, source);
    return true;
  });
}

void PodCollector::Store(api::Pod&& pod, Origin origin, const std::string& source) {
  if (ignore_pending_ && !origin.manifest && pod.spec.node_name.empty()) return;
  targets_.See(pod);
  if (IsTerminal(pod)) return;
  pods_.push_back({store_.Add(std::move(pod)).id, origin.manifest, source});
}

void PodCollector::SortPending() {
  std::vector<size_t> places;
  std::vector<std::pair<api::TimeNs, InputPod>> pending;
  api::TimeNs latest = INT64_MIN;
  for (size_t i = 0; i < pods_.size(); ++i) {
    const PodInfo& pod = store_.Get(pods_[i].id);
    if (pods_[i].from_manifest || !pod.node_name.empty()) continue;
    latest = pod.creation_timestamp.value_or(latest);
    places.push_back(i);
    pending.emplace_back(latest, std::move(pods_[i]));
  }
  std::ranges::stable_sort(pending, {}, [](const auto& one) { return one.first; });
  for (size_t i = 0; i < places.size(); ++i) pods_[places[i]] = std::move(pending[i].second);
}

}  // namespace ksched
