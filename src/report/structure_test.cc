#include "report/structure.h"

#include <sstream>

#include <gtest/gtest.h>
#include <rapidjson/document.h>

namespace ksched {
namespace {

SchedulingReport FullReport() {
  SchedulingReport report;
  report.truncated = true;
  report.summary = {.pods = 2, .scheduled = 1, .unschedulable = 1, .deleted = 1};
  report.pods = {{.ns = "default",
                  .name = "a",
                  .scheduler_name = "s",
                  .priority = 5,
                  .result = "Scheduled",
                  .node = "n1",
                  .attempts = 1},
                 {.ns = "shop",
                  .name = "b",
                  .scheduler_name = "s",
                  .result = "Unschedulable",
                  .attempts = 2,
                  .message = "no <room>",
                  .victims = {"x/y"}}};
  CycleReport& cycle = report.cycles.emplace_back();
  cycle = {.pod = "default/a",
           .attempt = 1,
           .at_ms = 3,
           .result = "Scheduled",
           .node = "n1",
           .unschedulable_plugins = {"P"},
           .evaluated = 2,
           .feasible = 1,
           .tied = {"n1"}};
  cycle.pre_filter = PreFilterReport{"Q", "Unschedulable", {"why"}};
  cycle.nodes = {{.name = "n1", .code = "Success", .scores = {{"S", 7}}, .total = 7},
                 {.name = "n2", .code = "Unschedulable", .plugin = "P", .reasons = {"full"}}};
  cycle.preemption = PreemptionReport{"m", "n1", {{"x/y", -1}}, {{"n1", {"x/y"}, 0}}};
  report.other_schedulers = {{"default", "v", "volcano"}};
  report.absent_plugins = {"VolumeBinding"};
  return report;
}

constexpr const char* kFull = R"({
  "apiVersion": "ksched.dev/v1alpha1",
  "kind": "SchedulingReport",
  "kubeVersion": "v1.37.2",
  "truncated": true,
  "summary": {
    "pods": 2,
    "scheduled": 1,
    "nominated": 0,
    "unschedulable": 1,
    "gated": 0,
    "errors": 0,
    "deleted": 1
  },
  "pods": [
    {
      "namespace": "default",
      "name": "a",
      "schedulerName": "s",
      "priority": 5,
      "result": "Scheduled",
      "node": "n1",
      "attempts": 1
    },
    {
      "namespace": "shop",
      "name": "b",
      "schedulerName": "s",
      "priority": 0,
      "result": "Unschedulable",
      "attempts": 2,
      "message": "no <room>",
      "victims": [
        "x/y"
      ]
    }
  ],
  "cycles": [
    {
      "pod": "default/a",
      "attempt": 1,
      "atMs": 3,
      "result": "Scheduled",
      "node": "n1",
      "unschedulablePlugins": [
        "P"
      ],
      "evaluated": 2,
      "feasible": 1,
      "preFilter": {
        "plugin": "Q",
        "code": "Unschedulable",
        "reasons": [
          "why"
        ]
      },
      "nodes": [
        {
          "name": "n1",
          "code": "Success",
          "scores": {
            "S": 7
          },
          "total": 7
        },
        {
          "name": "n2",
          "code": "Unschedulable",
          "plugin": "P",
          "reasons": [
            "full"
          ]
        }
      ],
      "tied": [
        "n1"
      ],
      "preemption": {
        "message": "m",
        "nominatedNode": "n1",
        "victims": [
          {
            "pod": "x/y",
            "priority": -1
          }
        ],
        "candidates": [
          {
            "node": "n1",
            "victims": [
              "x/y"
            ],
            "pdbViolations": 0
          }
        ]
      }
    }
  ],
  "ksched": {
    "otherSchedulers": [
      {
        "namespace": "default",
        "name": "v",
        "schedulerName": "volcano"
      }
    ],
    "absentPlugins": [
      "VolumeBinding"
    ]
  }
}
)";

TEST(Structure, EveryFieldInItsOrder) {
  std::ostringstream out;
  WriteJson(FullReport(), out);
  EXPECT_EQ(out.str(), kFull);
}

TEST(Structure, EmptyReport) {
  std::ostringstream json, yaml;
  WriteJson({}, json);
  rapidjson::Document parsed;
  ASSERT_FALSE(parsed.Parse(json.str()).HasParseError());
  EXPECT_TRUE(parsed["pods"].IsArray());
  for (const char* absent : {"truncated", "cycles", "ksched"}) EXPECT_FALSE(parsed.HasMember(absent)) << absent;
  EXPECT_FALSE(parsed["summary"].HasMember("deleted"));
  WriteYaml({}, yaml);
  EXPECT_EQ(yaml.str(),
            "apiVersion: ksched.dev/v1alpha1\nkind: SchedulingReport\nkubeVersion: v1.37.2\nsummary:\n  pods: 0\n"
            "  scheduled: 0\n  nominated: 0\n  unschedulable: 0\n  gated: 0\n  errors: 0\npods: []\n");
}

}  // namespace
}  // namespace ksched
