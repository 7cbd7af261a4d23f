"""The real kube-scheduler places pods; ksched has to say the same beforehand, of the live cluster and of what plain kubectl prints."""

import json
import pathlib
import subprocess
import sys
import unittest

from control_plane import ControlPlane
from objects import deployment, node, pod, preferred_affinity, required_affinity
from random_pods import random_nodes, random_pods
from rest import Api

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/conformance"))
import configs  # noqa: E402  (the list of plugins that are not there yet is kept there)

NODES = [
    node("big-0", "16", "64Gi", {"pool": "big", "disktype": "ssd"}),
    node("big-1", "16", "64Gi", {"pool": "big", "disktype": "hdd"}),
    node("gpu-0", "8", "32Gi", {"pool": "gpu"}, [("nvidia.com/gpu", "present", "NoSchedule")], extra={"nvidia.com/gpu": "2"}),
    node("spot-0", "4", "8Gi", {"pool": "spot"}, [("example.com/spot", "true", "PreferNoSchedule")]),
    node("closed-0", "8", "16Gi", {"pool": "big"}, unschedulable=True),
]
GPU_TOLERATION = [{"key": "nvidia.com/gpu", "operator": "Exists"}]

# These run before anything is compared: all of them have a place.
PLACED = [
    deployment("web", 6, "500m", "512Mi"),
    deployment("batch", 4, "2", "4Gi", nodeSelector={"pool": "big"}),
    pod("trainer", "1", "2Gi", extra={"nvidia.com/gpu": "1"}, tolerations=GPU_TOLERATION),
    pod("port-holder", ports=[{"containerPort": 80, "hostPort": 8080}], nodeSelector={"pool": "spot"}),
]
# None of these has a place; one waits at its gate.
WAITING = [
    pod("too-large", cpu="40", memory="1Ti"),
    pod("no-such-pool", nodeSelector={"pool": "quantum"}),
    pod("two-gpus", extra={"nvidia.com/gpu": "2"}, tolerations=GPU_TOLERATION),
    pod("gpu-without-toleration", extra={"nvidia.com/gpu": "1"}),
    pod("port-taken", ports=[{"containerPort": 80, "hostPort": 8080}], nodeSelector={"pool": "spot"}),
    pod("tape", affinity=required_affinity("disktype", "In", "tape")),
    pod("gated", schedulingGates=[{"name": "example.com/wait"}]),
]
# One after the other: first ksched says where, then the real scheduler does it.
NEW = [
    pod("new-small"),
    pod("new-large", cpu="6", memory="8Gi"),
    pod("new-ssd", cpu="1", memory="2Gi", affinity=required_affinity("disktype", "In", "ssd")),
    pod("new-preference", cpu="1", affinity=preferred_affinity("disktype", "hdd")),
    pod("new-gpu", extra={"nvidia.com/gpu": "1"}, tolerations=GPU_TOLERATION),
    pod("new-zone", affinity=required_affinity("topology.kubernetes.io/zone", "NotIn", "zone-0")),
    *random_pods(340, seed=20),
]
PRIORITIES = [{"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}
              for name, value in (("low", -5), ("high", 1000))]
PODS = "/api/v1/namespaces/default/pods"


class AgainstTheRealScheduler(unittest.TestCase):
    ksched = None
    programs = None

    @classmethod
    def setUpClass(cls):
        config = json.dumps(configs.without_absent(None))
        # kube-scheduler's configuration gets further fields appended as YAML: write it as a YAML block.
        cls.plane = ControlPlane(cls.programs, nodes=6, scheduler_config=block_yaml(config))
        cls.plane.__enter__()
        cls.addClassCleanup(cls.plane.stop)
        try:
            cls.fill()
        except BaseException:
            cls.plane.keep_logs = True
            raise

    @classmethod
    def fill(cls):
        plane = cls.plane
        cls.api = Api(plane.folder)
        cls.addClassCleanup(cls.api.close)
        plane.create(*NODES, *random_nodes(15, seed=37), *PRIORITIES)
        plane.wait("the nodes to be ready", lambda: all(cls.is_ready(one) for one in plane.get("nodes")))
        plane.create(*PLACED)
        plane.wait("the pods to run", lambda: len(running := plane.get("pods")) == 12 and all(p["status"]["phase"] == "Running" for p in running))
        plane.create(*WAITING)
        plane.wait("verdicts on the others", lambda: all(p["spec"].get("nodeName") or verdict(p) for p in plane.get("pods")))

    @staticmethod
    def is_ready(one):
        return not [t for t in one["spec"].get("taints", []) if t["key"].startswith("node.kubernetes.io/not-ready")] and any(
            c["type"] == "Ready" and c["status"] == "True" for c in one["status"].get("conditions", []))

    def run_ksched(self, *arguments):
        """ksched's report; the cluster is the one of KUBECONFIG unless the arguments give a snapshot."""
        command = [self.ksched, "simulate", *arguments, "--explain", "-o", "json"]
        done = subprocess.run(command, env=self.plane.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return json.loads(done.stdout)

    def write(self, new):
        manifest = self.plane.folder / "new.json"
        manifest.write_text(json.dumps(new))
        return manifest

    def test_1_waiting_pods_get_the_same_message(self):
        snapshot = self.plane.folder / "snapshot.yaml"
        snapshot.write_text(self.plane.kubectl("get", "nodes,pods,namespaces", "-A", "-o", "yaml"))
        for source in ([], ["--snapshot", snapshot]):
            outcomes = {p["name"]: p for p in self.run_ksched(*source)["pods"]}
            for one in self.plane.get("pods"):
                with self.subTest(one["metadata"]["name"], source=source):
                    self.check_waiting(one, outcomes)

    def check_waiting(self, one, outcomes):
        name = one["metadata"]["name"]
        if one["spec"].get("nodeName"):
            self.assertNotIn(name, outcomes, "has a node, so it is not to be scheduled")
            return
        condition = verdict(one)
        gated = condition["reason"] == "SchedulingGated"
        self.assertEqual(outcomes[name]["result"], "Gated" if gated else "Unschedulable")
        if not gated:  # that text is the API server's
            self.assertEqual(outcomes[name]["message"], condition["message"])

    def test_2_new_pods_go_where_the_real_scheduler_may_put_them(self):
        counts = dict.fromkeys(("placed", "one best node of several", "waiting"), 0)
        for new in NEW:
            with self.subTest(new["metadata"]["name"]):
                self.compare(new, counts)
        print(", ".join(f"{count} {what}" for what, count in counts.items()), end=" ... ")
        self.assertGreaterEqual(counts["placed"] + counts["waiting"], 300)
        self.assertGreaterEqual(counts["one best node of several"], 150)
        self.assertGreaterEqual(counts["waiting"], 30)

    def compare(self, new, counts):
        """Asks ksched about one pod, creates it, and looks what becomes of it."""
        name = new["metadata"]["name"]
        report = self.run_ksched("-f", self.write(new))
        outcome = next(p for p in report["pods"] if p["name"] == name)
        (cycle,) = [c for c in report["cycles"] if c["pod"] == f"default/{name}"]
        self.api.call("POST", PODS, new)
        one = self.plane.wait(f"a verdict on {name}", lambda: self.settled(name), pause=0.01)
        if not one["spec"].get("nodeName"):
            self.assertEqual((outcome["result"], outcome.get("message")), ("Unschedulable", verdict(one)["message"]))
            self.remove(name)
            counts["waiting"] += 1
            return
        self.assertEqual(outcome["result"], "Scheduled", outcome.get("message"))
        self.assertIn(outcome["node"], cycle["tied"])
        self.assertIn(one["spec"]["nodeName"], cycle["tied"], "the real scheduler chose a node that is not among the best of the simulation")
        counts["placed"] += 1
        counts["one best node of several"] += len(cycle["tied"]) == 1 and cycle["feasible"] > 1

    def settled(self, name):
        """The pod once it runs or has been turned down: nothing changes in the cluster then."""
        one = self.api.get(f"{PODS}/{name}")
        return one if one["status"]["phase"] == "Running" or verdict(one) else None

    def remove(self, name):
        """A pod that waits would be in the way of the next ones' reports."""
        self.api.call("DELETE", f"{PODS}/{name}", {"gracePeriodSeconds": 0})
        self.plane.wait(f"{name} to be gone", lambda: not self.api.find(f"{PODS}/{name}"), pause=0.01)


def verdict(one):
    """The condition that says why a pod has no node."""
    return next((c for c in one["status"].get("conditions", []) if c["type"] == "PodScheduled" and c["status"] == "False"), None)


def block_yaml(text):
    """JSON as a YAML mapping in block style, to which lines can be appended."""
    import yaml
    return yaml.safe_dump(json.loads(text), sort_keys=False)
