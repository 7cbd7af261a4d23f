#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/decode_test_util.h"

namespace ksched::api {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string Template(const std::string& restart_policy) {
  return "template: {metadata: {labels: {a: b}}, spec: {restartPolicy: " + restart_policy +
         ", containers: [{name: c, image: i}]}}";
}

std::string Workload(const std::string& kind, const std::string& spec) {
  return "{apiVersion: apps/v1, kind: " + kind + ", metadata: {name: w}, spec: {selector: {matchLabels: {a: b}}, " +
         Template("Always") + (spec.empty() ? "" : ", " + spec) + "}}";
}
std::string Rolling(const std::string& kind, const std::string& rolling) {
  const std::string field = kind == "Deployment" ? "strategy" : "updateStrategy";
  return Workload(kind, field + ": {rollingUpdate: {" + rolling + "}}");
}
std::string CronJob(const std::string& spec, const std::string& job = "", const std::string& name = "w") {
  return "{apiVersion: batch/v1, kind: CronJob, metadata: {name: " + name + "}, spec: {" + spec +
         (spec.empty() ? "" : ", ") + "jobTemplate: {spec: {" + job + (job.empty() ? "" : ", ") + Template("Never") +
         "}}}}";
}

constexpr char kPercent[] =
    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for "
    "validation is '[0-9]+%')";

struct Case {
  std::string object;
  std::string problem;  // without the object; empty: there is none
};

void Check(const std::string& described, const std::vector<Case>& cases) {
  for (const Case& test : cases) {
    const DecodeOutcome outcome = DecodeText(test.object);
    if (test.problem.empty()) {
      EXPECT_THAT(outcome.problems, IsEmpty()) << test.object;
    } else {
      EXPECT_THAT(outcome.problems, ElementsAre("test:1: " + described + ": " + test.problem)) << test.object;
    }
    EXPECT_THAT(DecodeText(test.object, ValidationMode::kStored).problems, IsEmpty()) << test.object;
  }
}

TEST(ValidateWorkload, StrategyOfADeployment) {
  const std::string rolling = "spec.strategy.rollingUpdate";
  Check("Deployment w",
        {{Workload("Deployment", ""), ""},
         {Workload("Deployment", "strategy: {type: Recreate}"), ""},
         {Workload("Deployment", "strategy: {type: Recreate, rollingUpdate: {}}"),
          rolling + ": Forbidden: may not be specified when strategy `type` is 'Recreate'"},
         {Workload("Deployment", "strategy: {type: Slow}"),
          "spec.strategy: Unsupported value: {\"Type\":\"Slow\",\"RollingUpdate\":null}: supported values: "
          "\"Recreate\", \"RollingUpdate\""},
         {Rolling("Deployment", "maxSurge: 0, maxUnavailable: 1"), ""},
         {Rolling("Deployment", "maxSurge: 150%, maxUnavailable: 100%"), ""},
         {Rolling("Deployment", "maxSurge: 0, maxUnavailable: 0%"),
          rolling + ".maxUnavailable: Invalid value: \"0%\": may not be 0 when `maxSurge` is 0"},
         {Rolling("Deployment", "maxSurge: -1"),
          rolling + ".maxSurge: Invalid value: -1: must be greater than or equal to 0"},
         {Rolling("Deployment", "maxSurge: a few"), rolling + ".maxSurge: Invalid value: \"a few\": " + kPercent},
         {Rolling("Deployment", "maxUnavailable: 101%"),
          rolling + ".maxUnavailable: Invalid value: \"101%\": must not be greater than 100%"},
         {Workload("Deployment", "minReadySeconds: -1"),
          "spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0"}});
}

TEST(ValidateWorkload, DaemonSets) {
  const std::string rolling = "spec.updateStrategy.rollingUpdate";
  Check(
      "DaemonSet w",
      {{Workload("DaemonSet", ""), ""},
       {Workload("DaemonSet", "updateStrategy: {type: OnDelete, rollingUpdate: {}}"), ""},
       {Rolling("DaemonSet", "maxSurge: 1, maxUnavailable: 0"), ""},
       {Rolling("DaemonSet", "maxSurge: 1"),
        rolling + ".maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero"},
       {Rolling("DaemonSet", "maxUnavailable: 0"),
        rolling + ".maxUnavailable: Required value: cannot be 0 when maxSurge is 0"},
       {"{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: w}, spec: {" + Template("Always") + "}}",
        "spec.template.metadata.labels: Invalid value: {\"a\":\"b\"}: `selector` does not match template `labels`"},
       {"{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: w}, spec: {selector: {}, " + Template("Always") + "}}",
        "spec.selector: Invalid value: {}: empty selector is invalid for daemonset"},
       {"{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: w}, spec: {selector: {matchLabels: {a: b}}, " +
            Template("Never") + "}}",
        "spec.template.spec.restartPolicy: Unsupported value: \"Never\": supported values: \"Always\""}});
}

TEST(ValidateWorkload, StatefulSets) {
  const std::string claim = "spec.volumeClaimTemplates[0].spec";
  const auto claims = [](const std::string& spec) {
    return Workload("StatefulSet", "volumeClaimTemplates: [{metadata: {name: d}, spec: {" + spec + "}}]");
  };
  const std::string one = "accessModes: [ReadWriteOnce]", size = "resources: {requests: {storage: 1Gi}}";
  Check("StatefulSet w",
        {{Workload("StatefulSet", ""), ""},
         {Workload("StatefulSet", "podManagementPolicy: Any"),
          "spec.podManagementPolicy: Invalid value: \"Any\": must be 'OrderedReady' or 'Parallel'"},
         {Workload("StatefulSet", "updateStrategy: {type: Recreate}"),
          "spec.updateStrategy: Invalid value: {\"Type\":\"Recreate\",\"RollingUpdate\":null}: must be 'RollingUpdate' "
          "or 'OnDelete'"},
         {Workload("StatefulSet", "updateStrategy: {type: OnDelete, rollingUpdate: {partition: 2}}"),
          "spec.updateStrategy.rollingUpdate: Invalid value: {\"Partition\":2,\"MaxUnavailable\":null}: only allowed "
          "for updateStrategy 'RollingUpdate'"},
         {Rolling("StatefulSet", "partition: -1"),
          "spec.updateStrategy.rollingUpdate.partition: Invalid value: -1: must be greater than or equal to 0"},
         {Rolling("StatefulSet", "maxUnavailable: 0"),
          "spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: 0: cannot be 0"},
         {Workload("StatefulSet", "persistentVolumeClaimRetentionPolicy: {whenScaled: Keep}"),
          "spec.persistentVolumeClaimRetentionPolicy.whenScaled: Unsupported value: \"Keep\": supported values: "
          "\"Retain\", \"Delete\""},
         {claims(one + ", " + size), ""},
         {claims(size), claim + ".accessModes: Required value: at least 1 access mode is required"},
         {claims(size + ", accessModes: [ReadWriteOncePod, ReadWriteMany]"),
          claim + ".accessModes: Forbidden: may not use ReadWriteOncePod with other access modes"},
         {claims(size + ", accessModes: [Often]"),
          claim + ".accessModes: Unsupported value: \"Often\": supported values: \"ReadOnlyMany\", \"ReadWriteMany\", "
                  "\"ReadWriteOnce\", \"ReadWriteOncePod\""},
         {claims(one), claim + ".resources[storage]: Required value"},
         {claims(one + ", resources: {requests: {storage: 0}}"),
          claim + ".resources[storage]: Invalid value: \"0\": must be greater than zero"},
         {claims(one + ", volumeMode: Tape, " + size),
          claim + ".volumeMode: Unsupported value: \"Tape\": supported values: \"Block\", \"Filesystem\""}});
}

TEST(ValidateWorkload, CronJobs) {
  const std::string schedule = "schedule: '* * * * *'", job = "spec.jobTemplate.spec";
  const std::string long_name(53, 'x');
  Check(
      "CronJob w",
      {{CronJob(schedule), ""},
       {CronJob(""), "spec.schedule: Required value"},
       {CronJob("schedule: TZ=UTC * * * * *"),
        "spec.schedule: Invalid value: \"TZ=UTC * * * * *\": cannot use TZ or CRON_TZ in schedule, use timeZone field "
        "instead"},
       {CronJob(schedule, "parallelism: -1"),
        job + ".parallelism: Invalid value: -1: must be greater than or equal to 0"},
       {CronJob(schedule, "selector: {matchLabels: {a: b}}"),
        job + ".selector: Invalid value: {\"matchLabels\":{\"a\":\"b\"}}: `selector` will be auto-generated"},
       {CronJob(schedule, "manualSelector: true"),
        job + ".manualSelector: Unsupported value: true: supported values: \"nil\", \"false\""}});
  Check("CronJob " + long_name, {{CronJob(schedule, "", long_name), "metadata.name: Invalid value: \"" + long_name +
                                                                        "\": must be no more than 52 characters"}});
}

TEST(ValidateWorkload, PodTemplates) {
  const auto with = [](const std::string& policy) {
    return "{apiVersion: v1, kind: PodTemplate, metadata: {name: w}, " + Template(policy) + "}";
  };
  Check("PodTemplate w", {{with("Never"), ""},
                          {with("Maybe"),
                           "template.spec.restartPolicy: Unsupported value: \"Maybe\": supported values: \"Always\", "
                           "\"OnFailure\", \"Never\""}});
}

}  // namespace
}  // namespace ksched::api
