// Simulation: the controllers of the manifests' workloads, which make and remove pods while the run goes on.

#include <utility>

#include "simulate/simulation.h"

namespace ksched {
namespace {

constexpr size_t kMaxStepsOfWorkload = 1'000'000;  // a controller that never comes to rest is cut off

}  // namespace

// The place of the workload in the input: the pods that its controller makes at once are tried in this order.
void Simulation::EnterWorkload(uint32_t workload) {
  const InputWorkload& input = input_.workloads[workload];
  WorkloadReport& report = workload_runs_[workload].report;
  report.workload = input.source;
  report.change = input.change;
  report.changed_field = input.changed_field;
  for (const std::string& name : input.pods) workload_of_pod_[input.ns + "/" + name] = workload;
  while (Sync(workload)) {
  }
  workload_has_news_[workload] = false;
}

void Simulation::SyncWorkloads() {
  for (bool any = true; any;) {  // a pod that one removes may be news to another
    any = false;
    for (uint32_t workload = 0; workload < workload_has_news_.size(); ++workload) {
      if (!workload_has_news_[workload]) continue;
      workload_has_news_[workload] = false;
      while (Sync(workload)) any = true;
    }
  }
}

// One step; false if there is nothing to do.
bool Simulation::Sync(uint32_t workload) {
  InputWorkload& input = input_.workloads[workload];
  WorkloadReport& report = workload_runs_[workload].report;
  controllers::Step step = input.controller->Sync();
  if (step.empty() || report.steps.size() == kMaxStepsOfWorkload) return false;
  WorkloadStep done;
  done.at_ms = clock_.Now() / kNsPerMs;
  for (controllers::NewPod& made : step.create) Create(workload, std::move(made), done.created);
  for (const std::string& name : step.remove) {
    RemoveOfWorkload(workload, name);
    done.removed.push_back(name);
  }
  workload_has_news_[workload] = false;  // it has heard of its own removals
  if (!done.created.empty() || !done.removed.empty()) report.steps.push_back(std::move(done));
  return true;
}

void Simulation::Create(uint32_t workload, controllers::NewPod made, std::vector<std::string>& created) {
  InputWorkload& input = input_.workloads[workload];
  WorkloadRun& run = workload_runs_[workload];
  const std::string name = made.pod.metadata.name;
  const auto admitted = [&]() -> Result<void> {
    for (api::PersistentVolumeClaim& claim : made.claims) {
      if (auto done = input_.admission.AdmitClaim(claim); !done) return done;
    }
    return input_.admission.Admit(made.pod);
  }();
  if (!admitted) {
    run.rejected[name] = {input.ns, name, input.source, admitted.error().message};
    input.controller->PodRejected(name);
    return;
  }
  run.rejected.erase(name);
  if (input_.admission.plugins().has(AdmissionPlugin::kResourceQuota)) input.whole_pods[name] = made.pod;
  workload_of_pod_[input.ns + "/" + name] = workload;
  created.push_back(name);
  const std::string node_name = made.pod.spec.node_name;
  AddPodLater(std::move(made.pod), true, input.source);
  clock_.Advance(kNsPerUs);
  if (!node_name.empty()) input.controller->PodStarted(name, node_name);
}

void Simulation::RemoveOfWorkload(uint32_t workload, const std::string& name) {
  InputWorkload& input = input_.workloads[workload];
  if (PodInfo* pod = FindAlive(input.ns, name)) {
    RemovePod(*pod);
  } else {  // one that has ended is not in the store
    input_.pod_names->erase(input.ns + "/" + name);
    input.controller->PodGone(name);
  }
}

void Simulation::TellStarted(const PodInfo& pod) {
  if (workload_of_pod_.empty()) return;
  const auto found = workload_of_pod_.find(pod.Key());
  if (found == workload_of_pod_.end()) return;
  input_.workloads[found->second].controller->PodStarted(pod.name, pod.node_name);
  workload_has_news_[found->second] = true;
}

void Simulation::TellGone(const PodInfo& pod) {
  if (workload_of_pod_.empty()) return;
  const auto found = workload_of_pod_.find(pod.Key());
  if (found == workload_of_pod_.end()) return;
  const uint32_t workload = found->second;
  InputWorkload& input = input_.workloads[workload];
  workload_of_pod_.erase(found);
  if (const auto whole = input.whole_pods.find(pod.name); whole != input.whole_pods.end()) {
    input_.admission.Release(whole->second);
    input.whole_pods.erase(whole);
    RetryRejected();
  }
  input.controller->PodGone(pod.name);
  workload_has_news_[workload] = true;
}

// A quota has room again.
void Simulation::RetryRejected() {
  for (size_t i = 0; i < workload_runs_.size(); ++i) {
    if (workload_runs_[i].rejected.empty()) continue;
    input_.workloads[i].controller->RetryRejected();
    workload_has_news_[i] = true;
  }
}

void Simulation::ReportWorkloads(SchedulingReport& report) {
  for (const InputRejection& one : input_.rejections) {
    report.rejected.push_back({one.ns, one.name, one.source, one.message});
  }
  for (size_t i = 0; i < workload_runs_.size(); ++i) {
    WorkloadRun& run = workload_runs_[i];
    const controllers::Progress progress = input_.workloads[i].controller->progress();
    run.report.desired = progress.desired;
    run.report.updated = progress.updated;
    run.report.ready = progress.ready;
    run.report.old = progress.old;
    run.report.complete = progress.complete;
    run.report.waiting_for = progress.waiting_for;
    report.workloads.push_back(std::move(run.report));
    for (auto& [name, rejected] : run.rejected) report.rejected.push_back(std::move(rejected));
  }
}

}  // namespace ksched
