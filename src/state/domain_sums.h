// DomainSums: how much there is in each topology domain, as the sum of what its nodes have. Kept by who asks, and
// brought up to date by the journal: only nodes that changed since the last time are looked at again.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "state/cluster_state.h"

namespace ksched {

class DomainSums {
 public:
  // Brings the sums up to date. `amount_of(NodeId)` is what a node has, an optional int64_t: absent, if it takes no
  // part; it must depend on the node alone (its object, and pods that come and go), and is asked for nodes of the
  // snapshot that have the label. Outside marks of the state only.
  template <typename AmountOf>
  void Update(const ClusterState& state, TopologyKeyId key, AmountOf&& amount_of) {
    const Journal& journal = state.journal();
    if (!started_ || key != key_ || seen_ < journal.first()) {
      *this = DomainSums();
      started_ = true;
      key_ = key;
      for (NodeId node = 0; node < state.node_capacity(); ++node) Refresh(state, node, amount_of);
      (void)journal.Since(journal.next());  // what came before cannot be unmade any more
    } else {
      NodeId last = kNoNode;
      for (const JournalRecord& record : journal.Since(seen_)) {
        if (record.node != last) Refresh(state, record.node, amount_of);
        last = record.node;
      }
    }
    seen_ = journal.next();
  }

  // The sum of a domain; 0 of one without nodes that take part.
  int64_t sum(DomainId domain) const { return domain < domains_.size() ? domains_[domain].sum : 0; }
  uint32_t nodes(DomainId domain) const { return domain < domains_.size() ? domains_[domain].nodes : 0; }
  uint32_t domain_capacity() const { return static_cast<uint32_t>(domains_.size()); }  // ids above have no nodes
  uint32_t num_domains() const { return num_domains_; }                                // with nodes that take part
  int64_t total() const { return total_; }
  // What a node adds, and whether it takes part.
  std::optional<int64_t> amount(NodeId node) const {
    if (node >= nodes_.size() || nodes_[node].domain == kNoDomain) return std::nullopt;
    return nodes_[node].amount;
  }

 private:
  struct Node {
    DomainId domain = kNoDomain;  // kNoDomain: it takes no part
    int64_t amount = 0;
  };
  struct Domain {
    int64_t sum = 0;
    uint32_t nodes = 0;
  };

  template <typename AmountOf>
  void Refresh(const ClusterState& state, NodeId id, AmountOf&& amount_of) {
    if (nodes_.size() <= id) nodes_.resize(state.node_capacity());
    Node now;
    const DomainId domain = state.domain(key_, id);
    if (domain != kNoDomain && state.present(id) && state.in_snapshot(id)) {
      if (const std::optional<int64_t> amount = amount_of(id)) now = {domain, *amount};
    }
    Node& node = nodes_[id];
    if (node.domain != kNoDomain) Take(node, -1);
    node = now;
    if (node.domain != kNoDomain) Take(node, +1);
  }
  void Take(const Node& node, int sign) {
    if (domains_.size() <= node.domain) domains_.resize(node.domain + 1);
    Domain& domain = domains_[node.domain];
    domain.sum += sign * node.amount;
    total_ += sign * node.amount;
    if (domain.nodes == 0) ++num_domains_;
    domain.nodes += static_cast<uint32_t>(sign);
    if (domain.nodes == 0) --num_domains_;
  }

  bool started_ = false;
  TopologyKeyId key_ = 0;
  uint64_t seen_ = 0;
  std::vector<Node> nodes_;      // by NodeId
  std::vector<Domain> domains_;  // by DomainId
  uint32_t num_domains_ = 0;
  int64_t total_ = 0;
};

}  // namespace ksched
