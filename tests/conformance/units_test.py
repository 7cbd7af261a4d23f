#!/usr/bin/env python3
"""Tests of the comparison itself: the change of configurations, what is found to differ, and what is expected of the webhook."""

import unittest

import compare
import configs
import webhook_expectation


class WithoutAbsent(unittest.TestCase):
    ABSENT = ["PodTopologySpread", "DefaultPreemption"]

    def one_profile(self, profile):
        return configs.without_absent({"profiles": [profile]}, self.ABSENT)["profiles"][0]

    def test_default_configuration(self):
        config = configs.without_absent(None, self.ABSENT)
        self.assertEqual(config["kind"], "KubeSchedulerConfiguration")
        self.assertEqual(config["profiles"], [{"schedulerName": "default-scheduler", "plugins": {"multiPoint": {
            "disabled": [{"name": "PodTopologySpread"}, {"name": "DefaultPreemption"}]}}}])

    def test_enabled_is_removed(self):
        profile = self.one_profile({"plugins": {"score": {"disabled": [{"name": "*"}], "enabled": [
            {"name": "PodTopologySpread", "weight": 3}, {"name": "NodeAffinity", "weight": 4}]}}})
        self.assertEqual(profile["plugins"]["score"], {
            "disabled": [{"name": "*"}], "enabled": [{"name": "NodeAffinity", "weight": 4}]})

    def test_disabled_once(self):
        profile = self.one_profile({"plugins": {"multiPoint": {
            "disabled": [{"name": "PodTopologySpread"}], "enabled": [{"name": "PodTopologySpread", "weight": 3}]}}})
        self.assertEqual(profile["plugins"]["multiPoint"], {"disabled": [{"name": "PodTopologySpread"}, {"name": "DefaultPreemption"}]})

    def test_all_disabled_stays(self):
        profile = self.one_profile({"plugins": {"multiPoint": {"disabled": [{"name": "*"}]}}})
        self.assertEqual(profile["plugins"]["multiPoint"], {"disabled": [{"name": "*"}]})

    def test_arguments(self):
        profile = self.one_profile({"pluginConfig": [{"name": "DefaultPreemption", "args": {}}, {"name": "NodeResourcesFit", "args": {}}]})
        self.assertEqual(profile["pluginConfig"], [{"name": "NodeResourcesFit", "args": {}}])

    def test_only_arguments_of_absent_plugins(self):
        self.assertNotIn("pluginConfig", self.one_profile({"pluginConfig": [{"name": "DefaultPreemption", "args": {}}]}))

    def test_the_input_stays(self):
        config = {"profiles": [{"plugins": {"score": {"enabled": [{"name": "PodTopologySpread"}]}}}]}
        configs.without_absent(config, self.ABSENT)
        self.assertEqual(config["profiles"][0]["plugins"]["score"]["enabled"], [{"name": "PodTopologySpread"}])


class Differences(unittest.TestCase):
    def check(self, expected, actual, paths):
        self.assertEqual([path for path, _, _ in compare.differences(expected, actual)], paths)

    def test_equal(self):
        self.check({"pods": [], "a": {"b": 1, "c": 2}}, {"a": {"c": 2, "b": 1}, "pods": []}, [])

    def test_ksched_object_is_left_out(self):
        self.check({"pods": []}, {"pods": [], "ksched": {"x": 1}}, [])

    def test_values_and_types(self):
        self.check({"a": 1}, {"a": 2}, ["a"])
        self.check({"a": 1}, {"a": True}, ["a"])
        self.check({"a": 1}, {"a": 1.0}, ["a"])
        self.check({"a": "1"}, {"a": 1}, ["a"])

    def test_absent(self):
        self.assertEqual(compare.differences({"a": 1}, {}), [("a", 1, compare.ABSENT)])
        self.assertEqual(compare.differences({}, {"a": []}), [("a", compare.ABSENT, [])])

    def test_lists(self):
        self.check({"a": [1, 2]}, {"a": [1]}, ["a.length"])
        self.check({"a": ["x", "y"]}, {"a": ["y", "x"]}, ["a[0]", "a[1]"])

    def test_names_that_only_one_has(self):
        one = {"nodes": [{"name": "n1", "total": 1}, {"name": "n2", "total": 5}]}
        other = {"nodes": [{"name": "n2", "total": 6}]}
        self.check(one, other, ["nodes[*]", "nodes[0: n2].total"])

    def test_order_of_names(self):
        self.check({"pods": [{"name": "a"}, {"name": "b"}]}, {"pods": [{"name": "b"}, {"name": "a"}]},
                   ["pods[*]", "pods[0: a].name", "pods[1: b].name"])


class Expectation(unittest.TestCase):
    def test_amounts(self):
        for resource, value, expected in (("cpu", "250m", 250), ("cpu", "0.0001", 1), ("cpu", 2, 2000), ("memory", "1.5Gi", 1610612736), ("memory", "1e3", 1000),
                                          ("memory", "1m", 1), ("memory", "2E", 2 * 10**18), ("example.com/a", "3", 3)):
            self.assertEqual(webhook_expectation.amount(resource, value), expected, value)

    def test_requests(self):
        def asking(cpu, **more):
            return {"resources": {"requests": {"cpu": cpu}}, **more}
        rows = {"containers": ({"containers": [asking("1"), asking("2")]}, 3000),
                "a large init container": ({"containers": [asking("1")], "initContainers": [asking("5")]}, 5000),
                "a sidecar": ({"containers": [asking("1")], "initContainers": [asking("2", restartPolicy="Always")]}, 3000),
                "an init container after a sidecar": ({"containers": [asking("1")], "initContainers": [asking("2", restartPolicy="Always"), asking("3")]}, 5000),
                "pod level": ({"containers": [asking("1")], "resources": {"requests": {"cpu": "7"}}}, 7000),
                "overhead": ({"containers": [asking("1")], "overhead": {"cpu": "250m"}}, 1250)}
        for name, (spec, expected) in rows.items():
            self.assertEqual(webhook_expectation.requests_of(spec)["cpu"], expected, name)

    def test_tolerations(self):
        taint = {"key": "a", "value": "5", "effect": "NoSchedule"}
        for toleration, expected in (({"operator": "Exists"}, True), ({"key": "a", "value": "5"}, True), ({"key": "a", "value": "6"}, False),
                                     ({"key": "a", "operator": "Exists", "effect": "NoExecute"}, False), ({"key": "b", "operator": "Exists"}, False)):
            self.assertEqual(webhook_expectation.tolerates(toleration, taint), expected, toleration)

    def test_terms(self):
        node = {"metadata": {"name": "n", "labels": {"a": "5", "empty": ""}}}
        for term, expected in (({}, False), ({"matchExpressions": [{"key": "a", "operator": "Gt", "values": ["4"]}]}, True),
                               ({"matchExpressions": [{"key": "empty", "operator": "Lt", "values": ["4"]}]}, False),
                               ({"matchExpressions": [{"key": "b", "operator": "NotIn", "values": ["4"]}]}, True),
                               ({"matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["n"]}]}, False)):
            self.assertEqual(webhook_expectation.matches({"nodeSelectorTerms": [term]}, node), expected, term)


if __name__ == "__main__":
    unittest.main()
