#include "app/daemon/cycle_recorder.h"

#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <optional>
#include <utility>

#include "api/json_writer.h"
#include "api/object_head.h"
#include "base/output_file.h"
#include "report/structure.h"
#include "simulate/cycle_report.h"

namespace ksched::daemon {
namespace {

// Holds pods back that are only there for their nominations.
constexpr const char* kGate = "ksched.dev/not-of-this-cycle";

const std::string* Lookup(const StringMap<std::string>& map, const std::string& key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

bool IsNewer(const api::ObjectMeta& one, const api::ObjectMeta& other) {
  return api::VersionNumber(one.resource_version) > api::VersionNumber(other.resource_version);
}

}  // namespace

// Writes the objects as they are before the cycle, those of memory included.
class CycleRecorder::Writer final : public ClusterSource::Sink {
 public:
  Writer(const CycleRecorder& recorder, std::string pod, OutputFile& out)
      : recorder_(recorder), pod_(std::move(pod)), out_(out) {}

  void OnObject(api::Decoded&& decoded) override {
    if (auto* pod = std::get_if<api::Pod>(&decoded.object); pod != nullptr && !Adapt(*pod)) return;
    if (auto* volume = std::get_if<api::PersistentVolume>(&decoded.object)) Adapt(*volume, &VolumeChanges::volumes);
    if (auto* claim = std::get_if<api::PersistentVolumeClaim>(&decoded.object)) Adapt(*claim, &VolumeChanges::claims);
    if (decoded.kind_class != api::KindClass::kScheduling) return;
    std::string text = first_ ? "" : ",\n";
    first_ = false;
    if (done_) done_ = api::AppendJson(decoded, text, {.without_last_applied = true});
    if (done_) done_ = out_.Write(text);
  }
  void OnRestart(const std::string& /*kind*/) override {}
  void OnProblem(const std::string& /*problem*/) override {}  // the scheduler has left it out too

  const Result<void>& done() const { return done_; }

 private:
  // Whether the pod matters to this cycle.
  bool Adapt(api::Pod& pod) const {
    if (!pod.spec.node_name.empty()) return true;
    const std::string key = pod.metadata.ns + "/" + pod.metadata.name;
    if (key == pod_) {
      pod.spec.scheduling_gates.clear();  // whatever was to be waited for is over
      return true;
    }
    if (const std::string* node = Lookup(recorder_.assumed_, key)) {
      pod.spec.node_name = *node;
      return true;
    }
    const std::string* node = Lookup(recorder_.nominated_, key);
    if (node == nullptr) return false;
    pod.status.nominated_node_name = *node;
    pod.spec.scheduling_gates.emplace_back(kGate);
    return true;
  }

  template <typename T>
  void Adapt(T& object, std::vector<std::shared_ptr<const T>> VolumeChanges::*changed) const {
    for (const VolumeChanges& changes : recorder_.volumes_) {
      for (const auto& one : changes.*changed) {
        const bool same = one->metadata.ns == object.metadata.ns && one->metadata.name == object.metadata.name;
        if (same && !IsNewer(object.metadata, one->metadata)) object = *one;
      }
    }
  }

  const CycleRecorder& recorder_;
  const std::string pod_;
  OutputFile& out_;
  bool first_ = true;
  Result<void> done_;
};

Result<void> CycleRecorder::OnAdd(const kube::WatchedObject& object, const api::ObjectHead& head) {
  (void)objects_.OnAdd(object, head);
  return next_.OnAdd(object, head);
}

Result<void> CycleRecorder::OnUpdate(const kube::WatchedObject& object, const api::ObjectHead& head) {
  (void)objects_.OnUpdate(object, head);
  return next_.OnUpdate(object, head);
}

void CycleRecorder::OnRemove(const kube::Resource& resource, std::string_view ns, std::string_view name) {
  objects_.OnRemove(resource, ns, name);
  next_.OnRemove(resource, ns, name);
}

void CycleRecorder::Before(Scheduler& scheduler, const kube::VolumesPort& volumes) {
  assumed_.clear();
  nominated_.clear();
  has_gone_ = false;
  const PodStore& pods = scheduler.state().pod_store();
  for (PodId id = 0; id < pods.capacity(); ++id) {
    if (!pods.exists(id) || !scheduler.cache().IsAssumed(id)) continue;
    const PodInfo& pod = pods.Get(id);
    const PodInfo* listed = pods.Find(pod.ns(), pod.name());
    has_gone_ |= listed == nullptr || listed->id != id;
    assumed_[pod.Key()] = pod.node_name();
  }
  const Nominator& nominator = scheduler.queue().nominator();
  for (const std::string& node : nominator.NominatedNodes()) {
    for (const PodId id : nominator.NominatedPods(node)) nominated_[pods.Get(id).Key()] = node;
  }
  volumes_ = volumes.Running();
}

Result<void> CycleRecorder::Write(Scheduler& scheduler) {
  if (has_gone_) {
    ++left_out_;
    return {};
  }
  const std::string name = fmt::format("{}/{:06}", folder_, ++written_);
  const PodInfo& pod = scheduler.state().pod_store().Get(scheduler.record().pod);
  if (auto written = WriteState(name + ".json.gz", pod); !written) return written;
  return WriteDecision(name + ".report.json", scheduler, scheduler.state());
}

Result<void> CycleRecorder::WriteState(const std::string& name, const PodInfo& pod) {
  OutputFile file(name, std::cout);
  if (auto opened = file.Open(); !opened) return opened;
  if (auto head = file.Write("{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[\n"); !head) return head;
  Writer writer(*this, pod.Key(), file);
  objects_.Read(writer);
  if (auto written = writer.done(); !written) return written;
  if (auto tail = file.Write("\n]}\n"); !tail) return tail;
  return file.Close();
}

Result<void> CycleRecorder::WriteDecision(const std::string& name, const Scheduler& scheduler,
                                          const ClusterState& state) {
  SchedulingReport report;
  report.cycles.push_back(MakeCycleReport(scheduler, state));
  std::ofstream file(name);
  WriteJson(report, file);
  file.flush();
  if (!file) return Error{name + ": cannot be written"};
  return {};
}

}  // namespace ksched::daemon
