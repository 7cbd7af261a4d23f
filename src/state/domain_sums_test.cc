#include "state/domain_sums.h"

#include <map>
#include <random>

#include <gtest/gtest.h>

namespace ksched {
namespace {

api::Node NodeIn(const std::string& name, const std::string& zone) {
  api::Node node;
  node.metadata.name = name;
  if (!zone.empty()) node.metadata.labels["zone"] = zone;
  return node;
}

api::Pod PodOn(const std::string& name, const std::string& node) {
  api::Pod pod;
  pod.metadata.ns = "default";
  pod.metadata.name = name;
  pod.spec.node_name = node;
  return pod;
}

class DomainSumsTest : public ::testing::Test {
 protected:
  void Add(const std::string& name, const std::string& node) {
    state_.AddPod(state_.pod_store().Add(PodOn(name, node)));
  }
  // How many nodes were asked about.
  size_t Update() {
    state_.TakeSnapshot();
    size_t asked = 0;
    sums_.Update(state_, zone_, [&](NodeId node) -> std::optional<int64_t> {
      ++asked;
      return static_cast<int64_t>(state_.pods(node).size());
    });
    return asked;
  }
  DomainId Domain(const std::string& node) { return state_.domain(zone_, *state_.FindNode(node)); }

  ClusterState state_;
  TopologyKeyId zone_ = state_.UseTopologyKey("zone");
  DomainSums sums_;
};

TEST_F(DomainSumsTest, OnlyNodesThatChangedAreLookedAtAgain) {
  for (int i = 0; i < 100; ++i) state_.AddNode(NodeIn("n" + std::to_string(i), "z" + std::to_string(i % 3)));
  for (int i = 0; i < 1000; ++i) Add("p" + std::to_string(i), "n" + std::to_string(i % 100));
  EXPECT_EQ(Update(), 100u);
  EXPECT_EQ(sums_.total(), 1000);
  EXPECT_EQ(Update(), 0u);
  Add("one", "n7");
  EXPECT_EQ(Update(), 1u);
  EXPECT_EQ(sums_.sum(Domain("n7")), 331);
}

TEST_F(DomainSumsTest, AsksANodeOnceHoweverOftenItChanged) {
  for (int i = 0; i < 4; ++i) state_.AddNode(NodeIn("n" + std::to_string(i), "z" + std::to_string(i % 2)));
  EXPECT_EQ(Update(), 4u);
  for (int i = 0; i < 200; ++i) Add("p" + std::to_string(i), "n" + std::to_string(i % 3));
  EXPECT_EQ(Update(), 3u);
  EXPECT_EQ(sums_.sum(Domain("n0")), 133);
  EXPECT_EQ(sums_.sum(Domain("n1")), 67);
}

TEST_F(DomainSumsTest, TheLeastSumAndTheLeastOfTheOthers) {
  EXPECT_EQ(sums_.Least(), DomainSums::kNone);
  state_.AddNode(NodeIn("a", "za"));
  Add("p1", "a");
  Update();
  EXPECT_EQ(sums_.Least(), 1);
  EXPECT_EQ(sums_.LeastBut(Domain("a")), DomainSums::kNone);
  state_.AddNode(NodeIn("b", "zb"));
  state_.AddNode(NodeIn("c", "zc"));
  state_.AddNode(NodeIn("no-zone", ""));
  Add("p2", "c");
  Add("p3", "c");
  Update();
  EXPECT_EQ(sums_.Least(), 0);
  EXPECT_EQ(sums_.LeastBut(Domain("b")), 1);
  EXPECT_EQ(sums_.LeastBut(Domain("a")), 0);
  EXPECT_EQ(sums_.LeastBut(kNoDomain), 0);
  state_.RemoveNode("b");
  Update();
  EXPECT_EQ(sums_.Least(), 1);
  EXPECT_EQ(sums_.num_domains(), 2u);
  state_.UpdateNode(NodeIn("a", "zc"));
  Update();
  EXPECT_EQ(sums_.Least(), 3);
}

TEST_F(DomainSumsTest, IsWhatCountingAnewGives) {
  std::mt19937 random(7);
  const auto below = [&](uint32_t n) { return static_cast<int>(random() % n); };
  std::vector<PodInfo*> placed;
  for (int step = 0; step < 2000; ++step) {
    const std::string node = "n" + std::to_string(below(8));
    switch (below(6)) {
      case 0:
        state_.UpdateNode(NodeIn(node, below(6) == 0 ? "" : "z" + std::to_string(below(4))));
        break;
      case 1:
        if (below(4) == 0) state_.RemoveNode(node);
        break;
      case 2:
      case 3:
        placed.push_back(&state_.pod_store().Add(PodOn("p" + std::to_string(step), node)));
        state_.AddPod(*placed.back());
        break;
      default:
        if (placed.empty()) break;
        std::swap(placed[static_cast<size_t>(below(static_cast<uint32_t>(placed.size())))], placed.back());
        state_.RemovePod(*placed.back());
        state_.pod_store().Remove(placed.back()->id);
        placed.pop_back();
    }
    if (below(3) == 0) continue;
    Update();
    std::map<DomainId, int64_t> want;
    for (const NodeId id : state_.order()) {
      const DomainId domain = state_.domain(zone_, id);
      if (domain != kNoDomain) want[domain] += static_cast<int64_t>(state_.pods(id).size());
    }
    ASSERT_EQ(sums_.num_domains(), want.size());
    const auto least_but = [&](DomainId without) {
      int64_t least = DomainSums::kNone;
      for (const auto& [domain, sum] : want) {
        if (domain != without) least = std::min(least, sum);
      }
      return least;
    };
    if (below(2) == 0) {
      ASSERT_EQ(sums_.Least(), least_but(kNoDomain)) << step;
    }
    for (const auto& [domain, sum] : want) {
      ASSERT_EQ(sums_.sum(domain), sum) << step;
      ASSERT_EQ(sums_.LeastBut(domain), least_but(domain)) << step;
    }
  }
}

}  // namespace
}  // namespace ksched
