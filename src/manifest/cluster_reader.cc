#include "manifest/cluster_reader.h"

#include <optional>
#include <utility>

#include "api/json_values.h"
#include "base/cpu_time.h"
#include "manifest/decode.h"
#include "manifest/events.h"

namespace ksched {
namespace {

constexpr const char* kDefaultNamespace = "default";
constexpr std::string_view kControllerRevision = "ControllerRevision";

}  // namespace

void ClusterReader::Report(std::string error) {
  if (errors_.size() < kMaxErrors) errors_.push_back(std::move(error));
}

// ---- snapshot files ----

void ClusterReader::ReadFile(const std::string& file) {
  const Origin origin{given_.AddFile(file), false};
  const double start = CpuSeconds(), decode_before = decode_cpu_seconds_;
  api::Problems problems;  // of the file's syntax
  const auto visit = [&](const api::Document& document) {
    const double decode_start = CpuSeconds();
    Visit(document, origin);
    decode_cpu_seconds_ += CpuSeconds() - decode_start;
  };
  const auto done = api::ReadDocuments(file, visit, problems);
  for (const api::Problem& problem : problems) Report(problem.ToString());
  if (!done) Report(done.error().message);
  read_cpu_seconds_ += CpuSeconds() - start - (decode_cpu_seconds_ - decode_before);
}

void ClusterReader::Visit(const api::Document& document, Origin origin) {
  ++documents_;
  if (errors_.size() >= kMaxErrors) return document.EndReading();
  if (api::TextAt(document.root(), {"kind"}) == kControllerRevision) {
    return plans_.SeeRevision(api::CanonicalJson(document.root()));
  }
  api::Decoded decoded;
  api::Problems problems;
  const bool good = DecodeInto(kDefaultNamespace, document, api::ValidationMode::kStored, decoded, problems);
  for (const api::Problem& problem : problems) Report(problem.ToString());
  if (!good) return;
  if (decoded.kind_class == api::KindClass::kIgnored) {
    ++ignored_[decoded.kind];
    return;
  }
  const api::ObjectMeta& metadata = api::MetadataOf(decoded.object);
  const bool is_pod = std::holds_alternative<api::Pod>(decoded.object);
  const bool has_name = !metadata.name.empty();
  if (!has_name && !is_pod && !std::holds_alternative<api::ClusterSnapshot>(decoded.object)) {
    return Report(NameRequired(decoded.kind, document.file(), document.Locate(api::FieldPath())).ToString());
  }
  const std::optional<Origin> before = has_name ? given_.Note(decoded.kind, metadata, origin) : std::nullopt;
  const bool of_both = before && before->manifest;
  if (before && !of_both) return ReportGivenTwice(decoded.kind, metadata, document, *before);
  std::string text;
  if (const auto* workload = std::get_if<api::Workload>(&decoded.object)) {
    if (plans_.WantsText(*workload)) text = api::CanonicalJson(document.root());
  }
  Take(std::move(decoded), origin, of_both, std::move(text));
}

void ClusterReader::ReportGivenTwice(const std::string& kind, const api::ObjectMeta& metadata,
                                     const api::Document& document, Origin before) {
  const api::Position position = ++located_ <= kMaxLocated ? document.Locate(api::FieldPath()) : api::Position();
  Report(given_.GivenTwice(kind, metadata, before, document.file(), position).ToString());
}

// ---- a live cluster ----

Result<void> ClusterReader::ReadLive(ClusterSource& source, const std::vector<std::string>& namespaces) {
  live_origin_ = {given_.AddFile("the cluster"), false};
  const double start = CpuSeconds();
  auto read = source.Read(namespaces, *this);
  decode_cpu_seconds_ += CpuSeconds() - start;
  if (!read) return std::move(read).error();
  PutObject(std::move(*read));
  return {};
}

void ClusterReader::OnObject(api::Decoded&& decoded) {
  ++documents_;
  if (decoded.kind_class != api::KindClass::kScheduling) return;
  const auto before = given_.Note(decoded.kind, api::MetadataOf(decoded.object), live_origin_);
  Take(std::move(decoded), live_origin_, before && before->manifest, "");
}

void ClusterReader::OnRestart(const std::string& kind) {
  for (const std::string& name : given_.NamesOf(kind)) {
    const size_t slash = name.find('/');
    admission_.Remove(kind, name.substr(0, slash), name.substr(slash + 1));
  }
  given_.Forget(kind, live_origin_);
  plans_.Forget(kind);
  if (kind == "Pod") {
    pods_.ForgetCluster();
    pods_of_both_.clear();
  }
  if (kind == "Node") nodes_.Clear();
  VisitTable(objects_, kind, [](auto& table) { table.Clear(); });
}

// ---- both ----

void ClusterReader::Take(api::Decoded&& decoded, Origin origin, bool of_both, std::string text) {
  const api::ObjectMeta& metadata = api::MetadataOf(decoded.object);
  if (!metadata.ns.empty()) namespaces_in_use_.insert(metadata.ns);
  if (auto* pod = std::get_if<api::Pod>(&decoded.object)) {
    if (fresh_ && of_both) return;
    if (of_both) pods_of_both_.insert(pod->metadata.ns + "/" + pod->metadata.name);
    plans_.SeePod(*pod);
    return pods_.Add(std::move(*pod), origin, of_both);
  }
  if (const auto* workload = std::get_if<api::Workload>(&decoded.object)) {
    plans_.SeeWorkload(*workload, std::move(text));
  }
  if (!metadata.name.empty()) targets_.See(decoded.kind, metadata);
  namespaces_known_ = namespaces_known_ || std::holds_alternative<api::Namespace>(decoded.object);
  std::visit([&](auto& object) { PutObject(std::move(object)); }, decoded.object);
}

void ClusterReader::Put(api::Object&& object) {
  const api::ObjectMeta& metadata = api::MetadataOf(object);
  if (!metadata.ns.empty()) namespaces_in_use_.insert(metadata.ns);
  if (auto* quota = std::get_if<api::ResourceQuota>(&object)) return admission_.Put(WithFreshStatus(std::move(*quota)));
  std::visit([&](auto& typed) { PutObject(std::move(typed)); }, object);
}

void ClusterReader::PutObject(api::Pod&&) {}  // pods have their own way (Take)

void ClusterReader::PutObject(api::Namespace&& one) {
  LabelNamespace(one);
  admission_.Put(one);
  objects_.namespaces.Put(std::move(one));
}

// Those that say which pods belong together.
void ClusterReader::PutObject(api::Workload&& one) {
  if (one.kind == "ReplicaSet") {
    objects_.replica_sets.Put(std::move(one));
  } else if (one.kind == "ReplicationController") {
    objects_.replication_controllers.Put(std::move(one));
  } else if (one.kind == "StatefulSet") {
    objects_.stateful_sets.Put(std::move(one));
  }
}

void ClusterReader::PutObject(api::ClusterSnapshot&& one) {
  for (api::ClusterSnapshot::Absent& absent : one.absent) absent_.push_back(std::move(absent));
}

// A cluster of files that has no namespaces at all does not say which there are: then all that are named exist.
void ClusterReader::CompleteNamespaces(const AdmissionPlugins& admission) {
  const bool known = namespaces_known_;
  namespaces_in_use_.insert(kDefaultNamespace);
  for (const std::string& name : namespaces_in_use_) {
    if (objects_.namespaces.Find(name) != nullptr) continue;
    api::Namespace made = MakeNamespace(name);
    targets_.See("Namespace", made.metadata);
    if (!known || admission.empty()) admission_.Put(made);
    objects_.namespaces.Put(std::move(made));
  }
}

void ClusterReader::DropPodsOfWorkloads() {
  WorkloadPlans::Owned owned = plans_.TakeOwnedPods();
  for (const std::string& name : owned.names) {
    api::ObjectMeta metadata;
    metadata.ns = name.substr(0, name.find('/'));
    metadata.name = name.substr(metadata.ns.size() + 1);
    given_.Erase("Pod", metadata);
  }
  pods_.Drop({owned.names.begin(), owned.names.end()});
  for (const api::Pod& pod : owned.whole) admission_.Release(pod);
}

void ClusterReader::Finish(ClusterInput& input, std::vector<std::string>& notices) {
  for (const char* name : {"system-node-critical", "system-cluster-critical"}) {
    if (given_.Has("PriorityClass", "", name)) continue;
    api::ObjectMeta metadata;
    metadata.name = metadata.uid = name;
    targets_.See("PriorityClass", metadata);
  }
  input.nodes = nodes_.Take();
  input.objects = std::move(objects_);
  std::string ignored;
  for (const auto& [kind, count] : ignored_) {
    ignored += (ignored.empty() ? "" : ", ") + std::to_string(count) + " " + kind;
  }
  if (!ignored.empty()) notices.insert(notices.begin(), "ignored: " + ignored);
}

}  // namespace ksched
