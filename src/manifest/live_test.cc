// Reading a live cluster, which here is a script.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "manifest/loader.h"
#include "manifest/testing.h"

namespace ksched {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kNode =
    "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {capacity: {cpu: '4', pods: '9'}}}";

std::string Pod(const std::string& name, const std::string& spec = "nodeName: n1", const std::string& metadata = "") {
  return "{apiVersion: v1, kind: Pod, metadata: {name: " + name + ", " + metadata +
         "}, spec: {containers: [{name: c, image: i}], " + spec + "}}";
}

std::string Deployment(const std::string& image, int replicas) {
  return R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","uid":"u"},"spec":{"replicas":)" +
         std::to_string(replicas) +
         R"(,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},)" +
         R"("spec":{"containers":[{"name":"c","image":")" + image + R"("}]}}}})";
}

// Gives what its script says, in order: an object, or "restart KIND".
class FakeCluster final : public ClusterSource {
 public:
  std::vector<std::string> script;
  api::ClusterSnapshot answer;
  std::optional<std::string> failure;
  std::map<std::string, std::string> whole;  // by name: what Fetch and dry runs answer
  std::optional<std::string> refusal;
  std::vector<std::string> seen_namespaces, asked;

  Result<api::ClusterSnapshot> Read(const std::vector<std::string>& namespaces, Sink& sink) override {
    seen_namespaces = namespaces;
    for (const std::string& line : script) {
      if (line.starts_with("restart ")) {
        sink.OnRestart(line.substr(8));
        continue;
      }
      api::Problems problems;
      const auto visit = [&](const api::Document& document) {
        api::Decoded decoded;
        if (api::DecodeObject(document, decoded, problems, api::ValidationMode::kStored)) {
          sink.OnObject(std::move(decoded));
        }
      };
      api::ReadDocumentsFromText(line, "script", visit, problems);
      for (const api::Problem& problem : problems) sink.OnProblem(problem.message);
    }
    if (failure) return Error{*failure};
    return answer;
  }
  Result<std::vector<std::optional<std::string>>> Fetch(const std::vector<ObjectKey>& keys) override {
    std::vector<std::optional<std::string>> objects;
    for (const ObjectKey& key : keys) {
      asked.push_back("get " + key.kind + " " + key.ns + "/" + key.name);
      const auto found = whole.find(key.name);
      objects.push_back(found == whole.end() ? std::nullopt : std::optional<std::string>(found->second));
    }
    return objects;
  }
  Result<std::vector<std::string>> FetchRevisions(const std::string& ns) override {
    asked.push_back("revisions " + ns);
    return std::vector<std::string>();
  }
  Result<Created> DryRunCreate(const ObjectKey& key, const std::string& json) override {
    asked.push_back("create " + key.kind + " " + json);
    Created created;
    created.refused = refusal;
    if (!refusal) created.object = whole.at("created");
    return created;
  }
};

class LiveTest : public testing::Test {
 protected:
  LiveTest() : store_(names_, {}) {
    options_.cluster = &cluster_;
    options_.admission = AdmissionPlugins::all();
    cluster_.script = {kNode, "{apiVersion: v1, kind: Namespace, metadata: {name: default}}"};
  }
  LoadedInput Load(const std::string& manifest) {
    options_.manifests = {files_.Write("m.yaml", manifest)};
    LoadedInput loaded = LoadInput(options_, store_);
    for (std::string& error : loaded.errors) error = files_.Short(error);
    return loaded;
  }
  std::vector<std::string> Names(const LoadedInput& loaded) const {
    std::vector<std::string> names;
    for (const InputPod& pod : loaded.input.pods) {
      names.push_back(pod.id == kNoPod ? pod.source : store_.Get(pod.id).name());
    }
    return names;
  }

  TestFiles files_;
  FakeCluster cluster_;
  ResourceNames names_;
  PodStore store_;
  InputOptions options_;
};

TEST_F(LiveTest, AListThatStartsAnewIsReadOnce) {
  cluster_.script.insert(cluster_.script.end(), {Pod("a"), Pod("gone"), "restart Pod", Pod("a"), Pod("b")});
  cluster_.script.insert(cluster_.script.end(), {"restart Node", kNode});
  const LoadedInput loaded = Load(Pod("new", "priority: 0"));
  EXPECT_THAT(loaded.errors, IsEmpty());
  EXPECT_THAT(loaded.cluster_errors, IsEmpty());
  EXPECT_THAT(Names(loaded), ElementsAre("a", "b", "new"));
  EXPECT_EQ(loaded.input.nodes.size(), 1U);
  EXPECT_THAT(cluster_.seen_namespaces, ElementsAre("default"));
}

TEST_F(LiveTest, AFailureIsOneOfTheCluster) {
  cluster_.failure = "The connection to the server was refused";
  const LoadedInput loaded = Load(Pod("new", ""));
  EXPECT_THAT(loaded.errors, IsEmpty());
  EXPECT_THAT(loaded.cluster_errors, ElementsAre("The connection to the server was refused"));
}

TEST_F(LiveTest, AClusterIsNotAskedForInputThatIsWrong) {
  const LoadedInput loaded = Load("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {hostNetwork: 7}\n");
  EXPECT_THAT(loaded.errors, ElementsAre(HasSubstr("spec.hostNetwork")));
  EXPECT_THAT(cluster_.seen_namespaces, IsEmpty());
}

TEST_F(LiveTest, ObjectsThatCannotBeRead) {
  cluster_.script.emplace_back("{apiVersion: v1, kind: Node, metadata: {name: n2}, status: {capacity: {cpu: much}}}");
  const LoadedInput loaded = Load(Pod("new", ""));
  EXPECT_THAT(loaded.errors, IsEmpty());
  EXPECT_THAT(loaded.cluster_errors, ElementsAre(HasSubstr("quantities must match")));
}

TEST_F(LiveTest, KindsThatMayNotBeListed) {
  cluster_.answer.absent = {{"PriorityClass", "priorityclasses", "Forbidden", "no", {}},
                            {"LimitRange", "limitranges", "Forbidden", "no", {"default"}},
                            {"RuntimeClass", "runtimeclasses", "Forbidden", "no", {}},
                            {"DeviceTaintRule", "devicetaintrules", "NotFound", "no", {}}};
  EXPECT_THAT(Load(Pod("new", "priorityClassName: gold")).cluster_errors,
              ElementsAre("cannot list priorityclasses: no: the priority of pods of the class gold is not known"));
  const LoadedInput loaded = Load(Pod("new", ""));
  EXPECT_THAT(loaded.cluster_errors, IsEmpty());
  EXPECT_THAT(loaded.notices, ElementsAre(HasSubstr("warning: cannot list priorityclasses: no: if the cluster has")));
}

TEST_F(LiveTest, KindsThatOnlySomePodsNeed) {
  cluster_.answer.absent = {{"PersistentVolume", "persistentvolumes", "Forbidden", "no", {}},
                            {"Service", "services", "Forbidden", "no", {}},
                            {"PodDisruptionBudget", "poddisruptionbudgets", "Forbidden", "no", {}}};
  const std::string volume = "volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]";
  EXPECT_THAT(Load(Pod("new", volume)).cluster_errors,
              ElementsAre("cannot list persistentvolumes: no: it is not known where volumes are"));
  const LoadedInput loaded = Load(Pod("other", ""));
  EXPECT_THAT(loaded.cluster_errors, IsEmpty());
  EXPECT_THAT(loaded.notices,
              ElementsAre(HasSubstr("cannot list services: no: pods that have no spread constraints"),
                          HasSubstr("cannot list poddisruptionbudgets: no: preemption does not spare")));
}

TEST_F(LiveTest, KindsOfControllersMatterToPodsThatNameOne) {
  cluster_.answer.absent = {{"Service", "services", "Forbidden", "no", {}},
                            {"ReplicaSet", "replicasets", "Forbidden", "no", {}},
                            {"StatefulSet", "statefulsets", "Forbidden", "no", {}}};
  options_.fresh = true;  // what exists of a workload does not matter then
  const auto warned = [&](const std::string& manifest) { return Load(manifest).notices; };
  EXPECT_THAT(warned(Deployment("x", 2)), ElementsAre(HasSubstr("cannot list services")));
  const std::string own =
      "ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: db, uid: u, controller: true}]";
  const std::string spread =
      "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}]";
  EXPECT_THAT(warned(Pod("db-0", "", own)),
              ElementsAre(HasSubstr("cannot list services"), HasSubstr("cannot list statefulsets")));
  EXPECT_THAT(warned(Pod("db-1", spread, own)), IsEmpty());
}

TEST_F(LiveTest, TheWholeObjectIsFetchedToCompareTemplates) {
  cluster_.script.push_back(Deployment("x", 2));
  cluster_.whole["web"] = Deployment("x", 2);
  const LoadedInput same = Load(Deployment("x", 3));
  EXPECT_THAT(cluster_.asked, ElementsAre("get Deployment default/web"));
  EXPECT_EQ(same.input.workloads.at(0).change, "Scaled");
  const LoadedInput other = Load(Deployment("y", 2));
  EXPECT_EQ(other.input.workloads.at(0).change, "Rollout");
  EXPECT_EQ(other.input.workloads.at(0).changed_field, "spec.template.spec.containers[c].image");
  cluster_.whole.clear();  // it has gone meanwhile
  EXPECT_EQ(Load(Deployment("y", 2)).input.workloads.at(0).change, "New");
}

TEST_F(LiveTest, TheServerIsAsked) {
  options_.server_admission = true;
  options_.admission = AdmissionPlugins::none();
  cluster_.whole["created"] = Pod("new", "priority: 7, nodeSelector: {a: b}");
  const LoadedInput loaded = Load(Pod("new", ""));
  EXPECT_THAT(loaded.errors, IsEmpty());
  ASSERT_THAT(Names(loaded), ElementsAre("new"));
  EXPECT_EQ(store_.Get(loaded.input.pods[0].id).priority(), 7);
  EXPECT_THAT(cluster_.asked, ElementsAre(HasSubstr("create Pod {")));
}

TEST_F(LiveTest, TheServerRefuses) {
  options_.server_admission = true;
  cluster_.refusal = "admission webhook \"w\" denied the request";
  const LoadedInput loaded = Load(Deployment("x", 2));
  EXPECT_THAT(loaded.errors, IsEmpty());
  EXPECT_THAT(Names(loaded), IsEmpty());
  ASSERT_EQ(loaded.input.rejections.size(), 1U);
  EXPECT_EQ(loaded.input.rejections[0].source, "Deployment default/web");
  EXPECT_THAT(cluster_.asked.at(0), HasSubstr("\"generateName\":\"web-\""));
}

TEST_F(LiveTest, TheServerIsNotAskedAboutPodsThatExist) {
  options_.server_admission = true;
  cluster_.script.push_back(Pod("old"));
  const LoadedInput loaded = Load(Pod("old", ""));
  EXPECT_THAT(loaded.notices, ElementsAre("Pod default/old exists already: it stays as it is"));
  EXPECT_THAT(cluster_.asked, IsEmpty());
}

}  // namespace
}  // namespace ksched
