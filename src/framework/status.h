// Status: the verdict of a plugin, with its reasons. Not for failures of the program: those are Result<T>.
// Reference: k8s.io/kube-scheduler/framework/interface.go, v0.37.2.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <boost/container/small_vector.hpp>

#include "base/interner.h"

namespace ksched {

enum class Code : uint8_t {
  kSuccess,
  kError,                         // something went wrong; the pod is tried again
  kUnschedulable,                 // not now; preemption might help
  kUnschedulableAndUnresolvable,  // not now, and preemption cannot help
  kWait,                          // Permit: the pod has to wait
  kSkip,                          // PreFilter, PreScore: this plugin's Filter or Score need not run; Bind: not mine
  kPending,                       // rejected until an event that the plugin waits for, which ends backoff too
};
std::string_view CodeName(Code code);  // as Kubernetes writes it

// Texts of reasons by number, shared by everything in one scheduler: plugins make theirs when they are created.
using ReasonId = uint32_t;
using ReasonTable = Interner;

// A plugin by number, in the order of the registry; at most 64, so that sets of plugins are bits.
using PluginId = uint8_t;
inline constexpr PluginId kNoPlugin = 255;

class PluginSet {
 public:
  void Insert(PluginId id) { bits_ |= uint64_t{1} << id; }
  bool Has(PluginId id) const { return ((bits_ >> id) & 1) != 0; }
  bool empty() const { return bits_ == 0; }
  void Clear() { bits_ = 0; }
  uint64_t bits() const { return bits_; }
  PluginSet& operator|=(PluginSet other) {
    bits_ |= other.bits_;
    return *this;
  }
  friend PluginSet operator&(PluginSet a, PluginSet b) {
    a.bits_ &= b.bits_;
    return a;
  }
  bool operator==(const PluginSet&) const = default;
  template <typename F>
  void ForEach(F&& visit) const {  // visit(PluginId)
    for (uint64_t rest = bits_; rest != 0; rest &= rest - 1) visit(static_cast<PluginId>(__builtin_ctzll(rest)));
  }

 private:
  uint64_t bits_ = 0;
};

class Status {
 public:
  Status() = default;  // Success
  explicit Status(Code code) : code_(code) {}
  Status(Code code, ReasonId reason) : code_(code) { reasons_.push_back(reason); }
  static Status Unschedulable(ReasonId reason) { return {Code::kUnschedulable, reason}; }
  static Status UnschedulableAndUnresolvable(ReasonId reason) { return {Code::kUnschedulableAndUnresolvable, reason}; }
  static Status Skip() { return Status(Code::kSkip); }

  Code code() const { return code_; }
  bool ok() const { return code_ == Code::kSuccess; }
  bool IsSkip() const { return code_ == Code::kSkip; }
  bool IsWait() const { return code_ == Code::kWait; }
  // The pod was turned down, as opposed to an error.
  bool IsRejected() const {
    return code_ == Code::kUnschedulable || code_ == Code::kUnschedulableAndUnresolvable || code_ == Code::kPending;
  }
  PluginId plugin() const { return plugin_; }
  void set_plugin(PluginId plugin) { plugin_ = plugin; }  // the runner does it
  const auto& reasons() const { return reasons_; }
  void AddReason(ReasonId reason) { reasons_.push_back(reason); }
  void set_code(Code code) { code_ = code; }
  // The reasons joined by ", ".
  std::string Message(const ReasonTable& table) const;

 private:
  Code code_ = Code::kSuccess;
  PluginId plugin_ = kNoPlugin;
  boost::container::small_vector<ReasonId, 4> reasons_;
};

}  // namespace ksched
