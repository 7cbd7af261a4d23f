#include "kube/checked_binder.h"

#include <fmt/format.h>

#include <utility>

#include "kube/decode_watched.h"
#include "kube/pod_ports.h"
#include "kube/resources.h"

namespace ksched::kube {
namespace {

HttpRequest Get(std::string target) {
  HttpRequest request;
  request.target = std::move(target);
  return request;
}

}  // namespace

std::string WhyNotBindable(const api::Pod& pod) {
  if (!pod.spec.node_name.empty()) return fmt::format("it is bound to node {} already", pod.spec.node_name);
  if (pod.metadata.deletion_timestamp) return "it is being deleted";
  if (api::IsTerminal(pod)) return fmt::format("it is over ({})", pod.status.phase);
  if (pod.spec.scheduling_gates.empty()) return "";
  return fmt::format("it is held back by its scheduling gates: {}", fmt::join(pod.spec.scheduling_gates, ", "));
}

std::string WhyNotBindable(const std::string& json, const std::string& uid) {
  const auto decoded = DecodeJson(json);
  if (!decoded) return decoded.error().message;
  const auto* pod = std::get_if<api::Pod>(&decoded->object);
  if (pod == nullptr) return "the server's answer about it is no pod";
  if (pod->metadata.uid != uid) return "it is gone, and another pod has its name";
  return WhyNotBindable(*pod);
}

struct CheckedBinder::Check {
  const PodInfo* pod = nullptr;  // in the store until `done`
  PodName name;
  std::string node;
  ResultCallback done;
  int answers_missing = 2;
  std::string pod_json, node_json;
  std::string failure;  // what was wrong with asking
  bool pod_gone = false, node_gone = false;
};

void CheckedBinder::Bind(const PodInfo& pod, const std::string& node, ResultCallback done) {
  refusals_.erase(pod.uid());
  auto check = std::make_shared<Check>(Check{&pod, NameOf(pod), node, std::move(done)});
  const auto ask = [&](std::string target, std::string Check::*json, bool Check::*gone) {
    sender_.Send(Get(std::move(target)), [this, check, json, gone](const ApiError* error, std::string_view body) {
      if (error == nullptr) {
        (*check).*json = body;
      } else if (error->kind == ErrorKind::kNotFound) {
        (*check).*gone = true;
      } else {
        check->failure = error->message;
      }
      if (--check->answers_missing == 0) Judge(check);
    });
  };
  ask(PathOf(check->name), &Check::pod_json, &Check::pod_gone);
  ask("/api/v1/nodes/" + EscapeUrl(node), &Check::node_json, &Check::node_gone);
}

void CheckedBinder::Judge(const std::shared_ptr<Check>& check) {
  if (!check->failure.empty()) return Refuse(*check, {check->failure});
  if (check->pod_gone) return Refuse(*check, {"it is gone"});
  if (std::string why = WhyNotBindable(check->pod_json, check->name.uid); !why.empty()) {
    return Refuse(*check, {std::move(why)});
  }
  if (check->node_gone) return Refuse(*check, {fmt::format("node {} is gone", check->node), true});
  auto node = DecodeJson(check->node_json);
  if (!node || !std::holds_alternative<api::Node>(node->object)) {
    return Refuse(*check, {fmt::format("the server's answer about node {} cannot be read", check->node)});
  }
  if (auto good = check_(*check->pod, std::move(*node)); !good) return Refuse(*check, {good.error().message, true});
  if (!write_) return check->done({});
  write_(check->name, check->node, [this, check](const ApiError* error) {
    if (error != nullptr) return Refuse(*check, {error->message});
    check->done({});
  });
}

void CheckedBinder::Refuse(const Check& check, Refusal refusal) {
  const Error error{refusal.why};
  refusals_[check.name.uid] = std::move(refusal);
  check.done(error);
}

const CheckedBinder::Refusal* CheckedBinder::refusal(const std::string& uid) const {
  const auto found = refusals_.find(uid);
  return found == refusals_.end() ? nullptr : &found->second;
}

}  // namespace ksched::kube
