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
  // For data that AddPod and RemovePod change: dry runs take back what was changed since a mark. Marks nest.
  virtual size_t SetMark() { return 0; }
  virtual void Rollback(size_t /*mark*/) {}
};

class CycleState {
 public:
  // The plugin's own T, for writing; made at first. It holds what the last cycle left: the plugin resets it.
  template <typename T>
  T& Write(PluginId plugin) {
    auto& slot = slots_[plugin];
    if (slot == nullptr) slot = std::make_unique<T>();
    written_.Insert(plugin);
    return static_cast<T&>(*slot);
  }
  // Only after Write<T> in this cycle.
  template <typename T>
  const T& Read(PluginId plugin) const {
    return static_cast<const T&>(*slots_[plugin]);
  }
  // The place to which Rollback takes back what AddPod and RemovePod of all plugins change from here on.
  using Mark = std::array<size_t, 64>;
  Mark SetMark() {
    Mark mark;  // NOLINT(cppcoreguidelines-pro-type-member-init): of plugins without data nothing is read
    written_.ForEach([&](PluginId id) { mark[id] = slots_[id]->SetMark(); });
    return mark;
  }
  void Rollback(const Mark& mark) {
    written_.ForEach([&](PluginId id) { slots_[id]->Rollback(mark[id]); });
  }
  // What these plugins have written in this cycle goes to `other`, with all that is known of the cycle: for what comes
  // after it, while others have theirs.
  void MoveTo(CycleState& other, PluginSet plugins) {
    other.skip_filter = skip_filter;
    other.skip_score = skip_score;
    other.skip_pre_bind = skip_pre_bind;
    other.pre_filtered = pre_filtered;
    other.pre_scored = pre_scored;
    other.zero_score = zero_score;
    other.reserved = reserved;
    other.extended = extended;
    other.written_ = written_ & plugins;
    other.written_.ForEach([&](PluginId id) { other.slots_[id] = std::move(slots_[id]); });
  }
  // The data goes back to be used again by later cycles.
  void GiveBack(CycleState& to) {
    written_.ForEach([&](PluginId id) {
      if (to.slots_[id] == nullptr) to.slots_[id] = std::move(slots_[id]);
    });
    written_.Clear();
  }
  void StartCycle() {
    skip_filter.Clear();
    skip_score.Clear();
    skip_pre_bind.Clear();
    pre_filtered.Clear();
    pre_scored.Clear();
    extended.Clear();
    reserved.Clear();
    written_.Clear();
    zero_score.Clear();
  }
  PluginSet skip_filter, skip_score, skip_pre_bind;  // plugins that said Skip
  // Plugins whose PreFilter or PreScore ran in this cycle: a profile may have a Filter without its PreFilter, and so
  // on.
  PluginSet pre_filtered, pre_scored;
  // Plugins that PreScore found to score every node 0, without normalising: Score need not run. They have not skipped.
  PluginSet zero_score;
  PluginSet reserved;  // plugins whose Reserve ran
  PluginSet extended;  // plugins that hear of pods that come and go in dry runs

 private:
  std::array<std::unique_ptr<StateData>, 64> slots_;
  PluginSet written_;  // in this cycle
};

}  // namespace ksched
