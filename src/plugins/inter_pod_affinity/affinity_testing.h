// For the tests of InterPodAffinity: terms and pods that have them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "framework/testing.h"

namespace ksched::testing_support {

// Pods whose labels match, in the pod's own namespace, by the key.
inline api::PodAffinityTerm Term(std::string topology_key, const Pairs& labels) {
  api::PodAffinityTerm term;
  term.topology_key = std::move(topology_key);
  api::LabelSelector& selector = term.label_selector.emplace();
  for (const auto& [key, value] : labels) selector.match_labels[key] = value;
  return term;
}
inline api::PodAffinityTerm InNamespaces(api::PodAffinityTerm term, std::vector<std::string> namespaces) {
  term.namespaces = std::move(namespaces);
  return term;
}
inline api::PodAffinityTerm InNamespacesThat(api::PodAffinityTerm term, api::LabelSelector selector) {
  term.namespace_selector = std::move(selector);
  return term;
}

inline api::PodAffinity& AffinityOf(MakePod& pod) {
  if (!pod.pod.spec.affinity) pod.pod.spec.affinity.emplace();
  auto& affinity = pod.pod.spec.affinity->pod_affinity;
  return affinity ? *affinity : affinity.emplace();
}
inline api::PodAffinity& AntiAffinityOf(MakePod& pod) {
  if (!pod.pod.spec.affinity) pod.pod.spec.affinity.emplace();
  auto& affinity = pod.pod.spec.affinity->pod_anti_affinity;
  return affinity ? *affinity : affinity.emplace();
}
inline MakePod Affinity(MakePod pod, std::vector<api::PodAffinityTerm> terms) {
  AffinityOf(pod).required = std::move(terms);
  return pod;
}
inline MakePod AntiAffinity(MakePod pod, std::vector<api::PodAffinityTerm> terms) {
  AntiAffinityOf(pod).required = std::move(terms);
  return pod;
}
inline MakePod Prefers(MakePod pod, int32_t weight, api::PodAffinityTerm term) {
  AffinityOf(pod).preferred.push_back({weight, std::move(term)});
  return pod;
}
inline MakePod PrefersNot(MakePod pod, int32_t weight, api::PodAffinityTerm term) {
  AntiAffinityOf(pod).preferred.push_back({weight, std::move(term)});
  return pod;
}

}  // namespace ksched::testing_support
