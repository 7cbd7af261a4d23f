// KeyWriter: values of the API as bytes that are equal for equal values only. Every text and every list is written with
// its length.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "api/types.h"

namespace ksched {

// Appends to the text that it is given.
class KeyWriter {
 public:
  explicit KeyWriter(std::string& out) : out_(out) {}

  template <typename... Ts>
  void All(const Ts&... values) {
    (Put(values), ...);
  }

  template <typename T>
    requires(std::is_arithmetic_v<T>)
  void Put(T value) {
    Bytes(&value, sizeof value);
  }
  void Put(std::string_view text) {
    Size(text.size());
    Bytes(text.data(), text.size());
  }
  void Put(const std::string& text) { Put(std::string_view(text)); }
  void Put(const api::Quantity& quantity) {
    const auto nano = quantity.nano();
    Bytes(&nano, sizeof nano);
  }
  template <typename T>
  void Put(const std::optional<T>& value) {
    Put(value.has_value());
    if (value) Put(*value);
  }
  template <typename T>
  void Put(const std::vector<T>& list) {
    Size(list.size());
    for (const T& value : list) Put(value);
  }
  template <typename K, typename V>
  void Put(const boost::container::flat_map<K, V>& map) {
    Size(map.size());
    for (const auto& [key, value] : map) All(key, value);
  }

  void Put(const api::LabelSelectorRequirement& r) { All(r.key, r.op, r.values); }
  void Put(const api::LabelSelector& s) { All(s.match_labels, s.match_expressions); }
  void Put(const api::NodeSelectorRequirement& r) { All(r.key, r.op, r.values); }
  void Put(const api::NodeSelectorTerm& t) { All(t.match_expressions, t.match_fields); }
  void Put(const api::NodeSelector& s) { Put(s.terms); }
  void Put(const api::PreferredSchedulingTerm& t) { All(t.weight, t.preference); }
  void Put(const api::NodeAffinity& a) { All(a.required, a.preferred); }
  void Put(const api::PodAffinityTerm& t) {
    All(t.label_selector, t.namespace_selector, t.namespaces, t.match_label_keys, t.mismatch_label_keys,
        t.topology_key);
  }
  void Put(const api::WeightedPodAffinityTerm& t) { All(t.weight, t.term); }
  void Put(const api::PodAffinity& a) { All(a.required, a.preferred); }
  void Put(const api::Affinity& a) { All(a.node_affinity, a.pod_affinity, a.pod_anti_affinity); }
  void Put(const api::TopologySpreadConstraint& c) {
    All(c.max_skew, c.topology_key, c.when_unsatisfiable, c.label_selector, c.min_domains, c.node_affinity_policy,
        c.node_taints_policy, c.match_label_keys);
  }
  void Put(const api::Toleration& t) { All(t.key, t.op, t.value, t.effect, t.toleration_seconds); }
  void Put(const api::ResourceRequirements& r) { All(r.requests, r.limits, r.claims); }
  void Put(const api::ContainerPort& p) { All(p.host_port, p.container_port, p.protocol, p.host_ip, p.name); }
  void Put(const api::ContainerRestartRule& r) { Put(r.action); }
  void Put(const api::VolumeMount& m) { Put(m.bind_mount_options); }
  void Put(const api::Container& c) {
    All(c.name, c.image, c.restart_policy, c.resources, c.ports, c.restart_policy_rules, c.volume_mounts);
  }
  void Put(const api::PodResourceClaim& c) { All(c.name, c.resource_claim_name, c.resource_claim_template_name); }
  void Put(const api::PodSpec& s) {
    All(s.scheduler_name, s.priority_class_name, s.preemption_policy, s.runtime_class_name, s.restart_policy,
        s.priority, s.node_selector, s.affinity, s.tolerations, s.topology_spread_constraints, s.scheduling_gates,
        s.overhead, s.host_network, s.host_users, s.containers, s.init_containers, s.resources, s.resource_claims,
        s.termination_grace_period_seconds, s.has_scheduling_group);
    for (const api::Volume& volume : s.volumes) {
      if (volume.image) All(true, volume.image->reference);
    }
    Put(false);
  }

 private:
  void Size(size_t size) { Put(static_cast<uint32_t>(size)); }
  void Bytes(const void* bytes, size_t size) { out_.append(static_cast<const char*>(bytes), size); }

  std::string& out_;
};

}  // namespace ksched
