// The port Binder for bindings by hand: right before a pod is bound, pod and node are asked for once more. A pod that
// has got a node meanwhile, goes, or is held by gates is not bound; nor is one whose node has become no good.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "api/objects.h"
#include "framework/ports.h"
#include "kube/pod_writer.h"
#include "kube/request_sender.h"

namespace ksched::kube {

class CheckedBinder final : public Binder {
 public:
  // Told of the node as it is now; an error if the pod must not go there any more.
  using NodeCheck = std::function<Result<void>(const PodInfo& pod, api::Decoded&& node)>;
  // What writes a binding; absent: it is only checked, and counts as bound.
  using Write = std::function<void(const PodName& pod, const std::string& node, PodWriter::Done done)>;
  // `client` is borrowed.
  CheckedBinder(HttpClient& client, Write write, NodeCheck check)
      : write_(std::move(write)), check_(std::move(check)), sender_(client, {}) {}

  void Bind(const PodInfo& pod, const std::string& node, ResultCallback done) override;

  // Why the last binding of a pod did not come about, and whether its node is to blame: another one may be good.
  struct Refusal {
    std::string why;
    bool node_is_to_blame = false;
  };
  const Refusal* refusal(const std::string& uid) const;

 private:
  struct Check;
  void Judge(const std::shared_ptr<Check>& check);
  void Refuse(const Check& check, Refusal refusal);

  Write write_;
  NodeCheck check_;
  RequestSender sender_;
  std::map<std::string, Refusal> refusals_;  // by uid
};

// Why a pod of this JSON cannot be bound, if it is to be the one with `uid`; empty: it can.
std::string WhyNotBindable(const std::string& json, const std::string& uid);
// The same for a pod that has been read: "it is bound to node n1 already".
std::string WhyNotBindable(const api::Pod& pod);

}  // namespace ksched::kube
