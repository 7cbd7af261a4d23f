#include "state/node_class.h"

namespace ksched {
namespace {

void AppendText(std::string_view text, std::string& out) {
  const auto size = static_cast<uint32_t>(text.size());
  out.append(reinterpret_cast<const char*>(&size), sizeof size).append(text);
}

}  // namespace

bool NodeClassTable::UseLabelKey(std::string_view key) {
  if (label_keys_.contains(key)) return false;
  label_keys_.emplace(key);
  return true;
}

NodeClassId NodeClassTable::Classify(const api::Node& node) {
  std::string& key = scratch_;
  key.assign(1, node.spec.unschedulable ? 'u' : 's');
  for (const api::Taint& taint : node.spec.taints) {
    key += 't';
    AppendText(taint.key, key);
    AppendText(taint.value, key);
    AppendText(taint.effect, key);
  }
  for (const std::string& label : label_keys_) {
    auto found = node.metadata.labels.find(label);
    key += found == node.metadata.labels.end() ? '-' : 'l';
    if (found != node.metadata.labels.end()) AppendText(found->second, key);
  }
  // Texts made with fewer keys in use must not be taken for one made with more.
  AppendText(std::to_string(label_keys_.size()), key);
  return ids_.try_emplace(key, static_cast<NodeClassId>(ids_.size())).first->second;
}

}  // namespace ksched
