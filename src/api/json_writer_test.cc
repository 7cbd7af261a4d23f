#include "api/json_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/decode_test_util.h"
#include "api/json_output.h"
#include "api/json_values.h"

namespace ksched::api {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string Written(const Decoded& decoded, const JsonOptions& options = {}) {
  std::string text;
  const Result<void> done = AppendJson(decoded, text, options);
  EXPECT_TRUE(done.ok());
  return text;
}

std::string Written(const std::string& yaml, const JsonOptions& options = {}) {
  const DecodeOutcome outcome = DecodeText(yaml, ValidationMode::kStored);
  EXPECT_THAT(outcome.problems, IsEmpty());
  return outcome.objects.empty() ? "" : Written(outcome.objects[0], options);
}

TEST(AppendJson, WhatIsAbsentStaysAbsent) {
  EXPECT_EQ(Written("{apiVersion: v1, kind: Service, metadata: {name: s, uid: u, resourceVersion: \"3\"}}"),
            R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"s","namespace":"default","uid":"u",)"
            R"("resourceVersion":"3"}})");
}

TEST(AppendJson, OptionalValuesAreWrittenWhenTheyAreEmpty) {
  const std::string text = Written(
      "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c}, spec: {storageClassName: \"\", selector: "
      "{}}}");
  EXPECT_THAT(text, HasSubstr(R"("selector":{})"));
  EXPECT_THAT(text, HasSubstr(R"("storageClassName":"")"));
  EXPECT_THAT(text, Not(HasSubstr("volumeName")));
}

TEST(AppendJson, QuantitiesTimesAndTexts) {
  const std::string text = Written(
      "{apiVersion: v1, kind: Node, metadata: {name: one, creationTimestamp: \"2024-05-06T07:08:09.25+02:00\","
      " annotations: {a: \"\\\"\\u0001\\n\"}}, status: {capacity: {cpu: 1500m, memory: 2048Ki, pods: 110}}}");
  EXPECT_THAT(text, HasSubstr(R"("creationTimestamp":"2024-05-06T05:08:09.25Z")"));
  EXPECT_THAT(text, HasSubstr(R"("annotations":{"a":"\"\u0001\n"})"));
  EXPECT_THAT(text, HasSubstr(R"("capacity":{"cpu":"1500m","memory":"2Mi","pods":"110"})"));
}

TEST(AppendJson, ReadingItGivesTheSame) {
  const char* const kObjects[] = {
      "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d}, spec: {strategy: {type: Recreate}}}",
      "{apiVersion: v1, kind: ReplicationController, metadata: {name: r}, spec: {replicas: 0, selector: {a: b}}}",
      "{apiVersion: batch/v1, kind: CronJob, metadata: {name: c}, spec: {schedule: '* * * * *', suspend: true,"
      " jobTemplate: {metadata: {labels: {a: b}}, spec: {suspend: true, parallelism: 2}}}}",
      "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {schedulingGates: [{name: g}], volumes: [{name: v, csi:"
      " {driver: d}}, {name: w, ephemeral: {volumeClaimTemplate: {spec: {resources: {requests: {storage: 1Gi}}}}}}]}}",
      "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, status: {disruptedPods: {p:"
      " \"2024-05-06T07:08:09Z\"}}}",
      "{apiVersion: ksched.dev/v1alpha1, kind: ClusterSnapshot, metadata: {creationTimestamp: "
      "\"2024-05-06T07:08:09Z\"},"
      " serverVersion: v1.37.2, absent: [{kind: Pod, resource: pods, reason: Forbidden, message: denied}]}",
      "{apiVersion: v1, kind: Node, metadata: {name: one}, spec: {podPreemptionPolicy: {b: [1], a: {}}}}",
  };
  for (const char* object : kObjects) {
    const std::string once = Written(object);
    EXPECT_EQ(Written(once), once);
  }
}

TEST(AppendJson, ReplicasThatNobodyGaveAreNotWritten) {
  EXPECT_THAT(Written("{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: r}}"), Not(HasSubstr("replicas")));
}

TEST(AppendJson, TheLastAppliedConfigurationCanBeLeftOut) {
  const std::string object =
      "{apiVersion: v1, kind: Namespace, metadata: {name: one, annotations:"
      " {kubectl.kubernetes.io/last-applied-configuration: x, other: \"1\"}}}";
  EXPECT_THAT(Written(object), HasSubstr("last-applied"));
  const std::string without = Written(object, {.without_last_applied = true});
  EXPECT_THAT(without, Not(HasSubstr("last-applied")));
  EXPECT_THAT(without, HasSubstr(R"("annotations":{"other":"1"})"));
}

TEST(AppendJson, WhatIsNoUtf8IsReplaced) {
  Decoded decoded{
      .kind_class = KindClass::kScheduling, .api_version = "v1", .kind = "Namespace", .object = Namespace()};
  MetadataOf(decoded.object).name = "a\xFF\xC3\xA4";
  EXPECT_THAT(Written(decoded), HasSubstr("a\xEF\xBF\xBD\xC3\xA4"));
}

TEST(AppendJson, AnIgnoredKindIsAnError) {
  std::string text = "kept";
  const Result<void> done = AppendJson({.api_version = "v1", .kind = "ConfigMap"}, text);
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().message, "v1 ConfigMap is a kind that is not read, so it cannot be written");
  EXPECT_EQ(text, "kept");
}

TEST(FormatTime, IsReadBack) {
  for (const TimeNs time : {TimeNs{0}, TimeNs{-1}, TimeNs{1'714'979'289'250'000'000}, INT64_MAX}) {
    EXPECT_EQ(ParseTime(FormatTime(time)), time) << FormatTime(time);
  }
}

}  // namespace
}  // namespace ksched::api
