// AffinityCounts: what InterPodAffinity works out once and keeps over cycles. Per class of pods its terms in a form
// ready for look-ups, and per count and topology key the sums by domain, shared by all pods that look at them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "state/domain_sums.h"

namespace ksched {

// Pods that a term of the pod to be placed means, counted by the domains of its topology key.
struct OwnTerm {
  TopologyKeyId key = 0;
  SelectorGroupId group = 0;
  DomainSums* sums = nullptr;
  int32_t weight = 0;  // of preferred terms; negative: anti-affinity
};

// What was worked out for one class.
struct ClassTerms {
  uint64_t serial = 0;                       // of the class
  std::vector<PodTerm> terms;                // as TermsOf gives them
  std::vector<TopologyKeyId> required_anti;  // the keys of required anti-affinity, in that order
  bool compiled = false;                     // the rest: for pods that are to be placed
  SelectorGroupId all_affinity = 0;          // pods that all terms of required affinity mean, if there are any
  std::vector<OwnTerm> affinity;             // required: one per key, all of group all_affinity
  std::vector<OwnTerm> anti_affinity;        // required
  std::vector<OwnTerm> preferred;            // affinity and anti-affinity
  bool has_required() const { return !affinity.empty() || !anti_affinity.empty(); }
};

// What a pod of one class, when it comes to a node, changes for the pod that is to be placed.
struct PodEffects {
  uint64_t serial = 0, incoming_serial = 0;  // of the classes that it was worked out for
  uint64_t namespaces_version = 0;
  bool affinity = false;                                      // all its terms of required affinity mean the pod
  boost::container::small_vector<uint32_t, 2> anti_affinity;  // positions in ClassTerms::anti_affinity
  boost::container::small_vector<TopologyKeyId, 2> existing;  // keys of the pod's own terms that mean the other
};

// References are good until the next call of Trim, those to classes and effects until the next call of the same method.
class AffinityCounts {
 public:
  explicit AffinityCounts(ClusterState& state) : state_(state) {}

  // The terms of a class, without what is compiled.
  const ClassTerms& Terms(const PodClass& pod_class) { return Slot(pod_class); }
  const ClassTerms& Compiled(const PodClass& pod_class);
  const PodEffects& Effects(const PodClass& incoming, const PodClass& changed);

  // Brings the sums of one count up to date.
  void Update(const OwnTerm& term);
  DomainSums& Updated(TermGroupId group);

  // Forgets everything when it has become a lot. Nobody may hold a reference then.
  void Trim();

  // How often a node was asked for what it has, since the start.
  uint64_t nodes_asked() const { return nodes_asked_; }

 private:
  ClassTerms& Slot(const PodClass& pod_class);
  OwnTerm MakeOwn(TopologyKeyId key, SelectorGroupId group, int32_t weight);

  ClusterState& state_;
  ClassTerms none_{.compiled = true};                 // of all classes without any
  std::vector<std::unique_ptr<ClassTerms>> classes_;  // by PodClass::id
  std::vector<PodEffects> effects_;                   // by PodClass::id of the pod that comes
  std::map<std::pair<SelectorGroupId, TopologyKeyId>, std::unique_ptr<DomainSums>> group_sums_;
  std::vector<std::unique_ptr<DomainSums>> term_sums_;  // by TermGroupId
  size_t sums_ = 0;                                     // how many of both
  uint64_t nodes_asked_ = 0;
};

}  // namespace ksched
