"""The default profile on a real control plane: workloads that spread, volumes that wait for their first pod, preemption under budgets.

Pod by pod: ksched says of the live state what becomes of the next pod, then the real controllers make it and the real
kube-scheduler places it.
"""

import collections
import itertools
import random
import unittest

import local_volumes
import spread_deployments
from pod_by_pod import PRIORITIES, PodByPod, configs, figures, key_of, path_of, pods_of
from preemption_scenarios import SCENARIOS
from random_pods import random_nodes

HIGHER = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "higher"}, "value": 10000}


class DefaultProfile(PodByPod):
    """The tests build on each other's state only in that later ones add nodes."""

    @classmethod
    def fill(cls):
        cls.api.create(*random_nodes(9, seed=3), *PRIORITIES, HIGHER)
        cls.wait_for_nodes()

    def test_1_deployments_that_spread(self):
        self.api.create(*spread_deployments.SERVICES, *spread_deployments.DEPLOYMENTS)
        counts, chance = collections.Counter(), random.Random(8)
        full = collections.Counter()
        for _ in range(150):
            growing = [d for d in spread_deployments.DEPLOYMENTS if full[d["metadata"]["name"]] < 2]
            self.grow(chance.choice(growing), counts, full)
        print(figures(counts), end=" ... ")
        self.assertGreaterEqual(counts["placed"], 100)
        self.assertGreaterEqual(counts["one best node of several"], 60)
        self.assertGreaterEqual(counts["among tied best"], 10)
        self.assertGreaterEqual(counts["waiting"], 12)

    def grow(self, workload, counts, full):
        """One more replica; if it finds no place there is one less again, and `full` counts that."""
        name = workload["metadata"]["name"]
        with self.subTest(name, replicas=workload["spec"]["replicas"] + 1):
            if not self.one_more(workload, counts):
                full[name] += 1

    def one_more(self, workload, counts):
        spec, before = workload["spec"], self.pods_of_workload(workload)
        spec["replicas"] += 1
        report = self.simulate(workload)
        runs = new = None
        try:
            self.scale(workload)
            new = self.plane.wait("a new pod", lambda: self.new_pod(workload, before), pause=0.02)
            (said,) = report["pods"]
            runs = self.verdict_as_said(report, f"{said['namespace']}/{said['name']}", path_of(new), counts)
        finally:
            if not runs:  # it goes first, having no node, or being the last of its set
                spec["replicas"] -= 1
                self.scale(workload)
                if new:
                    self.plane.wait(f"{key_of(new)} to be gone", lambda: self.end_leaving(workload) and self.is_gone(new), pause=0.02)
        return runs

    def scale(self, workload):
        path = f"/apis/apps/v1/namespaces/{workload['metadata']['namespace']}/{workload['kind'].lower()}s/{workload['metadata']['name']}"
        self.api.merge(path, {"spec": {"replicas": workload["spec"]["replicas"]}})

    def pods_of_workload(self, workload):
        found = self.api.get(f"{pods_of(workload['metadata']['namespace'])}?labelSelector=app%3D{workload['metadata']['name']}")
        return {p["metadata"]["uid"]: p for p in found["items"]}

    def new_pod(self, workload, before):
        return next((p for uid, p in self.pods_of_workload(workload).items() if uid not in before), None)

    def end_leaving(self, workload):
        self.end(*[p for p in self.pods_of_workload(workload).values() if "deletionTimestamp" in p["metadata"]])
        return True

    @unittest.skipIf("VolumeBinding" in configs.absent_plugins(), "ksched has no VolumeBinding yet")
    def test_2_volumes_that_wait_for_their_first_pod(self):
        sets = local_volumes.SETS
        self.api.create(*local_volumes.NODES, *local_volumes.CLASSES, *local_volumes.volumes(), *sets)
        self.create_claims(local_volumes.CLAIMS)
        self.wait_for_nodes()
        counts = collections.Counter()
        for workload in sets:
            full = collections.Counter()
            while not full and workload["spec"]["replicas"] < 12:
                self.grow(workload, counts, full)
        for new in local_volumes.PODS:
            with self.subTest(new["metadata"]["name"]):
                self.compare(new, counts)
        bound = [v["spec"]["claimRef"]["name"] for v in self.plane.get("persistentvolumes") if v["status"]["phase"] == "Bound"]
        print(f"{figures(counts)}, {len(bound)} volumes bound", end=" ... ")
        self.assertGreaterEqual(counts["placed"], 15)
        self.assertGreaterEqual(counts["one best node of several"], 6)
        self.assertGreaterEqual(len(bound), 18)
        self.assertGreaterEqual(counts["waiting"], len(sets) + 2)
        self.assertEqual(counts["preempting"], 1)

    def create_claims(self, claims):
        """Until those of them that need no pod are bound, as far as there are volumes for them."""
        path = "/api/v1/namespaces/default/persistentvolumeclaims"
        for one in claims:
            self.api.call("POST", path, one)
        self.plane.wait("claims to be bound", lambda: sum(c["status"]["phase"] == "Bound" for c in self.api.get(path)["items"]) == 2)

    def test_3_preemption_under_budgets(self):
        counts = collections.Counter()
        self.set_up_scenarios()
        for scenario in SCENARIOS:
            type(self).scope = pods_of(scenario.name)
            for new in scenario.new:
                with self.subTest(scenario.name, pod=new["metadata"]["name"]):
                    self.wait_for_budgets(scenario)
                    self.compare(new, counts)
            if scenario.workload:
                self.api.call("DELETE", f"/apis/apps/v1/namespaces/{scenario.name}/deployments/web", {"propagationPolicy": "Background"})
                self.plane.wait("the workload to be gone", lambda: self.end_all_of(scenario), pause=0.05)
        print(figures(counts), end=" ... ")
        self.assertGreaterEqual(counts["preempting"], 60)
        self.assertGreaterEqual(counts["one best candidate of several"], 20)
        self.assertGreaterEqual(counts["among equal candidates"], 6)
        self.assertGreaterEqual(counts["against a budget"], 4)
        self.assertGreaterEqual(counts["around a budget"], 4)
        self.assertGreaterEqual(counts["waiting"], 12)

    def set_up_scenarios(self):
        """All of them at once: their nodes, the pods that run there, budgets, and workloads."""
        self.api.create(*[{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": s.name}} for s in SCENARIOS],
                        *[one for s in SCENARIOS for one in s.nodes])
        self.wait_for_nodes()
        for scenario in SCENARIOS:
            self.api.create(*[one for one, _ in scenario.running], *scenario.budgets, *([scenario.workload] if scenario.workload else []))
            for one, start in scenario.running:
                self.mark(one, start)
            if scenario.workload:
                pods = self.plane.wait("the workload's pods", lambda: self.with_nodes(scenario, scenario.workload["spec"]["replicas"]))
                for start, one in enumerate(sorted(pods, key=key_of)):
                    self.mark(one, start)

    def with_nodes(self, scenario, count):
        found = [p for p in self.api.get(pods_of(scenario.name))["items"] if p["spec"].get("nodeName")]
        return found if len(found) == count else None

    def end_all_of(self, scenario):
        left = [p for p in self.api.get(f"{pods_of(scenario.name)}?labelSelector=app%3Dweb")["items"]]
        self.end(*left)
        return not left

    def wait_for_budgets(self, scenario):
        """Until the disruption controller has counted the pods that there are now.

        Of a pod with several budgets it looks at one only when the pod changes. It looks at each that changes itself.
        """
        path, nudges = f"/apis/policy/v1/namespaces/{scenario.name}/poddisruptionbudgets", itertools.count()

        def all_are_counted():
            pods = self.api.get(pods_of(scenario.name))["items"]
            uncounted = [one for one in self.api.get(path)["items"] if not self.is_counted(one, pods)]
            for one in uncounted:
                self.api.merge(f"{path}/{one['metadata']['name']}", {"metadata": {"annotations": {"e2e/nudge": str(next(nudges))}}})
            return not uncounted
        if scenario.budgets:
            self.plane.wait("the budgets to be counted", all_are_counted, seconds=20, pause=0.05)

    @staticmethod
    def is_counted(budget, pods):
        status = budget.get("status", {})
        healthy = sum(selects(budget["spec"]["selector"], p) and p["status"]["phase"] == "Running" and "deletionTimestamp" not in p["metadata"] for p in pods)
        return (status.get("observedGeneration") == budget["metadata"]["generation"] and status["currentHealthy"] == healthy
                and status["disruptionsAllowed"] == max(0, healthy - status["desiredHealthy"]))


def selects(selector, one):
    labels = one["metadata"].get("labels", {})
    return (all(labels.get(key) == value for key, value in selector.get("matchLabels", {}).items())
            and all(labels.get(e["key"]) in e["values"] for e in selector.get("matchExpressions", [])))
