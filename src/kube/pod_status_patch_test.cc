// The expectations are what CreateTwoWayMergePatch of apimachinery v0.37.2 gives for the same changes of a v1.Pod.
#include "kube/pod_status_patch.h"

#include <gtest/gtest.h>

namespace ksched::kube {
namespace {

constexpr TimeNs kNow = 1'700'000'000'123'456'789;

PodCondition Unschedulable(const std::string& message, std::optional<int64_t> generation = 1) {
  return {.type = "PodScheduled",
          .status = "False",
          .reason = "Unschedulable",
          .message = message,
          .observed_generation = generation};
}

struct PatchCase {
  std::string name;
  KnownPodStatus known;
  PodStatusChange change;
  std::string patch;  // empty: none
};

class PodStatusPatchTest : public testing::TestWithParam<PatchCase> {};

TEST_P(PodStatusPatchTest, Patch) {
  const PatchCase& test = GetParam();
  EXPECT_EQ(PodStatusPatch(test.known, test.change, kNow).value_or(""), test.patch);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, PodStatusPatchTest,
    testing::Values(
        PatchCase{
            "first_condition",
            {},
            {.condition = Unschedulable("0/1 \"nodes\"")},
            R"({"status":{"conditions":[{"lastProbeTime":null,"lastTransitionTime":"2023-11-14T22:13:20Z","message":"0/1 \"nodes\"","observedGeneration":1,"reason":"Unschedulable","status":"False","type":"PodScheduled"}]}})"},
        PatchCase{
            "behind_others",
            {.condition_types = {"Ready"}},
            {.condition = Unschedulable("m")},
            R"({"status":{"$setElementOrder/conditions":[{"type":"Ready"},{"type":"PodScheduled"}],"conditions":[{"lastProbeTime":null,"lastTransitionTime":"2023-11-14T22:13:20Z","message":"m","observedGeneration":1,"reason":"Unschedulable","status":"False","type":"PodScheduled"}]}})"},
        PatchCase{
            "another_message",
            {.condition_types = {"PodScheduled"}, .condition = Unschedulable("m")},
            {.condition = Unschedulable("other")},
            R"({"status":{"$setElementOrder/conditions":[{"type":"PodScheduled"}],"conditions":[{"message":"other","type":"PodScheduled"}]}})"},
        PatchCase{
            "only_that_condition_is_known",
            {.condition = Unschedulable("m", std::nullopt)},
            {.condition = Unschedulable("other")},
            R"({"status":{"$setElementOrder/conditions":[{"type":"PodScheduled"}],"conditions":[{"message":"other","observedGeneration":1,"type":"PodScheduled"}]}})"},
        PatchCase{
            "another_reason_and_a_nomination",
            {.condition_types = {"Ready", "PodScheduled"}, .condition = Unschedulable("m")},
            {.condition =
                 PodCondition{
                     .type = "PodScheduled", .status = "False", .reason = "SchedulerError", .message = "other"},
             .nominated_node = "n1"},
            R"({"status":{"$setElementOrder/conditions":[{"type":"Ready"},{"type":"PodScheduled"}],"conditions":[{"message":"other","observedGeneration":null,"reason":"SchedulerError","type":"PodScheduled"}],"nominatedNodeName":"n1"}})"},
        PatchCase{
            "another_status",
            {.condition_types = {"Ready", "PodScheduled"}, .condition = Unschedulable("m"), .nominated_node = "n1"},
            {.condition = PodCondition{.type = "PodScheduled", .status = "True", .reason = "SchedulerError"},
             .nominated_node = ""},
            R"({"status":{"$setElementOrder/conditions":[{"type":"Ready"},{"type":"PodScheduled"}],"conditions":[{"lastTransitionTime":"2023-11-14T22:13:20Z","message":null,"observedGeneration":null,"reason":"SchedulerError","status":"True","type":"PodScheduled"}],"nominatedNodeName":null}})"},
        PatchCase{
            "a_probe_time_goes",
            {.condition_types = {"PodScheduled"}, .condition = Unschedulable("m"), .condition_probed = true},
            {.condition = Unschedulable("m")},
            R"({"status":{"$setElementOrder/conditions":[{"type":"PodScheduled"}],"conditions":[{"lastProbeTime":null,"type":"PodScheduled"}]}})"},
        PatchCase{"nomination_set", {}, {.nominated_node = "n1"}, R"({"status":{"nominatedNodeName":"n1"}})"},
        PatchCase{"nomination_cleared",
                  {.condition_types = {"PodScheduled"}, .condition = Unschedulable("m"), .nominated_node = "n1"},
                  {.condition = Unschedulable("m"), .nominated_node = ""},
                  R"({"status":{"nominatedNodeName":null}})"},
        PatchCase{"all_is_said",
                  {.condition = Unschedulable("m"), .nominated_node = "n1"},
                  {.condition = Unschedulable("m"), .nominated_node = "n1"},
                  ""},
        // The generation alone is no reason to write: UpdatePodCondition does not compare it.
        PatchCase{"another_generation", {.condition = Unschedulable("m", 1)}, {.condition = Unschedulable("m", 2)}, ""},
        PatchCase{"nothing", {.nominated_node = "n1"}, {}, ""}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace ksched::kube
