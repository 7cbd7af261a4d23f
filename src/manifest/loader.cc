#include "manifest/loader.h"

#include <ctime>
#include <map>
#include <set>
#include <utility>

#include "manifest/decode.h"
#include "manifest/events.h"
#include "manifest/files.h"
#include "manifest/pod_collector.h"

namespace ksched {
namespace {

double CpuSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Objects of one kind in the order of the input, each name once.
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
  std::vector<T> Take() { return std::move(objects_); }

 private:
  std::vector<T> objects_;
  std::map<std::string, size_t> index_;
};

class Loader {
 public:
  Loader(const InputOptions& options, PodStore& store)
      : options_(options), pods_(store, given_, targets_, options.ignore_pending) {}

  LoadedInput Run() {
    std::vector<std::string> event_errors;
    std::vector<ReadEvent> events;
    if (!options_.events.empty()) events = ReadEvents(options_.events, options_.ns, event_errors);
    for (const ReadEvent& read : events) targets_.Expect(read.event.kind, api::MetadataOf(read.event.object));

    for (const std::string& file : options_.snapshots) ReadFile(file, false);
    auto manifests = ExpandFiles(options_.manifests, options_.recursive);
    if (!manifests) {
      Report(manifests.error().message);
    } else {
      for (const std::string& file : *manifests) ReadFile(file, true);
    }
    Complete();
    Report(event_errors);
    event_errors.clear();
    CheckEvents(std::move(events), targets_, admission_, loaded_.input, event_errors);
    Report(event_errors);
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
  void Report(const api::Problems& problems) {
    for (const api::Problem& problem : problems) Report(problem.ToString());
  }

  void ReadFile(const std::string& file, bool manifest) {
    const Origin origin{given_.AddFile(file), manifest};
    const double start = CpuSeconds(), decode_before = loaded_.decode_cpu_seconds;
    api::Problems problems;  // of the file's syntax
    const auto visit = [&](const api::Document& document) {
      const double decode_start = CpuSeconds();
      Visit(document, origin);
      loaded_.decode_cpu_seconds += CpuSeconds() - decode_start;
    };
    const auto done = api::ReadDocuments(file, visit, problems);
    Report(problems);
    if (!done) Report(done.error().message);
    loaded_.read_cpu_seconds += CpuSeconds() - start - (loaded_.decode_cpu_seconds - decode_before);
  }

  void Visit(const api::Document& document, Origin origin) {
    ++loaded_.documents;
    if (loaded_.errors.size() >= kMaxErrors) return document.EndReading();
    api::Decoded decoded;
    api::Problems problems;
    const auto mode = origin.manifest ? api::ValidationMode::kUser : api::ValidationMode::kStored;
    const std::string& ns = origin.manifest ? options_.ns : kDefaultNamespace;
    const bool good = DecodeInto(ns, document, mode, decoded, problems);
    Report(problems);
    if (!good) return;
    if (decoded.kind_class == api::KindClass::kIgnored) {
      ++ignored_[decoded.kind];
      return;
    }
    const api::ObjectMeta& metadata = api::MetadataOf(decoded.object);
    if (!metadata.ns.empty()) namespaces_in_use_.insert(metadata.ns);
    const bool is_pod = std::holds_alternative<api::Pod>(decoded.object);
    if (metadata.name.empty() && !is_pod) {
      Report(api::Problems{{document.file(), document.Locate(api::FieldPath()), decoded.kind, "metadata.name",
                            "Required value: only pods get a name from generateName here"}});
      return;
    }
    if (!metadata.name.empty()) {
      if (IsGivenTwice(decoded.kind, metadata, document, origin)) return;
      if (!is_pod) targets_.See(decoded.kind, metadata);
    }
    std::visit([&](auto& object) { Put(std::move(object), origin); }, decoded.object);
  }

  bool IsGivenTwice(const std::string& kind, const api::ObjectMeta& metadata, const api::Document& document,
                    Origin origin) {
    const std::optional<Origin> before = given_.Note(kind, metadata, origin);
    if (!before || (kind != "Pod" && origin.manifest && !before->manifest)) return false;
    // Lines take time to look up.
    const api::Position position = ++given_twice_ <= kMaxLocated ? document.Locate(api::FieldPath()) : api::Position();
    const std::string text = api::DescribeObject(kind, metadata) + " is given twice, first at ";
    Report(api::Problems{{document.file(), position, "", "", text + given_.Where(*before, kind, metadata)}});
    return true;
  }

  void Put(api::Pod&& pod, Origin origin) { pods_.Add(std::move(pod), origin); }
  void Put(api::Node&& node, Origin) { nodes_.Put(std::move(node)); }
  void Put(api::Namespace&& one, Origin) {
    LabelNamespace(one);
    namespaces_.Put(std::move(one));
  }
  void Put(api::PriorityClass&& one, Origin) { admission_.Put(std::move(one)); }
  void Put(api::RuntimeClass&& one, Origin) { admission_.Put(std::move(one)); }
  void Put(api::DeviceClass&& one, Origin) { device_classes_.Put(std::move(one)); }
  void Put(api::Workload&& workload, Origin origin) {
    if (!origin.manifest) return;  // those of a cluster have their pods
    if (workload.kind == "DaemonSet" || workload.kind == "CronJob") {
      ++ignored_[workload.kind + " (pods of this kind are not made yet)"];
    } else if (workload.kind == "PodTemplate") {
      ++ignored_[workload.kind];
    } else {
      pods_.Add(std::move(workload), origin);
    }
  }
  template <typename T>
  void Put(T&&, Origin) {}  // what scheduling reads and no plugin here uses yet

  // When everything has been read.
  void Complete() {
    loaded_.input.pods = pods_.Finish(admission_);
    Report(pods_.errors());
    for (const char* name : {"system-node-critical", "system-cluster-critical"}) {
      if (given_.Has("PriorityClass", "", name)) continue;
      api::ObjectMeta metadata;
      metadata.name = metadata.uid = name;
      targets_.See("PriorityClass", metadata);
    }
    namespaces_in_use_.insert(kDefaultNamespace);
    for (const std::string& name : namespaces_in_use_) {
      if (namespaces_.Has(name)) continue;
      namespaces_.Put(MakeNamespace(name));
      targets_.See("Namespace", MakeNamespace(name).metadata);
    }
    loaded_.input.nodes = nodes_.Take();
    loaded_.input.namespaces = namespaces_.Take();
    loaded_.input.device_classes = device_classes_.Take();
    loaded_.notices = pods_.notices();
    std::string ignored;
    for (const auto& [kind, count] : ignored_)
      ignored += (ignored.empty() ? "" : ", ") + std::to_string(count) + " " + kind;
    if (!ignored.empty()) loaded_.notices.insert(loaded_.notices.begin(), "ignored: " + ignored);
  }

  static constexpr size_t kMaxLocated = 20;
  const std::string kDefaultNamespace = "default";
  const InputOptions& options_;
  LoadedInput loaded_;
  GivenObjects given_;
  EventTargets targets_;
  PodCollector pods_;
  Admission admission_;
  NamedObjects<api::Node> nodes_;
  NamedObjects<api::Namespace> namespaces_;
  NamedObjects<api::DeviceClass> device_classes_;
  std::set<std::string> namespaces_in_use_;
  std::map<std::string, size_t> ignored_;
  size_t given_twice_ = 0;
};

}  // namespace

LoadedInput LoadInput(const InputOptions& options, PodStore& store) { return Loader(options, store).Run(); }

}  // namespace ksched
