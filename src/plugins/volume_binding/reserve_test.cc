// Reserve, Unreserve, PreBindPreFlight and PreBind of VolumeBinding.
#include "plugins/volume_binding/volume_binding_testing.h"

namespace ksched {
namespace {

using namespace testing_support;

class FakeWriter final : public VolumeWriter {
 public:
  void Bind(const PodInfo& pod, VolumeChanges changes, std::chrono::seconds timeout, VolumesBound asks,
            ResultCallback done) override {
    bound = std::move(asks);
    text = pod.name() + " in " + std::to_string(timeout.count()) + "s:";
    for (const auto& volume : changes.volumes) {
      const api::ObjectReference& ref = *volume->spec.claim_ref;
      text += " " + volume->metadata.name + "=" + ref.ns + "/" + ref.name + "/" + ref.uid;
      if (volume->metadata.annotations.contains("pv.kubernetes.io/bound-by-controller")) text += "*";
    }
    for (const auto& claim : changes.claims) {
      text += " " + claim->metadata.name + "@" + claim->metadata.annotations.at(kSelectedNode);
    }
    done(problem.empty() ? Result<void>() : Error{problem});
  }
  // What is said when the objects have been written with these versions.
  std::string Bound(const VolumeVersions& versions) const {
    const Result<bool> answer = bound(versions);
    return answer ? *answer ? "yes" : "not yet" : answer.error().message;
  }
  std::string text, problem;
  VolumesBound bound;
};

TEST_F(VolumeBindingTest, TakesTheSmallestVolume) {
  objects().claims.Put(MakeClaim("one").Class("local").Size("1Gi"));
  objects().claims.Put(MakeClaim("two").Class("local").Size("1Gi"));
  objects().claims.Put(MakeClaim("three").Class("local").Size("1Gi"));
  for (const auto& [name, size] : Pairs{{"pv-1", "3Gi"}, {"pv-2", "2Gi"}, {"pv-3", "2Gi"}}) {
    objects().volumes.Put(MakeVolume(name).Class("local").Size(size));
  }
  FakeWriter writer;
  WriteWith(writer);
  const char* claims[] = {"one", "two", "three"};
  const char* want[] = {"pod-1 in 600s: pv-2=default/one/default/one*", "pod-2 in 600s: pv-3=default/two/default/two*",
                        "pod-3 in 600s: pv-1=default/three/default/three*"};
  const NodeId node = cluster_.View("a").id();
  for (int i = 0; i < 3; ++i) {
    const PodInfo& pod = Pod({Claim(claims[i])});
    EXPECT_EQ(Reserve(pod, "a"), "Success");
    EXPECT_EQ(cluster_.Text(plugin_->PreBindPreFlight(cluster_.cycle, pod, node)), "Success");
    EXPECT_EQ(PreBind(pod, node), "Success");
    EXPECT_EQ(writer.text, want[i]);
  }
  // All are assumed to be taken now; the claim's own volume still is its own.
  EXPECT_EQ(Filter(Pod({Claim("three")}), "a"), "Success");
  objects().claims.Put(MakeClaim("four").Class("local").Size("1Gi"));
  EXPECT_EQ(Filter(Pod({Claim("four")}), "a"), kBindConflict);
  objects().volumes.Put(MakeVolume("pv-2").Class("local").Size("2Gi"));  // an event ends what was assumed of it
  EXPECT_EQ(Filter(Pod({Claim("four")}), "a"), "Success");
}

TEST_F(VolumeBindingTest, CompletesAReservation) {
  FakeWriter writer;
  WriteWith(writer);
  objects().claims.Put(MakeClaim("data").Class("local").Size("1Gi"));
  objects().volumes.Put(MakeVolume("pv").Class("local").Size("1Gi").For("data"));
  const PodInfo& pod = Pod({Claim("data")});
  EXPECT_EQ(Reserve(pod, "a"), "Success");
  writer.problem = "no";
  EXPECT_EQ(PreBind(pod, cluster_.View("a").id()), "Error: no");
  EXPECT_EQ(writer.text, "pod-1 in 600s: pv=default/data/default/data");  // the user has reserved it
}

TEST_F(VolumeBindingTest, WaitsForTheVolumesController) {
  FakeWriter writer;
  WriteWith(writer);
  objects().claims.Put(MakeClaim("data").Class("local").Size("1Gi"));
  objects().volumes.Put(MakeVolume("pv").Class("local").Size("1Gi"));
  const PodInfo& pod = Pod({Claim("data")});
  EXPECT_EQ(Reserve(pod, "a"), "Success");
  EXPECT_EQ(PreBind(pod, cluster_.View("a").id()), "Success");
  const VolumeVersions versions{.volumes = {7}, .claims = {}};
  const auto put = [&](const char* version, const char* uid) {
    api::PersistentVolume volume = MakeVolume("pv").Class("local").Size("1Gi").For("data");
    volume.metadata.resource_version = version;
    volume.spec.claim_ref->uid = uid;
    objects().volumes.Put(std::move(volume));
  };
  EXPECT_EQ(writer.Bound(versions), "not yet") << "what was written has not been seen";
  put("7", "u");
  EXPECT_EQ(writer.Bound(versions), "not yet") << "the claim is not bound";
  objects().claims.Put(MakeClaim("data").Bound("pv"));
  EXPECT_EQ(writer.Bound(versions), "yes");
  put("8", "");
  EXPECT_EQ(writer.Bound(versions), "ClaimRef got reset for pv \"pv\"");
  objects().volumes.Remove("", "pv");
  EXPECT_EQ(writer.Bound(versions), "failed to check binding: persistentvolumes \"pv\" not found");
  cluster_.state.pod_store().Unlist(pod.id);
  EXPECT_EQ(writer.Bound(versions), "pod does not exist any more: pod \"" + pod.name() + "\" not found");
  cluster_.state.RemoveNode("a");
  EXPECT_EQ(writer.Bound(versions), "failed to get node \"a\": node \"a\" not found");
}

TEST_F(VolumeBindingTest, WaitsForTheProvisioner) {
  FakeWriter writer;
  WriteWith(writer);
  objects().claims.Put(MakeClaim("data").Class("csi").Size("1Gi"));
  const PodInfo& pod = Pod({Claim("data")});
  EXPECT_EQ(Reserve(pod, "a"), "Success");
  EXPECT_EQ(PreBind(pod, cluster_.View("a").id()), "Success");
  const VolumeVersions versions{.volumes = {}, .claims = {5}};
  EXPECT_EQ(writer.Bound(versions), "not yet");
  const auto put = [&](api::PersistentVolumeClaim claim, const std::string& selected) {
    claim.metadata.resource_version = "5";
    if (!selected.empty()) claim.metadata.annotations[kSelectedNode] = selected;
    objects().claims.Put(std::move(claim));
  };
  put(MakeClaim("data").Class("csi").Size("1Gi"), "a");
  EXPECT_EQ(writer.Bound(versions), "not yet");
  put(MakeClaim("data").Class("csi").Bound("made"), "a");
  EXPECT_EQ(writer.Bound(versions), "not yet") << "the volume has not been seen";
  objects().volumes.Put(MakeVolume("made").Class("csi").Size("1Gi"));
  EXPECT_EQ(writer.Bound(versions), "yes");
  put(MakeClaim("data").Class("csi").Bound("made"), "b");
  EXPECT_EQ(writer.Bound(versions), "provisioning failed for PVC \"data\"");
  put(MakeClaim("data").Class("csi").Size("1Gi"), "");
  EXPECT_EQ(writer.Bound(versions), "selectedNode annotation reset for PVC \"data\"");
}

TEST_F(VolumeBindingTest, ProvisionsForTheNode) {
  objects().claims.Put(MakeClaim("data").Class("csi").Size("1Gi"));
  const PodInfo& pod = Pod({Claim("data")});
  EXPECT_EQ(Reserve(pod, "a"), "Success");
  const NodeId node = cluster_.View("a").id();
  EXPECT_EQ(cluster_.Text(plugin_->PreBindPreFlight(cluster_.cycle, pod, node)), "Success");
  EXPECT_EQ(PreBind(pod, node), "Success");  // nobody to write it
  const PodInfo& other = Pod({Claim("data")});
  EXPECT_EQ(Filter(other, "b"), kBindConflict);
  EXPECT_EQ(Filter(other, "a"), "Success");
  objects().claims.Put(MakeClaim("data").Class("csi").Size("1Gi"));
  EXPECT_EQ(Filter(other, "b"), "Success");
}

TEST_F(VolumeBindingTest, UnreserveTakesBack) {
  objects().claims.Put(MakeClaim("new").Class("csi").Size("1Gi"));
  objects().claims.Put(MakeClaim("data").Class("local").Size("1Gi"));
  objects().claims.Put(MakeClaim("other").Class("local").Size("1Gi"));
  objects().volumes.Put(MakeVolume("pv").Class("local").Size("1Gi"));
  const PodInfo& pod = Pod({Claim("data"), Claim("new")});
  const PodInfo& other = Pod({Claim("other")});
  EXPECT_EQ(Reserve(pod, "a"), "Success");
  EXPECT_EQ(Filter(other, "a"), kBindConflict);
  EXPECT_EQ(Reserve(pod, "a"), "Success");
  plugin_->Unreserve(cluster_.cycle, pod, cluster_.View("a").id());
  EXPECT_EQ(Filter(other, "a"), "Success");
  EXPECT_EQ(Filter(pod, "b"), "Success");
}

TEST_F(VolumeBindingTest, NothingToBind) {
  objects().claims.Put(MakeClaim("data").Bound("pv"));
  objects().volumes.Put(MakeVolume("pv"));
  const NodeId node = cluster_.View("a").id();
  const PodInfo& bound = Pod({Claim("data")});
  EXPECT_EQ(Reserve(bound, "a"), "Success");
  EXPECT_EQ(cluster_.Text(plugin_->PreBindPreFlight(cluster_.cycle, bound, node)), "Skip");
  EXPECT_EQ(PreBind(bound, node), "Success");

  const PodInfo& plain = Pod({});
  cluster_.cycle.StartCycle();
  PreFilterResult result;
  EXPECT_TRUE(plugin_->PreFilter(cluster_.cycle, plain, result).IsSkip());
  cluster_.cycle.skip_filter.Insert(0);
  EXPECT_EQ(cluster_.Text(plugin_->Reserve(cluster_.cycle, plain, node)), "Success");
  cluster_.cycle.reserved.Insert(0);
  EXPECT_EQ(cluster_.Text(plugin_->PreBindPreFlight(cluster_.cycle, plain, node)), "Skip");
  EXPECT_EQ(PreBind(plain, node), "Success");
  plugin_->Unreserve(cluster_.cycle, plain, node);
}

TEST_F(VolumeBindingTest, NodeThatWasNotLookedAt) {
  objects().claims.Put(MakeClaim("data").Class("csi").Size("1Gi"));
  const PodInfo& pod = Pod({Claim("data")});
  EXPECT_EQ(Filter(pod, "a"), "Success");
  const NodeId other = cluster_.View("b").id();
  EXPECT_EQ(cluster_.Text(plugin_->PreBindPreFlight(cluster_.cycle, pod, other)),
            "Error: no pod volume found for node \"b\"");
  EXPECT_EQ(PreBind(pod, other), "Error: no pod volume found for node \"b\"");
  EXPECT_EQ(cluster_.Text(plugin_->Reserve(cluster_.cycle, pod, other)), "Success");
  EXPECT_EQ(cluster_.Text(plugin_->PreBindPreFlight(cluster_.cycle, pod, other)), "Skip");
}

TEST_F(VolumeBindingTest, ObjectsThatWentMeanwhile) {
  objects().claims.Put(MakeClaim("data").Class("local").Size("1Gi"));
  objects().claims.Put(MakeClaim("new").Class("csi").Size("1Gi"));
  objects().volumes.Put(MakeVolume("pv").Class("local").Size("1Gi"));
  const PodInfo& both = Pod({Claim("data"), Claim("new")});
  const NodeId node = cluster_.View("a").id();
  EXPECT_EQ(Filter(both, "a"), "Success");
  objects().claims.Remove("default", "new");
  EXPECT_EQ(cluster_.Text(plugin_->Reserve(cluster_.cycle, both, node)),
            "Error: persistentvolumeclaims \"default/new\" not found");
  const PodInfo& pod = Pod({Claim("data")});
  EXPECT_EQ(Filter(pod, "a"), "Success");  // nothing has stayed assumed
  objects().volumes.Remove("", "pv");
  EXPECT_EQ(cluster_.Text(plugin_->Reserve(cluster_.cycle, pod, node)), "Error: persistentvolumes \"pv\" not found");
}

}  // namespace
}  // namespace ksched
