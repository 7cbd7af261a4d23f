// Any bytes are a policy or an error with a text; a policy answers every question, and its node shapes have room.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "webhook/policy.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ksched;
  std::string text(reinterpret_cast<const char*>(data), size);
  const auto policy = webhook::Policy::Read(std::move(text), "fuzz.yaml");
  if (!policy.ok()) {
    if (policy.error().message.empty()) std::abort();
    return 0;
  }
  const api::StringMap labels = {{"app", "web"}, {"team", "a"}};
  const std::array<std::string, 2> groups = {"dev", "system:authenticated"};
  const std::array<std::string_view, 2> plugins = {"NodeAffinity", "NodeResourcesFit"};
  for (const api::StringMap* ns_labels : {&labels, static_cast<const api::StringMap*>(nullptr)}) {
    const webhook::Subject subject{
        .ns = "shop", .ns_labels = ns_labels, .labels = labels, .user = "jane", .groups = groups};
    for (const auto question : {webhook::Question::kImpossible, webhook::Question::kNoRoom}) {
      if (policy->ActionFor(question, subject, plugins) > webhook::Action::kIgnore) std::abort();
    }
    const std::string* exemption = policy->ExemptionOf(subject);
    if (exemption != nullptr && exemption->empty()) std::abort();
  }
  if (!policy->IsTransient("node.kubernetes.io/not-ready")) std::abort();
  if (policy->max_staleness().count() < 1) std::abort();
  for (const webhook::NodeShape& shape : policy->node_shapes()) {
    const api::ResourceList& allocatable = shape.node.status.allocatable;
    if (!allocatable.contains("cpu") || !allocatable.contains("pods")) std::abort();
    if (shape.node.metadata.name != shape.name || shape.name.empty()) std::abort();
  }
  return 0;
}
