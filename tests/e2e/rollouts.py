"""The real controllers change workloads; ksched has to say beforehand which pods they make and remove, step by step.

The test plays the kubelet: a pod gets ready when it says so, one at a time, in the order in which ksched places them. In
between it waits until the controllers have come to rest. So their states can be compared one by one, although the real ones
would be quicker or slower elsewhere, and what they did can be compared with what ksched says in its order.
"""

import collections
import json
import subprocess
import sys
import unittest

from control_plane import ControlPlane
from objects import pod
from pod_by_pod import block_yaml, configs, verdict
from rest import Api, Refused
from rollout_scenarios import SCENARIOS, job

PATHS = {"Deployment": "apps/v1", "StatefulSet": "apps/v1", "DaemonSet": "apps/v1", "ReplicaSet": "apps/v1", "Job": "batch/v1"}
COST = "controller.kubernetes.io/pod-deletion-cost"
# It fits nowhere. Being the first that is tried, it separates what controllers do at once from what they do after the first placement.
FIRST = pod("tried-first", cpu="100000")


def is_ready(one):
    return any(c["type"] == "Ready" and c["status"] == "True" for c in one["status"].get("conditions", []))


def is_leaving(one):
    return "deletionTimestamp" in one["metadata"]


def is_active(one):
    return one["status"]["phase"] not in ("Succeeded", "Failed")


def version_of(one):
    return one["metadata"]["labels"]["version"]


class Observation:
    """What a namespace has of its workload at one time."""

    def __init__(self, scenario, workload, replica_sets, pods):
        self.scenario, self.workload, self.replica_sets = scenario, workload, replica_sets
        self.pods = [p for p in pods if p["metadata"].get("ownerReferences") and is_active(p)]

    @classmethod
    def of(cls, api, scenario):
        replica_sets = []
        if scenario.kind == "Deployment":
            replica_sets = api.get(f"/apis/apps/v1/namespaces/{scenario.name}/replicasets")["items"]
        return cls(scenario, api.find(path_of(scenario)), replica_sets, api.get(pods_path(scenario))["items"])

    @classmethod
    def of_all(cls, api, scenarios):
        """The same for many, by few lists."""
        lists = {kind: by_namespace(api.get(f"/apis/{group}/{kind.lower()}s")) for kind, group in PATHS.items()}
        pods = by_namespace(api.get("/api/v1/pods"))
        return [cls(s, next(iter(lists[s.kind][s.name]), None), lists["ReplicaSet"][s.name] if s.kind == "Deployment" else [], pods[s.name])
                for s in scenarios]

    def is_at_rest(self):
        """Whether every controller has seen all that there is: then it has done what it wants to do about it."""
        if any(is_leaving(p) or not (p["spec"].get("nodeName") or verdict(p)) for p in self.pods):
            return False
        if not self.workload:
            return not self.pods
        status = self.workload["status"]
        if self.scenario.kind != "Job" and status.get("observedGeneration", 0) < self.workload["metadata"]["generation"]:
            return False
        return self.counts_are_right(status) and all(self.is_counted(one) for one in self.replica_sets)

    def counts_are_right(self, status):
        if self.scenario.kind == "DaemonSet":
            return self.daemons_are_counted(status)
        all_field, ready_field = ("active", "ready") if self.scenario.kind == "Job" else ("replicas", "readyReplicas")
        return (status.get(all_field, 0), status.get(ready_field, 0)) == (len(self.pods), sum(map(is_ready, self.pods)))

    def daemons_are_counted(self, status):
        """A node counts once, however many pods a surge has there, and not at all if none should be there (any more)."""
        elsewhere = status["numberMisscheduled"]
        ready = {target_of(p) for p in self.pods if is_ready(p)}
        return (status["currentNumberScheduled"] == len({target_of(p) for p in self.pods}) - elsewhere
                and len(ready) - elsewhere <= status["numberReady"] <= len(ready))

    def is_counted(self, replica_set):
        """A ReplicaSet whose controller is done."""
        wanted, status, uid = replica_set["spec"]["replicas"], replica_set["status"], replica_set["metadata"]["uid"]
        pods = [p for p in self.pods if p["metadata"]["ownerReferences"][0]["uid"] == uid]
        return (status.get("observedGeneration", 0) >= replica_set["metadata"]["generation"] and wanted == status["replicas"] == len(pods)
                and status.get("readyReplicas", 0) == sum(map(is_ready, pods)))

    def to_mark(self):
        """Pods that a kubelet would run next."""
        return [p for p in self.pods if p["spec"].get("nodeName") and not is_ready(p) and not is_leaving(p)]


def by_namespace(objects):
    found = collections.defaultdict(list)
    for one in objects["items"]:
        found[one["metadata"]["namespace"]].append(one)
    return found


def path_of(scenario):
    return f"/apis/{PATHS[scenario.kind]}/namespaces/{scenario.name}/{scenario.kind.lower()}s/web"


def pods_path(scenario):
    return f"/api/v1/namespaces/{scenario.name}/pods"


def target_of(one):
    """The node that a pod of a DaemonSet is for."""
    terms = one["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    return terms[0]["matchFields"][0]["values"][0]


class Keys:
    """What pods are told apart by: names where the controller's order determines them, versions otherwise."""

    def __init__(self, scenario, base):
        self.scenario = scenario
        self.base = {p["metadata"]["name"]: p for p in base}

    def of_pod(self, one):
        name = one["metadata"]["name"]
        if self.scenario.kind == "StatefulSet":
            return f"{name}@{version_of(one)}"
        if name not in self.base:
            return version_of(one)
        if self.scenario.by_node:
            return self.base[name]["spec"]["nodeName"]
        return name if self.scenario.names else version_of(one)

    def of_new(self, name, placed):
        """The key of a pod that ksched makes; its report gives only the name. `placed`: their nodes."""
        version = self.scenario.new["spec"]["template"]["metadata"]["labels"]["version"]
        if self.scenario.kind == "StatefulSet":
            strategy = self.scenario.new["spec"].get("updateStrategy", {})
            below = int(name.rsplit("-", 1)[1]) < strategy.get("rollingUpdate", {}).get("partition", 0)
            return f"{name}@{'1' if below else version}"
        return placed[name].rsplit("-", 1)[1] if self.scenario.apart and name in placed else version


class Prediction:
    """ksched's report as a sequence: at once, and after each pod that is placed, what the controller does and what there is then."""

    def __init__(self, report, scenario, base):
        keys = Keys(scenario, base)
        (self.workload,) = report["ksched"]["workloads"]
        prefix = f"{scenario.name}/"
        cycles = [c for c in report["cycles"] if c["pod"].startswith(prefix) and c["result"] == "Scheduled"]
        placed = {c["pod"].removeprefix(prefix): c["node"] for c in cycles}
        self.key_of = {name: keys.of_pod(one) for name, one in keys.base.items()}
        self.state = collections.Counter(self.key_of.values())
        self.unschedulable = sum(p["result"] == "Unschedulable" for p in report["pods"] if p["namespace"] == scenario.name)
        self.nodes = collections.Counter(p["node"] for p in report["pods"] if p["namespace"] == scenario.name and p["result"] == "Scheduled")
        steps = list(self.workload.get("steps", []))
        self.marks, self.states, self.changes = [], [], []
        self.take(steps, 0, keys, placed)
        for cycle in cycles:
            self.marks.append(self.key_of[cycle["pod"].removeprefix(prefix)])
            self.take(steps, cycle["atMs"], keys, placed)
        assert not steps, f"steps at no cycle: {steps}"

    def take(self, steps, until, keys, placed):
        """The steps up to this time: the state after them is the one that the real controllers have to come to."""
        while steps and steps[0]["atMs"] <= until:
            step = steps.pop(0)
            change = collections.Counter()
            for name in step.get("removed", []):
                change["-" + self.key_of[name]] += 1
                self.state[self.key_of.pop(name)] -= 1
            for name in step.get("created", []):
                self.key_of[name] = keys.of_new(name, placed)
                change["+" + self.key_of[name]] += 1
                self.state[self.key_of[name]] += 1
            self.changes.append(change)
        self.states.append(+self.state)


class AgainstTheRealControllers(unittest.TestCase):
    ksched = None
    programs = None
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        config = block_yaml(json.dumps(configs.without_absent(None)))
        cls.plane = ControlPlane.of_class(cls, nodes=1, scheduler_config=config)
        cls.results = {}
        try:
            cls.api = Api(cls.plane.folder)
            cls.addClassCleanup(cls.api.close)
            cls.fill()
        except BaseException:
            cls.plane.keep_logs = True
            raise

    @classmethod
    def fill(cls):
        """All scenarios get to where ksched is asked, at the same time."""
        plane = cls.plane
        for scenario in SCENARIOS:
            cls.api.call("POST", "/api/v1/namespaces", {"metadata": {"name": scenario.name}})
            for one in scenario.nodes:
                cls.api.call("POST", "/api/v1/nodes", one)
        plane.wait("the nodes to be ready", lambda: all(cls.has_no_taint_of_ours(one) for one in plane.get("nodes")), seconds=300)
        for stage in range(max(len(s.stages) for s in SCENARIOS)):
            now = [s for s in SCENARIOS if len(s.stages) > stage]
            cls.apply(*[s.stages[stage] for s in now], *[one for s in now if stage == 0 for one in s.others])
            cls.run_all(now)
        scaled = [s for s in SCENARIOS if s.scale]
        for scenario in scaled:
            cls.api.merge(f"{path_of(scenario)}/scale", {"spec": {"replicas": scenario.scale}})
        cls.run_all(scaled)
        for scenario in SCENARIOS:
            if scenario.names:
                cls.give_costs(scenario)

    @staticmethod
    def has_no_taint_of_ours(one):
        return not any(t["key"].startswith("node.kubernetes.io/") for t in one["spec"].get("taints", []))

    @classmethod
    def apply(cls, *manifests):
        cls.plane.kubectl("apply", "-f", "-", given=json.dumps({"apiVersion": "v1", "kind": "List", "items": manifests}))

    @classmethod
    def run_all(cls, scenarios):
        """Every pod that has a node gets ready at once, until the controllers of all have come to rest."""
        left = list(scenarios)

        def done():
            left[:] = [seen.scenario for seen in Observation.of_all(cls.api, left) if not cls.run_pods(seen)]
            return not left
        cls.plane.wait("the workloads to come up", done, seconds=300, pause=0.05)

    @classmethod
    def run_pods(cls, seen):
        to_mark = seen.to_mark()
        for one in to_mark:
            cls.mark(one)
        for one in filter(is_leaving, seen.pods):
            cls.end(one)
        return not to_mark and seen.workload and seen.pods and seen.is_at_rest()

    @classmethod
    def end(cls, one):
        """The pod's containers have ended, as a kubelet would say; not so of another pod that has its name by now."""
        name, uid = one["metadata"]["name"], one["metadata"]["uid"]
        try:
            cls.api.call("DELETE", f"/api/v1/namespaces/{one['metadata']['namespace']}/pods/{name}",
                         {"gracePeriodSeconds": 0, "preconditions": {"uid": uid}})
        except Refused as refused:
            if refused.status not in (404, 409):
                raise

    @classmethod
    def observe(cls, scenario):
        """What there is; pods that have been asked to leave do so."""
        seen = Observation.of(cls.api, scenario)
        for one in filter(is_leaving, seen.pods):
            cls.end(one)
        return seen

    @classmethod
    def mark(cls, one):
        """The pod is ready, as a kubelet would say."""
        now = one["metadata"]["creationTimestamp"]
        conditions = [{"type": kind, "status": "True", "lastTransitionTime": now}
                      for kind in ("PodScheduled", "Initialized", "ContainersReady", "Ready")]
        path = f"/api/v1/namespaces/{one['metadata']['namespace']}/pods/{one['metadata']['name']}/status"
        try:
            cls.api.merge(path, {"status": {"phase": "Running", "startTime": now, "conditions": conditions}})
        except Refused as refused:
            if refused.status != 404:  # the controller was quicker
                raise

    @classmethod
    def give_costs(cls, scenario):
        """By them it is determined which pods go first: new ones of the same template, which have none, and then these.

        Names have random ends, so their order has nothing to do with age.
        """
        pods = cls.api.get(pods_path(scenario))["items"]
        for cost, name in enumerate(sorted(p["metadata"]["name"][::-1] for p in pods)):
            cls.api.merge(f"{pods_path(scenario)}/{name[::-1]}", {"metadata": {"annotations": {COST: str(cost + 1)}}})

    def simulate(self, *manifests):
        given = self.plane.folder / "new.json"
        given.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": manifests}))
        done = subprocess.run([self.ksched, "simulate", "-f", given, "--explain", "-o", "json"], env=self.plane.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return json.loads(done.stdout)

    def test_1_steps(self):
        counts = collections.Counter()
        for scenario in SCENARIOS:
            with self.subTest(scenario.name):
                predicted = self.compare(scenario)
                counts["scenarios agree"] += 1
                counts["states"] += len(predicted.states)
                counts["pods that came or went"] += sum(change.total() for change in predicted.changes)
                counts["do not come to their end"] += not predicted.workload["complete"]
        print(f"{len(SCENARIOS)} scenarios;", ", ".join(f"{count} {what}" for what, count in counts.items()), end=" ... ")

    def compare(self, scenario):
        base = Observation.of(self.api, scenario).pods
        predicted = Prediction(self.simulate(FIRST, scenario.new), scenario, base)
        keys = Keys(scenario, base)
        since = self.api.get(pods_path(scenario))["metadata"]["resourceVersion"]
        self.apply(scenario.new)
        generation = self.api.get(path_of(scenario))["metadata"]["generation"]
        self.come_to(predicted.states[0], scenario, keys, generation, "at once")
        for number, (mark, state) in enumerate(zip(predicted.marks, predicted.states[1:])):
            self.mark_one(mark, scenario, keys)
            self.come_to(state, scenario, keys, generation, f"after pod {number + 1} of {len(predicted.marks)} is ready, {mark}")
        last = Observation.of(self.api, scenario)
        self.check_end(predicted, last, {p["metadata"]["name"] for p in base})
        self.check_order(predicted, self.history(scenario, since, keys))
        self.results[scenario.name] = keys, predicted
        return predicted

    def come_to(self, state, scenario, keys, generation, when):
        """Waits until the controllers rest in this state; a pod that fits again is tried with a back-off of some seconds."""
        def there():
            seen = self.observe(scenario)
            self.found = collections.Counter(map(keys.of_pod, seen.pods)), seen.is_at_rest()
            return seen.workload["metadata"]["generation"] >= generation and self.found == (state, True)
        try:
            self.plane.wait("a state", there, seconds=40, pause=0.04)
        except RuntimeError:
            found, rests = self.found
            self.fail(f"{when}: ksched says {dict(state)}, the controllers {'rest' if rests else 'do not rest'} with {dict(found)}")

    def mark_one(self, key, scenario, keys):
        """One of the pods that ksched places now gets ready."""
        def candidates():
            return [p for p in self.observe(scenario).to_mark() if keys.of_pod(p) == key]
        try:
            self.mark(self.plane.wait("a pod with a node", candidates, seconds=40, pause=0.04)[0])
        except RuntimeError:
            self.fail(f"ksched places a pod {key} now, and there is none that has a node and is not ready")

    def check_end(self, predicted, last, base):
        """The counts of the report, and the nodes of new pods, where each has a node of its own."""
        self.assertEqual(last.to_mark(), [], "a pod has a node, and ksched placed none")
        self.assertEqual(sum(not p["spec"].get("nodeName") for p in last.pods), predicted.unschedulable)
        version = last.scenario.new["spec"]["template"]["metadata"]["labels"]["version"]
        updated = sum(version_of(p) == version for p in last.pods)
        said = predicted.workload
        if last.scenario.kind != "ReplicaSet":  # its template says nothing about the pods that there are
            self.assertEqual((said["updated"], said["old"]), (updated, len(last.pods) - updated))
        self.assertEqual(said["ready"], sum(map(is_ready, last.pods)))
        if last.scenario.kind == "DaemonSet":
            nodes = collections.Counter(p["spec"].get("nodeName") for p in last.pods if p["metadata"]["name"] not in base)
            nodes.pop(None, None)
            self.assertEqual(predicted.nodes, nodes)

    def history(self, scenario, since, keys):
        """The pods that came and went since then, in the order of the cluster's changes."""
        marker = pod("last", namespace=scenario.name, schedulingGates=[{"name": "example.com/marker"}])
        self.api.call("POST", pods_path(scenario), marker)
        gone = set()
        for event in self.api.events(pods_path(scenario), since, lambda event: event["object"]["metadata"]["name"] == "last"):
            one = event["object"]
            uid = one["metadata"]["uid"]
            if event["type"] == "ADDED":
                yield "+", keys.of_pod(one), uid
            elif uid not in gone and (event["type"] == "DELETED" or is_leaving(one)):
                gone.add(uid)
                yield "-", keys.of_pod(one), uid

    def check_order(self, predicted, history):
        """Each step is done before the next one begins; within a step the order is open.

        A pod that comes and goes within a step is none: ksched's steps go from rest to rest.
        """
        history = collections.deque(history)
        for change in predicted.changes:
            part, made = collections.Counter(), set()
            while part != change:
                self.assertTrue(history, f"ksched says {dict(change)}, the controllers did {dict(part)}")
                sign, key, uid = history.popleft()
                if sign == "+":
                    made.add(uid)
                if sign == "-" and uid in made:
                    part["+" + key] -= 1
                else:
                    part[sign + key] += 1
                part = +part
        self.assertEqual([], list(history), "done, and ksched does not say so")

    def test_2_stuck_rollouts_go_no_further(self):
        """All that ends early has been at rest for a while by now."""
        for seen in Observation.of_all(self.api, [s for s in SCENARIOS if s.name in self.results]):
            keys, predicted = self.results[seen.scenario.name]
            with self.subTest(seen.scenario.name):
                self.assertTrue(seen.is_at_rest())
                self.assertEqual(predicted.states[-1], collections.Counter(map(keys.of_pod, seen.pods)))

    def test_3_a_cron_job_is_one_run(self):
        run = job("default", parallelism=2, completions=5)
        del run["spec"]["template"]["spec"]["nodeSelector"]
        manifest = {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "nightly", "namespace": "default"},
                    "spec": {"schedule": "0 3 * * *", "jobTemplate": {"spec": run["spec"]}}}
        (said,) = self.simulate(manifest)["ksched"]["workloads"]
        self.assertEqual((said["desired"], said["updated"], said["complete"]), (2, 2, True))


if __name__ == "__main__":
    sys.exit("run.py runs this")
