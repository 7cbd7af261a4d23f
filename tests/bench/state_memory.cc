// How many bytes ClusterState needs for a node and for a running pod: filled as watches of a large cluster would, and
// measured by what malloc has given out. Prints one line of JSON. Usage: state_memory [NODES PODS]
#include <malloc.h>

#include <cstdlib>
#include <iostream>
#include <string>

#include <fmt/format.h>

#include "state/snapshot_publisher.h"
#include "state/snapshot_reader.h"

namespace ksched {
namespace {

constexpr int kReplicas = 50, kImagesOfNode = 50, kImagesOfCluster = 400;
constexpr int64_t kTime = 1'772'438'291'000'000'000;

size_t BytesInUse() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

std::string Uid(int n) { return fmt::format("{:08x}-5717-4562-b3fc-2c963f66afa6", n); }
std::string NodeName(int n) { return fmt::format("ip-10-{}-{}-17.eu-west-1.compute.internal", n / 250, n % 250); }

void SetLabels(int n, api::StringMap& labels) {
  const std::string zone = fmt::format("eu-west-1{}", static_cast<char>('a' + n % 3));
  for (const char* prefix : {"beta.kubernetes.io", "kubernetes.io"}) {
    labels[std::string(prefix) + "/arch"] = "amd64";
    labels[std::string(prefix) + "/os"] = "linux";
  }
  for (const char* key : {"beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"}) {
    labels[key] = "m6i.16xlarge";
  }
  for (const char* key : {"failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"}) {
    labels[key] = "eu-west-1";
  }
  for (const char* key : {"failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"}) labels[key] = zone;
  labels["kubernetes.io/hostname"] = NodeName(n);
  labels["eks.amazonaws.com/nodegroup"] = "general-purpose";
  labels["eks.amazonaws.com/capacityType"] = "ON_DEMAND";
}

api::Node MakeNode(int n) {
  api::Node node;
  node.metadata.name = NodeName(n);
  node.metadata.uid = Uid(n);
  node.metadata.resource_version = std::to_string(81'234'567 + n);
  node.metadata.creation_timestamp = kTime;
  SetLabels(n, node.metadata.labels);
  node.metadata.annotations = {{"node.alpha.kubernetes.io/ttl", "0"},
                               {"volumes.kubernetes.io/controller-managed-attach-detach", "true"},
                               {"csi.volume.kubernetes.io/nodeid", "{\"ebs.csi.aws.com\":\"i-0123456789abcdef0\"}"}};
  for (const auto& [name, amount] : {std::pair("cpu", "63770m"),
                                     {"ephemeral-storage", "95491281146"},
                                     {"hugepages-1Gi", "0"},
                                     {"hugepages-2Mi", "0"},
                                     {"memory", "254310088Ki"},
                                     {"pods", "110"}}) {
    node.status.capacity[name] = node.status.allocatable[name] = *api::Quantity::Parse(amount);
  }
  node.status.has_allocatable = true;
  for (const char* type : {"MemoryPressure", "DiskPressure", "PIDPressure", "Ready"}) {
    node.status.conditions.push_back({type, type[0] == 'R' ? "True" : "False"});
  }
  for (int i = 0; i < kImagesOfNode; ++i) {
    const int image = (n * 7 + i) % kImagesOfCluster;
    const std::string name = fmt::format("registry.example.com/team/app-{}", image);
    node.status.images.push_back(
        {{name + fmt::format("@sha256:{:064x}", image), name + fmt::format(":v1.{}.0", image)}, 52'428'800 + image});
  }
  return node;
}

void AddContainer(const char* name, const std::string& image, const char* cpu, const char* memory, api::PodSpec& spec) {
  api::Container& container = spec.containers.emplace_back();
  container.name = name;
  container.image = image;
  container.resources.requests["cpu"] = *api::Quantity::Parse(cpu);
  container.resources.requests["memory"] = *api::Quantity::Parse(memory);
  container.resources.limits["memory"] = *api::Quantity::Parse(memory);
  container.ports.push_back({0, 8080, "TCP", "", "http"});
  container.volume_mounts.resize(2);
}

api::Pod MakePod(int n, const std::string& node) {
  const int owner = n / kReplicas;
  const std::string app = fmt::format("app-{}", owner), hash = fmt::format("{:08x}7c", owner);
  api::Pod pod;
  pod.metadata.ns = fmt::format("team-{}", owner % 200);
  pod.metadata.name = fmt::format("{}-{}-{:05x}", app, hash, n);
  pod.metadata.generate_name = fmt::format("{}-{}-", app, hash);
  pod.metadata.uid = Uid(1'000'000 + n);
  pod.metadata.resource_version = std::to_string(91'234'567 + n);
  pod.metadata.creation_timestamp = kTime + n;
  pod.metadata.labels = {
      {"app.kubernetes.io/name", app}, {"app.kubernetes.io/instance", app}, {"pod-template-hash", hash}};
  pod.metadata.owner_references.push_back({"apps/v1", "ReplicaSet", app + "-" + hash, Uid(owner), true});
  api::PodSpec& spec = pod.spec;
  spec.node_name = node;
  spec.scheduler_name = "default-scheduler";
  spec.restart_policy = "Always";
  spec.preemption_policy = "PreemptLowerPriority";
  spec.priority = 0;
  spec.termination_grace_period_seconds = 30;
  spec.tolerations = {{"node.kubernetes.io/not-ready", "Exists", "", "NoExecute", 300},
                      {"node.kubernetes.io/unreachable", "Exists", "", "NoExecute", 300}};
  AddContainer("main", fmt::format("registry.example.com/team/{}:v1.4.2", app), "250m", "512Mi", spec);
  AddContainer("proxy", "registry.example.com/mesh/proxy:v1.19.0", "50m", "64Mi", spec);
  spec.volumes.emplace_back().name = fmt::format("kube-api-access-{:05x}", n);
  pod.status.phase = "Running";
  pod.status.start_time = kTime + n;
  for (const char* type : {"Initialized", "Ready", "ContainersReady", "PodScheduled"}) {
    pod.status.conditions.push_back({type, "True", "", "", kTime});
  }
  return pod;
}

// What was added, for each of `count`.
size_t Each(size_t before, size_t after, int count) { return (after - before) / static_cast<size_t>(count); }

int Run(int nodes, int pods) {
  ClusterState state;
  const size_t empty = BytesInUse();
  for (int n = 0; n < nodes; ++n) state.AddNode(MakeNode(n));
  state.TakeSnapshot();
  const size_t with_nodes = BytesInUse();
  SnapshotPublisher publisher(state);
  publisher.Publish();
  SnapshotReader reader({}, state.shared_resource_names());
  const size_t with_publisher = BytesInUse();
  reader.Follow(publisher.Newest());
  const size_t reader_with_nodes = BytesInUse();
  for (int n = 0; n < pods; ++n) state.AddPod(state.pod_store().Add(MakePod(n, NodeName(n % nodes))));
  state.TakeSnapshot();
  const size_t with_pods = BytesInUse();
  publisher.Publish();
  const size_t published = BytesInUse();
  reader.Follow(publisher.Newest());
  const size_t reader_with_pods = BytesInUse();
  std::cout << fmt::format("{{\"nodes\": {}, \"pods\": {}, \"bytesPerNode\": {}, \"bytesPerPod\": {}, ", nodes, pods,
                           Each(empty, with_nodes, nodes), Each(reader_with_nodes, with_pods, pods))
            << fmt::format("\"publishedBytesPerPod\": {}, \"readerBytesPerNode\": {}, \"readerBytesPerPod\": {}}}\n",
                           Each(with_pods, published, pods), Each(with_publisher, reader_with_nodes, nodes),
                           Each(published, reader_with_pods, pods));
  return 0;
}

}  // namespace
}  // namespace ksched

int main(int argc, char** argv) {
  const int nodes = argc > 2 ? std::atoi(argv[1]) : 5000, pods = argc > 2 ? std::atoi(argv[2]) : 150'000;
  if (nodes <= 0 || pods <= 0) {
    std::cerr << "usage: state_memory [NODES PODS]\n";
    return 2;
  }
  return ksched::Run(nodes, pods);
}
