#include "queue/nominator.h"

#include <algorithm>

namespace ksched {

void Nominator::Add(const PodInfo& pod, std::optional<std::string_view> node) {
  // `node` may be what Delete frees.
  const std::string name(node.value_or(pod.nominated_node_name()));
  Delete(pod.id);
  if (name.empty() || !pod.node_name().empty()) return;
  pods_of_[name].push_back(pod.id);
  node_of_.emplace(pod.id, name);
}

void Nominator::Update(const PodInfo& old_pod, const PodInfo& new_pod) {
  // An update that names no node may have been written before this nomination was made: it does not end it.
  if (old_pod.nominated_node_name().empty() && new_pod.nominated_node_name().empty()) {
    if (const std::string_view node = NodeOf(new_pod.id); !node.empty()) Add(new_pod, node);
    return;
  }
  Add(new_pod, std::nullopt);
}

void Nominator::Delete(PodId pod) {
  auto found = node_of_.find(pod);
  if (found == node_of_.end()) return;
  auto of_node = pods_of_.find(found->second);
  std::vector<PodId>& pods = of_node->second;
  pods.erase(std::find(pods.begin(), pods.end(), Counted(pod)));
  if (pods.empty()) pods_of_.erase(of_node);
  node_of_.erase(found);
  if (const auto stand_in = stand_ins_.find(pod); stand_in != stand_ins_.end()) {
    pods_->Remove(stand_in->second);
    stand_ins_.erase(stand_in);
  }
}

void Nominator::NotQueued(const PodInfo& pod) {
  const auto node = node_of_.find(pod.id);
  if (node == node_of_.end() || stand_ins_.contains(pod.id)) return;
  api::Pod name;
  name.metadata.ns = pod.ns();
  name.metadata.name = pod.name();
  name.metadata.uid = pod.uid();
  const PodId stand_in = pods_->AddUnlisted(std::move(name)).id;
  std::vector<PodId>& pods = pods_of_.at(node->second);
  *std::find(pods.begin(), pods.end(), pod.id) = stand_in;
  stand_ins_.emplace(pod.id, stand_in);
}

PodId Nominator::Counted(PodId pod) const {
  const auto stand_in = stand_ins_.find(pod);
  return stand_in == stand_ins_.end() ? pod : stand_in->second;
}

std::vector<std::string> Nominator::NominatedNodes() const {
  std::vector<std::string> names;
  for (const auto& [name, pods] : pods_of_) names.push_back(name);
  return names;
}

std::span<const PodId> Nominator::NominatedPods(const std::string& node_name) const {
  if (pods_of_.empty()) return {};
  auto found = pods_of_.find(node_name);
  if (found == pods_of_.end()) return {};
  return found->second;
}

std::string_view Nominator::NodeOf(PodId pod) const {
  auto found = node_of_.find(pod);
  if (found == node_of_.end()) return {};
  return found->second;
}

}  // namespace ksched
