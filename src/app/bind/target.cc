#include "app/bind/target.h"

#include <fmt/format.h>

#include <utility>

#include "kube/api_requests.h"
#include "kube/checked_binder.h"
#include "kube/decode_watched.h"
#include "kube/lister.h"

namespace ksched::bind {
namespace {

const kube::Resource& Pods() { return *kube::FindResource("", "pods"); }

// What a list has, until it has to begin anew.
class TargetSink final : public kube::ListSink {
 public:
  Result<void> OnItem(const kube::ListedFrom& from, std::string_view protobuf) override {
    return Take({from.resource(), from.version, protobuf});
  }
  Result<void> OnDocument(const kube::ListedFrom& from, const api::Document& document) override {
    return Take({from.resource(), from.version, {}, &document});
  }
  void OnRestart(const kube::ListedFrom&) override { targets.clear(); }

  std::vector<Target> targets;

 private:
  Result<void> Take(const kube::WatchedObject& object) {
    const auto decoded = kube::Decode(object);
    if (!decoded) return decoded.error();
    const auto* pod = std::get_if<api::Pod>(&decoded->object);
    if (pod != nullptr && pod->spec.node_name.empty() && !api::IsTerminal(*pod)) {
      targets.push_back(TargetOf(*pod, /*by_name=*/false));
    }
    return {};
  }
};

Result<std::vector<Target>> ListTargets(kube::HttpClient& client, const BindOptions& options, const std::string& ns) {
  kube::ListRequest request;
  request.resource = &Pods();
  if (!options.all_namespaces) request.ns = ns;
  request.label_selector = options.selector;
  request.field_selector = "spec.nodeName=";
  if (!options.field_selector.empty()) request.field_selector += "," + options.field_selector;
  TargetSink sink;
  const auto results = kube::ListAll(client, {&request, 1}, {}, sink, {});
  if (results.front().outcome != kube::ListResult::Outcome::kOk) return results.front().error->ToError();
  return std::move(sink.targets);
}

Result<Target> TargetNamed(const std::string& name, const std::string& ns, const kube::ObjectReply& reply) {
  if (reply.ok()) {
    const auto decoded = kube::DecodeJson(reply.json);
    if (!decoded) return decoded.error();
    if (const auto* pod = std::get_if<api::Pod>(&decoded->object)) return TargetOf(*pod, /*by_name=*/true);
    return Error{"the server's answer is no pod"};
  }
  if (reply.error->kind != kube::ErrorKind::kNotFound) return reply.error->ToError();
  Target target;
  target.ns = ns;
  target.name = name;
  target.state = Target::State::kNotBound;
  target.why = fmt::format("pods \"{}\" not found", name);
  return target;
}

}  // namespace

Target TargetOf(const api::Pod& pod, bool by_name) {
  Target target;
  target.ns = pod.metadata.ns;
  target.name = pod.metadata.name;
  target.uid = pod.metadata.uid;
  target.scheduler = pod.spec.scheduler_name;
  target.why = kube::WhyNotBindable(pod);
  if (target.why.empty()) return target;
  const bool leaves = pod.metadata.deletion_timestamp.has_value() && !by_name;
  target.state = leaves ? Target::State::kLeftOut : Target::State::kNotBound;
  return target;
}

Result<std::vector<Target>> FindTargets(kube::HttpClient& client, const BindOptions& options, const std::string& ns) {
  if (!options.by_name()) return ListTargets(client, options, ns);
  std::vector<kube::ObjectRef> refs;
  refs.reserve(options.names.size());
  for (const std::string& name : options.names) refs.push_back({&Pods(), ns, name});
  const auto replies = kube::GetObjects(client, refs);
  std::vector<Target> targets;
  for (size_t i = 0; i < refs.size(); ++i) {
    auto target = TargetNamed(refs[i].name, ns, replies[i]);
    if (!target) return std::move(target).error();
    targets.push_back(std::move(*target));
  }
  return targets;
}

}  // namespace ksched::bind
