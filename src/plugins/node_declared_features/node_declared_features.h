// Keeps pods off nodes that have not declared (status.declaredFeatures) what the pod uses: rules that restart all
// containers, user namespaces in the host's network, bind mount options. Reference:
// pkg/scheduler/framework/plugins/nodedeclaredfeatures, v1.37.2, and k8s.io/component-helpers/nodedeclaredfeatures,
// v0.37.2.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "framework/registry.h"

namespace ksched {

class NodeDeclaredFeatures final : public Plugin,
                                   public PreFilterPlugin,
                                   public FilterPlugin,
                                   public EnqueueExtensions,
                                   public SignPlugin {
 public:
  // What pods may need, as bits.
  using Features = uint32_t;
  static constexpr Features kRestartAllContainers = 1U << 0;
  static constexpr Features kUserNamespacesHostNetwork = 1U << 1;
  static constexpr Features kBindMountOptions = 1U << 2;

  static Result<std::unique_ptr<Plugin>> Create(const config::PluginArgs& args, const PluginContext& context);
  explicit NodeDeclaredFeatures(const PluginContext& context);

  std::string_view name() const override { return "NodeDeclaredFeatures"; }
  Status PreFilter(CycleState& cycle, const PodInfo& pod, PreFilterResult& result) const override;
  Status Filter(const CycleState& cycle, const PodInfo& pod, const NodeView& node) const override;
  std::vector<ClusterEventWithHint> EventsToRegister() const override;
  bool SignPod(const PodInfo& pod, std::string& signature) const override;
  Dependencies dependencies() const override { return {.filter = kNodeObjectChanged, .cacheable_filter = true}; }

  static Features NeededBy(const api::PodSpec& spec);
  // Of a node's list. It is sorted; of one that is not, entries behind a greater one may be overlooked.
  static Features DeclaredIn(std::span<const std::string> declared);

 private:
  PluginId id_;
  bool enabled_;
  ReasonId unmatched_, no_pre_filter_;
};

}  // namespace ksched
