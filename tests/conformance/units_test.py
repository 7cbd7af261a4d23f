#!/usr/bin/env python3
"""Tests of the comparison itself: the change of configurations, and what is found to differ."""

import unittest

import compare
import configs


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


if __name__ == "__main__":
    unittest.main()
