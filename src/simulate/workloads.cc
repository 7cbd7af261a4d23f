// Simulation: the controllers of the manifests' workloads, which make and remove pods while the run goes on.

#include <algorithm>
#include <optional>
#include <utility>

#include "controllers/pod_claims.h"
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
  if (!input.controller) return;  // applying it is refused: all stays as it is
  for (const std::string& name : input.pods) workload_of_pod_[input.ns + "/" + name] = workload;
  while (Sync(workload)) {
  }
}

void Simulation::HasNews(uint32_t workload) {
  if (!workload_runs_[workload].has_news) workloads_with_news_.push_back(workload);
  workload_runs_[workload].has_news = true;
}

void Simulation::SyncWorkloads() {
  while (!workloads_with_news_.empty()) {  // a pod that one removes may be news to another
    std::vector<uint32_t> told = std::exchange(workloads_with_news_, {});
    std::ranges::sort(told);
    for (const uint32_t workload : told) {
      workload_runs_[workload].has_news = false;
      while (Sync(workload)) {
      }
    }
  }
}

// One step; false if there is nothing to do.
bool Simulation::Sync(uint32_t workload) {
  InputWorkload& input = input_.workloads[workload];
  WorkloadReport& report = workload_runs_[workload].report;
  controllers::Step step = input.controller->Sync();
  if (step.empty()) return false;
  if (report.steps.size() == kMaxStepsOfWorkload) {
    truncated_ = true;
    return false;
  }
  WorkloadStep done;
  done.at_ms = clock_.Now() / kNsPerMs;
  std::optional<std::string> refused;
  for (controllers::NewPod& made : step.create) {
    // A controller stops at the first pod that is refused: the others are like it.
    if (!refused) {
      const std::string name = made.pod.metadata.name;
      refused = Create(workload, std::move(made));
      if (!refused) done.created.push_back(name);
    } else {
      Reject(workload, made.pod.metadata.name, *refused);
    }
  }
  for (const std::string& name : step.remove) {
    RemoveOfWorkload(workload, name);
    done.removed.push_back(name);
  }
  if (!done.created.empty() || !done.removed.empty()) report.steps.push_back(std::move(done));
  return true;
}

void Simulation::Reject(uint32_t workload, const std::string& name, const std::string& message) {
  InputWorkload& input = input_.workloads[workload];
  // The message names the pod that was asked about: "pods \"web-1\" is forbidden: ...".
  const size_t open = message.find('"'), close = open == std::string::npos ? open : message.find('"', open + 1);
  const bool names_pod = message.starts_with("pods ") && close != std::string::npos;
  const std::string own = names_pod ? message.substr(0, open + 1) + name + message.substr(close) : message;
  workload_runs_[workload].rejected.push_back({input.ns, name, input.source, own});
  input.controller->PodRejected(name);
}

// Nothing, or why admission refuses the pod.
std::optional<std::string> Simulation::Create(uint32_t workload, controllers::NewPod made) {
  InputWorkload& input = input_.workloads[workload];
  const std::string name = made.pod.metadata.name, node_name = made.pod.spec.node_name;
  AddReplicaSetOf(input, made.pod);
  const auto belongs_to_pod = [](const api::PersistentVolumeClaim& claim) {
    return !claim.metadata.owner_references.empty() && claim.metadata.owner_references.front().kind == "Pod";
  };
  // A StatefulSet makes its claims first; those of ephemeral volumes follow their pod, which waits for them.
  for (api::PersistentVolumeClaim& claim : made.claims) {
    if (belongs_to_pod(claim)) continue;
    if (auto done = input_.admission.AdmitClaim(claim); !done) {
      Reject(workload, name, done.error().message);
      return done.error().message;
    }
    AddClaim(std::move(claim));
  }
  if (auto done = input_.admission.Admit(made.pod); !done) {
    Reject(workload, name, done.error().message);
    return done.error().message;
  }
  for (api::PersistentVolumeClaim& claim : made.claims) {
    if (belongs_to_pod(claim) && !input_.admission.AdmitClaim(claim)) claim.metadata.name.clear();
  }
  for (api::OtherObject& claim : controllers::ResourceClaimsOf(made.pod)) {
    input_.resource_claims.push_back(std::move(claim));
  }
  if (input_.admission.quotas().HasAny(input.ns)) input.whole_pods[name] = made.pod;
  workload_of_pod_[input.ns + "/" + name] = workload;
  AddPodLater(std::move(made.pod), true, input.source);
  for (api::PersistentVolumeClaim& claim : made.claims) {
    if (belongs_to_pod(claim) && !claim.metadata.name.empty()) AddClaim(std::move(claim));
  }
  clock_.Advance(kNsPerUs);
  if (!node_name.empty()) input.controller->PodStarted(name, node_name);
  return std::nullopt;
}

void Simulation::RemoveOfWorkload(uint32_t workload, const std::string& name) {
  InputWorkload& input = input_.workloads[workload];
  if (PodInfo* pod = FindAlive(input.ns, name)) {
    RemovePod(*pod);
  } else {  // one that has ended is not in the store
    input_.pod_names->erase(input.ns + "/" + name);
    workload_of_pod_.erase(input.ns + "/" + name);
    input.controller->PodGone(name);
  }
}

void Simulation::TellStarted(const PodInfo& pod) {
  if (workload_of_pod_.empty()) return;
  const auto found = workload_of_pod_.find(pod.Key());
  if (found == workload_of_pod_.end()) return;
  input_.workloads[found->second].controller->PodStarted(pod.name(), pod.node_name());
  HasNews(found->second);
}

void Simulation::TellGone(const PodInfo& pod) {
  if (workload_of_pod_.empty()) return;
  const auto found = workload_of_pod_.find(pod.Key());
  if (found == workload_of_pod_.end()) return;
  const uint32_t workload = found->second;
  InputWorkload& input = input_.workloads[workload];
  workload_of_pod_.erase(found);
  if (const auto whole = input.whole_pods.find(pod.name()); whole != input.whole_pods.end()) {
    input_.admission.Release(whole->second);
    input.whole_pods.erase(whole);
    RetryRejected();
  }
  workload_runs_[workload].rejected.clear();  // they are tried again
  input.controller->PodGone(pod.name());
  HasNews(workload);
}

// A quota has room again.
void Simulation::RetryRejected() {
  for (uint32_t i = 0; i < workload_runs_.size(); ++i) {
    if (workload_runs_[i].rejected.empty()) continue;
    workload_runs_[i].rejected.clear();
    input_.workloads[i].controller->RetryRejected();
    HasNews(i);
  }
}

void Simulation::ReportWorkloads(SchedulingReport& report) {
  for (const InputRejection& one : input_.rejections) {
    report.rejected.push_back({one.ns, one.name, one.source, one.message});
  }
  for (size_t i = 0; i < workload_runs_.size(); ++i) {
    if (!input_.workloads[i].controller) continue;
    WorkloadRun& run = workload_runs_[i];
    const controllers::Progress progress = input_.workloads[i].controller->progress();
    run.report.desired = progress.desired;
    run.report.updated = progress.updated;
    run.report.ready = progress.ready;
    run.report.old = progress.old;
    run.report.complete = progress.complete;
    run.report.waiting_for = progress.waiting_for;
    report.workloads.push_back(std::move(run.report));
    for (RejectedPod& rejected : run.rejected) report.rejected.push_back(std::move(rejected));
  }
}

}  // namespace ksched
