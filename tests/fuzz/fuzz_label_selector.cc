// Any text in the place of a label selector is one or a problem, and one that is let in can be asked about labels.
#include <cstdlib>

#include "api/label_selector.h"
#include "fuzz_selector.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ksched;
  const std::string prefix = std::string(fuzz::kPodHead) +
                             R"("topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"z",)"
                             R"("whenUnsatisfiable":"DoNotSchedule","labelSelector":)";
  fuzz::DecodeWithin(prefix, data, size, "}]}}", [](const api::Pod& pod) {
    for (const auto& constraint : pod.spec.topology_spread_constraints) {
      if (!constraint.label_selector) continue;
      const api::LabelSelector& selector = *constraint.label_selector;
      (void)api::Matches(selector, pod.metadata.labels);
      // Its own labels satisfy it, unless there are expressions.
      if (selector.match_expressions.empty() && !api::Matches(selector, selector.match_labels)) std::abort();
    }
  });
  return 0;
}
