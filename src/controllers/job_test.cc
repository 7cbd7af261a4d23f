#include "controllers/job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/testing.h"

namespace ksched::controllers {
namespace {

struct Scene {
  api::Workload desired = WorkloadOf("Job", 0), live;
  Request request;
  bool has_live = false;

  Scene(int32_t parallelism, std::optional<int32_t> completions) {
    desired.parallelism = parallelism;
    desired.completions = completions;
  }
  Scene& Indexed() {
    desired.completion_mode = "Indexed";
    return *this;
  }
  Scene& Done(int32_t succeeded, const std::string& indexes = "") {
    has_live = true;
    live.metadata.uid = "uid-web";
    live.status.succeeded = succeeded;
    live.status.completed_indexes = indexes;
    return *this;
  }
  Scene& Has(const std::string& name, std::optional<int32_t> index = std::nullopt) {
    Done(live.status.succeeded, live.status.completed_indexes);
    ManagedPod pod = PodOf("Job", "web", name);
    pod.completion_index = index;
    request.existing.pods.push_back(pod);
    return *this;
  }
  Scene& Suspended() {
    desired.suspend = true;
    return *this;
  }
  Play Begin() {
    request.desired = &desired;
    if (has_live) request.existing.workload = &live;
    return Play(request);
  }
};

struct Row {
  const char* name;
  Scene scene;
  const char* steps;
};

TEST(Job, Steps) {
  std::vector<Row> rows = {
      {"as many as run at a time", Scene(2, 5), "create web-0 web-1"},
      {"no more than are to complete", Scene(5, 2), "create web-0 web-1"},
      {"a queue of work", Scene(3, std::nullopt), "create web-0 web-1 web-2"},
      {"a queue of work that is done", Scene(3, std::nullopt).Done(1).Has("x"), ""},
      {"some are done", Scene(3, 5).Done(4), "create web-0"},
      {"all are done", Scene(3, 5).Done(5), ""},
      {"one runs", Scene(3, 5).Has("x"), "create web-0 web-1"},
      {"fewer at a time", Scene(1, 5).Has("x").Has("y"), "remove x"},
      {"suspended", Scene(3, 5).Suspended(), ""},
      {"suspended while it runs", Scene(3, 5).Suspended().Has("x").Has("y"), "remove x y"},
      {"indexed", Scene(2, 5).Indexed(), "create web-0 web-1"},
      {"indexed, some are done", Scene(3, 6).Indexed().Done(0, "0,2-3"), "create web-1 web-4 web-5"},
      {"indexed, one runs", Scene(2, 6).Indexed().Done(0, "0").Has("x", 1), "create web-2"},
      {"an index twice", Scene(2, 6).Indexed().Has("x", 0).Has("y", 0), "create web-1; remove x"},
      {"an index that there is not", Scene(2, 2).Indexed().Has("x", 5), "create web-0 web-1; remove x"},
  };
  for (Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(row.scene.Begin().All(), row.steps);
  }
}

TEST(Job, Pods) {
  Scene scene = Scene(2, 2).Indexed();
  scene.request.is_taken = [](const std::string& name) { return name == "web-0"; };
  Play play = scene.Begin();
  EXPECT_EQ(play.All(), "create web-0-0 web-1");
  const api::ObjectMeta& metadata = play.created[0].pod.metadata;
  EXPECT_EQ(metadata.labels.at("batch.kubernetes.io/job-completion-index"), "0");
  EXPECT_EQ(metadata.annotations.at("batch.kubernetes.io/job-completion-index"), "0");
  EXPECT_EQ(metadata.labels.at("job-name"), "web");
  EXPECT_EQ(metadata.labels.at("controller-uid"), "shop.web");
  EXPECT_EQ(metadata.owner_references[0].kind, "Job");
}

TEST(Job, ACronJobsRun) {
  Scene scene(1, 1);
  scene.desired.kind = "CronJob";
  scene.desired.suspend = true;
  Play play = scene.Begin();
  EXPECT_EQ(play.All(), "create web-manual-0");
  const api::OwnerReference owner{"batch/v1", "Job", "web-manual", "shop/web-manual", true};
  EXPECT_EQ(play.created[0].pod.metadata.owner_references[0], owner);

  api::Workload taken = WorkloadOf("Job", 0);
  taken.metadata.name = "web-manual";
  EXPECT_EQ(RunOfCronJob(scene.desired, {taken}).metadata.name, "web-manual-1");
  scene.desired.job_suspend = true;
  EXPECT_EQ(scene.Begin().All(), "");
}

TEST(Job, Rejected) {
  Scene scene = Scene(2, 3).Indexed();
  Play play = scene.Begin();
  play.rejected = {"web-0"};
  EXPECT_EQ(play.All(), "create web-0 web-1");
  play.rejected.clear();
  play.controller().RetryRejected();
  EXPECT_EQ(play.All(), "create web-0");
  EXPECT_TRUE(play.controller().progress().complete);
}

TEST(PodTemplate, OnePod) {
  const api::Workload desired = WorkloadOf("PodTemplate", 0);
  Request request;
  request.desired = &desired;
  Play play(request);
  EXPECT_EQ(play.All(), "create web-0");
  EXPECT_TRUE(play.created[0].pod.metadata.owner_references.empty());
  EXPECT_TRUE(play.controller().progress().complete);
}

TEST(MakeController, OtherKinds) {
  const api::Workload desired = WorkloadOf("Service", 0);
  Request request;
  request.desired = &desired;
  EXPECT_FALSE(MakeController(request));
}

}  // namespace
}  // namespace ksched::controllers
