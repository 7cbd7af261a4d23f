// The queueing hints of VolumeBinding.
#include "plugins/volume_binding/volume_binding_testing.h"

namespace ksched {
namespace {

using namespace testing_support;

class VolumeBindingHints : public VolumeBindingTest {
 protected:
  template <typename T>
  std::string Updated(EventResource resource, const T& before, const T& after) {
    return Hint(*plugin_, {resource, kUpdate}, *pod_, {.old_object = &before, .new_object = &after});
  }
  template <typename T>
  std::string Added(EventResource resource, const T& object) {
    return Hint(*plugin_, {resource, kAdd}, *pod_, {.new_object = &object});
  }
  const PodInfo* pod_ = &Pod({Claim("data"), Ephemeral("v"), Source([](api::VolumeSource& s) {
                                s.csi = {"csi.example.com", ""};
                              })});
};

TEST_F(VolumeBindingHints, StorageClasses) {
  const api::StorageClass plain = MakeClass("csi"), other = MakeClass("csi", "other");
  api::StorageClass zonal = plain;
  zonal.allowed_topologies = {{{{kZoneLabel, {"a"}}}}};
  EXPECT_EQ(Added(EventResource::kStorageClass, plain), "Queue");
  EXPECT_EQ(Updated(EventResource::kStorageClass, plain, zonal), "Queue");
  EXPECT_EQ(Updated(EventResource::kStorageClass, zonal, plain), "Queue");
  EXPECT_EQ(Updated(EventResource::kStorageClass, plain, other), "Skip");
}

TEST_F(VolumeBindingHints, Claims) {
  const api::PersistentVolumeClaim data = MakeClaim("data"), own = MakeClaim("pod-1-v"), other = MakeClaim("other"),
                                   elsewhere = MakeClaim("data").Namespace("other");
  EXPECT_EQ(Added(EventResource::kPersistentVolumeClaim, data), "Queue");
  EXPECT_EQ(Updated(EventResource::kPersistentVolumeClaim, data, data), "Queue");
  EXPECT_EQ(Added(EventResource::kPersistentVolumeClaim, own), "Queue");
  EXPECT_EQ(Added(EventResource::kPersistentVolumeClaim, other), "Skip");
  EXPECT_EQ(Added(EventResource::kPersistentVolumeClaim, elsewhere), "Skip");
}

TEST_F(VolumeBindingHints, CsiNodes) {
  api::CsiNode before, after;
  after.drivers.emplace_back();
  EXPECT_EQ(Added(EventResource::kCsiNode, after), "Queue");
  EXPECT_EQ(Updated(EventResource::kCsiNode, before, after), "Skip");
  after.metadata.annotations["storage.alpha.kubernetes.io/migrated-plugins"] = "kubernetes.io/aws-ebs";
  EXPECT_EQ(Updated(EventResource::kCsiNode, before, after), "Queue");
  EXPECT_EQ(Updated(EventResource::kCsiNode, after, after), "Skip");
}

TEST_F(VolumeBindingHints, CsiDrivers) {
  const api::CsiDriver on = WithCapacity(true), off = WithCapacity(false), unset = WithCapacity(std::nullopt);
  EXPECT_EQ(Updated(EventResource::kCsiDriver, on, off), "Queue");
  EXPECT_EQ(Updated(EventResource::kCsiDriver, on, unset), "Queue");
  EXPECT_EQ(Updated(EventResource::kCsiDriver, off, on), "Skip");
  EXPECT_EQ(Updated(EventResource::kCsiDriver, unset, off), "Skip");
  api::CsiDriver other = off;
  other.metadata.name = "other";
  EXPECT_EQ(Updated(EventResource::kCsiDriver, on, other), "Skip");
  EXPECT_EQ(Added(EventResource::kCsiDriver, on), "not registered");
}

TEST_F(VolumeBindingHints, StorageCapacities) {
  const auto of = [](const char* capacity, const char* largest = nullptr) {
    return MakeCapacity("c", "csi", "", capacity, largest);
  };
  const auto updated = [this](const api::CsiStorageCapacity& before, const api::CsiStorageCapacity& after) {
    return Updated(EventResource::kCsiStorageCapacity, before, after);
  };
  EXPECT_EQ(Added(EventResource::kCsiStorageCapacity, of(nullptr)), "Queue");
  EXPECT_EQ(updated(of("1Gi"), of("2Gi")), "Queue");
  EXPECT_EQ(updated(of("2Gi"), of("1Gi")), "Skip");
  EXPECT_EQ(updated(of(nullptr), of("1Gi")), "Queue");
  EXPECT_EQ(updated(of("1Gi"), of(nullptr)), "Skip");
  EXPECT_EQ(updated(of("1Gi", "1Gi"), of("2Gi", "1Gi")), "Skip");
  EXPECT_EQ(updated(of("1Gi"), of("1Gi", "2Gi")), "Queue");
}

TEST_F(VolumeBindingHints, VolumesAndNodes) {
  const api::PersistentVolume volume = MakeVolume("pv");
  EXPECT_EQ(Added(EventResource::kPersistentVolume, volume), "Queue");
  EXPECT_EQ(Updated(EventResource::kPersistentVolume, volume, volume), "Queue");
  EXPECT_EQ(Hint(*plugin_, {EventResource::kPersistentVolume, kDelete}, *pod_, {}), "not registered");
  EXPECT_EQ(Hint(*plugin_, {EventResource::kNode, kAdd}, *pod_, {}), "Queue");
  EXPECT_EQ(Hint(*plugin_, {EventResource::kNode, kUpdateNodeLabel}, *pod_, {}), "Queue");
  EXPECT_EQ(Hint(*plugin_, {EventResource::kNode, kUpdateNodeTaint}, *pod_, {}), "not registered");
}

}  // namespace
}  // namespace ksched
