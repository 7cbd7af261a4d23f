// Any bytes are a configuration or an error with a text; what loads has profiles, and can be dropped from and
// overridden.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "config/load.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const ksched::config::FeatureGates gates;
  std::string text(reinterpret_cast<const char*>(data), size);
  auto loaded = ksched::config::LoadConfigurationFromText(std::move(text), "fuzz.yaml", gates);
  if (!loaded.ok()) {
    if (loaded.error().message.empty()) std::abort();
    return 0;
  }
  if (loaded->profiles.empty()) std::abort();
  // Plugins of the user stay or are an error; afterwards none that was dropped is left.
  const auto dropped = ksched::config::DropAbsentPlugins(*loaded, {"VolumeBinding", "DynamicResources"});
  if (!dropped.ok() && dropped.error().message.empty()) std::abort();
  return 0;
}
