#include "plugins/pod_topology_spread/default_selector.h"

#include "api/label_selector.h"

namespace ksched {
namespace {

// No selector says nothing here.
void Add(const std::optional<api::LabelSelector>& more, api::LabelSelector& selector) {
  if (!more) return;
  // As expressions: the same key may be there already, with another value; then no pod is meant.
  for (const auto& [key, value] : more->match_labels) selector.match_expressions.push_back({key, "In", {value}});
  selector.match_expressions.insert(selector.match_expressions.end(), more->match_expressions.begin(),
                                    more->match_expressions.end());
}

}  // namespace

api::LabelSelector DefaultSelector(const PodClass& pod, const ClusterObjects& objects) {
  api::LabelSelector selector;
  const auto& services = objects.services.all();
  for (auto at = services.lower_bound(std::pair(std::string_view(pod.ns), std::string_view()));
       at != services.end() && at->first.first == pod.ns; ++at) {
    const api::StringMap& wanted = at->second->selector;
    if (!api::MatchesLabels(wanted, pod.labels)) continue;
    selector.match_labels.insert(wanted.begin(), wanted.end());  // all are the pod's labels: they do not conflict
  }
  const api::OwnerReference& owner = pod.controller;
  if (owner.kind == "ReplicationController" && owner.api_version == "v1") {
    const auto found = objects.replication_controllers.Find(pod.ns, owner.name);
    if (found == nullptr || !found->selector) return selector;
    for (const auto& [key, value] : found->selector->match_labels) selector.match_labels[key] = value;
  } else if (owner.kind == "ReplicaSet" && owner.api_version == "apps/v1") {
    if (const auto found = objects.replica_sets.Find(pod.ns, owner.name)) Add(found->selector, selector);
  } else if (owner.kind == "StatefulSet" && owner.api_version == "apps/v1") {
    if (const auto found = objects.stateful_sets.Find(pod.ns, owner.name)) Add(found->selector, selector);
  }
  return selector;
}

bool AnyDefaultSelectors(const ClusterObjects& objects) {
  return objects.services.size() + objects.replication_controllers.size() + objects.replica_sets.size() +
             objects.stateful_sets.size() >
         0;
}

uint64_t DefaultSelectorVersion(const ClusterObjects& objects) {  // versions only grow
  return objects.services.version() + objects.replication_controllers.version() + objects.replica_sets.version() +
         objects.stateful_sets.version();
}

}  // namespace ksched
