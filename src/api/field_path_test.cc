#include "api/field_path.h"

#include <gtest/gtest.h>

namespace ksched::api {
namespace {

TEST(FieldPathTest, IsWrittenAsKubernetesDoes) {
  const FieldPath root;
  EXPECT_EQ(root.ToString(), "");
  const FieldPath spec = root.Child("spec"), containers = spec.Child("containers"), first = containers.Index(0),
                  ports = first.Child("ports"), second = ports.Index(1);
  EXPECT_EQ(second.Child("hostPort").ToString(), "spec.containers[0].ports[1].hostPort");
  const FieldPath metadata = root.Child("metadata"), labels = metadata.Child("labels");
  EXPECT_EQ(labels.Key("app.kubernetes.io/name").ToString(), "metadata.labels[app.kubernetes.io/name]");
  EXPECT_EQ(root.Index(3).ToString(), "[3]");
}

TEST(FieldPathTest, SegmentsLeadFromTheRoot) {
  const FieldPath root, spec = root.Child("spec"), replicas = spec.Child("replicas");
  const auto segments = replicas.Segments();
  ASSERT_EQ(segments.size(), 2U);
  EXPECT_EQ(segments[0]->name(), "spec");
  EXPECT_EQ(segments[1]->name(), "replicas");
  EXPECT_TRUE(root.Segments().empty());
}

}  // namespace
}  // namespace ksched::api
