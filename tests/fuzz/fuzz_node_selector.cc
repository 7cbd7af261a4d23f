// Any text in the place of a node selector is one or a problem, and of one that is let in every operator is known.
#include <cstdlib>

#include "fuzz_selector.h"

namespace {

void CheckRequirement(const ksched::api::NodeSelectorRequirement& requirement) {
  const std::string& op = requirement.op;
  const bool set = op == "In" || op == "NotIn", number = op == "Gt" || op == "Lt";
  if (!set && !number && op != "Exists" && op != "DoesNotExist") std::abort();
  if ((set && requirement.values.empty()) || (number && requirement.values.size() != 1)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ksched;
  const std::string prefix =
      std::string(fuzz::kPodHead) + R"("affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)";
  fuzz::DecodeWithin(prefix, data, size, "}}}}", [](const api::Pod& pod) {
    if (!pod.spec.affinity || !pod.spec.affinity->node_affinity || !pod.spec.affinity->node_affinity->required) return;
    for (const auto& term : pod.spec.affinity->node_affinity->required->terms) {
      for (const auto& requirement : term.match_expressions) CheckRequirement(requirement);
      for (const auto& requirement : term.match_fields) CheckRequirement(requirement);
    }
  });
  return 0;
}
