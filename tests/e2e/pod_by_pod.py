"""Pods, one by one: ksched says what becomes of a pod on the live state, then the real kube-scheduler does it.

The test plays the kubelet of the pods that count, which have the label `e2e/readiness: by-hand`: each starts at another second
and stays until the test ends it. So it is determined which of two victims is the more important, and who was chosen can be seen.
"""

import collections
import datetime
import json
import pathlib
import re
import subprocess
import sys
import unittest

from control_plane import ControlPlane
from rest import Api, Refused

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/conformance"))
import configs  # noqa: E402  (the list of plugins that are not there yet is kept there)

BY_HAND = {"e2e/readiness": "by-hand"}
PRIORITIES = [{"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}
              for name, value in (("lowest", -100), ("low", -5), ("high", 1000))]
PRIORITIES.append({"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "polite"}, "value": 2000,
                   "preemptionPolicy": "Never"})
START = datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc)
ABSENT_GROUP_PLUGINS = {"GangScheduling", "DeferredPodScheduling", "TopologyPlacementGenerator", "PodGroupPodsCount"}


def verdict(one):
    """The condition that says why a pod has no node."""
    return next((c for c in one["status"].get("conditions", []) if c["type"] == "PodScheduled" and c["status"] == "False"), None)


def block_yaml(text):
    """JSON as a YAML mapping in block style, to which lines can be appended."""
    import yaml
    return yaml.safe_dump(json.loads(text), sort_keys=False)


def scheduler_config():
    """The default configuration, without plugins that ksched does not have yet (those of pod groups do nothing for pods without a group)."""
    absent = [name for name in configs.absent_plugins() if name not in ABSENT_GROUP_PLUGINS]
    if not absent:
        return block_yaml('{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}')
    return block_yaml(json.dumps(configs.without_absent(None, absent)))


def pods_of(namespace):
    return f"/api/v1/namespaces/{namespace}/pods"


def path_of(one):
    return f"{pods_of(one['metadata']['namespace'])}/{one['metadata']['name']}"


def key_of(one):
    return f"{one['metadata']['namespace']}/{one['metadata']['name']}"


def is_ready(one):
    """A node that has been found ready, and whose taint of the beginning is gone."""
    return not [t for t in one["spec"].get("taints", []) if t["key"].startswith("node.kubernetes.io/not-ready")] and any(
        c["type"] == "Ready" and c["status"] == "True" for c in one["status"].get("conditions", []))


class PodByPod(unittest.TestCase):
    """Test cases with a control plane of their own, which `fill` fills."""
    ksched = programs = None
    nodes = 6
    scope = "/api/v1/pods"  # where victims are looked for
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        # kube-scheduler's configuration gets further fields appended as YAML: write it as a YAML block.
        cls.plane = ControlPlane.of_class(cls, nodes=cls.nodes, scheduler_config=scheduler_config())
        cls.started = 0
        try:
            cls.api = Api(cls.plane.folder)
            cls.addClassCleanup(cls.api.close)
            cls.fill()
        except BaseException:
            cls.plane.keep_logs = True
            raise

    @classmethod
    def fill(cls):
        raise NotImplementedError

    @classmethod
    def wait_for_nodes(cls):
        cls.plane.wait("the nodes to be ready", lambda: all(is_ready(one) for one in cls.plane.get("nodes")))

    def run_ksched(self, *arguments):
        """ksched's report; the cluster is the one of KUBECONFIG unless the arguments give a snapshot."""
        command = [self.ksched, "simulate", *arguments, "--explain", "-o", "json"]
        done = subprocess.run(command, env=self.plane.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return json.loads(done.stdout)

    def simulate(self, *new):
        manifest = self.plane.folder / "new.json"
        manifest.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(new)}))
        return self.run_ksched("-f", manifest)

    @classmethod
    def mark(cls, one, start=None):
        """The pod runs, as a kubelet would say; each one later than all before it, unless its start is given in seconds."""
        cls.started += 1
        at = (START + datetime.timedelta(seconds=cls.started if start is None else start)).isoformat().replace("+00:00", "Z")
        conditions = [{"type": kind, "status": "True", "lastTransitionTime": at} for kind in ("PodScheduled", "Initialized", "ContainersReady", "Ready")]
        cls.api.merge(f"{path_of(one)}/status", {"status": {"phase": "Running", "startTime": at, "conditions": conditions}})

    @classmethod
    def end(cls, *pods):
        """They leave at once."""
        for one in pods:
            try:
                cls.api.call("DELETE", path_of(one), {"gracePeriodSeconds": 0, "preconditions": {"uid": one["metadata"]["uid"]}})
            except Refused as refused:
                if refused.status not in (404, 409):
                    raise
        for one in pods:
            cls.plane.wait(f"{key_of(one)} to be gone", lambda: cls.is_gone(one), pause=0.01)

    @classmethod
    def is_gone(cls, one):
        found = cls.api.find(path_of(one))
        return not found or found["metadata"]["uid"] != one["metadata"]["uid"]

    def decided(self, path):
        """The pod once it has a node or has been turned down; nothing else changes in the cluster then."""
        found = self.api.find(path)
        return found if found and (found["spec"].get("nodeName") or verdict(found) and not self.was_too_early(found)) else None

    def was_too_early(self, one):
        """The scheduler saw the pod before a claim that was made before it; it will try again."""
        missing = re.search(r'persistentvolumeclaim "([^"]+)" not found', verdict(one)["message"])
        return bool(missing) and bool(self.api.find(f"/api/v1/namespaces/{one['metadata']['namespace']}/persistentvolumeclaims/{missing[1]}"))

    def compare(self, new, counts):
        """Asks ksched about one pod, creates it, and looks what becomes of it. It stays if it runs; that is returned."""
        report = self.simulate(new)
        self.api.call("POST", pods_of(new["metadata"]["namespace"]), new)
        try:
            return self.verdict_as_said(report, key_of(new), path_of(new), counts)
        finally:
            self.tidy(path_of(new))

    def verdict_as_said(self, report, said_of, path, counts):
        """Waits for the scheduler's verdict on the pod at this path, and checks it."""
        try:
            return self.check(report, said_of, self.plane.wait(f"a verdict on {path}", lambda: self.decided(path), pause=0.01), counts)
        except BaseException:
            counts["differing"] += 1
            raise

    def tidy(self, path):
        """A pod that waits would be in the way of the next ones' reports, and so would half a preemption that differed."""
        one = self.api.find(path)
        if one and one["status"]["phase"] != "Running":
            self.end(one, *[p for p in self.all_pods() if "deletionTimestamp" in p["metadata"]])

    def check(self, report, said_of, one, counts):
        """The real pod `one` and what the report says of the pod called `said_of`. Returns the pod that runs, or None."""
        outcome = next(p for p in report["pods"] if f"{p['namespace']}/{p['name']}" == said_of)
        cycles = [c for c in report["cycles"] if c["pod"] == said_of]
        if "nominatedNode" in cycles[0].get("preemption", {}):
            return self.check_preemption(report, outcome, cycles, one, counts)
        self.assertEqual(len(cycles), 1)
        if not one["spec"].get("nodeName"):
            self.assertEqual((outcome["result"], outcome.get("message")), ("Unschedulable", verdict(one)["message"]))
            self.assertNotIn("nominatedNodeName", one["status"])
            counts["waiting"] += 1
            return None
        (cycle,) = cycles
        self.assertEqual(outcome["result"], "Scheduled", outcome.get("message"))
        self.assertIn(outcome["node"], cycle["tied"])
        self.assertIn(one["spec"]["nodeName"], cycle["tied"], "the real scheduler chose a node that is not among the best of the simulation")
        counts["placed"] += 1
        counts["one best node of several"] += len(cycle["tied"]) == 1 and cycle["feasible"] > 1
        counts["among tied best"] += len(cycle["tied"]) > 1
        self.mark(one)
        return one

    def check_preemption(self, report, outcome, cycles, one, counts):
        """Victims go when the test lets them: before that the pod has its first condition, and every victim can be seen."""
        said, name = cycles[0]["preemption"], key_of(one)
        message = verdict(one)["message"] if verdict(one) else None
        node = one["status"].get("nominatedNodeName")
        self.assertTrue(node, f"ksched nominates {said['nominatedNode']}, and kube-scheduler none: {message}")
        pods = {key_of(p): p for p in self.all_pods()}
        best = self.best_candidates(said["candidates"], pods)
        self.assertIn(said["nominatedNode"], best)
        self.assertIn(node, best, "the real scheduler nominated a node that is not among the best candidates of the simulation")
        victims = {c["node"]: set(c["victims"]) for c in said["candidates"]}
        self.assertEqual({v["pod"] for v in said["victims"]}, victims[said["nominatedNode"]])
        self.assertEqual(said_of_node(cycles[0]["message"], said["nominatedNode"], victims), said_of_node(message, node, victims))
        self.assert_victims(victims[node])
        self.end(*[pods[victim] for victim in victims[node]])
        one = self.plane.wait(f"a node for {name}", lambda: (found := self.api.get(path_of(one)))["spec"].get("nodeName") and found, pause=0.01)
        self.assertEqual(one["spec"]["nodeName"], node)
        self.assertEqual((outcome["result"], outcome.get("node")), ("Scheduled", said["nominatedNode"]))
        self.assertEqual([p for p in self.all_pods() if "deletionTimestamp" in p["metadata"]], [], "there are more victims")
        counts["preempting"] += 1
        counts["victims"] += len(victims[node])
        counts["one best candidate of several"] += len(best) == 1 and len(victims) > 1
        counts["among equal candidates"] += len(best) > 1
        counts["against a budget"] += any(c["pdbViolations"] for c in said["candidates"] if c["node"] == node)
        counts["around a budget"] += len({bool(c["pdbViolations"]) for c in said["candidates"]}) == 2
        self.mark(one)
        return one

    @classmethod
    def all_pods(cls):
        """Those that the test plays the kubelet of, as far as they may become victims."""
        return cls.api.get(f"{cls.scope}?labelSelector=e2e/readiness%3Dby-hand")["items"]

    def assert_victims(self, expected):
        """Exactly these pods are being deleted by the scheduler."""
        def leaving():
            self.leaving = {key_of(p) for p in self.all_pods() if "deletionTimestamp" in p["metadata"]}
            return self.leaving >= expected
        try:
            self.plane.wait("the victims", leaving, seconds=10, pause=0.02)
        except RuntimeError:
            pass  # the comparison says more
        self.assertEqual(self.leaving, expected)

    @staticmethod
    def best_candidates(candidates, pods):
        """The nodes of those that rank equal, by kube-scheduler's rules of which candidate is taken."""
        def rank(candidate):
            victims = [pods[name] for name in candidate["victims"]]
            priorities = [v["spec"].get("priority", 0) for v in victims]
            highest = max(priorities)
            earliest = min(v["status"]["startTime"] for v in victims if v["spec"].get("priority", 0) == highest)
            late = -datetime.datetime.fromisoformat(earliest.replace("Z", "+00:00")).timestamp()
            return candidate["pdbViolations"], highest, sum(p + 2**31 for p in priorities), len(victims), late
        ranked = collections.defaultdict(list)
        for candidate in candidates:
            ranked[rank(candidate)].append(candidate["node"])
        return ranked[min(ranked)]


def said_of_node(message, node, victims):
    """A nomination's message without the names in it that differ among equal candidates."""
    return message.replace(f"on node {node}, preempting {len(victims[node])} victims", "on a node")


def figures(counts):
    return ", ".join(f"{count} {what}" for what, count in counts.items())
