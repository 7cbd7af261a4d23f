// `webhook test`: the answers that a webhook would give, without one.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "api/json_output.h"
#include "app/cli/connection.h"
#include "app/cli/live_cluster.h"
#include "app/webhook/policy_source.h"
#include "app/webhook/watched_picture.h"
#include "app/webhook/webhook.h"
#include "manifest/loader.h"
#include "manifest/manifest_reader.h"
#include "report/emitter.h"
#include "scheduler/cluster_feed.h"
#include "state/snapshot_publisher.h"
#include "webhook/no_binder.h"
#include "webhook/reviewer.h"

namespace ksched::webhook {
namespace {

// Nobody waits for these answers.
constexpr std::chrono::minutes kTime{10};

struct Tested {
  std::string kind, ns, name;
  Reviewed reviewed;
};

class Tester {
 public:
  Tester(const WebhookTestOptions& options, const cli::Setup& setup, cli::Streams& streams)
      : options_(options),
        setup_(setup),
        streams_(streams),
        rules_{setup.configuration, setup.features, setup.registry},
        state_(cli::ResourceFeaturesOf(setup.features)) {}

  int Run() {
    auto policy = PolicySource(options_.policy).Load();
    if (!policy) return Fail({policy.error().message}, cli::kExitUsage);
    picture_.policy = std::move(*policy);
    if (const int status = ReadCluster(); status != cli::kExitSuccess) return status;
    Manifests manifests = ReadManifests(options_.filenames, options_.recursive, ns_, given_);
    if (!manifests.errors.empty()) return Fail(manifests.errors, cli::kExitUsage);
    if (auto entered = Enter(manifests); !entered) return Fail({entered.error().message}, cli::kExitUsage);
    for (const ManifestObject& object : manifests.objects) {
      if (object.text.empty()) continue;
      if (auto tested = Test(object); !tested) return Fail({tested.error().message}, cli::kExitUsage);
    }
    return Print();
  }

 private:
  int Fail(const std::vector<std::string>& errors, int status) {
    cli::PrintErrors(errors, streams_);
    return status;
  }

  int ReadCluster() {
    InputOptions input;
    input.snapshots = options_.snapshots;
    input.admission = CompletingPlugins();
    cli::Connection connection;
    std::unique_ptr<cli::LiveCluster> live;
    if (options_.snapshots.empty()) {
      const bool stdin_in_use = std::ranges::find(options_.filenames, "-") != options_.filenames.end();
      auto connected = cli::Connect(options_.connection, stdin_in_use);
      if (!connected) return Fail({connected.error().message}, cli::kExitCluster);
      connection = std::move(*connected);
      ns_ = connection.ns;
      live = std::make_unique<cli::LiveCluster>(*connection.client, nullptr);
      input.cluster = live.get();
    }
    loaded_ = LoadInput(input, state_.pod_store());
    if (!loaded_.errors.empty()) return Fail(loaded_.errors, cli::kExitUsage);
    if (!loaded_.cluster_errors.empty()) return Fail(loaded_.cluster_errors, cli::kExitCluster);
    for (const std::string& notice : loaded_.notices) streams_.err << notice << '\n';
    return cli::kExitSuccess;
  }

  // Everything but what is judged: of the manifests that counts as being there already.
  Result<void> Enter(Manifests& manifests) {
    NoBinder nothing;
    Ports ports;
    ports.binder = &nothing;
    auto scheduler = Scheduler::Create({.configuration = setup_.configuration, .features = setup_.features},
                                       {state_, clock_, setup_.registry, ports});
    if (!scheduler) return std::move(scheduler).error();
    (*scheduler)->HandleOnly([](const PodInfo&) { return false; });
    EventHandlers handlers(**scheduler);
    ClusterFeed feed(state_, handlers);
    ClusterInput& input = loaded_.input;
    state_.objects() = std::move(input.objects);
    state_.NamespacesChanged();
    for (api::Node& node : input.nodes) handlers.AddNode(std::move(node));
    for (const InputPod& pod : input.pods) handlers.AddPod(state_.pod_store().Get(pod.id));
    admission_ = std::move(input.admission);
    for (ManifestObject& object : manifests.objects) {
      if (!object.text.empty()) continue;
      PutForAdmission(object.decoded.object, admission_);
      feed.Put(std::move(object.decoded));
    }
    picture_.admission = std::make_shared<const Admission>(admission_);
    SnapshotPublisher publisher(state_);
    picture_.snapshot = publisher.Publish();
    picture_.names = state_.shared_resource_names();
    return {};
  }

  Result<void> Test(const ManifestObject& object) {
    const api::ObjectMeta& metadata = api::MetadataOf(object.decoded.object);
    auto review = Review::Read(ReviewOf(object, metadata));
    if (!review) return std::move(review).error().Within(api::DescribeObject(object.decoded.kind, metadata));
    const ReviewWorld world{picture_, "", std::chrono::steady_clock::now() + kTime};
    const std::string name = metadata.name.empty() ? metadata.generate_name + "?" : metadata.name;
    tested_.push_back({object.decoded.kind, metadata.ns, name, reviewer_.Answer(**review, world)});
    return {};
  }

  std::string ReviewOf(const ManifestObject& object, const api::ObjectMeta& metadata) const {
    const kube::Resource* resource = cli::ResourceOfKind(object.decoded.kind);
    std::string text;
    const api::JsonOptions plain;
    api::JsonOutput out(text, plain);
    const auto field = [&](std::string_view key, std::string_view value) {
      out.Key(key);
      out.Write(std::string(value));
    };
    out.StartObject();
    field("apiVersion", "admission.k8s.io/v1");
    field("kind", "AdmissionReview");
    out.Key("request");
    out.StartObject();
    field("uid", "test");
    for (const char* key : {"kind", "resource"}) {
      out.Key(key);
      out.StartObject();
      field("group", resource == nullptr ? "" : resource->group);
      field("version", resource == nullptr ? "" : resource->versions.front());
      field(key, std::string_view(key) == "kind" ? object.decoded.kind : resource == nullptr ? "" : resource->plural);
      out.EndObject();
    }
    field("operation", "CREATE");
    field("namespace", metadata.ns);
    field("name", metadata.name);
    out.Key("userInfo");
    out.StartObject();
    field("username", options_.user);
    out.Key("groups");
    out.StartArray();
    for (const std::string& group : options_.groups) out.Write(group);
    out.EndArray();
    out.EndObject();
    out.Key("object");
    out.Raw(object.text);
    out.EndObject();
    out.EndObject();
    return text;
  }

  int Print() const {
    bool refused = false;
    for (const Tested& one : tested_) refused |= !one.reviewed.answer.allowed;
    if (options_.output == cli::OutputFormat::kTable) {
      for (const Tested& one : tested_) PrintLines(one);
    } else if (options_.output == cli::OutputFormat::kJson) {
      JsonEmitter json(streams_.out);
      Emit(json);
      streams_.out << '\n';
    } else {
      YamlEmitter yaml(streams_.out);
      Emit(yaml);
    }
    return refused ? cli::kExitNotPlaced : cli::kExitSuccess;
  }

  void PrintLines(const Tested& one) const {
    const Reviewed& reviewed = one.reviewed;
    const std::string reason = reviewed.reason.empty() ? "" : " (" + reviewed.reason + ")";
    streams_.out << fmt::format("{} {}/{}: {}{}\n", one.kind, one.ns, one.name, reviewed.action, reason);
    if (!reviewed.answer.allowed)
      streams_.out << "  Error: " << Shortened(reviewed.answer.message, kMaxMessageBytes) << '\n';
    for (const std::string& warning : reviewed.answer.warnings) {
      streams_.out << "  Warning: " << Shortened(warning, kMaxWarningBytes) << '\n';
    }
  }

  void Emit(Emitter& out) const {
    const auto field = [&](std::string_view key, const std::string& value) {
      out.Key(key);
      out.String(value);
    };
    out.BeginArray();
    for (const Tested& one : tested_) {
      out.BeginObject();
      field("kind", one.kind);
      field("namespace", one.ns);
      field("name", one.name);
      out.Key("allowed");
      out.Bool(one.reviewed.answer.allowed);
      field("action", std::string(one.reviewed.action));
      field("reason", one.reviewed.reason);
      field("message", one.reviewed.answer.message);
      out.Key("warnings");
      out.BeginArray();
      for (const std::string& warning : one.reviewed.answer.warnings) out.String(warning);
      out.EndArray();
      out.Key("auditAnnotations");
      out.BeginObject();
      for (const auto& [key, value] : one.reviewed.answer.audit) field(key, value);
      out.EndObject();
      out.EndObject();
    }
    out.EndArray();
  }

  const WebhookTestOptions& options_;
  const cli::Setup& setup_;
  cli::Streams& streams_;
  const SchedulingRules rules_;
  SystemClock clock_;
  ClusterState state_;
  LoadedInput loaded_;
  GivenObjects given_;
  std::string ns_ = "default";
  Admission admission_{CompletingPlugins()};
  Picture picture_;
  Reviewer reviewer_{{.rules = &rules_, .features = state_.features(), .own_namespace = "", .pods_are_new = true}};
  std::vector<Tested> tested_;
};

}  // namespace

int WebhookTest(const WebhookTestOptions& options, cli::Streams& streams) {
  const auto setup = cli::MakeSetup(options.config, options.feature_gates);
  if (!setup) {
    cli::PrintErrors({setup.error().message}, streams);
    return cli::kExitUsage;
  }
  return Tester(options, *setup, streams).Run();
}

}  // namespace ksched::webhook
