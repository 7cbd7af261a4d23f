#include "manifest/loader.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "base/cpu_time.h"
#include "manifest/cluster_reader.h"
#include "manifest/decode.h"
#include "manifest/events.h"
#include "manifest/manifest_reader.h"
#include "manifest/missing_kinds.h"
#include "manifest/recorded_cluster.h"
#include "manifest/server_admission.h"

namespace ksched {
namespace {

// More than the largest cluster that Kubernetes supports has. What is beyond is a mistake, and would fill the memory.
constexpr int64_t kMaxPodsOfWorkloads = 200'000;

// How many pods the workload has at once, at most.
int64_t PodCountOf(const api::Workload& workload, size_t nodes) {
  if (workload.kind == "DaemonSet") return static_cast<int64_t>(nodes);
  if (workload.kind == "PodTemplate") return 1;
  if (workload.kind != "Job" && workload.kind != "CronJob") return std::max(0, workload.replicas.value_or(1));
  const int32_t at_once = workload.parallelism.value_or(1);
  return std::max(0, workload.completions ? std::min(at_once, *workload.completions) : at_once);
}

class Loader {
 public:
  Loader(const InputOptions& options, PodStore& store)
      : options_(options), given_(), cluster_(given_, targets_, store, options.ignore_pending, options.fresh) {
    if (options.server_admission) server_.emplace(*options.cluster);
    admission_ = &cluster_.admission();
    *admission_ = Admission(options.admission);
  }

  LoadedInput Run() {
    std::vector<std::string> event_errors;
    std::vector<ReadEvent> events;
    if (!options_.events.empty()) events = ReadEvents(options_.events, options_.ns, event_errors);
    if (!options_.recording.empty()) {
      recorded_ = ReadRecording(options_.recording, event_errors, loaded_.notices);
      events = std::move(recorded_.events);
    }
    for (const ReadEvent& read : events) targets_.Expect(read.event.kind, api::MetadataOf(read.event.object));

    Manifests manifests = ReadManifests(options_.manifests, options_.recursive, options_.ns, given_);
    Expect(manifests);
    if (options_.cluster != nullptr && !(manifests.errors.empty() && event_errors.empty())) {
      Report(manifests.errors);  // a cluster is not asked in vain
      Report(event_errors);
      return std::move(loaded_);
    }
    if (!ReadCluster()) return std::move(loaded_);
    Report(manifests.errors);
    CountWork(manifests.read_cpu_seconds, manifests.decode_cpu_seconds, manifests.documents);
    const double start = CpuSeconds();
    for (ManifestObject& one : manifests.objects) Create(one);
    for (const auto& [kind, count] : manifests.ignored) cluster_.CountIgnored(kind, count);
    Complete();
    JudgeMissing();
    loaded_.decode_cpu_seconds += CpuSeconds() - start;
    Report(event_errors);
    event_errors.clear();
    if (options_.recording.empty()) {
      CheckEvents(std::move(events), targets_, *admission_, loaded_.input, event_errors);
      Report(event_errors);
    } else {
      TakeRecordedEvents(std::move(events), options_.schedulers, targets_, *admission_, loaded_.input);
    }
    loaded_.input.admission = std::move(*admission_);
    if (loaded_.errors.size() >= kMaxErrors) loaded_.errors.push_back("too many errors: there may be more");
    return std::move(loaded_);
  }

 private:
  void Report(std::string error) {
    if (loaded_.errors.size() < kMaxErrors) loaded_.errors.push_back(std::move(error));
  }
  void Report(const std::vector<std::string>& errors) {
    for (const std::string& error : errors) Report(error);
  }
  void CountWork(double read_cpu_seconds, double decode_cpu_seconds, size_t documents) {
    loaded_.read_cpu_seconds += read_cpu_seconds;
    loaded_.decode_cpu_seconds += decode_cpu_seconds;
    loaded_.documents += documents;
  }

  // What of the cluster has to be kept because of the manifests.
  void Expect(const Manifests& manifests) {
    for (const ManifestObject& one : manifests.objects) {
      if (const auto* workload = std::get_if<api::Workload>(&one.decoded.object)) {
        cluster_.plans().Want(*workload, one.text);
        new_objects_.Add(*workload);
      } else if (const auto* pod = std::get_if<api::Pod>(&one.decoded.object)) {
        new_objects_.Add(*pod);
      }
      const api::ObjectMeta& metadata = api::MetadataOf(one.decoded.object);
      if (!metadata.ns.empty()) namespaces_.insert(metadata.ns);
    }
    if (options_.admission.has(AdmissionPlugin::kResourceQuota)) cluster_.plans().KeepPods();
  }

  // False if the rest is of no use.
  bool ReadCluster() {
    if (!options_.recording.empty()) {
      RecordedCluster recorded(recorded_);
      if (auto read = cluster_.ReadLive(recorded, {}); !read) return false;
      Report(cluster_.live_problems());
    } else if (options_.cluster == nullptr) {
      for (const std::string& file : options_.snapshots) cluster_.ReadFile(file);
    } else {
      if (auto read = cluster_.ReadLive(*options_.cluster, {namespaces_.begin(), namespaces_.end()}); !read) {
        loaded_.cluster_errors.push_back(read.error().message);
        return false;
      }
      const auto fetched = options_.fresh ? Result<void>() : cluster_.plans().FetchObjects(*options_.cluster);
      if (!fetched) {
        loaded_.cluster_errors.push_back(fetched.error().message);
        return false;
      }
      for (const std::string& problem : cluster_.live_problems()) loaded_.cluster_errors.push_back(problem);
    }
    Report(cluster_.errors());
    CountWork(cluster_.read_cpu_seconds(), cluster_.decode_cpu_seconds(), cluster_.documents());
    return true;
  }

  // ---- an object of a manifest ----

  void Create(ManifestObject& one) {
    const api::ObjectMeta metadata = api::MetadataOf(one.decoded.object);
    if (!metadata.ns.empty()) cluster_.UseNamespace(metadata.ns);
    const bool is_pod = std::holds_alternative<api::Pod>(one.decoded.object);
    if (is_pod && !metadata.name.empty() && cluster_.HasPod(metadata)) {
      loaded_.notices.push_back(api::DescribeObject("Pod", metadata) + " exists already: it stays as it is");
      return;
    }
    if (server_ && !AskServer(one)) return;
    if (is_pod) return CreatePod(std::move(std::get<api::Pod>(one.decoded.object)), one.origin);
    if (!metadata.name.empty()) targets_.See(one.decoded.kind, metadata);
    if (auto* workload = std::get_if<api::Workload>(&one.decoded.object)) {
      workloads_.push_back(&one);
      return Place(*workload);
    }
    if (auto* claim = std::get_if<api::PersistentVolumeClaim>(&one.decoded.object); claim != nullptr && !server_) {
      if (auto done = admission_->AdmitClaim(*claim); !done) {
        loaded_.input.rejections.push_back(
            {metadata.ns, metadata.name, api::DescribeObject(one.decoded.kind, metadata), done.error().message});
        return;
      }
    }
    cluster_.Put(std::move(one.decoded.object));
  }

  // Replaces the object by what the server would store; false if it would not.
  bool AskServer(ManifestObject& one) {
    if (!loaded_.cluster_errors.empty()) return false;  // it does not get better by asking on
    const auto answer = server_->Admit(one);
    if (!answer) {
      loaded_.cluster_errors.push_back(answer.error().message);
      return false;
    }
    if (!answer->has_value()) return true;
    const api::ObjectMeta& metadata = api::MetadataOf(one.decoded.object);
    const std::string source =
        std::holds_alternative<api::Pod>(one.decoded.object) ? "" : api::DescribeObject(one.decoded.kind, metadata);
    loaded_.input.rejections.push_back(
        {metadata.ns, metadata.name.empty() ? metadata.generate_name : metadata.name, source, **answer});
    return false;
  }

  void CreatePod(api::Pod&& pod, Origin origin) {
    if (server_) {
      cluster_.pods().AddAdmitted(std::move(pod), origin);
    } else {
      cluster_.pods().Add(std::move(pod), origin);
    }
  }

  void Place(const api::Workload& workload) {
    cluster_.pods().AddWorkload(static_cast<uint32_t>(workloads_.size() - 1),
                                api::DescribeObject(workload.kind, workload.metadata));
  }

  // ---- when everything has been read ----

  void Complete() {
    cluster_.CompleteNamespaces(options_.admission);
    if (options_.fresh) cluster_.DropPodsOfWorkloads();
    loaded_.input.pods = cluster_.pods().Finish(*admission_);
    loaded_.input.claims = cluster_.pods().TakeClaims();
    loaded_.input.resource_claims = cluster_.pods().TakeResourceClaims();
    Report(cluster_.pods().errors());
    for (InputRejection& one : cluster_.pods().TakeRejections()) loaded_.input.rejections.push_back(std::move(one));
    PlanWorkloads();
    cluster_.Finish(loaded_.input, loaded_.notices);
  }

  void PlanWorkloads() {
    if (workloads_.empty()) return;
    auto names = std::make_shared<PodNames>();
    for (std::string& name : given_.NamesOf("Pod")) names->insert(std::move(name));
    loaded_.input.pod_names = names;
    WorkloadPlans::Options plan_options;
    plan_options.fresh = options_.fresh;
    plan_options.now = options_.now;
    plan_options.template_is_final = server_.has_value();
    std::vector<controllers::DaemonNode> nodes;
    const auto is_daemon_set = [](const ManifestObject* one) { return one->decoded.kind == "DaemonSet"; };
    if (std::ranges::any_of(workloads_, is_daemon_set)) {
      for (const api::Node& node : cluster_.nodes()) {
        nodes.push_back({node.metadata.name, node.metadata.labels, node.spec.taints});
      }
    }
    plan_options.nodes = nodes;
    plan_options.is_taken = [names](const std::string& ns, const std::string& name) {
      return names->contains(ns + "/" + name);
    };
    for (ManifestObject* one : workloads_) {
      const auto& workload = std::get<api::Workload>(one->decoded.object);
      InputWorkload& planned = loaded_.input.workloads.emplace_back();
      planned.ns = workload.metadata.ns;
      planned.source = api::DescribeObject(workload.kind, workload.metadata);
      if (auto done = PlanWorkload(workload, plan_options, planned); !done) {
        Report(given_.Where(one->origin, workload.kind, workload.metadata) + ": " + planned.source + ": " +
               done.error().message);
      }
    }
  }

  Result<void> PlanWorkload(const api::Workload& workload, const WorkloadPlans::Options& plan_options,
                            InputWorkload& planned) {
    if (workload.kind == "Job" && workload.suspend) {
      loaded_.notices.push_back(planned.source + " is suspended: it has no pods");
    }
    const int64_t count = PodCountOf(workload, cluster_.nodes().size());
    if (count > kMaxPodsOfWorkloads - pods_of_workloads_) {
      return Error{"more than " + std::to_string(kMaxPodsOfWorkloads) + " pods of workloads in all are not simulated"};
    }
    pods_of_workloads_ += count;
    if (options_.admission.empty()) {
      api::Pod pod;
      pod.spec = workload.pod_template.spec;
      if (auto done = admission_->Complete(pod); !done) return done;
    }
    auto plan = cluster_.plans().Plan(workload, plan_options);
    if (!plan) return std::move(plan).error();
    if (plan->refused) {
      loaded_.input.rejections.push_back({planned.ns, workload.metadata.name, planned.source, *plan->refused});
    }
    planned.controller = std::move(plan->controller);
    planned.change = std::move(plan->change);
    planned.changed_field = std::move(plan->changed_field);
    planned.pods = std::move(plan->pods);
    planned.whole_pods = std::move(plan->whole_pods);
    if (workload.kind == "Deployment") planned.selector_of_replica_sets = workload.selector;
    if (!plan->refused) cluster_.Put(workload);  // as an object: what its selector means
    return {};
  }

  void JudgeMissing() {
    const MissingKinds missing = JudgeMissingKinds(cluster_.absent(), new_objects_, options_.admission, options_.fresh);
    for (const std::string& error : missing.errors) loaded_.cluster_errors.push_back(error);
    for (const std::string& warning : missing.warnings) loaded_.notices.push_back("warning: " + warning);
  }

  const InputOptions& options_;
  LoadedInput loaded_;
  GivenObjects given_;
  EventTargets targets_;
  ClusterReader cluster_;
  RecordedEvents recorded_;
  Admission* admission_ = nullptr;
  std::optional<ServerAdmission> server_;
  NewObjects new_objects_;
  std::set<std::string> namespaces_;  // of the manifests' objects
  std::vector<ManifestObject*> workloads_;
  int64_t pods_of_workloads_ = 0;
};

}  // namespace

LoadedInput LoadInput(const InputOptions& options, PodStore& store) { return Loader(options, store).Run(); }

}  // namespace ksched
