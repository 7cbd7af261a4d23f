// StatefulSet: pods with names that stay, made and replaced in their order. Reference: pkg/controller/statefulset,
// v1.37.2, with the gates' defaults (MaxUnavailableStatefulSet is on).
//
// Pods below the partition are made of the revision before; its template is the live object's if that differs from the
// wanted one, and otherwise not known: then the wanted one stands for it.
#pragma once

#include <map>
#include <set>

#include "controllers/controller.h"
#include "controllers/pod_maker.h"

namespace ksched::controllers {

class StatefulSetController final : public WorkloadController {
 public:
  static Result<std::unique_ptr<WorkloadController>> Create(const Request& request);

  Step Sync() override;
  void PodStarted(const std::string& name, const std::string& node_name) override;
  void PodGone(const std::string& name) override;
  void PodRejected(const std::string& name) override;
  void RetryRejected() override { rejected_.clear(); }
  Progress progress() const override;

 private:
  using Pods = std::map<int64_t, ManagedPod>;  // by ordinal

  StatefulSetController(const Request& request, int32_t max_unavailable);
  void ChooseRevisions(const Request& request);
  std::string RevisionOfLatestPod() const;

  // One pass of the controller; true if it made or removed a pod.
  bool Pass(Step& step);
  enum class Outcome { kGoOn, kStop, kActed };
  Outcome ProcessReplica(int64_t ordinal, Step& step);
  bool ProcessReplicas(Step& step, bool& stop);
  bool ProcessCondemned(Step& step, bool& stop);
  bool Update(Step& step);
  bool UpdateParallel(Step& step);
  void CompleteUpdate();

  bool CanCreate(int64_t ordinal) const;
  void CreatePod(int64_t ordinal, Step& step);
  void AddClaims(const std::string& pod_name, NewPod& made);
  void Remove(ManagedPod& pod, Step& step);
  ManagedPod* Find(const std::string& name);
  bool HasCondemned() const;
  bool IsUnavailable(int64_t ordinal) const;
  std::optional<int64_t> FirstUnavailable() const;
  bool IsOutdated(int64_t ordinal) const;
  int64_t end() const { return start_ + replicas_; }
  int64_t first_to_update() const { return start_ + partition_; }
  std::optional<int64_t> OrdinalOf(const std::string& pod_name) const;
  std::string NameOf(int64_t ordinal) const { return name_ + "-" + std::to_string(ordinal); }
  std::string WaitingFor(int64_t ready) const;

  PodMaker maker_;
  std::string name_, ns_;
  api::Pod update_pattern_, current_pattern_;
  std::string update_revision_, current_revision_;
  std::vector<api::ClaimTemplate> claim_templates_;
  api::StringMap claim_labels_;
  int64_t start_ = 0, replicas_ = 0, partition_ = 0;
  int32_t max_unavailable_ = 1;
  bool ordered_ = true, rolling_ = true, deleting_ = false;
  Pods pods_;
  std::set<int64_t> rejected_;
  // In order: the pods from start_ up to here are ready and stay; those above the other are of the wanted revision.
  int64_t settled_until_ = 0, outdated_until_ = 0;
};

}  // namespace ksched::controllers
