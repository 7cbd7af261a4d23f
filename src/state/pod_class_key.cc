// AppendPodClassKey. Every text and every list is written with its length, so that no two pods that differ can have
// the same bytes. What the key leaves out of a spec, PodClass does not hold.
#include <cstring>
#include <string_view>
#include <type_traits>

#include "state/pod_class.h"

namespace ksched {
namespace {

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

void PutController(const std::vector<api::OwnerReference>& owners, KeyWriter& key) {
  for (const api::OwnerReference& owner : owners) {
    if (!owner.controller) continue;
    key.All(true, owner.api_version, owner.kind, owner.name, owner.uid);
    return;
  }
  key.Put(false);
}

// What a container's status says of its resources, where that is not what its spec says.
void PutContainerStatuses(const std::vector<api::Container>& containers, const api::PodStatus& status, KeyWriter& key) {
  uint32_t index = 0;
  for (const api::Container& container : containers) {
    const uint32_t here = index++;
    const api::ContainerStatus* found = FindContainerStatus(status, container.name);
    if (found == nullptr) continue;
    const auto says_the_same = [&container](const std::optional<api::ResourceList>& list) {
      return !list || *list == container.resources.requests;
    };
    if (says_the_same(found->allocated_resources) && says_the_same(found->resources_requests)) continue;
    key.All(true, here, found->allocated_resources, found->resources_requests);
  }
  key.Put(false);
}

void PutStatus(const api::Pod& pod, const ResourceFeatures& features, KeyWriter& key) {
  if (!features.in_place_pod_vertical_scaling) return;
  const api::PodStatus& status = pod.status;
  // An infeasible resize: then containers without a status count for nothing.
  const bool infeasible = IsPodResizeInfeasible(status);
  key.Put(infeasible);
  PutContainerStatuses(pod.spec.containers, status, key);
  PutContainerStatuses(pod.spec.init_containers, status, key);
  if (infeasible) {
    for (const auto* containers : {&pod.spec.containers, &pod.spec.init_containers}) {
      for (const api::Container& container : *containers) {
        const api::ContainerStatus* found = FindContainerStatus(status, container.name);
        key.All(found != nullptr && found->allocated_resources, found != nullptr && found->resources_requests);
      }
    }
  }
  if (features.in_place_pod_level_resources_vertical_scaling) {
    key.All(status.has_resources, status.allocated_resources, status.resources_requests);
  }
}

}  // namespace

size_t AppendPodClassKey(const api::Pod& pod, const ResourceFeatures& features, std::string& out) {
  KeyWriter key(out);
  key.All(pod.metadata.ns, pod.metadata.labels);
  PutController(pod.metadata.owner_references, key);
  const size_t spec = out.size();
  key.Put(pod.spec);
  PutStatus(pod, features, key);
  return spec;
}

}  // namespace ksched
