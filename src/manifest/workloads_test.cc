#include "manifest/workloads.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ksched {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

api::Workload Make(const std::string& kind, int32_t replicas) {
  api::Workload workload;
  workload.api_version = kind == "Job" ? "batch/v1" : "apps/v1";
  workload.kind = kind;
  workload.metadata.name = "web";
  workload.metadata.ns = "shop";
  workload.metadata.uid = "shop/web";
  workload.replicas = replicas;
  workload.pod_template.metadata.labels["app"] = "web";
  workload.pod_template.metadata.annotations["note"] = "x";
  workload.pod_template.spec.scheduler_name = "s";
  return workload;
}

std::vector<api::Pod> Pods(const api::Workload& workload, const std::set<std::string>& taken = {}) {
  std::vector<api::Pod> pods;
  MakePods(
      workload, [&](const std::string& name) { return taken.contains(name); },
      [&](api::Pod&& pod) {
        pods.push_back(std::move(pod));
        return true;
      });
  return pods;
}

std::vector<std::string> Names(const std::vector<api::Pod>& pods) {
  std::vector<std::string> names;
  for (const api::Pod& pod : pods) names.push_back(pod.metadata.name);
  return names;
}

TEST(Workloads, Deployment) {
  const auto pods = Pods(Make("Deployment", 3));
  EXPECT_THAT(Names(pods), ElementsAre("web-0", "web-1", "web-2"));
  const api::ObjectMeta& metadata = pods[1].metadata;
  EXPECT_EQ(metadata.ns, "shop");
  EXPECT_EQ(metadata.uid, "shop/web-1");
  EXPECT_EQ(metadata.labels.at("app"), "web");
  EXPECT_EQ(metadata.annotations.at("note"), "x");
  EXPECT_EQ(pods[1].spec.scheduler_name, "s");
  ASSERT_EQ(metadata.owner_references.size(), 1U);
  const api::OwnerReference expected{"apps/v1", "ReplicaSet", "web", "shop/web", true};
  EXPECT_EQ(metadata.owner_references[0], expected);
}

TEST(Workloads, NumbersThatAreTakenAreLeftOut) {
  EXPECT_THAT(Names(Pods(Make("ReplicaSet", 3), {"web-0", "web-1", "web-3"})), ElementsAre("web-2", "web-4", "web-5"));
}

TEST(Workloads, EndsWhenToldTo) {
  int made = 0;
  MakePods(
      Make("ReplicaSet", 100), [](const std::string&) { return false; }, [&](api::Pod&&) { return ++made < 2; });
  EXPECT_EQ(made, 2);
}

TEST(Workloads, StatefulSet) {
  api::Workload workload = Make("StatefulSet", 2);
  workload.ordinals_start = 5;
  const auto pods = Pods(workload);
  EXPECT_THAT(Names(pods), ElementsAre("web-5", "web-6"));
  EXPECT_EQ(pods[1].metadata.labels.at("statefulset.kubernetes.io/pod-name"), "web-6");
  EXPECT_EQ(pods[1].metadata.labels.at("apps.kubernetes.io/pod-index"), "6");
  EXPECT_EQ(pods[1].metadata.owner_references[0].kind, "StatefulSet");
}

struct CountCase {
  const char* name;
  std::optional<int32_t> parallelism, completions;
  bool suspend;
  size_t pods;
};

TEST(Workloads, JobRunsItsPodsAtOnce) {
  const CountCase cases[] = {
      {"one by default", {}, {}, false, 1},
      {"a work queue", 3, {}, false, 3},
      {"no more than there is to do", 5, 2, false, 2},
      {"not all at once", 2, 10, false, 2},
      {"suspended", 2, 2, true, 0},
      {"none", 0, 5, false, 0},
  };
  for (const CountCase& test : cases) {
    SCOPED_TRACE(test.name);
    api::Workload job = Make("Job", 9);
    job.parallelism = test.parallelism;
    job.completions = test.completions;
    job.suspend = test.suspend;
    EXPECT_EQ(Pods(job).size(), test.pods);
  }
}

TEST(Workloads, JobLabels) {
  api::Workload job = Make("Job", 0);
  job.parallelism = job.completions = 2;
  job.completion_mode = "Indexed";
  const api::Pod pod = Pods(job)[1];
  EXPECT_EQ(pod.metadata.labels.at("batch.kubernetes.io/job-name"), "web");
  EXPECT_EQ(pod.metadata.labels.at("batch.kubernetes.io/controller-uid"), "shop.web");
  EXPECT_EQ(pod.metadata.labels.at("batch.kubernetes.io/job-completion-index"), "1");
  EXPECT_EQ(pod.metadata.annotations.at("batch.kubernetes.io/job-completion-index"), "1");
  job.manual_selector = true;
  job.completion_mode = "NonIndexed";
  EXPECT_THAT(Pods(job)[1].metadata.labels, ElementsAre(testing::Pair("app", "web")));
}

TEST(GenerateName, FirstFreeNumber) {
  int64_t next = 0;
  const auto taken = [](const std::string& name) { return name == "a-1"; };
  EXPECT_EQ(GenerateName("a-", next, taken), "a-0");
  EXPECT_EQ(GenerateName("a-", next, taken), "a-2");
}

}  // namespace
}  // namespace ksched
