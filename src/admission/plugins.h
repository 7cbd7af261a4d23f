// The API server's admission plugins that have a say in what scheduling sees of pods and claims that are created, and
// which of them take part. Reference: pkg/kubeapiserver/options/plugins.go, v1.37.2.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace ksched {

// In the order in which the API server asks them.
enum class AdmissionPlugin : uint8_t {
  kNamespaceLifecycle,
  kLimitRanger,
  kPriority,
  kDefaultTolerationSeconds,
  kDefaultStorageClass,
  kRuntimeClass,
  kResourceQuota,
};
inline constexpr size_t kAdmissionPlugins = 7;

// A set of plugins.
class AdmissionPlugins {
 public:
  // Nobody checks; priorities and runtime classes only complete what is not there (Admission::Complete).
  static AdmissionPlugins none() { return {}; }
  static AdmissionPlugins all();
  // "none", "all", or the API server's names of plugins, comma-separated. The error names what is not among them.
  static Result<AdmissionPlugins> Parse(std::string_view text);

  bool empty() const { return plugins_.none(); }
  bool has(AdmissionPlugin plugin) const { return plugins_.test(static_cast<size_t>(plugin)); }
  void Add(AdmissionPlugin plugin) { plugins_.set(static_cast<size_t>(plugin)); }
  bool operator==(const AdmissionPlugins&) const = default;

 private:
  std::bitset<kAdmissionPlugins> plugins_;
};

}  // namespace ksched
