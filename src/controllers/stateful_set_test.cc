#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/testing.h"

namespace ksched::controllers {
namespace {

using testing::ElementsAre;

// A StatefulSet with pods of two revisions: a template that was changed from "old" to "new" is `Changed()`.
struct Scene {
  api::Workload desired, live;
  Request request;
  bool has_live = false;

  explicit Scene(int32_t replicas) : desired(WorkloadOf("StatefulSet", replicas)) {
    desired.pod_management_policy = "OrderedReady";
  }
  Scene& Has(const std::string& revision, std::vector<ManagedPod> pods) {
    has_live = true;
    live.metadata.uid = "uid-web";
    if (live.status.current_revision.empty()) live.status.current_revision = revision;
    live.status.update_revision = revision;
    for (ManagedPod& pod : pods) {
      pod.revision = revision;
      request.existing.pods.push_back(pod);
    }
    return *this;
  }
  Scene& Parallel() {
    desired.pod_management_policy = "Parallel";
    return *this;
  }
  Scene& Changed() {
    request.template_changed = true;
    return *this;
  }
  Scene& Partition(int32_t partition) {
    desired.partition = partition;
    return *this;
  }
  Scene& MaxUnavailable(int32_t number) {
    desired.max_unavailable = api::IntOrString{.is_text = false, .number = number, .text = {}};
    return *this;
  }
  Scene& Start(int32_t ordinal) {
    desired.ordinals_start = ordinal;
    return *this;
  }
  Scene& OnDelete() {
    desired.strategy = "OnDelete";
    return *this;
  }
  Play Begin() {
    request.desired = &desired;
    if (has_live) request.existing.workload = &live;
    return Play(request);
  }
};

ManagedPod Pod(int ordinal) { return PodOf("StatefulSet", "web", "web-" + std::to_string(ordinal)); }
ManagedPod Failed(ManagedPod pod) {
  pod.phase = "Failed";
  return Broken(pod);
}
ManagedPod Deleting(ManagedPod pod) {
  pod.deleting = true;
  return pod;
}
std::vector<ManagedPod> Pods(int count) {
  std::vector<ManagedPod> pods;
  pods.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) pods.push_back(Pod(i));
  return pods;
}

struct Row {
  const char* name;
  Scene scene;
  const char* steps;
};

void Check(std::vector<Row> rows) {
  for (Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(row.scene.Begin().All(), row.steps);
  }
}

TEST(StatefulSet, MakesPods) {
  Check({
      {"one after the other", Scene(3), "create web-0 | create web-1 | create web-2"},
      {"all at once", Scene(3).Parallel(), "create web-0 web-1 web-2"},
      {"from an ordinal on", Scene(2).Start(5), "create web-5 | create web-6"},
      {"all are there", Scene(2).Has("r", Pods(2)), ""},
      {"what is missing", Scene(3).Has("r", {Pod(0), Pod(2)}), "create web-1"},
      {"not before those below are ready", Scene(3).Has("r", {Broken(Pod(0)), Pod(2)}), ""},
      {"at once all the same", Scene(3).Parallel().Has("r", {Broken(Pod(0)), Pod(2)}), "create web-1"},
      {"what has failed is replaced", Scene(2).Has("r", {Failed(Pod(0)), Pod(1)}), "remove web-0 | create web-0"},
      {"not while one goes", Scene(2).Has("r", {Deleting(Pod(0))}), ""},
      {"names of others do not count", Scene(1).Has("r", {PodOf("StatefulSet", "other", "web-7")}), "create web-0"},
  });
}

TEST(StatefulSet, ScalesDown) {
  Check({
      {"from the top, one after the other", Scene(1).Has("r", Pods(3)), "remove web-2 | remove web-1"},
      {"all at once", Scene(1).Parallel().Has("r", Pods(3)), "remove web-2 web-1"},
      {"not while one below is broken", Scene(2).Has("r", {Broken(Pod(0)), Pod(1), Pod(2)}), ""},
      {"the one that goes is the broken one", Scene(2).Has("r", {Pod(0), Pod(1), Broken(Pod(2))}), "remove web-2"},
      {"a broken one that is not the first waits", Scene(1).Has("r", {Pod(0), Broken(Pod(1)), Broken(Pod(2))}), ""},
      {"those below the start", Scene(2).Start(1).Has("r", Pods(2)), "create web-2 | remove web-0"},
  });
}

TEST(StatefulSet, Updates) {
  const auto old = [](int count) { return Scene(count).Has("old", Pods(count)).Changed(); };
  Check({
      {"from the top down", old(2), "remove web-1 | create web-1 | remove web-0 | create web-0"},
      {"down to the partition", old(3).Partition(2), "remove web-2 | create web-2"},
      {"two at a time, made again in order", old(3).MaxUnavailable(2),
       "remove web-2 web-1 | create web-1 | create web-2 | remove web-0 | create web-0"},
      {"only when somebody deletes them", old(2).OnDelete(), ""},
      {"a broken one blocks", Scene(2).Has("old", {Broken(Pod(0)), Pod(1)}).Changed(), ""},
      {"in parallel a broken one goes first",
       Scene(3).Parallel().Has("old", {Broken(Pod(0)), Pod(1), Pod(2)}).Changed(),
       "remove web-0 | create web-0 | remove web-2 | create web-2 | remove web-1 | create web-1"},
      {"in parallel two at a time", old(3).Parallel().MaxUnavailable(2),
       "remove web-2 web-1 | create web-1 web-2 | remove web-0 | create web-0"},
      {"scaled up first", Scene(3).Has("old", Pods(2)).Changed(),
       "create web-2 | remove web-1 | create web-1 | remove web-0 | create web-0"},
      {"an update under way goes on", Scene(2).Has("old", {Pod(0)}).Has("new", {Pod(1)}),
       "remove web-0 | create web-0"},
      {"back to what half of them are",
       [] {
         Scene scene = Scene(2).Has("old", {Pod(0)}).Has("new", {Pod(1)}).Changed();
         scene.request.reused_revision = "old";
         return scene;
       }(),
       "remove web-1 | create web-1"},
  });
}

TEST(StatefulSet, RevisionsOfNewPods) {
  Scene scene = Scene(3).Partition(1).Has("old", {Pod(1), Pod(2)}).Changed();
  scene.live.pod_template.metadata.labels["app"] = "before";
  Play play = scene.Begin();
  EXPECT_EQ(play.All(), "create web-0 | remove web-2 | create web-2 | remove web-1 | create web-1");
  const api::StringMap& below = play.created[0].pod.metadata.labels;
  EXPECT_EQ(below.at("controller-revision-hash"), "old");
  EXPECT_EQ(below.at("app"), "before");
  EXPECT_EQ(below.at("apps.kubernetes.io/pod-index"), "0");
  EXPECT_EQ(below.at("statefulset.kubernetes.io/pod-name"), "web-0");
  const api::StringMap& above = play.created[1].pod.metadata.labels;
  EXPECT_THAT(above.at("controller-revision-hash"), testing::StartsWith("web-"));
  EXPECT_EQ(above.at("app"), "web");
  EXPECT_TRUE(play.controller().progress().complete);
}

TEST(StatefulSet, Claims) {
  Scene scene(2);
  api::ClaimTemplate data;
  data.metadata.name = "data";
  data.spec.storage_class_name = "fast";
  scene.desired.claim_templates = {data};
  scene.desired.selector = api::LabelSelector{.match_labels = {{"app", "web"}}, .match_expressions = {}};
  api::Volume replaced, scratch;
  replaced.name = "data";
  scratch.name = "scratch";
  scratch.ephemeral = data;
  scene.desired.pod_template.spec.volumes = {replaced, scratch};
  scene.request.existing.claims = {"data-web-0"};
  Play play = scene.Begin();
  play.All();
  ASSERT_EQ(play.created.size(), 2U);
  const auto names = [](const NewPod& made) {
    std::vector<std::string> result;
    result.reserve(made.claims.size());
    for (const api::PersistentVolumeClaim& claim : made.claims) result.push_back(claim.metadata.name);
    return result;
  };
  EXPECT_THAT(names(play.created[0]), ElementsAre("web-0-scratch"));
  EXPECT_THAT(names(play.created[1]), ElementsAre("web-1-scratch", "data-web-1"));
  const auto& volumes = play.created[0].pod.spec.volumes;
  ASSERT_EQ(volumes.size(), 2U);
  EXPECT_EQ(volumes[0].claim_name, "data-web-0");
  EXPECT_EQ(volumes[1].name, "scratch");
  const api::PersistentVolumeClaim& claim = play.created[1].claims[1];
  EXPECT_EQ(claim.metadata.labels.at("app"), "web");
  EXPECT_EQ(claim.spec.storage_class_name, "fast");
  EXPECT_EQ(play.created[1].claims[0].metadata.owner_references[0].name, "web-1");
}

TEST(StatefulSet, Progress) {
  Scene scene(3);
  Play play = scene.Begin();
  play.stuck = {"web-1"};
  EXPECT_EQ(play.All(), "create web-0 | create web-1");
  EXPECT_EQ(play.controller().progress().waiting_for, "web-2 is not created before web-1 is ready");
  play.controller().PodStarted("web-1", "n");
  play.rejected = {"web-2"};
  EXPECT_EQ(play.All(), "create web-2");
  EXPECT_EQ(play.controller().progress().waiting_for, "web-2 was rejected");
  play.rejected.clear();
  play.controller().RetryRejected();
  EXPECT_EQ(play.All(), "create web-2");
  EXPECT_TRUE(play.controller().progress().complete);

  Scene update = Scene(3).Has("old", Pods(3)).Changed();
  Play updating = update.Begin();
  updating.stuck = {"web-2"};
  EXPECT_EQ(updating.All(), "remove web-2 | create web-2");
  EXPECT_EQ(updating.controller().progress().waiting_for, "web-1 is not updated before web-2 is ready");
  EXPECT_EQ(updating.controller().progress().old, 2);
}

TEST(StatefulSet, ANameThatIsTaken) {
  Scene scene(2);
  scene.request.is_taken = [](const std::string& name) { return name == "web-1"; };
  Play play = scene.Begin();
  EXPECT_EQ(play.All(), "create web-0");
  EXPECT_EQ(play.controller().progress().waiting_for, "web-1 is the name of another pod");
}

}  // namespace
}  // namespace ksched::controllers
