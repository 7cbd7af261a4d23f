"""What ksched makes of pods and workloads before it schedules them is what a real API server stores, and what it refuses is refused alike.

Needs the program admission_probe (built with the others; ADMISSION_PROBE names another), which prints what a simulation would be given.
"""

import json
import os
import pathlib
import re
import subprocess
import time
import unittest

from admission_objects import CLASSES, LIMITS, NAMESPACES, QUOTAS, TIGHT, generated, odd_workloads, plain_template, tight_workloads
from control_plane import ControlPlane
from objects import pod
from rest import Api, Refused
from webhook import Webhook, patch

SEED, PODS, WORKLOADS = 20, 250, 42  # and those that are written down: more than 300 in all
COLLECTIONS = {"Pod": "/api/v1/namespaces/{}/pods", "ReplicationController": "/api/v1/namespaces/{}/replicationcontrollers",
               "Job": "/apis/batch/v1/namespaces/{}/jobs", "CronJob": "/apis/batch/v1/namespaces/{}/cronjobs",
               **{kind: f"/apis/apps/v1/namespaces/{{}}/{kind.lower()}s" for kind in ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet")}}
REFUSAL = re.compile(r'(pods|persistentvolumeclaims|Pod) ".*', re.DOTALL)
# What the servers draw by chance and no scheduler reads.
CHANCE = ("uid", "resourceVersion", "creationTimestamp", "generation")
HASHES = ("pod-template-hash", "controller-revision-hash", "controller-uid")


def path_of(one):
    return COLLECTIONS[one["kind"]].format(one["metadata"]["namespace"])


def key_of(one):
    return f"{one['metadata']['namespace']}/{one['metadata']['name']}"


def message_of(refused):
    """The API server's words, without what rest.py adds."""
    return json.loads(str(refused).split(": ", 1)[1])["message"]


def normal_message(text):
    """The order of several reasons is that of a Go map."""
    found = re.fullmatch(r"(.*? (?:forbidden|invalid): )\[(.*)\]", text, re.DOTALL)
    return found[1] + str(sorted(found[2].split(", "))) if found else text


def without_chance(one):
    """A pod or claim as scheduling reads it."""
    metadata = {key: value for key, value in one["metadata"].items() if key not in CHANCE}
    owners = [{key: value for key, value in owner.items() if key != "uid"} for owner in metadata.pop("ownerReferences", [])]
    conditions = [{key: value for key, value in c.items() if key != "lastTransitionTime"} for c in one.get("status", {}).get("conditions", [])]
    made = {**one, "metadata": {**metadata, **({"ownerReferences": owners} if owners else {})}}
    if conditions:
        made["status"] = {**one["status"], "conditions": conditions}
    return made


def normal_pod(one):
    """A workload's pod without the hashes and names that differ from one cluster to the next: only a StatefulSet names pods in order."""
    made, metadata = without_chance(one), one["metadata"]
    made["metadata"].pop("generateName", None)
    if "statefulset.kubernetes.io/pod-name" not in metadata.get("labels", {}):
        made["metadata"]["name"] = "<name>"
    text = json.dumps(made, sort_keys=True)
    for label in HASHES:
        if value := metadata.get("labels", {}).get(label):
            text = text.replace(value, f"<{label}>")
    return text


class Cluster:
    """A control plane without scheduler, and how objects get into it."""

    def __init__(self, plane, ksched):
        self.plane, self.ksched, self.api = plane, ksched, Api(plane.folder)
        self.environment = {**plane.environment}

    def fill(self):
        for name in [*NAMESPACES, *TIGHT, "table", "mutated"]:
            self.api.call("POST", "/api/v1/namespaces", {"metadata": {"name": name}})
        self.plane.create(*CLASSES, *LIMITS, *QUOTAS)
        self.plane.kubectl("label", "node", "node-0", "runtime=kata", "disk=ssd")
        self.wait_for_quotas()
        self.plane.wait("admission to know the classes", self.knows_classes)

    def wait_for_quotas(self):
        self.plane.wait("the quotas' status", lambda: all(
            set(one["spec"]["hard"]) == set(one.get("status", {}).get("used", {})) for one in self.plane.get("resourcequotas", "-A")))

    def knows_classes(self):
        """The API server hears of classes and limits after it has stored them."""
        tried = self.api.call("POST", "/api/v1/namespaces/defaults/pods?dryRun=All", pod("try", namespace="defaults", runtimeClassName="ssd"))
        claim = {"metadata": {"name": "try"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "2Gi"}}}}
        stored = self.api.call("POST", "/api/v1/namespaces/bounds/persistentvolumeclaims?dryRun=All", claim)
        return tried["spec"].get("priorityClassName") == "normal" and stored["spec"].get("storageClassName") == "standard" and \
            "limits" in tried["spec"]["containers"][0]["resources"]

    def create(self, one):
        """What is stored, or the refusal."""
        try:
            return self.api.call("POST", path_of(one), one)
        except Refused as refused:
            return refused

    def items(self, path):
        """A list's items, as objects of their own."""
        answer = self.api.get(path)
        kind = answer["kind"].removesuffix("List")
        return [{"apiVersion": answer["apiVersion"], "kind": kind, **one} for one in answer["items"]]

    def start_cron_job(self, one):
        """As kubectl create job --from does it."""
        made = one["spec"]["jobTemplate"]
        job = {"apiVersion": "batch/v1", "kind": "Job", "spec": made["spec"], "metadata": {
            **made["metadata"], "name": f"{one['metadata']['name']}-manual", "namespace": one["metadata"]["namespace"]}}
        return self.create(job)

    def run_ksched(self, *arguments):
        return subprocess.run([self.ksched, *map(str, arguments)], env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=120, check=False)

    def write(self, name, *objects):
        path = self.plane.folder / name
        path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)}))
        return path


class Probe:
    """admission_probe on one snapshot."""

    def __init__(self, program, cluster):
        self.program, self.cluster = program, cluster
        self.snapshot = cluster.plane.folder / "snapshot.json"
        done = cluster.run_ksched("snapshot", "-o", self.snapshot)
        if done.returncode != 0:
            raise RuntimeError(f"kubectl-ksched snapshot: {done.stderr}")

    def run(self, *arguments):
        done = subprocess.run([self.program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
        return [json.loads(line) for line in done.stdout.splitlines()], done.stderr

    def printed(self, objects):
        """Stored objects, by the same writer."""
        lines, problems = self.run("print", self.cluster.write("stored.json", *objects))
        if problems:
            raise RuntimeError(f"stored objects that cannot be read: {problems}")
        return [line["object"] for line in lines]

    def load(self, objects):
        """The lines of what ksched makes of the objects, in their order; and what it says of those that are invalid, by "KIND NAMESPACE/NAME"."""
        manifest = self.cluster.write("manifest.json", *objects)
        _, problems = self.run("load", self.snapshot, manifest)
        invalid = {}
        for line in problems.splitlines():
            if found := re.match(r"error: \S+: (\w+ \S+/\S+): (.*)", line):
                invalid.setdefault(found[1], []).append(found[2])
        valid = [one for one in objects if f"{one['kind']} {key_of(one)}" not in invalid]
        manifest = self.cluster.write("manifest.json", *valid)
        lines, problems = self.run("load", self.snapshot, manifest)
        if "error: " in problems:
            raise RuntimeError(problems)
        return lines + self.single_pods(valid, lines, manifest), invalid

    def single_pods(self, objects, lines, manifest):
        """Pods that are no workload's are kept whole if an event is about them: one for each that was let in."""
        refused = {f"{line['namespace']}/{line['name']}" for line in lines if "rejected" in line and not line["source"]}
        events = self.cluster.plane.folder / "events.yaml"
        events.write_text("".join("---\n" + json.dumps({"atMs": 0, "type": "update", "object": one}) + "\n" for one in objects
                                  if one["kind"] == "Pod" and key_of(one) not in refused))
        lines, problems = self.run("load", self.snapshot, manifest, events)
        if "error: " in problems:
            raise RuntimeError(problems)
        return [line for line in lines if "pod" in line and not line["source"]]


class AgainstTheApiServer(unittest.TestCase):
    """The objects are created one after the other, then ksched is asked on the cluster as it was before."""
    ksched = None
    programs = None
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        program = pathlib.Path(os.environ.get("ADMISSION_PROBE") or pathlib.Path(cls.ksched).resolve().parent / "tests/e2e/admission_probe")
        if not os.access(program, os.X_OK):
            raise RuntimeError(f"{program} is not there: ./dev build")
        plane = ControlPlane(cls.programs, nodes=2, scheduler_config=None)
        plane.__enter__()
        cls.addClassCleanup(plane.stop)
        try:
            cls.cluster = Cluster(plane, cls.ksched)
            cls.addClassCleanup(cls.cluster.api.close)
            cls.cluster.fill()
            cls.create(program)
        except BaseException:
            plane.keep_logs = True
            raise

    @classmethod
    def create(cls, program):
        probe = Probe(program, cls.cluster)
        cls.probe = probe
        cls.pods, cls.workloads = generated(SEED, PODS, WORKLOADS)
        cls.workloads += [*tight_workloads(), *odd_workloads()]
        cls.answers = {key_of(one): cls.cluster.create(one) for one in cls.pods}
        cls.workload_answers = {key_of(one): cls.cluster.create(one) for one in cls.workloads}
        for one in cls.workloads:
            if one["kind"] == "CronJob" and isinstance(cls.workload_answers[key_of(one)], dict):
                cls.workload_answers[key_of(one)] = cls.cluster.start_cron_job(one)
        lines, cls.invalid = probe.load([*cls.pods, *cls.workloads])
        cls.made, cls.refused = {}, {}  # of single pods, by name
        cls.of_workload = {}  # by namespace/name of the workload: lines
        for line in lines:
            cls.sort_line(line)

    @classmethod
    def sort_line(cls, line):
        if line["source"]:
            cls.of_workload.setdefault(line["source"].split(" ")[1], []).append(line)
        elif "rejected" in line:
            cls.refused[f"{line['namespace']}/{line['name']}"] = line["rejected"]
        else:
            cls.made[key_of(line["pod"])] = line["pod"]

    def test_1_pods(self):
        """What is stored of each, or the words of the refusal."""
        stored = {key: one for key, one in self.answers.items() if isinstance(one, dict)}
        texts = {key_of(one): one for one in self.probe.printed(stored.values())}
        counts = {"compared": 0, "rejected": 0, "invalid": 0, "differences": 0}
        for one in self.pods:
            key = key_of(one)
            with self.subTest(key):
                counts["differences"] += 1
                if key in texts:
                    counts["compared"] += 1
                    self.same_pod(key, texts[key], one)
                else:
                    refused = self.answers[key]
                    counts["invalid" if f"Pod {key}" in self.invalid else "rejected"] += 1
                    self.same_refusal(f"Pod {key}", refused, self.refused.get(key))
                counts["differences"] -= 1
        print(f"pods: {counts}")
        self.assertGreater(counts["compared"], PODS // 3, "the pods at random are too often refused for a comparison")
        self.assertGreater(counts["rejected"], PODS // 10)

    def same_pod(self, key, stored, one):
        self.assertIsNone(self.invalid.get(f"Pod {key}"), one)
        self.assertNotIn(key, self.refused, one)
        self.assertEqual(without_chance(self.made[key]), without_chance(stored), f"as it was given: {json.dumps(one)}")

    def same_refusal(self, name, refused, rejected):
        """The words of admission are the API server's. What is invalid in itself is an error of the input, before any admission."""
        if name in self.invalid:
            return
        self.assertIsNotNone(rejected, f"the API server refuses {name}, ksched does not: {refused}")
        ours, theirs = normal_message(rejected), normal_message(message_of(refused))
        # Which of several exhausted quotas is named is a matter of the order of a Go map, too.
        if " scopes/" in name and all(": exceeded quota: " in text for text in (ours, theirs)):
            ours, theirs = (text.split(": exceeded quota: ")[0] for text in (ours, theirs))
        self.assertEqual(ours, theirs)

    # ---- workloads ----

    def test_2_workloads(self):
        """The pods and claims that the real controllers have made, and why they did not get more."""
        self.settle()
        counts = {"workloads": 0, "invalid": 0, "pods": 0, "claims": 0, "rejected": 0, "differences": 0}
        for one in self.workloads:
            with self.subTest(f"{one['kind']} {key_of(one)}"):
                counts["differences"] += 1
                if isinstance(self.workload_answers[key_of(one)], Refused):
                    counts["invalid"] += 1
                    self.assertIn(f"{one['kind']} {key_of(one)}", self.invalid, self.workload_answers[key_of(one)])
                else:
                    counts["workloads"] += 1
                    self.same_workload(one, counts)
                counts["differences"] -= 1
        print(f"workloads: {counts}")
        self.assertGreater(counts["workloads"], WORKLOADS * 3 // 4)
        self.assertGreater(counts["pods"], WORKLOADS)

    def settle(self):
        """Until the controllers have made what ksched says and stay with it; if they never do, what there is gets compared."""
        expected = {key: sum("pod" in line for line in lines) for key, lines in self.of_workload.items()}
        before = None
        for _ in range(60):
            self.look()
            now = {key: len(pods) for key, pods in self.server_pods.items()}
            missing = [key for key, lines in self.of_workload.items() if any("rejected" in line for line in lines) and not self.messages.get(key)]
            if now == before and not missing and all(now.get(key, 0) == count for key, count in expected.items()):
                return
            before = now
            time.sleep(0.5)

    def look(self):
        """Pods, claims and refusals of the real workloads, by the workload's namespace/name."""
        self.server_pods, self.server_claims, self.messages = {}, {}, {}
        names = {key_of(one) for one in self.workloads}
        for one in self.cluster.items("/api/v1/pods"):
            if key := self.workload_of(one["metadata"]["namespace"], one["metadata"]["name"], names):
                self.server_pods.setdefault(key, []).append(one)
        for one in self.cluster.items("/api/v1/events"):
            involved, found = one["involvedObject"], REFUSAL.search(one.get("message", ""))
            key = self.workload_of(involved.get("namespace"), involved["name"], names)
            if key and found and one["reason"] == "FailedCreate":
                self.messages.setdefault(key, set()).add(found[0])
        for one in self.cluster.items("/api/v1/persistentvolumeclaims"):
            name = re.sub(r"^disk-", "", one["metadata"]["name"])
            if key := self.workload_of(one["metadata"]["namespace"], name, names):
                self.server_claims.setdefault(key, []).append(one)

    @staticmethod
    def workload_of(namespace, name, names):
        """Made names begin with the maker's."""
        parts = name.split("-")
        return next((key for i in range(len(parts), 0, -1) if (key := f"{namespace}/{'-'.join(parts[:i])}") in names), None)

    def same_workload(self, one, counts):
        key = key_of(one)
        lines = self.of_workload.get(key, [])
        self.assertIsNone(self.invalid.get(f"{one['kind']} {key}"), "the API server stores the workload")
        pods = sorted(normal_pod(p) for p in self.probe.printed(self.server_pods.get(key, [])))
        counts["pods"] += len(pods)
        made = sorted(normal_pod(line["pod"]) for line in lines if "pod" in line)
        self.assertEqual(len(made), len(pods), f"pods; refusals: {self.messages.get(key)}, ksched: {lines[-1:]}")
        for ours, theirs in zip(made, pods):
            self.assertEqual(json.loads(ours), json.loads(theirs))
        self.same_claims(key, lines, counts)
        self.same_messages(key, lines, counts)

    def same_claims(self, key, lines, counts):
        """Of claims what admission fills in: names of ephemeral ones have a pod's random name in them."""
        seen = lambda claims: sorted(json.dumps([c["metadata"].get("labels"), c["spec"]], sort_keys=True) for c in claims)  # noqa: E731
        theirs = seen(self.probe.printed(self.server_claims.get(key, [])))
        counts["claims"] += len(theirs)
        self.assertEqual(seen(line["claim"] for line in lines if "claim" in line), theirs, "claims")

    def same_messages(self, key, lines, counts):
        ours = {self.without_names(line["rejected"]) for line in lines if "rejected" in line}
        counts["rejected"] += len(ours)
        self.assertEqual(ours, {self.without_names(text) for text in self.messages.get(key, ())}, "refusals")

    @staticmethod
    def without_names(text):
        return normal_message(re.sub(r'^(\w+) "[^"]*"', r'\1 "..."', text))

    # ---- what a user sees ----

    def simulate(self, *arguments):
        return self.cluster.run_ksched("simulate", "--pending", "ignore", *arguments)

    def test_3_table_of_a_deployment_over_its_quota(self):
        """As many pods as fit, and the others with the API server's words."""
        self.cluster.plane.create({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "quota", "namespace": "table"},
                                   "spec": {"hard": {"pods": "3"}}})
        self.cluster.wait_for_quotas()
        done = self.simulate("-n", "table", "-f", self.cluster.write("over.json", self.web("table", 5)))
        self.assertEqual(done.returncode, 1, done.stderr)
        message = "is forbidden: exceeded quota: quota, requested: pods=1, used: pods=3, limited: pods=3"
        rejected = [line for line in done.stdout.splitlines() if "Rejected" in line]
        self.assertTrue(rejected and all(message in line for line in rejected), done.stdout)
        report = json.loads(self.simulate("-n", "table", "-o", "json", "-f", self.cluster.plane.folder / "over.json").stdout)
        self.assertEqual([p["result"] for p in report["pods"]], ["Scheduled"] * 3)
        self.assertEqual(self.cluster.plane.get("pods", "-n", "table"), [], "a simulation creates nothing")

    @staticmethod
    def web(namespace, replicas, labels=()):
        template = plain_template("100m", "64Mi")
        template["metadata"]["labels"].update(labels)
        return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": namespace},
                "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": "a"}}, "template": template}}

    def test_4_admission_by_the_server_and_its_webhooks(self):
        """A webhook that adds a node selector, and refuses some: both are seen, and nothing is stored."""
        self.cluster.api.close()  # it has idled, and opens again by itself
        webhook = Webhook(self.cluster.plane.folder, self.answer)
        self.addCleanup(webhook.stop)
        self.cluster.plane.create(webhook.configuration("chooser", "mutated"))
        self.addCleanup(self.cluster.plane.kubectl, "delete", "mutatingwebhookconfiguration", "chooser")
        self.cluster.plane.wait("the webhook to be asked", lambda: self.cluster.api.call(
            "POST", "/api/v1/namespaces/mutated/pods?dryRun=All", pod("try", namespace="mutated"))["spec"].get("nodeSelector"))
        webhook.requests.clear()
        given = self.cluster.write("mutated.json", self.web("mutated", 3), pod("single", namespace="mutated"),
                                   pod("refused", namespace="mutated", priorityClassName="high"))
        done = self.simulate("--admission", "server", "-o", "json", "-f", given)
        self.assertEqual(done.returncode, 1, done.stderr)
        report = json.loads(done.stdout)
        waiting = [(p["result"], p["message"]) for p in report["pods"]]
        self.assertEqual(len(waiting), 4)
        for result, message in waiting:
            self.assertEqual(result, "Unschedulable")
            self.assertIn("didn't match Pod's node affinity/selector", message)
        self.says_refused(given)
        self.cluster.plane.kubectl("label", "node", "node-1", "webhook=chosen")
        report = json.loads(self.simulate("--admission", "server", "-o", "json", "-f", given).stdout)
        self.assertEqual([(p["result"], p["node"]) for p in report["pods"]], [("Scheduled", "node-1")] * 4)
        self.assertTrue(webhook.requests and all(request["dryRun"] for request in webhook.requests), "only dry runs")
        self.assertEqual(self.cluster.plane.get("pods", "-n", "mutated"), [], "a simulation creates nothing")

    def says_refused(self, given):
        done = self.simulate("--admission", "server", "-n", "mutated", "-f", given)
        self.assertEqual(done.returncode, 1, done.stderr)
        rejected = [line for line in done.stdout.splitlines() if "Rejected" in line]
        self.assertEqual(len(rejected), 1, done.stdout)
        self.assertIn('admission webhook "chooser.example.com" denied the request: not on this cluster', rejected[0])

    @staticmethod
    def answer(request):
        if request["object"]["spec"].get("priorityClassName") == "high":
            return {"allowed": False, "status": {"message": "not on this cluster"}}
        return patch({"op": "add", "path": "/spec/nodeSelector", "value": {"webhook": "chosen"}})
