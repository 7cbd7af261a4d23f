// `snapshot`: everything that scheduling reads of a cluster, as one file.
#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <utility>

#include "api/json_writer.h"
#include "api/raw_object.h"
#include "app/cli/commands.h"
#include "app/cli/connection.h"
#include "app/cli/live_cluster.h"
#include "app/cli/progress.h"
#include "app/cli/version.h"
#include "base/output_file.h"
#include "base/terminal.h"
#include "kube/api_requests.h"
#include "kube/decode_watched.h"

namespace ksched::cli {
namespace {

// Kinds of which the file has the whole object: workloads, since a manifest is compared with all of their template, and
// kinds of which this version reads the name only.
constexpr std::array<std::string_view, 12> kWhole = {"controllerrevisions",
                                                     "deployments",
                                                     "replicasets",
                                                     "statefulsets",
                                                     "daemonsets",
                                                     "jobs",
                                                     "cronjobs",
                                                     "resourceclaims",
                                                     "resourceslices",
                                                     "resourceclaimtemplates",
                                                     "devicetaintrules",
                                                     "replicationcontrollers"};

bool IsWhole(std::string_view plural) { return std::ranges::find(kWhole, plural) != kWhole.end(); }

// The objects of each resource as lines of JSON.
class SnapshotSink final : public kube::ListSink {
 public:
  Result<void> OnItem(const kube::ListedFrom& from, std::string_view protobuf) override {
    return Take(from, {from.resource(), from.version, protobuf});
  }
  Result<void> OnDocument(const kube::ListedFrom& from, const api::Document& document) override {
    if (!IsWhole(from.resource().plural)) return Take(from, {from.resource(), from.version, {}, &document});
    Append(from, api::WithoutManagedFields(document.root()));
    return {};
  }
  void OnRestart(const kube::ListedFrom& from) override {
    Objects& objects = of_[&from.resource()];
    count_ -= objects.count;
    objects = Objects();
  }

  size_t count() const { return count_; }
  const std::vector<std::string>& problems() const { return problems_; }
  // In the order in which resources are listed.
  template <typename F>
  void ForEach(F write) const {
    for (const kube::Resource& resource : kube::AllResources()) {
      if (const auto found = of_.find(&resource); found != of_.end()) write(found->second.lines);
    }
  }

 private:
  struct Objects {
    std::string lines;
    size_t count = 0;
  };

  Result<void> Take(const kube::ListedFrom& from, const kube::WatchedObject& object) {
    api::Decoded decoded;
    api::Problems problems;
    if (!kube::Decode(object, decoded, problems)) {
      for (const api::Problem& problem : problems) problems_.push_back(problem.ToString());
      return {};
    }
    std::string text;
    if (auto done = api::AppendJson(decoded, text, {.without_last_applied = true}); !done) return done;
    Append(from, text);
    return {};
  }
  void Append(const kube::ListedFrom& from, const std::string& text) {
    Objects& objects = of_[&from.resource()];
    objects.lines.append(",\n").append(text);
    ++objects.count;
    ++count_;
  }

  std::map<const kube::Resource*, Objects> of_;
  size_t count_ = 0;
  std::vector<std::string> problems_;
};

api::Decoded HeadOf(const api::ClusterSnapshot& snapshot) {
  api::Decoded head;
  head.kind_class = api::KindClass::kScheduling;
  head.api_version = "ksched.dev/v1alpha1";
  head.kind = "ClusterSnapshot";
  head.object = snapshot;
  return head;
}

Result<void> WriteAll(const api::ClusterSnapshot& snapshot, const SnapshotSink& objects, OutputFile& output) {
  std::string head;
  if (auto done = api::AppendJson(HeadOf(snapshot), head); !done) return done;
  if (auto done = output.Open(); !done) return done;
  Result<void> done = output.Write("{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[\n" + head);
  objects.ForEach([&](const std::string& lines) {
    if (done) done = output.Write(lines);
  });
  if (done) done = output.Write("\n]}\n");
  if (!done) return done;
  return output.Close();
}

int Fail(const std::string& message, int status, Streams& streams) {
  streams.err << "error: " << message << '\n';
  return status;
}

}  // namespace

int Snapshot(const SnapshotOptions& options, Streams& streams) {
  OutputFile output(options.output, streams.out);
  if (auto done = output.Check(); !done) return Fail(done.error().message, kExitUsage, streams);
  auto connection = Connect(options.connection, /*stdin_in_use=*/false);
  if (!connection) return Fail(connection.error().message, kExitCluster, streams);
  if (options.verbosity > 0) {
    PrintVersion(streams.err);
    DescribeSchedulers(*connection->client, {}, streams.err, streams.err);
  }
  std::vector<kube::ListRequest> requests = AllRequests();
  for (kube::ListRequest& request : requests) request.json = IsWhole(request.resource->plural);

  SnapshotSink objects;
  Result<api::ClusterSnapshot> snapshot = [&] {
    ProgressLine progress(streams.err, StderrIsTerminal());
    return ListCluster(*connection->client, std::move(requests), {connection->ns}, objects,
                       [&](const kube::ListProgress& now) { progress.Show(now); });
  }();
  if (!snapshot) return Fail(snapshot.error().message, kExitCluster, streams);
  const kube::ServerVersion version = kube::GetServerVersion(*connection->client);
  if (!version.ok()) return Fail(version.error->message, kExitCluster, streams);
  snapshot->server_version = version.git_version;
  snapshot->metadata.creation_timestamp =
      std::chrono::duration_cast<std::chrono::nanoseconds>(
          std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()).time_since_epoch())
          .count();
  for (const api::ClusterSnapshot::Absent& absent : snapshot->absent) {
    if (absent.reason == "NotFound") continue;
    if (absent.namespaces.empty()) {
      streams.err << "warning: the snapshot is without " << absent.resource << ": " << absent.message << '\n';
    } else {
      streams.err << "warning: of " << absent.resource << " the snapshot has those of the namespace " << connection->ns
                  << " only (-n chooses another one)\n";
    }
  }
  for (const std::string& problem : objects.problems()) {
    streams.err << "warning: left out of the snapshot: " << problem << '\n';
  }
  if (auto done = WriteAll(*snapshot, objects, output); !done) return Fail(done.error().message, kExitUsage, streams);
  if (options.output != "-") streams.err << options.output << ": " << objects.count() << " objects\n";
  return kExitSuccess;
}

}  // namespace ksched::cli
