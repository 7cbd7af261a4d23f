// ClusterReader: the objects of the cluster, from snapshot files or live, and those of manifests that join them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "admission/admission.h"
#include "api/document.h"
#include "api/objects.h"
#include "manifest/cluster_input.h"
#include "manifest/cluster_source.h"
#include "manifest/event_targets.h"
#include "manifest/given_objects.h"
#include "manifest/pod_collector.h"
#include "manifest/workload_plans.h"

namespace ksched {

// Objects of one kind in the order of the input, each name once. (admission/named_objects.h is for few.)
template <typename T>
class NamedObjects {
 public:
  void Put(T&& object) {
    const auto [place, added] = index_.emplace(object.metadata.name, objects_.size());
    if (added) {
      objects_.push_back(std::move(object));
    } else {
      objects_[place->second] = std::move(object);
    }
  }
  bool Has(const std::string& name) const { return index_.contains(name); }
  const std::vector<T>& objects() const { return objects_; }
  std::vector<T> Take() { return std::move(objects_); }
  void Clear() {
    objects_.clear();
    index_.clear();
  }

 private:
  std::vector<T> objects_;
  std::map<std::string, size_t> index_;
};

class ClusterReader final : private ClusterSource::Sink {
 public:
  // `given` has the manifests' objects already; with `fresh`, pods that manifests name are left out.
  ClusterReader(GivenObjects& given, EventTargets& targets, PodStore& store, bool ignore_pending, bool fresh)
      : given_(given), targets_(targets), pods_(store, given, targets, ignore_pending), fresh_(fresh) {}

  void ReadFile(const std::string& file);
  Result<void> ReadLive(ClusterSource& source, const std::vector<std::string>& namespaces);

  // An object of a manifest that is no pod and makes none: it replaces the one of its name.
  void Put(api::Object&& object);

  // A namespace that an object of a manifest is in.
  void UseNamespace(const std::string& ns) { namespaces_in_use_.insert(ns); }

  WorkloadPlans& plans() { return plans_; }
  PodCollector& pods() { return pods_; }
  Admission& admission() { return admission_; }
  // Of the pods that the manifests name: whether the cluster has this one.
  bool HasPod(const api::ObjectMeta& metadata) const {
    return pods_of_both_.contains(metadata.ns + "/" + metadata.name);
  }
  const std::vector<api::Node>& nodes() const { return nodes_.objects(); }
  const std::vector<api::ClusterSnapshot::Absent>& absent() const { return absent_; }
  const std::vector<std::string>& errors() const { return errors_; }
  // Objects of the live cluster that cannot be read.
  const std::vector<std::string>& live_problems() const { return live_problems_; }
  void CountIgnored(const std::string& kind, size_t count) { ignored_[kind] += count; }

  // Namespaces that objects are in exist. Whether admission is told of those that only manifests name depends on
  // whether the cluster's namespaces are known.
  void CompleteNamespaces(const AdmissionPlugins& admission);
  // Takes the pods of the manifests' workloads out of the cluster.
  void DropPodsOfWorkloads();
  // The last call: what is left goes to `input`, and what a user should know to `notices`.
  void Finish(ClusterInput& input, std::vector<std::string>& notices);

  double read_cpu_seconds() const { return read_cpu_seconds_; }
  double decode_cpu_seconds() const { return decode_cpu_seconds_; }
  size_t documents() const { return documents_; }

 private:
  void OnObject(api::Decoded&& decoded) override;
  void OnRestart(const std::string& kind) override;
  void OnProblem(const std::string& problem) override { live_problems_.push_back(problem); }

  void Report(std::string error);
  void Visit(const api::Document& document, Origin origin);
  void ReportGivenTwice(const std::string& kind, const api::ObjectMeta& metadata, const api::Document& document,
                        Origin before);
  // `of_both`: a manifest names the object too.
  void Take(api::Decoded&& decoded, Origin origin, bool of_both, std::string text);

  void PutObject(api::Pod&& pod);
  void PutObject(api::Node&& node) { nodes_.Put(std::move(node)); }
  void PutObject(api::Namespace&& one);
  void PutObject(api::DeviceClass&& one) { objects_.device_classes.Put(std::move(one)); }
  void PutObject(api::PriorityClass&& one) { admission_.Put(std::move(one)); }
  void PutObject(api::RuntimeClass&& one) { admission_.Put(std::move(one)); }
  void PutObject(api::LimitRange&& one) { admission_.Put(std::move(one)); }
  void PutObject(api::ResourceQuota&& one) { admission_.Put(std::move(one)); }
  void PutObject(api::StorageClass&& one) {
    admission_.Put(one);
    objects_.storage_classes.Put(std::move(one));
  }
  void PutObject(api::PersistentVolumeClaim&& one) {
    plans_.SeeClaim(one);
    objects_.claims.Put(std::move(one));
  }
  void PutObject(api::PersistentVolume&& one) { objects_.volumes.Put(std::move(one)); }
  void PutObject(api::CsiNode&& one) { objects_.csi_nodes.Put(std::move(one)); }
  void PutObject(api::CsiDriver&& one) { objects_.csi_drivers.Put(std::move(one)); }
  void PutObject(api::CsiStorageCapacity&& one) { objects_.storage_capacities.Put(std::move(one)); }
  void PutObject(api::VolumeAttachment&& one) { objects_.volume_attachments.Put(std::move(one)); }
  void PutObject(api::Service&& one) { objects_.services.Put(std::move(one)); }
  void PutObject(api::PodDisruptionBudget&& one) { objects_.disruption_budgets.Put(std::move(one)); }
  void PutObject(api::Workload&& one);
  void PutObject(api::HorizontalPodAutoscaler&& one) { plans_.SeeAutoscaler(std::move(one)); }
  void PutObject(api::ClusterSnapshot&& one);
  template <typename T>
  void PutObject(T&&) {}  // what no plugin here uses yet

  GivenObjects& given_;
  EventTargets& targets_;
  PodCollector pods_;
  bool fresh_;
  WorkloadPlans plans_;
  Admission admission_{AdmissionPlugins::none()};
  NamedObjects<api::Node> nodes_;
  ClusterObjects objects_;
  std::set<std::string> namespaces_in_use_;
  std::set<std::string> pods_of_both_;  // "namespace/name": of the cluster, and named by a manifest
  std::vector<api::ClusterSnapshot::Absent> absent_;
  std::map<std::string, size_t> ignored_;
  std::vector<std::string> errors_, live_problems_;
  bool namespaces_known_ = false;  // the cluster says which there are
  Origin live_origin_;
  size_t located_ = 0, documents_ = 0;
  double read_cpu_seconds_ = 0, decode_cpu_seconds_ = 0;
};

}  // namespace ksched
