#include "admission/messages.h"

#include <gtest/gtest.h>

#include "admission/plugins.h"

namespace ksched {
namespace {

struct QuantityCase {
  std::string resource, given, text;
};

TEST(QuantityText, Cases) {
  const QuantityCase cases[] = {
      {"cpu", "1500m", "1500m"},
      {"cpu", "2000m", "2"},
      {"limits.cpu", "2048", "2048"},
      {"pods", "1024", "1024"},
      {"example.com/gpu", "3072", "3072"},
      {"memory", "1Gi", "1Gi"},
      {"memory", "1G", "1G"},
      {"memory", "2048M", "2048M"},
      {"limits.memory", "1.5Gi", "1536Mi"},
      {"memory", "0.1", "100m"},
      {"memory", "4145728000", "4145728000"},  // 3000Mi and 1G
      {"requests.storage", "10Gi", "10Gi"},
      {"gold.storageclass.storage.k8s.io/requests.storage", "2Ti", "2Ti"},
      {"gold.storageclass.storage.k8s.io/persistentvolumeclaims", "1024", "1024"},
      {"ephemeral-storage", "500M", "500M"},
      {"requests.hugepages-2Mi", "64Mi", "64Mi"},
      {"memory", "0", "0"},
  };
  for (const QuantityCase& test : cases) {
    SCOPED_TRACE(test.resource + "=" + test.given);
    EXPECT_EQ(QuantityText(test.resource, *api::Quantity::Parse(test.given)), test.text);
  }
}

TEST(Messages, Aggregate) {
  EXPECT_EQ(Aggregate({"a"}), "a");
  EXPECT_EQ(Aggregate({"a", "a"}), "a");
  EXPECT_EQ(Aggregate({"b", "a", "b"}), "[b, a]");
}

TEST(Messages, Forbidden) {
  api::ObjectMeta metadata;
  EXPECT_EQ(Forbidden("pods", metadata, "no").message, R"(pods "Unknown" is forbidden: no)");
  metadata.generate_name = "web-";
  EXPECT_EQ(Forbidden("pods", metadata, "no").message, R"(pods "web-" is forbidden: no)");
  metadata.name = "web-1";
  EXPECT_EQ(Forbidden("pods", metadata, "no").message, R"(pods "web-1" is forbidden: no)");
}

TEST(AdmissionPlugins, Parse) {
  EXPECT_EQ(*AdmissionPlugins::Parse("none"), AdmissionPlugins::none());
  EXPECT_EQ(*AdmissionPlugins::Parse("all"), AdmissionPlugins::all());
  EXPECT_EQ(*AdmissionPlugins::Parse("NamespaceLifecycle,LimitRanger,Priority,DefaultTolerationSeconds,"
                                     "DefaultStorageClass,RuntimeClass,ResourceQuota"),
            AdmissionPlugins::all());
  const auto two = AdmissionPlugins::Parse("ResourceQuota,Priority");
  ASSERT_TRUE(two.ok());
  EXPECT_TRUE(two->has(AdmissionPlugin::kResourceQuota));
  EXPECT_TRUE(two->has(AdmissionPlugin::kPriority));
  EXPECT_FALSE(two->has(AdmissionPlugin::kLimitRanger));
  EXPECT_FALSE(two->empty());
  for (const char* wrong : {"", "all,Priority", "Priority,", "priority", "PodSecurity", "Priority, LimitRanger"}) {
    SCOPED_TRACE(wrong);
    EXPECT_FALSE(AdmissionPlugins::Parse(wrong).ok());
  }
  EXPECT_EQ(AdmissionPlugins::Parse("Priority,Nope").error().message,
            "unknown or unsupported admission plugin \"Nope\": it is all, none, or some of NamespaceLifecycle, "
            "LimitRanger, Priority, DefaultTolerationSeconds, DefaultStorageClass, RuntimeClass, ResourceQuota");
}

}  // namespace
}  // namespace ksched
