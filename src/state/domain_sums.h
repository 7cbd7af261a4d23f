// DomainSums: how much there is in each topology domain, as the sum of what its nodes have. Kept by who asks, and
// brought up to date by the journal: only nodes that changed since the last time are looked at again,
// each once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
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
    if (!started_ || key != key_ || seen_ < journal.first() || ++round_ == 0) {
      *this = DomainSums();
      started_ = true;
      key_ = key;
      for (NodeId node = 0; node < state.node_capacity(); ++node) Refresh(state, node, amount_of);
      (void)journal.Since(journal.next());  // what came before cannot be unmade any more
    } else {
      for (const JournalRecord& record : journal.Since(seen_)) {
        if (record.node < nodes_.size() && nodes_[record.node].round == round_) continue;
        Refresh(state, record.node, amount_of);
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
  static constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
  // The least sum of a domain with nodes that take part; kNone if there is none. Looks at all domains only when the
  // last one that had it has changed.
  int64_t Least() {
    if (num_at_least_ == 0) FindLeast();
    return num_domains_ == 0 ? kNone : least_;
  }
  // The same without one domain.
  int64_t LeastBut(DomainId domain) {
    const int64_t least = Least();
    if (num_at_least_ > 1 || nodes(domain) == 0 || sum(domain) != least) return least;
    if (!rest_known_) FindLeastOfRest(domain);
    return least_of_rest_;
  }
  // What a node adds, and whether it takes part.
  std::optional<int64_t> amount(NodeId node) const {
    if (node >= nodes_.size() || nodes_[node].domain == kNoDomain) return std::nullopt;
    return nodes_[node].amount;
  }

 private:
  struct Node {
    DomainId domain = kNoDomain;  // kNoDomain: it takes no part
    uint32_t round = 0;           // in which it was looked at last
    int64_t amount = 0;
  };
  struct Domain {
    int64_t sum = 0;
    uint32_t nodes = 0;
  };

  template <typename AmountOf>
  void Refresh(const ClusterState& state, NodeId id, AmountOf&& amount_of) {
    if (nodes_.size() <= id) nodes_.resize(state.node_capacity());
    Node now{.round = round_};
    const DomainId domain = state.domain(key_, id);
    if (domain != kNoDomain && state.present(id) && state.in_snapshot(id)) {
      if (const std::optional<int64_t> amount = amount_of(id)) now = {domain, round_, *amount};
    }
    Node& node = nodes_[id];
    if (node.domain == now.domain) {
      if (node.amount != now.amount) Change(now.domain, now.amount - node.amount, 0);
    } else {
      if (node.domain != kNoDomain) Change(node.domain, -node.amount, -1);
      if (now.domain != kNoDomain) Change(now.domain, now.amount, +1);
    }
    node = now;
  }
  void Change(DomainId id, int64_t amount, int nodes) {
    if (domains_.size() <= id) domains_.resize(id + 1);
    Domain& domain = domains_[id];
    rest_known_ = false;
    if (domain.nodes > 0) {
      --num_domains_;
      if (domain.sum == least_) --num_at_least_;
    }
    domain.sum += amount;
    domain.nodes += static_cast<uint32_t>(nodes);
    total_ += amount;
    if (domain.nodes == 0) return;
    ++num_domains_;
    if (domain.sum < least_) {
      least_ = domain.sum;
      num_at_least_ = 0;
    }
    if (domain.sum == least_) ++num_at_least_;
  }
  void FindLeast() {
    least_ = kNone;
    for (const Domain& domain : domains_) {
      if (domain.nodes == 0 || domain.sum > least_) continue;
      num_at_least_ = domain.sum == least_ ? num_at_least_ + 1 : 1;
      least_ = domain.sum;
    }
  }
  void FindLeastOfRest(DomainId without) {
    least_of_rest_ = kNone;
    for (DomainId id = 0; id < domains_.size(); ++id) {
      if (id != without && domains_[id].nodes > 0) least_of_rest_ = std::min(least_of_rest_, domains_[id].sum);
    }
    rest_known_ = true;
  }

  bool started_ = false;
  TopologyKeyId key_ = 0;
  uint64_t seen_ = 0;
  uint32_t round_ = 0;           // one for each Update since all nodes were looked at
  std::vector<Node> nodes_;      // by NodeId
  std::vector<Domain> domains_;  // by DomainId
  uint32_t num_domains_ = 0;
  int64_t total_ = 0;
  int64_t least_ = kNone;      // no sum is less
  uint32_t num_at_least_ = 0;  // how many domains have it; 0: the least sum has to be looked for
  bool rest_known_ = false;
  int64_t least_of_rest_ = kNone;  // without the one domain that has the least sum
};

}  // namespace ksched
