#include "admission/messages.h"

#include <gtest/gtest.h>

#include "admission/plugins.h"

namespace ksched {
namespace {

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
