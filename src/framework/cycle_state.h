// CycleState: what plugins keep for themselves during one scheduling cycle.
#pragma once

#include <array>
#include <memory>

#include "framework/status.h"

namespace ksched {

// A plugin derives its own. Objects are kept and used again by later cycles, so that a steady cycle allocates nothing.
class StateData {
 public:
  virtual ~StateData() = default;
};

class CycleState {
 public:
  // The plugin's own T, for writing; made at first. It holds what the last cycle left: the plugin resets it.
  template <typename T>
  T& Write(PluginId plugin) {
    auto& slot = slots_[plugin];
    if (slot == nullptr) slot = std::make_unique<T>();
    return static_cast<T&>(*slot);
  }
  // Only after Write<T> in this cycle.
  template <typename T>
  const T& Read(PluginId plugin) const {
    return static_cast<const T&>(*slots_[plugin]);
  }
  void StartCycle() {
    skip_filter.Clear();
    skip_score.Clear();
    skip_pre_bind.Clear();
    pre_filtered.Clear();
    pre_scored.Clear();
  }
  PluginSet skip_filter, skip_score, skip_pre_bind;  // plugins that said Skip
  // Plugins whose PreFilter or PreScore ran in this cycle: a profile may have a Filter without its PreFilter, and so
  // on.
  PluginSet pre_filtered, pre_scored;

 private:
  std::array<std::unique_ptr<StateData>, 64> slots_;
};

}  // namespace ksched
