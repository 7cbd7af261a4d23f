#include "plugins/node_resources_balanced_allocation/node_resources_balanced_allocation.h"

#include <cmath>
#include <utility>

#include "plugins/common/go_arithmetic.h"

namespace ksched {

Result<std::unique_ptr<Plugin>> NodeResourcesBalancedAllocation::Create(const config::PluginArgs& args,
                                                                        const PluginContext& context) {
  const auto* balanced_args = std::get_if<config::NodeResourcesBalancedAllocationArgs>(&args);
  if (balanced_args == nullptr) return Error{"want args to be of type NodeResourcesBalancedAllocationArgs"};
  return std::unique_ptr<Plugin>(new NodeResourcesBalancedAllocation(*balanced_args, context));
}

NodeResourcesBalancedAllocation::NodeResourcesBalancedAllocation(
    const config::NodeResourcesBalancedAllocationArgs& args, const PluginContext& context)
    : scored_(args.resources, ScoredResources::Allocated::kRequested, context),
      id_(context.id),
      resource_names_(context.state.resource_names()),
      device_classes_(DeviceClassesOf(context)),
      no_resources_(context.reasons.Intern("resources not found")) {}

Status NodeResourcesBalancedAllocation::PreScore(CycleState& cycle, const PodInfo& pod, std::span<const NodeId>) const {
  auto& requests = cycle.Write<ScoredRequests>(id_);
  scored_.Prepare(pod.pod_class->balanced_request_list, requests);
  return requests.best_effort ? Status::Skip() : Status();
}

// How balanced the node is, 50 to 100: the standard deviation of the shares in use, where amount(ResourceUse) is in
// use. Float for float as the reference computes it.
template <typename Amount>
int64_t NodeResourcesBalancedAllocation::Balance(const ScoredRequests& requests, const NodeView& node,
                                                 Amount amount) const {
  const auto share = [&amount](const ResourceUse& use) {
    const double fraction = static_cast<double>(amount(use)) / static_cast<double>(use.allocatable);
    return fraction > 1 ? 1.0 : fraction;
  };
  size_t count = 0;
  double total = 0, first_two[2] = {0, 0};
  scored_.ForEach(requests, node, [&](const ResourceUse& use) {
    const double fraction = share(use);
    total += fraction;
    if (count < 2) first_two[count] = fraction;
    ++count;
  });
  double deviation = 0;
  if (count == 2) {
    deviation = std::abs((first_two[0] - first_two[1]) / 2);
  } else if (count > 2) {
    const double mean = total / static_cast<double>(count);
    double sum = 0;
    scored_.ForEach(requests, node, [&](const ResourceUse& use) {
      const double off = share(use) - mean;
      sum += off * off;
    });
    deviation = std::sqrt(sum / static_cast<double>(count));
  }
  return TruncateToInt64((1 - deviation) * static_cast<double>(kMaxNodeScore));
}

Status NodeResourcesBalancedAllocation::Score(const CycleState& cycle, const PodInfo& pod, const NodeView& node,
                                              int64_t& score) const {
  if (cycle.pre_scored.Has(id_)) return ScoreRequests(cycle.Read<ScoredRequests>(id_), node, score);
  ScoredRequests own;  // the profile has no PreScore of this plugin
  scored_.Prepare(pod.pod_class->balanced_request_list, own);
  score = 0;
  return own.best_effort ? Status() : ScoreRequests(own, node, score);
}

Status NodeResourcesBalancedAllocation::ScoreRequests(const ScoredRequests& requests, const NodeView& node,
                                                      int64_t& score) const {
  if (scored_.empty()) return {Code::kError, no_resources_};
  Status status = scored_.CheckSupported(requests, node);
  if (!status.ok()) return status;
  const int64_t with = Balance(requests, node, [](const ResourceUse& use) { return use.requested; });
  const int64_t without = Balance(requests, node, [](const ResourceUse& use) { return use.allocated; });
  score = WrapAdd(kMaxNodeScore / 2, WrapSub(WrapAdd(kMaxNodeScore / 2, with), without) / 2);
  return {};
}

bool NodeResourcesBalancedAllocation::SignPod(const PodInfo& pod, std::string& signature) const {
  return SignRequests(*pod.pod_class, resource_names_, device_classes_, signature);
}

}  // namespace ksched
