#include "kube/scheduler_pods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ksched::kube {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::string List(const std::string& items) { return R"({"kind":"PodList","items":[)" + items + "]}"; }

std::vector<SchedulerPod> Parse(const std::string& items) {
  auto pods = ParseSchedulerPods(List(items));
  EXPECT_TRUE(pods.ok());
  return pods.ok() ? *pods : std::vector<SchedulerPod>();
}

TEST(SchedulerPods, StaticPodWithFlags) {
  const auto pods = Parse(R"({"metadata":{"namespace":"kube-system","name":"kube-scheduler-a"},"spec":{"nodeName":"a",
    "containers":[{"image":"registry:5000/kube-scheduler:v1.36.1@sha256:00",
      "command":["kube-scheduler","--config","/etc/k/s.yaml","--feature-gates=A=true","-v=2","--leader-elect=true"],
      "volumeMounts":[{"name":"root","mountPath":"/etc"},{"name":"conf","mountPath":"/etc/k"}]}],
    "volumes":[{"name":"conf","hostPath":{"path":"/srv/k"}},{"name":"root","hostPath":{"path":"/x"}}]},
    "status":{"phase":"Running"}})");
  ASSERT_THAT(pods, SizeIs(1));
  EXPECT_EQ(pods[0].pod, "kube-system/kube-scheduler-a");
  EXPECT_EQ(pods[0].version, "v1.36.1");
  EXPECT_TRUE(pods[0].running);
  EXPECT_EQ(pods[0].config_path, "/etc/k/s.yaml");
  EXPECT_EQ(pods[0].config_source, "file /srv/k/s.yaml of the node a");
  EXPECT_EQ(pods[0].feature_gates, "A=true");
  EXPECT_THAT(pods[0].flags,
              ElementsAre("--config=/etc/k/s.yaml", "--feature-gates=A=true", "--v=2", "--leader-elect=true"));
}

TEST(SchedulerPods, ConfigMapAndArgs) {
  const auto pods = Parse(R"({"metadata":{"namespace":"kube-system","name":"s"},"spec":{"containers":[
    {"image":"x","command":["sh"]},
    {"image":"registry.example/kube-scheduler","args":["--config=/conf/s.yaml"],
     "volumeMounts":[{"name":"c","mountPath":"/conf"}]}],"volumes":[{"name":"c","configMap":{"name":"conf"}}]}})");
  ASSERT_THAT(pods, SizeIs(1));
  EXPECT_EQ(pods[0].version, "");
  EXPECT_EQ(pods[0].config_source, "ConfigMap kube-system/conf");
}

TEST(SchedulerPods, OthersAreNone) {
  EXPECT_THAT(Parse(R"({"spec":{"containers":[{"image":"coredns:1","args":["-conf","/kube-scheduler.d/x"]}]}},{},7)"),
              IsEmpty());
  EXPECT_FALSE(ParseSchedulerPods("[]").ok());
  EXPECT_FALSE(ParseSchedulerPods("{").ok());
}

}  // namespace
}  // namespace ksched::kube
