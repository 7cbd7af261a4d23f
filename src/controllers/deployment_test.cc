#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/testing.h"

namespace ksched::controllers {
namespace {

api::IntOrString Number(int32_t number) { return {.is_text = false, .number = number, .text = {}}; }
api::IntOrString Percent(const std::string& text) { return {.is_text = true, .number = 0, .text = text}; }

// A Deployment that wants `replicas`, and what the cluster has of it.
struct Scene {
  api::Workload desired, live;
  Request request;

  explicit Scene(int32_t replicas) : desired(WorkloadOf("Deployment", replicas)) {
    desired.max_surge = Percent("25%");
    desired.max_unavailable = Percent("25%");
  }
  // A ReplicaSet of that revision with pods HASH-0, HASH-1, ...; the first `broken` are not ready.
  Scene& Has(const std::string& hash, int revision, int32_t replicas, int32_t broken = 0, int32_t of = -1) {
    if (request.existing.workload == nullptr) {
      live = desired;
      live.metadata.uid = "uid-web";
      request.existing.workload = &live;
    }
    live.metadata.annotations["deployment.kubernetes.io/revision"] = std::to_string(revision);
    api::Workload set = WorkloadOf("ReplicaSet", replicas);
    set.metadata.name = "web-" + hash;
    set.metadata.uid = "uid-web-" + hash;
    set.metadata.creation_timestamp = revision;
    set.metadata.labels["pod-template-hash"] = hash;
    set.metadata.annotations["deployment.kubernetes.io/revision"] = std::to_string(revision);
    set.metadata.annotations["deployment.kubernetes.io/desired-replicas"] =
        std::to_string(of >= 0 ? of : *desired.replicas);
    request.existing.replica_sets.push_back(set);
    for (int32_t i = 0; i < replicas; ++i) {
      ManagedPod pod = PodOf("ReplicaSet", "web-" + hash, hash + "-" + std::to_string(i));
      request.existing.pods.push_back(i < broken ? Broken(pod) : pod);
    }
    return *this;
  }
  Scene& MaxReplicas(int32_t max) {
    for (api::Workload& set : request.existing.replica_sets) {
      set.metadata.annotations["deployment.kubernetes.io/max-replicas"] = std::to_string(max);
    }
    return *this;
  }
  Scene& Bounds(const api::IntOrString& surge, const api::IntOrString& unavailable) {
    desired.max_surge = surge;
    desired.max_unavailable = unavailable;
    return *this;
  }
  Scene& Changed() {
    request.template_changed = true;
    return *this;
  }
  Play Start() {
    request.desired = &desired;
    if (request.existing.workload != nullptr) request.existing.workload = &live;  // of this copy
    return Play(request);
  }
  std::string All() { return Start().All(); }
};

struct Row {
  const char* name;
  Scene scene;
  const char* steps;
};

class Deployment : public testing::Test {
 protected:
  static void Check(std::vector<Row> rows) {
    for (Row& row : rows) {
      SCOPED_TRACE(row.name);
      EXPECT_EQ(row.scene.All(), row.steps);
    }
  }
};

TEST_F(Deployment, New) {
  Scene scene(3);
  Play play = scene.Start();
  EXPECT_EQ(play.All(), "create web-0 web-1 web-2");
  const Progress progress = play.controller().progress();
  EXPECT_TRUE(progress.complete);
  EXPECT_EQ(progress.updated, 3);
  const api::ObjectMeta& metadata = play.created[0].pod.metadata;
  const std::string hash = metadata.labels.at("pod-template-hash");
  EXPECT_EQ(metadata.labels.at("app"), "web");
  ASSERT_EQ(metadata.owner_references.size(), 1U);
  const api::OwnerReference owner{"apps/v1", "ReplicaSet", "web-" + hash, "shop/web-" + hash, true};
  EXPECT_EQ(metadata.owner_references[0], owner);
  EXPECT_EQ(hash.find_first_not_of("bcdfghjklmnpqrstvwxz2456789"), std::string::npos);
}

TEST_F(Deployment, TheHashIsTheTemplates) {
  const auto hash = [](const std::string& image) {
    Scene scene(1);
    scene.desired.pod_template.spec.containers = {{.name = "c", .image = image}};
    Play play = scene.Start();
    play.All();
    return play.created[0].pod.metadata.labels.at("pod-template-hash");
  };
  EXPECT_EQ(hash("a"), hash("a"));
  EXPECT_NE(hash("a"), hash("b"));
}

TEST_F(Deployment, SameTemplate) {
  Check({
      {"all are there", Scene(3).Has("a", 1, 3), ""},
      {"more are wanted", Scene(4).Has("a", 1, 2, 0, 2), "create web-0 web-1"},
      {"fewer are wanted, the broken one leaves", Scene(2).Has("a", 1, 3, 1, 3), "remove a-0"},
      {"none are wanted", Scene(0).Has("a", 1, 2, 0, 2), "remove a-0 a-1"},
      {"the revision says which set is its own", Scene(2).Has("b", 1, 0).Has("a", 2, 2), ""},
      {"in the middle of an update", Scene(2).Bounds(Number(1), Number(0)).Has("a", 1, 2).Has("b", 2, 1),
       "create web-0; remove a-0 | remove a-1"},
  });
}

TEST_F(Deployment, RollingUpdate) {
  Check({
      {"one more, one after the other", Scene(2).Bounds(Number(1), Number(0)).Has("a", 1, 2).Changed(),
       "create web-0 | create web-1; remove a-0 | remove a-1"},
      {"one less, one after the other", Scene(2).Bounds(Number(0), Number(1)).Has("a", 1, 2).Changed(),
       "create web-0; remove a-0 | create web-1; remove a-1"},
      {"all at once", Scene(2).Bounds(Percent("100%"), Percent("100%")).Has("a", 1, 2).Changed(),
       "create web-0 web-1; remove a-0 a-1"},
      {"a quarter of four", Scene(4).Has("a", 1, 4).Changed(),
       "create web-0 web-1; remove a-0 | create web-2 web-3; remove a-1 a-2 | remove a-3"},
      {"both bounds round to nothing: one may be missing",
       Scene(1).Bounds(Percent("0%"), Percent("1%")).Has("a", 1, 1).Changed(), "create web-0; remove a-0"},
      {"broken old pods go first", Scene(4).Bounds(Number(1), Number(1)).Has("a", 1, 4, 1).Changed(),
       "create web-0 web-1; remove a-0 | create web-2 web-3; remove a-1 a-2 | remove a-3"},
      {"the oldest set first", Scene(2).Bounds(Number(1), Number(0)).Has("a", 1, 1).Has("b", 2, 1).Changed(),
       "create web-0 | create web-1; remove a-0 | remove b-0"},
      {"back to a set that is there",
       [] {
         Scene scene = Scene(2).Bounds(Number(1), Number(0)).Has("a", 1, 0).Has("b", 2, 2).Changed();
         scene.request.reused_replica_set = 0;
         return scene;
       }(),
       "create web-0 | create web-1; remove b-0 | remove b-1"},
      {"all old ones first",
       [] {
         Scene scene = Scene(2).Has("a", 1, 2).Changed();
         scene.desired.strategy = "Recreate";
         return scene;
       }(),
       "remove a-0 a-1 | create web-0 web-1"},
      {"paused: nothing is rolled out",
       [] {
         Scene scene = Scene(2).Has("a", 1, 2).Changed();
         scene.desired.paused = true;
         return scene;
       }(),
       ""},
      {"paused: it is scaled, with the old template",
       [] {
         Scene scene = Scene(3).Has("a", 1, 2, 0, 2).Changed();
         scene.desired.paused = true;
         return scene;
       }(),
       "create web-0"},
  });
}

TEST_F(Deployment, AnUpdateThatDoesNotComeUp) {
  Scene scene = Scene(4).Bounds(Number(1), Number(1)).Has("a", 1, 4).Changed();
  Play play = scene.Start();
  play.stuck = {"web-0", "web-1"};
  EXPECT_EQ(play.All(), "create web-0 web-1; remove a-0");
  const Progress progress = play.controller().progress();
  EXPECT_FALSE(progress.complete);
  EXPECT_EQ(progress.updated, 2);
  EXPECT_EQ(progress.old, 3);
  EXPECT_EQ(progress.waiting_for, "3 of 4 pods are ready; 3 of the old template are left");
  play.controller().PodStarted("web-0", "n");
  EXPECT_EQ(play.All(), "create web-2; remove a-1 | create web-3; remove a-2 | remove a-3");
}

TEST_F(Deployment, RecreateWaitsForOldPodsToGo) {
  Scene scene = Scene(1).Has("a", 1, 1).Changed();
  scene.desired.strategy = "Recreate";
  Play play = scene.Start();
  play.lingers = {"a-0"};
  EXPECT_EQ(play.All(), "remove a-0");
  play.controller().PodGone("a-0");
  EXPECT_EQ(play.All(), "create web-0");
}

// The sets grow and shrink by their shares: 10 became 20 in the middle of an update (8 old, 5 new of 10 + 3).
TEST_F(Deployment, ScaledInTheMiddleOfAnUpdate) {
  Scene scene = Scene(20).Bounds(Number(3), Number(2)).Has("a", 1, 8, 0, 10).Has("b", 2, 5, 5, 10).MaxReplicas(13);
  Play play = scene.Start();
  for (int i = 0; i < 10; ++i) play.stuck.insert("web-" + std::to_string(i));
  play.stuck.insert({"b-0"});
  play.Next();
  int old_made = 0, new_made = 0;
  for (const NewPod& made : play.created) {
    (made.pod.metadata.labels.at("pod-template-hash") == "a" ? old_made : new_made) += 1;
  }
  EXPECT_EQ(old_made, 6);  // round(8 * 23 / 13) = 14
  EXPECT_EQ(new_made, 4);  // the rest of 23
}

TEST_F(Deployment, Replicas) {
  api::HorizontalPodAutoscaler autoscaler;
  autoscaler.max_replicas = 10;
  Scene kept = Scene(2).Has("a", 1, 4, 0, 4);
  kept.live.replicas = 4;
  kept.request.existing.autoscaler = &autoscaler;
  EXPECT_EQ(kept.All(), "") << "an autoscaler has it";
  kept.request.existing.autoscaler = nullptr;
  kept.desired.replicas_given = false;
  EXPECT_EQ(kept.All(), "") << "the manifest says nothing";
  kept.desired.replicas_given = true;
  EXPECT_EQ(kept.All(), "remove a-0 a-1");
  autoscaler.min_replicas = 3;
  Scene fresh(1);
  fresh.request.existing.autoscaler = &autoscaler;
  EXPECT_EQ(fresh.All(), "create web-0 web-1 web-2") << "the least that the autoscaler has";
}

TEST_F(Deployment, Rejected) {
  Scene scene(3);
  Play play = scene.Start();
  play.rejected = {"web-1"};
  EXPECT_EQ(play.All(), "create web-0 web-1 web-2");
  EXPECT_EQ(play.controller().progress().waiting_for, "2 of 3 pods are ready; 1 was rejected");
  play.controller().RetryRejected();
  EXPECT_EQ(play.All(), "create web-3");
  EXPECT_TRUE(play.controller().progress().complete);
}

TEST_F(Deployment, BadBound) {
  Scene scene = Scene(1).Bounds(Percent("many"), Number(1));
  scene.request.desired = &scene.desired;
  const auto made = MakeController(scene.request);
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message, testing::HasSubstr("maxSurge"));
}

}  // namespace
}  // namespace ksched::controllers
