// What Kubernetes says of its feature gates.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace ksched::config {

enum class Stage : uint8_t { kAlpha, kBeta, kGA, kDeprecated };

struct GateSpec {
  std::string_view name;
  bool enabled;  // by default
  bool locked;   // to the default
  Stage stage;
  std::string_view depends_on;  // sorted names with spaces between them
};

// Sorted by name.
std::span<const GateSpec> GateTable();

}  // namespace ksched::config
