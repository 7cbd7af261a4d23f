// Job, one run of a CronJob, and the one pod of a PodTemplate. Reference: pkg/controller/job, v1.37.2 (manageJob).
//
// Of what a Job can say, not read here: backoffLimit and the other policies about failures, podReplacementPolicy
// (taken to be TerminatingOrFailed), and whether it is finished otherwise than by its completions.
#pragma once

#include <list>
#include <set>

#include "controllers/controller.h"
#include "controllers/pod_maker.h"

namespace ksched::controllers {

// The run of a CronJob is the Job NAME-manual, or NAME-manual-1, ... where existing.replica_sets has Jobs of those
// names: what `kubectl create job NAME-manual --from=cronjob/NAME` would make. That the CronJob is suspended does not
// matter, that its jobTemplate is does.
api::Workload RunOfCronJob(const api::Workload& cron_job, const std::vector<api::Workload>& jobs);

class JobController final : public WorkloadController {
 public:
  explicit JobController(const Request& request);

  Step Sync() override;
  void PodStarted(const std::string& name, const std::string& node_name) override;
  void PodGone(const std::string& name) override;
  void PodRejected(const std::string& name) override;
  void RetryRejected() override { rejected_.clear(); }
  Progress progress() const override;

 private:
  int64_t WantedActive(int64_t active) const;
  std::vector<ManagedPod*> ActivePods();
  // Of an indexed Job: those of an index that has another pod, or that it does not have.
  std::vector<ManagedPod*> Superfluous(const std::vector<ManagedPod*>& active) const;
  bool Remove(int64_t at_least, std::vector<ManagedPod*> active, Step& step);
  std::vector<int32_t> FreeIndexes(int64_t count, const std::vector<ManagedPod*>& active) const;
  void Create(std::optional<int32_t> index, Step& step);

  PodMaker maker_;
  std::string base_name_;
  api::Pod pattern_;
  bool indexed_ = false, suspended_ = false, deleting_ = false;
  int64_t parallelism_ = 1, succeeded_ = 0;
  std::optional<int64_t> completions_;
  std::set<std::pair<int32_t, int32_t>> completed_;  // first and last index of each range
  std::list<ManagedPod> pods_;                       // in the order of their making
  std::vector<std::optional<int32_t>> rejected_;     // the indexes of those that were refused
};

class OnePodController final : public WorkloadController {
 public:
  explicit OnePodController(const Request& request);

  Step Sync() override;
  void PodStarted(const std::string& name, const std::string& node_name) override;
  void PodGone(const std::string& name) override;
  void PodRejected(const std::string& name) override;
  void RetryRejected() override;
  Progress progress() const override;

 private:
  enum class Stage { kNone, kCreated, kStarted, kRejected, kGone };
  PodMaker maker_;
  api::Pod pattern_;
  std::string base_name_, name_;
  Stage stage_ = Stage::kNone;
};

}  // namespace ksched::controllers
