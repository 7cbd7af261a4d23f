// The numbers are those of the reference's formulas (and, where they agree, of its own tests).
#include "plugins/node_resources_fit/strategy.h"

#include <gmock/gmock.h>

#include <optional>

#include "framework/testing.h"

namespace ksched {
namespace {

using config::ResourceSpec;
using testing_support::Amounts;
using testing_support::MakeNode;
using testing_support::MakePod;
using testing_support::TestCluster;

constexpr char kLeast[] = "LeastAllocated", kMost[] = "MostAllocated", kRatio[] = "RequestedToCapacityRatio";
const std::vector<config::UtilizationShapePoint> kUp = {{0, 0}, {100, 10}}, kDown = {{0, 10}, {100, 0}}, kNone;
const std::vector<ResourceSpec> kDefault = {{"cpu", 1}, {"memory", 1}}, kCpuWeighs = {{"cpu", 2}, {"memory", 1}},
                                kGpu = {{"example.com/gpu", 1}}, kGpuToo = {{"cpu", 1}, {"example.com/gpu", 3}};

struct Row {
  const char* name;
  const char* type;
  const std::vector<config::UtilizationShapePoint>& shape;
  const std::vector<ResourceSpec>& resources;
  Amounts there, pod, node;  // requests of a pod on the node, and of the pod in question; allocatable
  int64_t want;
};

int64_t ScoreOf(const Row& row) {
  TestCluster cluster;
  const NodeView node = cluster.AddNode(MakeNode("n1").Allocatable(row.node));
  if (!row.there.empty()) cluster.AddPod(MakePod("there").Node("n1").Requests(row.there));
  const PodInfo& pod = cluster.AddPod(MakePod("pod").Requests(row.pod));
  config::ScoringStrategy strategy{row.type, row.resources, {}};
  if (!row.shape.empty()) strategy.requested_to_capacity_ratio = config::RequestedToCapacityRatioParam{row.shape};
  auto created = FitStrategy::Create(strategy);
  if (!created) return -1;
  const ScoredResources resources(row.resources, ScoredResources::Allocated::kNonzeroRequested, cluster.Context());
  ScoredRequests requests;
  resources.Prepare(pod.pod_class->fit_score_request_list, requests);
  return (*created)->Score(resources, requests, node);
}

TEST(FitStrategyTest, Scores) {
  const Row kRows[] = {
      // ((4000 - 3000) * 100 / 4000 + (10000 - 5000) * 100 / 10000) / 2
      {"least",
       kLeast,
       kNone,
       kDefault,
       {},
       {{"cpu", "3"}, {"memory", "5000"}},
       {{"cpu", "4"}, {"memory", "10000"}},
       37},
      {"least, weighted: (25 * 2 + 50) / 3",
       kLeast,
       kNone,
       kCpuWeighs,
       {},
       {{"cpu", "3"}, {"memory", "5000"}},
       {{"cpu", "4"}, {"memory", "10000"}},
       33},
      {"least, with what is there: (20 + 30) / 2",
       kLeast,
       kNone,
       kDefault,
       {{"cpu", "5"}, {"memory", "2000"}},
       {{"cpu", "3"}, {"memory", "5000"}},
       {{"cpu", "10"}, {"memory", "10000"}},
       25},
      {"least, more than there is: (0 + 90) / 2",
       kLeast,
       kNone,
       kDefault,
       {},
       {{"cpu", "6"}, {"memory", "1000"}},
       {{"cpu", "4"}, {"memory", "10000"}},
       45},
      {"least, by default 100m and 200 MiB: (90 + 80) / 2",
       kLeast,
       kNone,
       kDefault,
       {},
       {},
       {{"cpu", "1"}, {"memory", "1000Mi"}},
       85},
      {"least, defaults of what is there, too",
       kLeast,
       kNone,
       kDefault,
       {{"example.com/gpu", "1"}},
       {},
       {{"cpu", "1"}, {"memory", "1000Mi"}},
       70},
      {"least, zero is a request",
       kLeast,
       kNone,
       kDefault,
       {},
       {{"cpu", "0"}, {"memory", "0"}},
       {{"cpu", "1"}, {"memory", "1000Mi"}},
       100},
      {"least, a node without memory", kLeast, kNone, kDefault, {}, {{"cpu", "1"}}, {{"cpu", "4"}}, 75},
      {"least, a node with nothing", kLeast, kNone, kDefault, {}, {{"cpu", "1"}}, {}, 0},
      {"least, a scalar resource: (50 + 75 * 3) / 4",
       kLeast,
       kNone,
       kGpuToo,
       {{"example.com/gpu", "1"}, {"cpu", "0"}},
       {{"cpu", "2"}, {"example.com/gpu", "1"}},
       {{"cpu", "4"}, {"example.com/gpu", "8"}},
       68},
      {"least, a scalar resource not asked for",
       kLeast,
       kNone,
       kGpuToo,
       {},
       {{"cpu", "2"}},
       {{"cpu", "4"}, {"example.com/gpu", "8"}},
       50},
      {"least, nothing that counts", kLeast, kNone, kGpu, {}, {{"cpu", "2"}}, {{"example.com/gpu", "8"}}, 0},

      {"most", kMost, kNone, kDefault, {}, {{"cpu", "3"}, {"memory", "5000"}}, {{"cpu", "4"}, {"memory", "10000"}}, 62},
      {"most, weighted: (75 * 2 + 50) / 3",
       kMost,
       kNone,
       kCpuWeighs,
       {},
       {{"cpu", "3"}, {"memory", "5000"}},
       {{"cpu", "4"}, {"memory", "10000"}},
       66},
      {"most, more than there is: (100 + 10) / 2",
       kMost,
       kNone,
       kDefault,
       {},
       {{"cpu", "6"}, {"memory", "1000"}},
       {{"cpu", "4"}, {"memory", "10000"}},
       55},
      {"most, by default: (10 + 20) / 2", kMost, kNone, kDefault, {}, {}, {{"cpu", "1"}, {"memory", "1000Mi"}}, 15},

      {"ratio, up: (75 + 50) / 2 rounded",
       kRatio,
       kUp,
       kDefault,
       {},
       {{"cpu", "3"}, {"memory", "5000"}},
       {{"cpu", "4"}, {"memory", "10000"}},
       63},
      {"ratio, down: (25 + 50) / 2 rounded",
       kRatio,
       kDown,
       kDefault,
       {},
       {{"cpu", "3"}, {"memory", "5000"}},
       {{"cpu", "4"}, {"memory", "10000"}},
       38},
      {"ratio, what scores 0 does not count",
       kRatio,
       kUp,
       kDefault,
       {},
       {{"cpu", "3"}, {"memory", "0"}},
       {{"cpu", "4"}, {"memory", "10000"}},
       75},
      {"ratio, more than there is",
       kRatio,
       kUp,
       kDefault,
       {},
       {{"cpu", "6"}, {"memory", "0"}},
       {{"cpu", "4"}, {"memory", "10000"}},
       100},
      {"ratio, nothing counts",
       kRatio,
       kUp,
       kDefault,
       {},
       {{"cpu", "0"}, {"memory", "0"}},
       {{"cpu", "4"}, {"memory", "10000"}},
       0},
      {"ratio, a scalar resource: 2 + 1 of 8",
       kRatio,
       kUp,
       kGpu,
       {{"example.com/gpu", "2"}},
       {{"example.com/gpu", "1"}},
       {{"example.com/gpu", "8"}},
       37},

      {"sums wrap around",
       kMost,
       kNone,
       kDefault,
       {},
       {{"memory", "9223372036854775807"}, {"cpu", "0"}},
       {{"memory", "9223372036854775807"}},
       0},
  };
  for (const Row& row : kRows) EXPECT_EQ(ScoreOf(row), row.want) << row.name;
}

TEST(FitStrategyTest, Unknown) {
  EXPECT_EQ(FitStrategy::Create({"Best", {}, {}}).error().message, "scoring strategy Best is not supported");
  EXPECT_FALSE(FitStrategy::Create({kRatio, {}, {}}).ok());
}

}  // namespace
}  // namespace ksched
