// Clusters and numbers of the reference's own test, where they agree.
#include "plugins/image_locality/image_locality.h"

#include <gmock/gmock.h>

#include "framework/testing.h"

namespace ksched {
namespace {

using testing_support::MakeNode;
using testing_support::MakePod;
using testing_support::TestCluster;

constexpr int64_t kMib = 1024 * 1024;

struct Image {
  const char* name;
  int64_t mib;
};
using Images = std::vector<Image>;

MakePod PodWith(const std::vector<const char*>& images) {
  MakePod pod;
  for (const char* image : images) pod.Container("c", image);
  return pod;
}

TEST(ImageLocalityTest, Scores) {
  const Images k403002000 = {{"gcr.io/40:latest", 40}, {"gcr.io/300:latest", 300}, {"gcr.io/2000:latest", 2000}},
               k25010 = {{"gcr.io/250:latest", 250}, {"gcr.io/10:latest", 10}},
               k400030 = {{"gcr.io/4000:latest", 4000}, {"gcr.io/30:latest", 30}},
               k203040 = {{"gcr.io/20:latest", 20}, {"gcr.io/30:latest", 30}, {"gcr.io/40:latest", 40}};
  MakePod init = PodWith({"gcr.io/2000"});
  init.pod.spec.init_containers.emplace_back().image = "gcr.io/2000";
  MakePod volume = PodWith({"gcr.io/40"});
  volume.pod.spec.volumes = {{.name = "a", .claim_name = "claim"},
                             {.name = "b", .image = api::ImageVolume{"gcr.io/2000"}}};
  const struct {
    const char* name;
    MakePod pod;
    std::vector<Images> nodes;
    std::vector<int64_t> want;
  } kRows[] = {
      // 40/2 is below 23; 100 * (250/2 - 23) / (2 * 1000 - 23)
      {"on two nodes, the larger one", PodWith({"gcr.io/40", "gcr.io/250"}), {k403002000, k25010}, {0, 5}},
      // 100 * ((40 + 300)/2 - 23) / (2 * 1000 - 23)
      {"two on one node", PodWith({"gcr.io/40", "gcr.io/300"}), {k403002000, k25010}, {7, 0}},
      // 4000/2 is the most that counts of two images
      {"the limit", PodWith({"gcr.io/4000", "gcr.io/10"}), {k400030, k25010}, {100, 0}},
      // 100 * (4000/3 - 23) / (2 * 1000 - 23)
      {"few nodes have it", PodWith({"gcr.io/4000", "gcr.io/10"}), {k400030, k25010, {}}, {66, 0, 0}},
      // 30 * 2/3 is below 23, and so is 40 * 1/3
      {"small ones", PodWith({"gcr.io/30", "gcr.io/40"}), {k203040, k400030, {}}, {0, 0, 0}},
      {"another tag", PodWith({"gcr.io/2000:1"}), {k403002000}, {0}},
      {"its tag", PodWith({"gcr.io/2000:latest"}), {k403002000}, {100}},
      // each time it is named: 100 * (2 * 2000/2 - 23) / (2 * 1000 - 23)
      {"init containers, twice the same", init, {k403002000, {}}, {100, 0}},
      // 100 * ((40 + 2000)/2 - 23) / (2 * 1000 - 23)
      {"image volumes", volume, {k403002000, {}}, {50, 0}},
      {"no containers", PodWith({}), {k403002000}, {0}},
  };
  for (const auto& row : kRows) {
    TestCluster cluster;
    for (const Images& images : row.nodes) {
      MakeNode node("n" + std::to_string(cluster.state.num_nodes()));
      for (const Image& image : images) node.Image({image.name}, image.mib * kMib);
      cluster.AddNode(node);
    }
    // Nodes see how many of them have an image when they are next taken into the snapshot: make them all new.
    for (const NodeId id : cluster.state.order()) {
      cluster.state.UpdateNode(api::Node(cluster.state.node(id)), ClusterState::ImagesOf::kAsBefore);
    }
    cluster.state.TakeSnapshot();
    const auto plugin = cluster.Create<ImageLocality>();
    EXPECT_EQ(cluster.Scores(*plugin, cluster.AddPod(row.pod)), row.want) << row.name;
  }
}

TEST(ImageLocalityTest, Signature) {
  TestCluster cluster;
  const auto plugin = cluster.Create<ImageLocality>();
  int added = 0;
  const auto sign = [&](MakePod pod) {
    pod.pod.metadata.name += std::to_string(++added);
    std::string signature;
    EXPECT_TRUE(plugin->SignPod(cluster.AddPod(pod), signature));
    return signature;
  };
  const std::string two = sign(PodWith({"a", "b:1"}));
  EXPECT_EQ(sign(PodWith({"b:1", "a:latest", "a"})), two);
  EXPECT_NE(sign(PodWith({"a", "b:2"})), two);
  MakePod init = PodWith({"a"});
  init.pod.spec.init_containers.emplace_back().image = "b:1";
  EXPECT_EQ(sign(init), two);
  MakePod volume = PodWith({"a", "b:1"});
  volume.pod.spec.volumes = {{.name = "v", .image = api::ImageVolume{"c"}}};
  EXPECT_EQ(sign(volume), two);
}

}  // namespace
}  // namespace ksched
