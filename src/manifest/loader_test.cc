#include "manifest/loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "manifest/testing.h"

namespace ksched {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string Pod(const std::string& name, const std::string& spec = "", const std::string& metadata = "") {
  return "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " + name + (metadata.empty() ? "" : ", " + metadata) +
         "}\nspec:\n  containers: [{name: c, image: i}]\n" + (spec.empty() ? "" : "  " + spec + "\n");
}

std::string Deployment(const std::string& name, int replicas, const std::string& spec = "") {
  return "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: " + name +
         "}\nspec:\n  replicas: " + std::to_string(replicas) +
         "\n  selector: {matchLabels: {a: b}}\n  template:\n    metadata: {labels: {a: b}}\n    spec:\n"
         "      containers: [{name: c, image: i}]\n" +
         (spec.empty() ? "" : "      " + spec + "\n");
}

constexpr const char* kNode =
    "---\napiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {capacity: {cpu: '4', pods: '10'}}\n";

class LoaderTest : public testing::Test {
 protected:
  LoaderTest() : store_(names_, {}) {}

  void Load() {
    loaded_ = LoadInput(options_, store_);
    for (std::string& error : loaded_.errors) error = files_.Short(error);
  }
  void Snapshot(const std::string& text) {
    options_.snapshots.push_back(files_.Write("s" + std::to_string(options_.snapshots.size()) + ".yaml", text));
  }
  void Manifest(const std::string& text) {
    options_.manifests.push_back(files_.Write("m" + std::to_string(options_.manifests.size()) + ".yaml", text));
  }

  // "ns/name" of each pod in order, and the workloads among them; those of manifests with "+".
  std::vector<std::string> Pods() const {
    std::vector<std::string> texts;
    for (const InputPod& pod : loaded_.input.pods) {
      texts.push_back((pod.from_manifest ? "+" : "") + (pod.id == kNoPod ? pod.source : store_.Get(pod.id).Key()));
    }
    return texts;
  }

  TestFiles files_;
  ResourceNames names_;
  PodStore store_;
  InputOptions options_;
  LoadedInput loaded_;
};

TEST_F(LoaderTest, OrderOfPods) {
  const auto at = [](const char* time) { return std::string("creationTimestamp: '2026-01-01T00:00:0") + time + "Z'"; };
  Snapshot(Pod("running-1", "nodeName: n1", at("9")) + Pod("late", "", at("5")) + Pod("with-late") +
           Pod("running-2", "nodeName: n1") + Pod("early", "priority: 0", at("1")) + Pod("over", "nodeName: n1") +
           "status: {phase: Succeeded}\n");
  Manifest(Pod("first") + Deployment("web", 2) + Pod("last", "", "namespace: shop"));
  Load();
  EXPECT_THAT(loaded_.errors, IsEmpty());
  EXPECT_THAT(Pods(), ElementsAre("default/running-1", "default/early", "default/late", "default/running-2",
                                  "default/with-late", "+default/first", "+Deployment default/web", "+shop/last"));
}

TEST_F(LoaderTest, PendingIgnored) {
  options_.ignore_pending = true;
  Snapshot(Pod("running", "nodeName: n1") + Pod("waiting") + Pod("waiting-2", "priority: 1"));
  Manifest(Pod("mine"));
  Load();
  EXPECT_THAT(Pods(), ElementsAre("default/running", "+default/mine"));
}

TEST_F(LoaderTest, ClassesMayComeAfterPods) {
  Snapshot(Pod("a", "priorityClassName: gold") +
           "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: gold}\nvalue: 9\n");
  Load();
  ASSERT_THAT(loaded_.input.pods, SizeIs(1));
  EXPECT_EQ(store_.Get(loaded_.input.pods[0].id).priority(), 9);
}

TEST_F(LoaderTest, UnknownClassIsAnErrorWithItsPlace) {
  Manifest(Pod("fine") + Pod("a", "priorityClassName: gold") + Deployment("web", 3, "priorityClassName: gold"));
  Load();
  EXPECT_THAT(loaded_.errors,
              ElementsAre("m0.yaml:8: Pod default/a: no PriorityClass with name gold was found",
                          "m0.yaml:15: Deployment default/web: no PriorityClass with name gold was found"));
}

TEST_F(LoaderTest, GivenTwice) {
  Snapshot(Pod("b") + kNode);
  Snapshot(Pod("b"));
  Manifest(Pod("a") + kNode + kNode + Pod("a"));
  Load();
  EXPECT_THAT(loaded_.errors, ElementsAre("s1.yaml:2: Pod default/b is given twice, first at s0.yaml:2",
                                          "m0.yaml:13: Node n1 is given twice, first at m0.yaml:8",
                                          "m0.yaml:18: Pod default/a is given twice, first at m0.yaml:2"));
}

TEST_F(LoaderTest, PodsThatExistStayAsTheyAre) {
  Snapshot(Pod("runs", "nodeName: n1") + Pod("waits") + Pod("of-nobody"));
  Manifest(Pod("runs") + Pod("waits"));
  Load();
  EXPECT_THAT(loaded_.errors, IsEmpty());
  EXPECT_THAT(loaded_.notices, ElementsAre("Pod default/runs exists already: it stays as it is",
                                           "Pod default/waits exists already: it stays as it is"));
  EXPECT_THAT(Pods(), ElementsAre("+default/runs", "+default/waits", "default/of-nobody"));
  EXPECT_EQ(store_.Get(loaded_.input.pods[0].id).node_name(), "n1");
}

TEST_F(LoaderTest, FreshTakesOutWhatExists) {
  options_.fresh = true;
  const std::string owned =
      "ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: web, uid: u, controller: true}]";
  Snapshot(Pod("runs", "nodeName: n1") + Pod("web-0", "nodeName: n1", owned) + Pod("web-1", "nodeName: n1"));
  std::string set = Deployment("web", 1);
  set.replace(set.find("Deployment"), 10, "StatefulSet");
  Manifest(Pod("runs") + set);
  Load();
  EXPECT_THAT(loaded_.errors, IsEmpty());
  EXPECT_THAT(Pods(), ElementsAre("default/web-1", "+default/runs", "+StatefulSet default/web"));
  EXPECT_EQ(loaded_.input.workloads.at(0).change, "New");
}

TEST_F(LoaderTest, ManifestReplacesWhatTheClusterHas) {
  Snapshot(kNode + std::string("---\napiVersion: v1\nkind: Node\nmetadata: {name: n2}\n"));
  Manifest("apiVersion: v1\nkind: Node\nmetadata: {name: n1, labels: {new: 'yes'}}\nstatus: {capacity: {cpu: '8'}}\n");
  Load();
  EXPECT_THAT(loaded_.errors, IsEmpty());
  ASSERT_THAT(loaded_.input.nodes, SizeIs(2));
  EXPECT_EQ(loaded_.input.nodes[0].metadata.name, "n1");
  EXPECT_EQ(loaded_.input.nodes[0].metadata.labels.count("new"), 1U);
  EXPECT_EQ(loaded_.input.nodes[0].status.allocatable.at("cpu"), api::Quantity::FromUnits(8));
}

TEST_F(LoaderTest, GeneratedNamesAreFree) {
  Snapshot(Pod("web-0", "nodeName: n1"));
  Manifest(
      "---\napiVersion: v1\nkind: Pod\nmetadata: {generateName: web-}\nspec:\n  containers: [{name: c, image: i}]\n" +
      Deployment("web", 2) + Pod("web-2"));
  Load();
  EXPECT_THAT(loaded_.errors, IsEmpty());
  EXPECT_THAT(Pods(), ElementsAre("default/web-0", "+default/web-1", "+Deployment default/web", "+default/web-2"));
}

TEST_F(LoaderTest, ClaimsComeWithTheirPods) {
  options_.admission = AdmissionPlugins::all();
  Snapshot("---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: a-there}\nspec: {}\n");
  const std::string volume =
      ", ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: "
      "{requests: {storage: 1Gi}}}}}}";
  Manifest(Pod("a", "volumes: [{name: there" + volume + ", {name: new" + volume + "]\n  resourceClaims: " +
                        "[{name: gpu, resourceClaimTemplateName: t}, {name: mine, resourceClaimName: c}]"));
  Load();
  EXPECT_THAT(loaded_.errors, IsEmpty());
  ASSERT_THAT(loaded_.input.claims, SizeIs(1));
  EXPECT_EQ(loaded_.input.claims[0].metadata.name, "a-new");
  EXPECT_EQ(loaded_.input.claims[0].spec.requests.at("storage").ToString(), "1Gi");
  ASSERT_THAT(loaded_.input.resource_claims, SizeIs(1));
  EXPECT_EQ(loaded_.input.resource_claims[0].metadata.name, "a-gpu");
}

TEST_F(LoaderTest, WithoutAdmissionNoClaimsAreMade) {
  options_.admission = AdmissionPlugins::none();
  Manifest(Pod("a",
               "volumes: [{name: new, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], "
               "resources: {requests: {storage: 1Gi}}}}}}]"));
  Load();
  EXPECT_THAT(loaded_.errors, IsEmpty());
  EXPECT_THAT(Pods(), ElementsAre("+default/a"));
  EXPECT_THAT(loaded_.input.claims, IsEmpty());
}

TEST_F(LoaderTest, NamespaceOfManifests) {
  options_.ns = "shop";
  Snapshot(Pod("a"));
  Manifest(Pod("a") + Pod("b", "", "namespace: other") + Deployment("web", 1));
  Load();
  EXPECT_THAT(loaded_.errors, IsEmpty());
  EXPECT_THAT(Pods(), ElementsAre("default/a", "+shop/a", "+other/b", "+Deployment shop/web"));
  EXPECT_EQ(store_.Get(loaded_.input.pods[1].id).uid(), "shop/a");
  std::vector<std::string> namespaces;
  for (const auto& [key, one] : loaded_.input.objects.namespaces.all()) {
    namespaces.push_back(one->metadata.name);
    EXPECT_EQ(one->metadata.labels.at("kubernetes.io/metadata.name"), one->metadata.name);
  }
  EXPECT_THAT(namespaces, ElementsAre("default", "other", "shop"));
}

TEST_F(LoaderTest, NoticesSayWhatWasIgnored) {
  const std::string map = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\n";
  const std::string daemons =
      "---\napiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: d}\nspec:\n  selector: {matchLabels: {a: b}}\n"
      "  template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}\n";
  Snapshot(kNode + daemons + Deployment("of-the-cluster", 3));
  Manifest(map + map +
           "---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec:\n  suspend: true\n  template:\n    spec: "
           "{restartPolicy: Never, containers: [{name: c, image: i}]}\n");
  Load();
  EXPECT_THAT(loaded_.errors, IsEmpty());
  EXPECT_THAT(loaded_.notices, ElementsAre("ignored: 2 ConfigMap", "Job default/j is suspended: it has no pods"));
  EXPECT_THAT(Pods(), ElementsAre("+Job default/j"));
}

TEST_F(LoaderTest, AllProblemsOfAllFilesAreReported) {
  Manifest(Pod("a", "hostNetwork: 7"));
  Manifest("a: [\n");
  options_.manifests.push_back(files_.Write("m2.yaml", Pod("a", "tolerations: [{operator: Sometimes}]")));
  options_.snapshots = {files_.Path("absent.yaml")};
  Load();
  ASSERT_THAT(loaded_.errors, SizeIs(testing::Ge(4U)));
  EXPECT_THAT(loaded_.errors[0], HasSubstr("absent.yaml"));
  EXPECT_THAT(loaded_.errors[1], HasSubstr("m0.yaml:7: Pod a: spec.hostNetwork: "));
  EXPECT_THAT(loaded_.errors[2], HasSubstr("m1.yaml:"));
  EXPECT_THAT(loaded_.errors[3], HasSubstr("m2.yaml:7: Pod a: spec.tolerations[0].operator: "));
}

TEST_F(LoaderTest, TooManyReplicas) {
  Manifest(Deployment("web", 2000000000));
  Load();
  EXPECT_THAT(loaded_.errors, ElementsAre(HasSubstr("Deployment default/web: more than 200000 pods")));
}

}  // namespace
}  // namespace ksched
