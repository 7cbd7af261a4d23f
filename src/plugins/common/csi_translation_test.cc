#include "plugins/common/csi_translation.h"

#include <gtest/gtest.h>

#include "plugins/common/volume_testing.h"
#include "plugins/common/zone_labels.h"

namespace ksched {
namespace {

using namespace testing_support;

template <typename F>
api::PersistentVolume VolumeOf(F&& set) {
  api::PersistentVolume volume = MakeVolume("pv");
  set(volume.spec.source);
  return volume;
}
auto Ebs(std::string id) {
  return [id](api::VolumeSource& s) { s.aws_elastic_block_store = {id, false}; };
}
auto Gce(std::string name) {
  return [name](api::VolumeSource& s) { s.gce_persistent_disk = {name, false}; };
}
auto Azure(std::string kind) {
  return [kind](api::VolumeSource& s) { s.azure_disk = {"disk", "/uri", kind}; };
}
std::string Text(const Result<CsiTranslation>& result) {
  return result ? std::string(result->driver) + " " + result->handle : result.error().message;
}

TEST(CsiTranslationTest, Names) {
  EXPECT_EQ(FindInTreePlugin("kubernetes.io/aws-ebs")->driver, "ebs.csi.aws.com");
  EXPECT_TRUE(FindInTreePlugin("kubernetes.io/portworx-volume")->migrated);
  EXPECT_FALSE(FindInTreePlugin("kubernetes.io/azure-file")->migrated);
  EXPECT_FALSE(FindInTreePlugin("kubernetes.io/vsphere-volume")->migrated);
  EXPECT_EQ(FindInTreePlugin("csi.example.com"), nullptr);
  EXPECT_EQ(InTreePluginOf(api::VolumeSource()), nullptr);
  api::VolumeSource csi;
  csi.csi.emplace();
  EXPECT_EQ(InTreePluginOf(csi), nullptr);
}

TEST(CsiTranslationTest, Handles) {
  struct Row {
    const char* name;
    api::PersistentVolume volume;
    const char* want;
  };
  const auto zones = [](const char* key, const char* value) {
    api::PersistentVolume volume = VolumeOf(Gce("d"));
    volume.metadata.labels[key] = value;
    return volume;
  };
  const std::vector<Row> rows = {
      {"an id", VolumeOf(Ebs("vol-1")), "ebs.csi.aws.com vol-1"},
      {"a URL", VolumeOf(Ebs("aws://us-east-1a/vol-1")), "ebs.csi.aws.com vol-1"},
      {"a URL without zone", VolumeOf(Ebs("aws:///vol%2D1/")), "ebs.csi.aws.com vol-1"},
      {"a URL of something else", VolumeOf(Ebs("aws://a/b")),
       "failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume (aws://a/b)"},
      {"GCE without zone", VolumeOf(Gce("d")), "pd.csi.storage.gke.io projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d"},
      {"GCE in a zone", zones(kZoneLabel, "us-east1-a"),
       "pd.csi.storage.gke.io projects/UNSPECIFIED/zones/us-east1-a/disks/d"},
      {"GCE in a zone, old label", zones(kBetaZoneLabel, "us-east1-a"),
       "pd.csi.storage.gke.io projects/UNSPECIFIED/zones/us-east1-a/disks/d"},
      {"GCE in two zones", zones(kZoneLabel, "us-east1-a__us-east1-b"),
       "pd.csi.storage.gke.io projects/UNSPECIFIED/regions/us-east1/disks/d"},
      {"GCE in two regions", zones(kZoneLabel, "us-east1-a__eu-west1-b"),
       "failed to get region from zones: multiple or no regions gotten from zones, got: map[eu-west1:{} us-east1:{}]"},
      {"GCE in odd zones", zones(kZoneLabel, "a__b"),
       "failed to get region from zones: zone in unexpected format, expected: {locale}-{region}-{zone}, got: a"},
      {"Azure, managed", VolumeOf(Azure("Managed")), "disk.csi.azure.com /uri"},
      {"Azure, shared", VolumeOf(Azure("Shared")), "kind(Shared) is not supported in csi migration"},
      {"Cinder", VolumeOf([](auto& s) { s.cinder = {"c"}; }), "cinder.csi.openstack.org c"},
      {"Portworx", VolumeOf([](auto& s) { s.portworx_volume = {"p"}; }), "pxd.portworx.com p"},
      {"none", MakeVolume("pv"), "could not find in-tree plugin translation logic for \"pv\""},
  };
  for (const Row& row : rows) EXPECT_EQ(Text(Translate(row.volume)), row.want) << row.name;
  EXPECT_EQ(Text(TranslateInline(Source(Gce("d")))),
            "pd.csi.storage.gke.io projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d");
  EXPECT_EQ(Text(TranslateInline(Source([](auto& s) { s.azure_file.emplace(); }))), "file.csi.azure.com ");
  EXPECT_EQ(Text(TranslateInline(Claim("a"))), "could not find in-tree plugin translation logic for \"v-a\"");
}

TEST(CsiTranslationTest, Affinity) {
  const auto one = [](const char* key, std::vector<std::string> values) {
    return api::NodeSelector{{MatchExpressions({{key, "In", std::move(values)}})}};
  };
  constexpr const char* kEbsZone = "topology.ebs.csi.aws.com/zone";
  api::PersistentVolume volume = VolumeOf(Ebs("vol-1"));
  EXPECT_EQ(TranslatedAffinity(volume), std::nullopt);
  volume.metadata.labels[kZoneLabel] = "b__a__";
  EXPECT_EQ(TranslatedAffinity(volume), one(kEbsZone, {"a", "b"}));
  volume.spec.required_node_affinity = one(kZoneLabel, {"c"});
  EXPECT_EQ(TranslatedAffinity(volume), one(kEbsZone, {"c"}));
  volume.spec.required_node_affinity = one("other", {"c"});
  EXPECT_EQ(TranslatedAffinity(volume),
            (api::NodeSelector{{MatchExpressions({{"other", "In", {"c"}}, {kEbsZone, "In", {"a", "b"}}})}}));

  volume = VolumeOf(Ebs("vol-1"));
  volume.spec.required_node_affinity =
      api::NodeSelector{{MatchExpressions({{kBetaZoneLabel, "In", {"a"}}, {kBetaRegionLabel, "In", {"r"}}})}};
  EXPECT_EQ(TranslatedAffinity(volume),
            (api::NodeSelector{{MatchExpressions({{kEbsZone, "In", {"a"}}, {kRegionLabel, "In", {"r"}}})}}));
  volume.spec.source.aws_elastic_block_store.reset();
  Azure("Managed")(volume.spec.source);
  EXPECT_EQ(TranslatedAffinity(volume), volume.spec.required_node_affinity);
}

TEST(ZoneLabelsTest, Split) {
  EXPECT_EQ(SplitZones("a"), (std::vector<std::string>{"a"}));
  EXPECT_EQ(SplitZones(" a __b"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(SplitZones(""), (std::vector<std::string>{""}));
  EXPECT_EQ(SplitZones("a__ "), (std::vector<std::string>{"a", ""}));
}

}  // namespace
}  // namespace ksched
