// The order of the active queue: higher priority first, of equal priorities the pod that came earlier.
// Reference: pkg/scheduler/framework/plugins/queuesort, v1.37.2; no differences.
#pragma once

#include <memory>

#include "framework/registry.h"

namespace ksched {

class PrioritySort final : public Plugin, public QueueSortPlugin {
 public:
  static Result<std::unique_ptr<Plugin>> Create(const config::PluginArgs& args, const PluginContext& context);

  std::string_view name() const override { return "PrioritySort"; }
  bool Less(const QueueSortKey& a, const QueueSortKey& b) const override;
};

}  // namespace ksched
