// Reviews judged by the engine with its real plugins: what is impossible, what has no room, and what is let through.
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "default_setup.h"
#include "state/snapshot_publisher.h"
#include "webhook/reviewer.h"

namespace ksched::webhook {
namespace {

using std::chrono::steady_clock;

api::Node NodeOf(const std::string& name, int cpu, const std::string& pool) {
  api::Node node;
  node.metadata.name = name;
  node.metadata.labels = {{"kubernetes.io/hostname", name}, {"pool", pool}};
  node.status.allocatable["cpu"] = api::Quantity::FromUnits(cpu);
  node.status.allocatable["memory"] = api::Quantity::FromUnits(int64_t{8} << 30);
  node.status.allocatable["pods"] = api::Quantity::FromUnits(110);
  node.status.has_allocatable = true;
  return node;
}

std::string PodSpec(const std::string& cpu, const std::string& more = "") {
  return R"({"schedulerName":"default-scheduler","containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":")" +
         cpu + R"("}}}])" + more + "}";
}

std::string Workload(const std::string& kind, int replicas, const std::string& spec) {
  return R"({"apiVersion":"apps/v1","kind":")" + kind +
         R"(","metadata":{"name":"web","namespace":"shop"},"spec":{"replicas":)" + std::to_string(replicas) +
         R"(,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":)" + spec +
         "}}}";
}

class WebhookReview : public testing::Test {
 protected:
  void SetUp() override {
    state_.AddNode(NodeOf("n1", 4, "a"));
    state_.AddNode(NodeOf("n2", 4, "a"));
    state_.AddNode(NodeOf("big", 8, "b"));
    picture_.policy = std::make_shared<const Policy>();
    picture_.admission = std::make_shared<const Admission>(AdmissionPlugins::none());
    picture_.names = state_.shared_resource_names();
  }

  void SetPolicy(const std::string& more) {
    auto policy = Policy::Read("apiVersion: ksched.dev/v1alpha1\nkind: AdmissionPolicy\n" + more, "policy.yaml");
    ASSERT_TRUE(policy) << policy.error().message;
    picture_.policy = std::make_shared<const Policy>(std::move(*policy));
  }

  void PutPod(const std::string& name, const std::string& node, int milli_cpu, const api::OwnerReference& owner = {}) {
    api::Pod pod;
    pod.metadata.ns = "shop";
    pod.metadata.name = pod.metadata.uid = name;
    pod.metadata.labels["app"] = "web";
    pod.metadata.labels["pod-template-hash"] = "1";
    if (!owner.kind.empty()) pod.metadata.owner_references = {owner};
    pod.spec.scheduler_name = "default-scheduler";
    pod.spec.node_name = node;
    pod.spec.containers.emplace_back().resources.requests["cpu"] = api::Quantity::FromMilli(milli_cpu);
    state_.AddPod(state_.pod_store().Add(std::move(pod)));
  }

  Reviewed Ask(const std::string& kind, const std::string& object, const std::string& operation = "CREATE",
               const std::string& old_object = "null", const std::string& ns = "shop",
               const std::string& subresource = "") {
    const std::string of = subresource == "scale" ? "Deployment" : kind;
    std::string resource = of + "s";
    for (char& c : resource) c = static_cast<char>(std::tolower(c));
    const std::string resource_group = kind == "Pod" ? "" : kind == "Job" ? "batch" : "apps";
    const std::string group = kind == "Scale" ? "autoscaling" : resource_group;
    auto review = Review::Read(
        R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","kind":{"group":")" +
        group + R"(","version":"v1","kind":")" + kind + R"("},"resource":{"group":")" + resource_group +
        R"(","version":"v1","resource":")" + resource + R"("},"subResource":")" + subresource + R"(","operation":")" +
        operation + R"(","namespace":")" + ns +
        R"(","name":"web","userInfo":{"username":"alice","groups":["dev"]},"object":)" + object + R"(,"oldObject":)" +
        old_object + "}}");
    EXPECT_TRUE(review) << review.error().message;
    picture_.snapshot = publisher_.Publish();
    return reviewer_.Answer(**review, {picture_, unable_, steady_clock::now() + time_});
  }
  Reviewed AskPod(const std::string& spec, const std::string& metadata = R"({"name":"web"})",
                  const std::string& ns = "shop") {
    return Ask("Pod", R"({"apiVersion":"v1","kind":"Pod","metadata":)" + metadata + R"(,"spec":)" + spec + "}",
               "CREATE", "null", ns);
  }

  DefaultSetup setup_;
  const SchedulingRules rules_{setup_.configuration, setup_.features, setup_.registry};
  ClusterState state_;
  SnapshotPublisher publisher_{state_};
  Picture picture_;
  std::string unable_;
  std::chrono::milliseconds time_{60'000};
  Reviewer reviewer_{{.rules = &rules_, .features = {}, .own_namespace = "ksched-webhook"}};
};

TEST_F(WebhookReview, AllowsWhatFits) {
  const Reviewed reviewed = AskPod(PodSpec("1"));
  EXPECT_TRUE(reviewed.answer.allowed);
  EXPECT_EQ(reviewed.action, "allow");
  EXPECT_TRUE(reviewed.answer.warnings.empty());
}

TEST_F(WebhookReview, DeniesWhatNoNodeCouldEverRun) {
  const Reviewed reviewed = AskPod(PodSpec("16"));
  EXPECT_FALSE(reviewed.answer.allowed);
  EXPECT_EQ(reviewed.reason, "NodeResourcesFit");
  EXPECT_EQ(reviewed.answer.message,
            "0/3 nodes could ever run this pod: 3 Insufficient cpu. 3 would if it asked for less: at most cpu 8.");
}

TEST_F(WebhookReview, EachNodeMayHaveAReasonOfItsOwn) {
  api::Node big = NodeOf("big", 8, "b");
  big.spec.taints.push_back({"dedicated", "gpu", "NoSchedule"});
  state_.UpdateNode(std::move(big));
  const Reviewed reviewed = AskPod(PodSpec("6"));
  EXPECT_FALSE(reviewed.answer.allowed);
  EXPECT_EQ(reviewed.answer.message,
            "0/3 nodes could ever run this pod: 1 node(s) had untolerated taint(s), 2 Insufficient cpu. 1 would if it "
            "tolerated their taints. 2 would if it asked for less: at most cpu 4.");
}

TEST_F(WebhookReview, SelectorsThatNoNodeHasAreImpossible) {
  const Reviewed reviewed = AskPod(PodSpec("1", R"(,"nodeSelector":{"pool":"c"})"));
  EXPECT_FALSE(reviewed.answer.allowed);
  EXPECT_EQ(reviewed.reason, "NodeAffinity");
}

TEST_F(WebhookReview, WarnsWhereThereIsNoRoomNow) {
  PutPod("p1", "n1", 4000);
  PutPod("p2", "n2", 4000);
  PutPod("p3", "big", 8000);
  const Reviewed reviewed = AskPod(PodSpec("1"));
  EXPECT_TRUE(reviewed.answer.allowed);
  EXPECT_EQ(reviewed.action, "warn");
  ASSERT_EQ(reviewed.answer.warnings.size(), 1u);
  EXPECT_EQ(reviewed.answer.warnings[0], "no node has room for this pod now: Insufficient cpu on 3 nodes");
}

// What is done for one review is taken back before the next.
TEST_F(WebhookReview, NothingIsLeftOfAReview) {
  for (int i = 0; i < 20; ++i) EXPECT_EQ(AskPod(PodSpec("8")).action, "allow");
  PutPod("p3", "big", 1000);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(AskPod(PodSpec("8")).action, "warn");
}

TEST_F(WebhookReview, CordonsAndTaintsThatPassMakeNothingImpossible) {
  for (const char* name : {"n1", "n2", "big"}) {
    api::Node node = NodeOf(name, 4, "a");
    node.spec.unschedulable = true;
    node.spec.taints = {{"node.kubernetes.io/unschedulable", "", "NoSchedule"},
                        {"node.kubernetes.io/not-ready", "", "NoExecute"}};
    state_.UpdateNode(std::move(node));
  }
  EXPECT_EQ(AskPod(PodSpec("1")).action, "warn");
  EXPECT_EQ(AskPod(PodSpec("5")).action, "deny");
}

TEST_F(WebhookReview, ShapesOfThePolicyCount) {
  SetPolicy("nodeShapes:\n- name: huge\n  allocatable: {cpu: 64, memory: 256Gi}\n");
  EXPECT_EQ(AskPod(PodSpec("16")).action, "warn");
  const Reviewed reviewed = AskPod(PodSpec("65"));
  EXPECT_FALSE(reviewed.answer.allowed);
  EXPECT_TRUE(reviewed.answer.message.starts_with("0/3 nodes and 0/1 node shapes could ever run this pod: "))
      << reviewed.answer.message;
}

TEST_F(WebhookReview, WithoutNodesNothingIsJudged) {
  for (const char* name : {"n1", "n2", "big"}) state_.RemoveNode(name);
  const Reviewed reviewed = AskPod(PodSpec("16"));
  EXPECT_TRUE(reviewed.answer.allowed);
  EXPECT_EQ(reviewed.action, "unknown");
  EXPECT_EQ(reviewed.reason, "NoNodes");
}

TEST_F(WebhookReview, NodesThatGoAreNoNodes) {
  EXPECT_EQ(AskPod(PodSpec("6")).action, "allow");
  state_.RemoveNode("big");
  EXPECT_EQ(AskPod(PodSpec("6")).action, "deny");
  state_.AddNode(NodeOf("big", 8, "b"));
  EXPECT_EQ(AskPod(PodSpec("6")).action, "allow");
}

TEST_F(WebhookReview, WhatHasAControllerIsNeverDenied) {
  const Reviewed reviewed = AskPod(
      PodSpec("16"),
      R"({"name":"web","ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"w","uid":"1","controller":true}]})");
  EXPECT_TRUE(reviewed.answer.allowed);
  EXPECT_EQ(reviewed.action, "warn");
  ASSERT_EQ(reviewed.answer.warnings.size(), 1u);
  EXPECT_TRUE(reviewed.answer.warnings[0].starts_with("0/3 nodes could ever run this pod: "));
}

TEST_F(WebhookReview, SomeIsLetThroughUntouched) {
  const auto reason = [](const Reviewed& reviewed) {
    EXPECT_EQ(reviewed.action, "skip");
    return reviewed.reason;
  };
  EXPECT_EQ(reason(AskPod(PodSpec("16", R"(,"nodeName":"n1")"))), "HasNode");
  EXPECT_EQ(reason(AskPod(PodSpec("16"), R"({"name":"m","annotations":{"kubernetes.io/config.mirror":"x"}})")),
            "MirrorPod");
  EXPECT_EQ(reason(AskPod(R"({"schedulerName":"other","containers":[]})")), "OtherScheduler");
  EXPECT_EQ(reason(AskPod(PodSpec("16", R"(,"schedulingGates":[{"name":"example.com/g"}])"))), "Gated");
  EXPECT_EQ(reason(AskPod(PodSpec("16"), R"({"name":"web"})", "kube-system")), "ExemptNamespace");
  EXPECT_EQ(reason(AskPod(PodSpec("16"), R"({"name":"web"})", "ksched-webhook")), "ExemptNamespace");
  EXPECT_EQ(reason(Ask("Pod", "null", "DELETE")), "Deleted");
  EXPECT_EQ(reason(Ask("ConfigMap", "{}")), "OtherKind");
}

TEST_F(WebhookReview, GatedPodsAreJudgedIfThePolicySaysSo) {
  SetPolicy("judgeGated: true\n");
  EXPECT_EQ(AskPod(PodSpec("16", R"(,"schedulingGates":[{"name":"example.com/g"}])")).action, "deny");
  EXPECT_EQ(AskPod(PodSpec("1", R"(,"schedulingGates":[{"name":"example.com/g"}])")).action, "allow");
}

TEST_F(WebhookReview, ClaimsThatAreNotThereYetAreLeftOut) {
  const std::string claim = R"(,"volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"data"}}])";
  EXPECT_EQ(AskPod(PodSpec("1", claim)).action, "allow");
  EXPECT_EQ(AskPod(PodSpec("16", claim)).action, "deny");
  PutPod("p3", "big", 1000);
  EXPECT_EQ(AskPod(PodSpec("8", claim)).action, "warn");
}

TEST_F(WebhookReview, AffinityToWhatIsNotThereYetIsNotImpossible) {
  const Reviewed reviewed = AskPod(PodSpec(
      "1",
      R"(,"affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"pool","labelSelector":{"matchLabels":{"app":"db"}}}]}})"));
  EXPECT_TRUE(reviewed.answer.allowed);
  EXPECT_EQ(reviewed.action, "warn");
  EXPECT_EQ(reviewed.reason, "InterPodAffinity");
}

TEST_F(WebhookReview, CountsHowManyReplicasFit) {
  const Reviewed reviewed = Ask("Deployment", Workload("Deployment", 7, PodSpec("3")));
  EXPECT_TRUE(reviewed.answer.allowed);
  ASSERT_EQ(reviewed.answer.warnings.size(), 1u);
  EXPECT_EQ(reviewed.answer.warnings[0], "4 of 7 replicas fit now; 3: Insufficient cpu on 3 nodes");
  EXPECT_EQ(Ask("Deployment", Workload("Deployment", 4, PodSpec("3"))).action, "allow");
}

TEST_F(WebhookReview, WorkloadsWhosePodsAreImpossibleAreDenied) {
  const Reviewed reviewed = Ask("StatefulSet", Workload("StatefulSet", 0, PodSpec("16")));
  EXPECT_FALSE(reviewed.answer.allowed);
  EXPECT_TRUE(
      reviewed.answer.message.starts_with("0/3 nodes could ever run a pod of this StatefulSet: 3 Insufficient"));
}

TEST_F(WebhookReview, UpdatesCountOnlyWhatIsNew) {
  const std::string before = Workload("Deployment", 2, PodSpec("16"));
  EXPECT_EQ(Ask("Deployment", before, "UPDATE", before).reason, "NothingNew");
  EXPECT_EQ(Ask("Deployment", Workload("Deployment", 1, PodSpec("16")), "UPDATE", before).reason, "NothingNew");
  EXPECT_EQ(Ask("Deployment", Workload("Deployment", 3, PodSpec("16")), "UPDATE", before).action, "deny");
  EXPECT_EQ(Ask("Deployment", Workload("Deployment", 2, PodSpec("17")), "UPDATE", before).action, "deny");
}

TEST_F(WebhookReview, PodsThatAreThereStayOrMakeRoom) {
  const api::OwnerReference owner{"apps/v1", "ReplicaSet", "web-1", "u", true};
  PutPod("a", "n1", 3000, owner);
  PutPod("b", "n2", 3000, owner);
  const std::string before = Workload("Deployment", 2, PodSpec("3"));
  // Two are there, and two more fit on the big node.
  EXPECT_EQ(Ask("Deployment", Workload("Deployment", 4, PodSpec("3")), "UPDATE", before).action, "allow");
  const Reviewed more = Ask("Deployment", Workload("Deployment", 5, PodSpec("3")), "UPDATE", before);
  ASSERT_EQ(more.answer.warnings.size(), 1u);
  EXPECT_EQ(more.answer.warnings[0], "2 of 3 replicas fit now; 1: Insufficient cpu on 3 nodes");
  // A new template takes the places of the old pods.
  EXPECT_EQ(Ask("Deployment", Workload("Deployment", 3, PodSpec("4")), "UPDATE", before).action, "allow");
}

TEST_F(WebhookReview, ScalingIsJudgedByAPodThatIsThere) {
  const auto scale = [](int replicas) {
    return R"({"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"web","namespace":"shop"},"spec":{"replicas":)" +
           std::to_string(replicas) + "}}";
  };
  EXPECT_EQ(Ask("Scale", scale(9), "UPDATE", scale(1), "shop", "scale").action, "unknown");
  PutPod("a", "n1", 3000, {"apps/v1", "ReplicaSet", "web-1", "u", true});
  const Reviewed reviewed = Ask("Scale", scale(9), "UPDATE", scale(1), "shop", "scale");
  ASSERT_EQ(reviewed.answer.warnings.size(), 1u);
  EXPECT_EQ(reviewed.answer.warnings[0], "3 of 8 replicas fit now; 5: Insufficient cpu on 3 nodes");
  EXPECT_EQ(Ask("Scale", scale(1), "UPDATE", scale(9), "shop", "scale").reason, "NothingNew");
}

TEST_F(WebhookReview, DaemonsAreCountedOnTheNodesWhereTheyWouldRun) {
  const std::string on_a = R"(,"nodeSelector":{"pool":"a"})";
  EXPECT_EQ(Ask("DaemonSet", Workload("DaemonSet", 0, PodSpec("1", on_a))).action, "allow");
  PutPod("p", "n1", 4000);
  const Reviewed reviewed = Ask("DaemonSet", Workload("DaemonSet", 0, PodSpec("1", on_a)));
  ASSERT_EQ(reviewed.answer.warnings.size(), 1u);
  EXPECT_EQ(reviewed.answer.warnings[0], "1 of 2 nodes have room now; 1: Insufficient cpu on 1 node");
  EXPECT_EQ(reviewed.reason, "NodeResourcesFit");
  EXPECT_EQ(Ask("DaemonSet", Workload("DaemonSet", 0, PodSpec("5", on_a))).action, "deny");
  // Where it has no nodes it has no pods.
  EXPECT_EQ(Ask("DaemonSet", Workload("DaemonSet", 0, PodSpec("1", R"(,"nodeSelector":{"pool":"c"})"))).action,
            "allow");
}

TEST_F(WebhookReview, ThePolicySaysWhatIsDone) {
  SetPolicy(
      "defaults: {impossible: warn, noRoom: audit}\nrules:\n- name: strict\n  match: {namespaces: [shop]}\n"
      "  plugins: [NodeAffinity]\n  impossible: deny\nexemptions:\n- name: ops\n  match: {namespaces: [ops]}\n");
  EXPECT_EQ(AskPod(PodSpec("16")).action, "warn");
  EXPECT_EQ(AskPod(PodSpec("1", R"(,"nodeSelector":{"pool":"c"})")).action, "deny");
  EXPECT_EQ(AskPod(PodSpec("1", R"(,"nodeSelector":{"pool":"c"})"), R"({"name":"web"})", "other").action, "warn");
  EXPECT_EQ(AskPod(PodSpec("16"), R"({"name":"web"})", "ops").reason, "Exempt");
}

TEST_F(WebhookReview, WhatCannotBeJudgedIsAllowedUnlessThePolicyFailsClosed) {
  time_ = std::chrono::milliseconds(50);
  EXPECT_EQ(AskPod(PodSpec("16")).reason, "Deadline");
  time_ = std::chrono::minutes(1);
  unable_ = "old";
  const Reviewed open = AskPod(PodSpec("16"));
  EXPECT_TRUE(open.answer.allowed);
  EXPECT_EQ(open.action, "unable");
  EXPECT_EQ(open.answer.warnings.size(), 1u);
  SetPolicy("failClosed: true\nexemptions:\n- name: ops\n  match: {namespaces: [ops]}\n");
  EXPECT_FALSE(AskPod(PodSpec("1")).answer.allowed);
  EXPECT_EQ(AskPod(PodSpec("1"), R"({"name":"web"})", "ops").reason, "Exempt");
  EXPECT_TRUE(
      AskPod(
          PodSpec("1"),
          R"({"name":"w","ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"w","uid":"1","controller":true}]})")
          .answer.allowed);
}

TEST_F(WebhookReview, WhatHasTooManySelectorsIsNotJudged) {
  std::string keys;
  for (int i = 0; i < 2000; ++i) keys += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + R"(":"v")";
  const Reviewed reviewed = AskPod(PodSpec("1", R"(,"nodeSelector":{)" + keys + "}"));
  EXPECT_TRUE(reviewed.answer.allowed);
  EXPECT_EQ(reviewed.reason, "TooLarge");
}

TEST_F(WebhookReview, SuspendedJobsAreJudgedWhenTheyGoOn) {
  const auto job = [](const char* suspend) {
    return R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"web","namespace":"shop"},"spec":{"suspend":)" +
           std::string(suspend) + R"(,"template":{"spec":)" + PodSpec("16") + "}}}";
  };
  EXPECT_EQ(Ask("Job", job("true"), "UPDATE", job("true")).reason, "NothingNew");
  EXPECT_EQ(Ask("Job", job("false"), "UPDATE", job("true")).action, "deny");
}

}  // namespace
}  // namespace ksched::webhook
