"""The real kube-scheduler places pods; ksched has to say the same beforehand, of the live cluster and of what plain kubectl prints."""

import collections

from objects import deployment, node, pod, preferred_affinity, required_affinity
from pod_by_pod import BY_HAND, PRIORITIES, PodByPod, figures, verdict
from random_pods import random_nodes, random_pods
from random_topology import HELD, NAMES, NAMESPACES, RandomTopology, services_and_owners

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
    deployment("web", 6, "500m", "512Mi", priorityClassName="system-node-critical"),  # nobody preempts them: they would come back
    deployment("batch", 4, "2", "4Gi", nodeSelector={"pool": "big"}, priorityClassName="system-node-critical"),
]
PLACED_BY_HAND = [
    pod("trainer", "1", "2Gi", extra={"nvidia.com/gpu": "1"}, tolerations=GPU_TOLERATION),
    pod("port-holder", ports=[{"containerPort": 80, "hostPort": 8080}], nodeSelector={"pool": "spot"}),
]
# Most of these have no place; one waits at its gate.
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


class AgainstTheRealScheduler(PodByPod):
    @classmethod
    def fill(cls):
        plane = cls.plane
        cls.api.create(*NODES, *random_nodes(15, seed=37), *PRIORITIES)
        cls.wait_for_nodes()
        cls.api.create(*PLACED, *map(by_hand, PLACED_BY_HAND))
        plane.wait("nodes for the pods", lambda: len(placed := plane.get("pods")) == 12 and all(p["spec"].get("nodeName") for p in placed))
        for one in cls.all_pods():
            cls.mark(one)
        plane.wait("the pods to run", lambda: all(p["status"]["phase"] == "Running" for p in plane.get("pods")))
        cls.api.create(*WAITING)
        plane.wait("verdicts on the others", lambda: all(p["spec"].get("nodeName") or verdict(p) for p in plane.get("pods")))

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
        waiting = {one["metadata"]["name"] for one in WAITING}  # they would be tried again and again
        self.end(*[one for one in self.plane.get("pods") if one["metadata"]["name"] in waiting])
        counts = self.compare_all(NEW)
        self.assertGreaterEqual(counts["placed"] + counts["waiting"] + counts["preempting"], 300)
        self.assertGreaterEqual(counts["one best node of several"], 150)
        self.assertGreaterEqual(counts["waiting"], 30)

    def test_3_new_pods_that_care_where_others_are(self):
        self.api.create(*NAMESPACES, *services_and_owners())
        owners = [self.hold(kind, name) for kind in ("ReplicaSet", "StatefulSet") for name in NAMES]
        counts = self.compare_all(RandomTopology(11, owners).pods(300))
        self.assertGreaterEqual(counts["placed"] + counts["waiting"] + counts["preempting"], 280)
        self.assertGreaterEqual(counts["one best node of several"], 130)
        self.assertGreaterEqual(counts["waiting"], 30)

    def hold(self, kind, namespace):
        """Marks an owner as being deleted, which its finalizer keeps from happening."""
        path = f"/apis/apps/v1/namespaces/{namespace}/{kind.lower()}s/held"
        self.api.call("DELETE", path, {"propagationPolicy": "Background"})
        owner = self.api.get(path)
        self.assertEqual((owner["metadata"]["finalizers"], "deletionTimestamp" in owner["metadata"]), ([HELD], True))
        return {"apiVersion": "apps/v1", "kind": kind, **owner}

    def compare_all(self, pods):
        counts = collections.Counter()
        for new in pods:
            with self.subTest(new["metadata"]["name"]):
                self.compare(by_hand(new), counts)
        print(figures(counts), end=" ... ")
        return counts


def by_hand(one):
    one["metadata"]["labels"].update(BY_HAND)
    return one
