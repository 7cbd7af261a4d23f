"""Reading a real cluster: pages, what breaks in the middle, users who may not see everything, snapshots, the terminal."""

import base64
import json
import os
import pty
import re
import select
import signal
import time
import unittest
import urllib.parse

from control_plane import ControlPlane, alive
from live import PROBE, Live, Relayed
from objects import deployment, pod
from relay import Reply, status_reply
from rest import Api

MANY = 2100
# Every resource that is listed, with its group.
RESOURCES = {
    "": "namespaces limitranges resourcequotas nodes persistentvolumes persistentvolumeclaims services replicationcontrollers pods",
    "apps": "replicasets statefulsets daemonsets deployments", "batch": "jobs cronjobs", "policy": "poddisruptionbudgets",
    "autoscaling": "horizontalpodautoscalers", "scheduling.k8s.io": "priorityclasses", "node.k8s.io": "runtimeclasses",
    "storage.k8s.io": "storageclasses csidrivers csinodes csistoragecapacities volumeattachments",
    "resource.k8s.io": "deviceclasses devicetaintrules resourceslices resourceclaims resourceclaimtemplates",
}


def setUpModule():
    plane = Live.plane = ControlPlane(Live.programs, nodes=3, scheduler_config=None)
    plane.__enter__()
    unittest.addModuleCleanup(plane.stop)
    plane.create(*CLUSTER)
    running = len([one for one in CLUSTER if one["metadata"]["name"] in ("placed", "single")]) + 2
    plane.wait("the workloads' pods", lambda: len([p for p in plane.get("pods", "-n", "mixed") if p["status"]["phase"] == "Running"]) >= running)
    plane.wait("all pods", lambda: len(plane.get("pods", "-n", "mixed")) == 13)


def made(kind, name, version="v1", **fields):
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, **fields.pop("metadata", {})}, **fields}


def in_mixed(one, **spec):
    one["metadata"]["namespace"] = "mixed"
    one["spec"].update(spec)
    return one


def workload(kind, name, spec=None, version="apps/v1", **pod_spec):
    """A workload without replicas of its own."""
    one = deployment(name, 2, "100m", "128Mi", **pod_spec)
    one.update(kind=kind, apiVersion=version)
    for field in () if kind in ("Deployment", "StatefulSet") else ("replicas",):
        del one["spec"][field]
    return in_mixed(one, **(spec or {}))


def job(name, parallelism):
    one = workload("Job", name, version="batch/v1", restartPolicy="Never")
    del one["spec"]["selector"]
    return in_mixed(one, parallelism=parallelism, completions=parallelism)


# A mix of everything: pods that run, pods that wait (there is no scheduler), and what changes new ones.
CLUSTER = [
    made("Namespace", "mixed"),
    made("PriorityClass", "high", "scheduling.k8s.io/v1", value=1000),
    made("PriorityClass", "usual", "scheduling.k8s.io/v1", value=10, globalDefault=True),
    made("RuntimeClass", "boxed", "node.k8s.io/v1", handler="boxed", overhead={"podFixed": {"cpu": "250m"}}),
    made("StorageClass", "disk", "storage.k8s.io/v1", provisioner="disk.example", volumeBindingMode="WaitForFirstConsumer",
         metadata={"annotations": {"storageclass.kubernetes.io/is-default-class": "true"}}),
    made("PersistentVolume", "volume", spec={"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "disk",
                                             "hostPath": {"path": "/data"}}),
    made("PersistentVolumeClaim", "claim", metadata={"namespace": "mixed"},
         spec={"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}),
    made("LimitRange", "limits", metadata={"namespace": "mixed"},
         spec={"limits": [{"type": "Container", "defaultRequest": {"cpu": "300m"}, "max": {"cpu": "3"}}]}),
    made("ResourceQuota", "quota", metadata={"namespace": "mixed"}, spec={"hard": {"pods": "17"}}),
    made("HorizontalPodAutoscaler", "scaler", "autoscaling/v2", metadata={"namespace": "mixed"},
         spec={"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "placed"}, "minReplicas": 2, "maxReplicas": 9}),
    made("PodDisruptionBudget", "budget", "policy/v1", metadata={"namespace": "mixed"},
         spec={"minAvailable": 1, "selector": {"matchLabels": {"app": "placed"}}}),
    made("Service", "web", metadata={"namespace": "mixed"}, spec={"selector": {"app": "placed"}, "ports": [{"port": 80}]}),
    workload("Deployment", "placed", nodeName="node-0"),
    workload("Deployment", "waiting", nodeSelector={"kubernetes.io/os": "linux"}),
    workload("StatefulSet", "ordered", {"serviceName": "web"}, nodeName="node-1"),
    workload("DaemonSet", "everywhere"),
    job("once", 2),
    in_mixed(pod("single", nodeName="node-2", priorityClassName="high")),
    in_mixed(pod("gated", schedulingGates=[{"name": "example.com/wait"}])),
]


class Reading(Relayed):
    def limited(self, name, *absent, namespaced=()):
        """A user who may list everything but `absent`, and in the namespace mixed also what is in `namespaced`; the flags for it."""
        kept = [{"apiGroups": [group], "verbs": ["list", "get"], "resources": left}
                for group, plurals in RESOURCES.items() if (left := [one for one in plurals.split() if one not in absent])]
        api = "rbac.authorization.k8s.io"
        role = {"apiVersion": f"{api}/v1", "kind": "ClusterRole", "metadata": {"name": name}, "rules": kept}
        subject = [{"kind": "User", "name": name, "apiGroup": api}]
        self.plane.create(role, {"apiVersion": f"{api}/v1", "kind": "ClusterRoleBinding", "metadata": {"name": name}, "subjects": subject,
                                 "roleRef": {"apiGroup": api, "kind": "ClusterRole", "name": name}})
        if namespaced:
            rules = [{"apiGroups": ["", "apps", "batch", "autoscaling"], "verbs": ["list", "get"], "resources": list(namespaced)}]
            self.plane.create({"apiVersion": f"{api}/v1", "kind": "Role", "metadata": {"name": name, "namespace": "mixed"}, "rules": rules},
                              {"apiVersion": f"{api}/v1", "kind": "RoleBinding", "metadata": {"name": name, "namespace": "mixed"},
                               "subjects": subject, "roleRef": {"apiGroup": api, "kind": "Role", "name": name}})
        return ["--as", name]


class Pages(Reading):
    """More than 2,000 pods; they hold back at a gate, so that nobody does anything with them."""

    @classmethod
    def setUpClass(cls):
        api = cls.api = Api(cls.plane.folder)
        cls.addClassCleanup(api.close)
        cls.addClassCleanup(api.call, "DELETE", "/api/v1/namespaces/many/pods", {"gracePeriodSeconds": 0})
        api.call("POST", "/api/v1/namespaces", made("Namespace", "many"))
        for number in range(MANY):
            one = pod(f"p-{number:04}", namespace="many", schedulingGates=[{"name": "example.com/wait"}])
            api.call("POST", "/api/v1/namespaces/many/pods", one)

    def all_there(self, config):
        """Every pod is read, and read once; the probe has a place."""
        done = self.run_ksched("simulate", "-f", self.manifest(), "-o", "json", config=config)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        names = [one["name"] for one in report["pods"] if one["namespace"] == "many"]
        self.assertEqual((len(names), len(set(names))), (MANY, MANY))
        self.assertEqual([one["result"] for one in report["pods"] if one["name"] == "probe"], ["Scheduled"])

    def test_all_pages_come_over_one_connection(self):
        tunnel = self.tunnel("")
        self.all_there(self.config(server=f"https://127.0.0.1:{tunnel.port}"))
        self.assertEqual(tunnel.connections, 1)

    def test_pages_are_asked_for_one_after_the_other(self):
        relay = self.relay()
        self.all_there(self.config(server=relay.url))
        pages = relay.paths("/api/v1/pods")
        self.assertEqual(len(pages), 5)
        self.assertEqual(["continue=" in one for one in pages], [False, True, True, True, True])

    def test_a_page_that_breaks_off_is_read_again(self):
        cuts = iter([3000, 40000, 10])
        relay = self.relay(lambda one, _nth: Reply(cut=next(cuts, -1)) if "/api/v1/pods" in one.path and "continue" in one.path else None)
        self.all_there(self.config(server=relay.url, disable_compression=True))
        self.assertEqual(len(relay.paths("/api/v1/pods")), 8)

    def test_a_continue_token_that_expires(self):
        gone = status_reply(410, "Expired", "The provided continue parameter is too old")
        expired = []
        relay = self.relay(lambda one, _nth: gone if "continue" in one.path and not expired and not expired.append(1) else None)
        self.all_there(self.config(server=relay.url))
        self.assertEqual(len(relay.paths("/api/v1/pods")), 7)
        # One that does it always: the last try asks for the whole list.
        relay = self.relay(lambda one, _nth: gone if "continue" in one.path else None)
        self.all_there(self.config(server=relay.url))
        self.assertNotIn("limit=", relay.paths("/api/v1/pods")[-1])

    def test_the_servers_own_word_on_an_old_token(self):
        """The store is compacted, and one token is made to say a version before that."""
        self.plane.compact()
        aged = []

        def rule(one, _nth):
            if "continue=" not in one.path or aged:
                return None
            aged.append(old_token(one.path))
            return Reply(path=aged[0])
        relay = self.relay(rule)
        self.all_there(self.config(server=relay.url))
        self.assertEqual(len(relay.paths("/api/v1/pods")), 7)
        with self.assertRaisesRegex(Exception, "410.*too old"):
            self.api.get(aged[0])

    def test_the_server_is_killed_in_the_middle(self):
        """Killed by its process id while its answer is on the way; then it is started anew."""
        whole = self.tunnel("", on_answer=(sizes := []).append)
        self.all_there(self.config(server=f"https://127.0.0.1:{whole.port}"))
        killed = []

        def half_way(carried):
            if carried > sizes[-1] / 2 and not killed:
                killed.append(self.plane.kill("kube-apiserver"))
            return bool(killed)
        breaking = self.tunnel("", on_answer=half_way)
        try:
            line = self.fails(config=self.config(server=f"https://127.0.0.1:{breaking.port}"))
            self.assertIn("Unable to connect to the server", line)
            self.assertTrue(killed)
            self.assertIn("was refused", self.fails(config=self.config()))
        finally:
            self.start_again(killed[0] if killed else None)
        self.reaches(config=self.config())

    def start_again(self, command):
        if command is None:
            return
        self.plane.start_again("kube-apiserver", command)
        self.api.close()
        self.plane.wait_until_ready()


class Rights(Reading):
    """A kind that may not be listed: a warning where it cannot matter, an error where it can, nothing where it does not."""

    CLASS = {**PROBE, "spec": {**PROBE["spec"], "priorityClassName": "high"}}
    BOXED = {**PROBE, "spec": {**PROBE["spec"], "runtimeClassName": "boxed"}}
    NOTHING, WARNING, ERROR = "", "warning", "error"
    CASES = [  # the resource, what is created, what is said, and a word of the consequence
        ("nodes", PROBE, ERROR, "without nodes nothing can be said"),
        ("pods", PROBE, ERROR, "what the pods of the cluster take"),
        ("namespaces", PROBE, WARNING, "namespaces are taken to exist"),
        ("priorityclasses", PROBE, WARNING, "globalDefault"),
        ("priorityclasses", CLASS, ERROR, "high"),
        ("runtimeclasses", PROBE, NOTHING, ""),
        ("runtimeclasses", BOXED, ERROR, "boxed"),
        ("limitranges", PROBE, ERROR, "LimitRanger"),
        ("resourcequotas", PROBE, ERROR, "quota"),
        ("deployments", PROBE, NOTHING, ""),
        ("deployments", CLUSTER[12], ERROR, "--fresh"),
        ("replicasets", CLUSTER[12], ERROR, "--fresh"),
        ("horizontalpodautoscalers", CLUSTER[12], ERROR, "autoscaler"),
        ("statefulsets", CLUSTER[14], ERROR, "--fresh"),
        ("statefulsets", CLUSTER[12], NOTHING, ""),
        ("daemonsets", CLUSTER[15], ERROR, "--fresh"),
        ("jobs", CLUSTER[16], ERROR, "--fresh"),
        ("storageclasses", PROBE, NOTHING, ""),
    ]

    def test_each_kind(self):
        flags = {}
        for resource, one, expected, word in self.CASES:
            with self.subTest(resource, kind=one["kind"], expected=expected):
                if resource not in flags:
                    flags[resource] = self.limited(f"no-{resource}", resource)
                self.check(self.simulate(*flags[resource], manifest=self.manifest(one), config=self.config()), resource, expected, word)

    def check(self, done, resource, expected, word):
        lines = [line for line in done.stderr.splitlines() if "cannot list " + resource in line]
        if not expected:
            self.assertEqual((lines, done.returncode in (0, 1)), ([], True), done.stderr)
            return
        (line,) = lines
        self.assertTrue(line.startswith(expected + ": "), line)
        self.assertIn("is forbidden: User", line)
        self.assertIn(word, line)
        self.assertEqual((done.returncode == 3, done.stdout == ""), (expected == self.ERROR,) * 2)

    def test_flags_go_without_what_is_not_seen(self):
        limits = self.limited("no-limits", "limitranges", "resourcequotas")
        self.reaches(*limits, "--admission", "Priority", config=self.config())
        self.reaches(*limits, "--admission", "none", config=self.config())
        fresh = self.limited("no-deployments-fresh", "deployments", "replicasets", "horizontalpodautoscalers")
        done = self.simulate(*fresh, "--fresh", manifest=self.manifest(CLUSTER[12]), config=self.config())
        self.assertIn(done.returncode, (0, 1), done.stderr)

    def test_the_rights_in_the_namespace_are_enough(self):
        narrow = ["limitranges", "resourcequotas", "deployments", "replicasets", "statefulsets", "horizontalpodautoscalers", "services"]
        flags = self.limited("in-mixed", *narrow, namespaced=narrow)
        for manifest in ([in_mixed(pod("probe"))], [CLUSTER[12]]):
            everything = self.simulate("--explain", manifest=self.manifest(*manifest), config=self.config())
            some = self.simulate("--explain", *flags, manifest=self.manifest(*manifest), config=self.config())
            self.assertEqual((some.returncode, some.stdout), (everything.returncode, everything.stdout), some.stderr)
            self.assertNotIn("warning", some.stderr)

    def test_a_server_that_lacks_a_kind(self):
        """It has no objects of it, so nothing is missing; but a server without nodes is none."""
        lacking = ("resource.k8s.io", "runtimeclasses", "horizontalpodautoscalers")
        missing = status_reply(404, "NotFound", "the server could not find the requested resource")
        relay = self.relay(lambda one, _nth: missing if any(word in one.path for word in lacking) else None)
        done = self.simulate(config=self.config(server=relay.url))
        self.assertEqual((done.returncode, "cannot list" in done.stderr), (0, False), done.stderr)
        relay = self.relay(lambda one, _nth: missing if one.path.startswith("/api/v1/nodes") else None)
        self.assertIn("without nodes", self.fails(config=self.config(server=relay.url)))
        self.assertTrue(relay.paths("/apis/resource.k8s.io/"))

    def test_older_versions_of_a_kind(self):
        missing = status_reply(404, "NotFound", "the server could not find the requested resource")
        relay = self.relay(lambda one, _nth: missing if "/v2/horizontalpodautoscalers" in one.path else None)
        done = self.simulate(manifest=self.manifest(CLUSTER[12]), config=self.config(server=relay.url))
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertTrue(relay.paths("/v1/horizontalpodautoscalers"))


def limited(name, cpu):
    """A pod that may use no more than it asks for."""
    one = pod(name, cpu=cpu)
    one["spec"]["containers"][0]["resources"]["limits"] = {"cpu": cpu}
    return one


class Snapshots(Reading):
    """What is said of a snapshot is what is said of the cluster."""
    LARGER = in_mixed(deployment("placed", 5, "200m", "128Mi", nodeSelector={"kubernetes.io/os": "linux"}))
    MANIFESTS = {
        "nothing": [],
        "a pod": [PROBE],
        "classes": [in_mixed(pod("new", priorityClassName="high", runtimeClassName="boxed"))],
        "limits": [in_mixed(limited("over", "4")), in_mixed(pod("without-limit", cpu="4"))],
        "quota": [in_mixed(pod(f"new-{number}", cpu="100m")) for number in range(6)],
        "a rollout": [LARGER],
        "more replicas": [in_mixed(deployment("waiting", 4, "100m", "128Mi", nodeSelector={"kubernetes.io/os": "linux"}))],
        "workloads": CLUSTER[12:17] + [job("another", 2)],
        "a claim": [in_mixed(pod("with-claim", volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "claim"}}]))],
        "no such namespace": [pod("lost", namespace="nowhere")],
    }

    def snapshot(self, *flags):
        path = self.folder / "cluster.json.gz"
        done = self.run_ksched("snapshot", "-o", path, *flags, config=self.config())
        self.assertEqual(done.returncode, 0, done.stderr)
        return path, done.stderr

    def both(self, objects, snapshot, *flags):
        """The same question to the cluster and to the snapshot."""
        given = ["-f", self.manifest(*objects)] if objects else []
        common = ["simulate", *given, "-o", "json", "--explain"]
        live = self.run_ksched(*common, *flags, config=self.config())
        stored = self.run_ksched(*common, "--snapshot", snapshot)
        return live, stored

    def same(self, snapshot, *flags):
        for name, objects in self.MANIFESTS.items():
            with self.subTest(name, flags=flags):
                live, stored = self.both(objects, snapshot, *flags)
                self.assertEqual((live.returncode, said(live)), (stored.returncode, said(stored)), live.stderr + stored.stderr)
                self.assertEqual(live.stdout, stored.stdout)

    def test_of_everything(self):
        snapshot, line = self.snapshot()
        self.assertRegex(line, r"^\S+/cluster.json.gz: \d+ objects\n$")
        self.same(snapshot)
        rejected = self.both(self.MANIFESTS["quota"], snapshot)[0]
        self.assertIn("exceeded quota", rejected.stdout)
        refused = self.both(self.MANIFESTS["limits"], snapshot)[0].stdout
        self.assertIn("maximum cpu usage", refused)
        self.assertIn("must be less than or equal to cpu limit", refused, "the default limit is below the request")

    def test_of_a_user_who_sees_less(self):
        flags = self.limited("sees-less", "priorityclasses", "runtimeclasses", "deployments", "storageclasses", "namespaces")
        snapshot, lines = self.snapshot(*flags)
        self.assertIn("warning: the snapshot is without deployments.apps: ", lines)
        self.same(snapshot, *flags)

    def test_of_a_user_who_sees_it_in_a_namespace_only(self):
        narrow = ["limitranges", "resourcequotas"]
        flags = [*self.limited("sees-mixed", *narrow, namespaced=narrow), "-n", "mixed"]
        snapshot, _ = self.snapshot(*flags)
        live, stored = self.both([in_mixed(pod("probe"))], snapshot, *flags)
        self.assertEqual((live.returncode, live.stdout), (stored.returncode, stored.stdout), stored.stderr)

    def test_what_is_in_it(self):
        done = self.run_ksched("snapshot", "-o", "-", config=self.config())
        items = json.loads(done.stdout)["items"]
        self.assertEqual((items[0]["kind"], items[0]["serverVersion"]), ("ClusterSnapshot", "v1.37.2"))
        kinds = {one["kind"] for one in items}
        self.assertLessEqual({one["kind"] for one in CLUSTER}, kinds)
        self.assertFalse(kinds & {"Secret", "ConfigMap"})

    def test_a_failed_one_leaves_no_file(self):
        relay = self.relay(lambda one, _nth: Reply(cut=5) if "/pods" in one.path else None)
        self.one_error(self.run_ksched("snapshot", "-o", "s.json", config=self.config(server=relay.url)))
        self.assertEqual([path.name for path in self.folder.glob("s.json*")], [])


class Terminal(Reading):
    """A terminal sees that something goes on, and can end it."""

    def on_terminal(self, config):
        """A run whose input and standard error are a terminal of its own; its process id and the terminal's other end."""
        arguments = [self.ksched, "simulate", "-f", str(self.manifest()), "-o", "json"]
        environment, output = self.surroundings(config, TERM="xterm"), os.open(self.folder / "out", os.O_WRONLY | os.O_CREAT)
        process, terminal = pty.fork()
        if process == 0:
            os.dup2(output, 1)
            os.execve(arguments[0], arguments, environment)
        os.close(output)
        self.addCleanup(os.close, terminal)
        return process, terminal

    def read_until(self, terminal, found, seconds=30):
        """What the terminal shows until that is found in it, or it ends."""
        shown, end = b"", time.monotonic() + seconds
        while not found(shown) and time.monotonic() < end:
            if not select.select([terminal], [], [], 1)[0]:
                continue
            try:
                piece = os.read(terminal, 4096)
            except OSError:  # nobody writes any more
                break
            if not piece:
                break
            shown += piece
        return shown.decode()

    def status(self, process, seconds=30):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            done, status = os.waitpid(process, os.WNOHANG)
            if done:
                return status
            time.sleep(0.05)
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        return self.fail("the command did not end")

    def test_progress_is_shown_and_taken_away(self):
        """One list is late by three seconds; the others are there at once."""
        relay = self.relay(lambda one, _nth: time.sleep(3) if one.path.startswith("/api/v1/nodes") else None)
        process, terminal = self.on_terminal(self.config(server=relay.url))
        shown = self.read_until(terminal, lambda _text: False)
        self.assertEqual(os.waitstatus_to_exitcode(self.status(process)), 0)
        self.assertRegex(shown, r"reading the cluster: \d+ objects, \d+ of 29 lists")
        last = shown.split("\r\x1b[K")
        self.assertGreater(len(last), 1)
        self.assertNotIn("reading the cluster", last[-1])

    def test_progress_is_shown_while_nothing_comes(self):
        relay = self.relay(lambda *_: Reply(hang=True))
        process, terminal = self.on_terminal(self.config(server=relay.url))
        shown = self.read_until(terminal, lambda text: b"reading the cluster" in text, seconds=5)
        os.write(terminal, b"\x03")
        self.status(process)
        self.assertIn("reading the cluster", shown)

    def test_no_progress_without_a_terminal(self):
        relay = self.relay(lambda one, _nth: time.sleep(1.5) if one.path.startswith("/api/v1/nodes") else None)
        done = self.simulate(config=self.config(server=relay.url))
        self.assertEqual((done.returncode, "reading" in done.stderr), (0, False))

    def test_interrupted_while_it_reads(self):
        relay = self.relay(lambda *_: Reply(hang=True))
        process, terminal = self.on_terminal(self.config(server=relay.url))
        self.plane.wait("a request", relay.paths, seconds=30)
        os.write(terminal, b"\x03")
        self.assertEqual(os.waitstatus_to_exitcode(self.status(process)), -signal.SIGINT)

    def test_interrupted_with_its_plugin(self):
        """The plugin ignores the terminal's signal; it ends with the command all the same."""
        plugin = self.write("plugin", f"#!/bin/sh\ntrap '' INT\necho $$ > {self.folder}/plugin.pid.new\n"
                                      f"mv {self.folder}/plugin.pid.new {self.folder}/plugin.pid\nexec sleep 600\n")
        plugin.chmod(0o755)
        user = {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": str(plugin), "interactiveMode": "Never"}}
        process, terminal = self.on_terminal(self.config(user))
        running = self.folder / "plugin.pid"
        self.plane.wait("the plugin", running.exists, seconds=30)
        os.write(terminal, b"\x03")
        self.assertEqual(os.waitstatus_to_exitcode(self.status(process)), -signal.SIGINT)
        self.plane.wait("the plugin's end", lambda: not alive(int(running.read_text())), seconds=10)


class Versions(Reading):
    SCHEDULER = {
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "kube-scheduler-x", "namespace": "kube-system"},
        "spec": {"nodeName": "node-0", "containers": [{
            "name": "kube-scheduler", "image": "registry.k8s.io/kube-scheduler:v1.36.0",
            "command": ["kube-scheduler", "--config=/etc/kubernetes/scheduler.yaml", "--feature-gates=OpportunisticBatching=false"],
            "volumeMounts": [{"name": "config", "mountPath": "/etc/kubernetes"}]}],
            "volumes": [{"name": "config", "configMap": {"name": "scheduler-config"}}]}}

    def test_what_the_cluster_runs(self):
        done = self.run_ksched("version", config=self.config())
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("API server: v1.37.2\nkube-scheduler: no pod of it in kube-system", done.stdout)
        self.plane.create(self.SCHEDULER)
        self.addCleanup(self.plane.kubectl, "delete", "pod", "-n", "kube-system", "kube-scheduler-x", "--force", "--grace-period=0")
        done = self.run_ksched("version", config=self.config())
        self.assertEqual(done.returncode, 0)
        self.assertIn("kube-scheduler: kube-system/kube-scheduler-x: v1.36.0 --config=/etc/kubernetes/scheduler.yaml "
                      "--feature-gates=OpportunisticBatching=false\n", done.stdout)
        self.warned(done.stderr)
        done = self.simulate("-v", config=self.config())
        self.assertEqual((done.returncode, json.loads(done.stdout)["summary"]["scheduled"]), (0, 1))
        self.assertIn("kube-scheduler: kube-system/kube-scheduler-x: v1.36.0", done.stderr)
        self.warned(done.stderr)
        done = self.simulate("-v", "--feature-gates", "OpportunisticBatching=false", config=self.config())
        self.assertNotIn("pass them as --feature-gates", done.stderr)

    def warned(self, text):
        warnings = [line for line in text.splitlines() if line.startswith("warning: kube-system/kube-scheduler-x")]
        self.assertEqual(len(warnings), 3, text)
        for word, line in zip(("v1.36.0", "ConfigMap kube-system/scheduler-config", "OpportunisticBatching=false"), warnings):
            self.assertIn(word, line)

    def test_who_may_not_see_it(self):
        flags = self.limited("no-pods-for-version", "pods")
        done = self.run_ksched("version", *flags, config=self.config())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("kube-scheduler: not known: ", done.stdout)


def said(done):
    """The lines on standard error, without the server's words on what was forbidden: a snapshot asks for all namespaces, a run for one at last."""
    return [re.sub(r"Error from server .*\(GET \S+\)", "forbidden", line) for line in done.stderr.splitlines()]


def old_token(path):
    """The path with a continue token that is of the store's second version."""
    url = urllib.parse.urlsplit(path)
    query = dict(urllib.parse.parse_qsl(url.query))
    token = query["continue"]
    fields = json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
    fields["rv"] = 2
    query["continue"] = base64.urlsafe_b64encode(json.dumps(fields, separators=(",", ":")).encode()).decode().rstrip("=")
    return f"{url.path}?{urllib.parse.urlencode(query)}"
