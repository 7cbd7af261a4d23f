"""`kubectl ksched bind`: pods that wait are bound by hand, on a control plane whose scheduler does not run."""

import datetime
import json
import pathlib
import signal
import subprocess
import threading

from control_plane import ControlPlane
from live import Relayed
from local_volumes import CLASSES, claim, volume
from own_space import PRIORITIES, OwnSpace
from relay import Reply, closed_port
from rest import Api

MANIFESTS = pathlib.Path(__file__).resolve().parents[2] / "plugin-manifest"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"


class Through:
    """Watches go through a relay as they come."""
    of = staticmethod(iter)


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


class Binding(OwnSpace, Relayed):
    """The command may do what rbac/bind.yaml says, and no more."""

    @classmethod
    def setUpClass(cls):
        cls.plane = ControlPlane.of_class(cls, nodes=1, scheduler_config=None)
        cls.api = Api(cls.plane.folder)
        cls.addClassCleanup(cls.api.close)
        cls.plane.create(*PRIORITIES, *CLASSES)
        cls.plane.kubectl("apply", "-f", MANIFESTS / "rbac/bind.yaml")
        cls.plane.kubectl("create", "serviceaccount", "binder")
        cls.plane.kubectl("create", "clusterrolebinding", "binder", "--clusterrole=ksched-bind", "--serviceaccount=default:binder")
        cls.user = {"token": cls.plane.kubectl("create", "token", "binder").strip()}

    def bind(self, *arguments, status=0, server=None, namespace=""):
        config = self.config(self.user, namespace=self.space if namespace == "" else namespace, server=server)
        done = self.run_ksched("bind", *arguments, config=config)
        self.assertEqual(done.returncode, status, f"{done.stdout}\n{done.stderr}")
        return done

    def start(self, *arguments):
        """The command goes on; its process is returned."""
        process = subprocess.Popen([self.ksched, "bind", *map(str, arguments)], env=self.surroundings(self.config(self.user, namespace=self.space)),
                                   cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        return process

    def lease(self, name, holder="somebody"):
        """As one that holds it now."""
        self.api.call("POST", LEASES, {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": name, "namespace": "kube-system"},
                                       "spec": {"holderIdentity": holder, "leaseDurationSeconds": 600, "renewTime": now()}})
        self.addCleanup(lambda: self.api.find(f"{LEASES}/{name}") and self.api.call("DELETE", f"{LEASES}/{name}"))

    def bind_by_another(self, name, place):
        """As somebody else would do it meanwhile."""
        api = Api(self.plane.folder)
        try:
            api.call("POST", f"{self.path(name)}/binding", {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name},
                                                            "target": {"kind": "Node", "name": place}})
        finally:
            api.close()

    def victims(self, place, count=2, cpu="1500m"):
        names = [f"old-{i}" for i in range(count)]
        self.plane.create(*(self.pod(name, cpu, priorityClassName="low") for name in names))
        self.bind(*names, "--node", place)
        for name in names:
            self.plane.wait(f"{name} to run", lambda name=name: any(
                c["type"] == "Ready" and c["status"] == "True" for c in self.find(name)["status"].get("conditions", [])))
        return names

    # ---- which pods ----

    def test_one(self):
        place = self.node("a")
        self.plane.create(self.pod("web"), self.pod("other"))
        done = self.bind("pod/web")
        self.assertEqual(done.stdout, f"pod/web bound to node {place}\n")
        self.assertIn('no profile is for the scheduler "nobody": its pods are handled as those of "default-scheduler"', done.stderr)
        self.assertEqual((self.node_of("web"), self.node_of("other")), (place, None))
        (event,) = self.events("web", "Scheduled")
        self.assertEqual((event["note"], event["reportingController"]), (f"Successfully assigned {self.space}/web to {place}", "nobody"))
        done = self.bind("web", status=1)
        self.assertIn(f"error: pod {self.space}/web: it is bound to node {place} already\n", done.stderr)

    def test_several_by_a_selector(self):
        self.node("a")
        self.node("b")
        for i in range(4):
            one = self.pod(f"web-{i}", "1500m")
            one["metadata"]["labels"] = {"app": "web"}
            self.plane.create(one)
        self.plane.create(self.pod("other"))
        done = self.bind("-l", "app=web", "-o", "name")
        self.assertEqual(sorted(done.stdout.split()), [f"pod/web-{i}" for i in range(4)])
        places = [self.node_of(f"web-{i}") for i in range(4)]
        self.assertEqual(sorted(places), [f"{self.space}-a"] * 2 + [f"{self.space}-b"] * 2)
        self.assertIsNone(self.node_of("other"))
        done = self.bind("-l", "app=web")
        self.assertEqual((done.stdout, done.stderr), ("", f"No pending pods found in {self.space} namespace.\n"))

    def test_all_and_those_that_cannot(self):
        place = self.node("a")
        self.plane.create(self.pod("web"), self.pod("large", "20"), self.pod("gated", schedulingGates=[{"name": "example.com/wait"}]))
        done = self.bind("--all", "-o", "json", status=1)
        pods = {one["name"]: one for one in json.loads(done.stdout)["pods"]}
        self.assertEqual({name: one["result"] for name, one in pods.items()}, {"web": "Bound", "large": "NotBound", "gated": "NotBound"})
        self.assertEqual(pods["web"]["node"], place)
        self.assertIn("1 Insufficient cpu", pods["large"]["reason"])
        self.assertEqual(pods["gated"]["reason"], "it is held back by its scheduling gates: example.com/wait")
        self.assertIsNone(next((c for c in self.find("large")["status"].get("conditions", []) if c["type"] == "PodScheduled"), None))
        self.api.merge(self.path("gated"), {"spec": {"schedulingGates": None}})
        done = self.bind("--all", "--field-selector", "metadata.name=gated")
        self.assertEqual(done.stdout, f"pod/gated bound to node {place}\n")
        self.plane.create(self.pod("late"))
        done = self.bind("--all", "-A", "--field-selector", f"metadata.namespace={self.space},metadata.name!=large", namespace=None)
        self.assertEqual(done.stdout, f"pod/late bound to node {place}\n")

    def test_what_is_not_there(self):
        done = self.bind("web", "pod/db", status=1)
        self.assertIn(f'error: pod {self.space}/web: pods "web" not found\n', done.stderr)
        self.assertIn(f'error: pod {self.space}/db: pods "db" not found\n', done.stderr)
        self.assertIn("say which pods", self.bind(status=2).stderr)
        self.assertIn("only pods can be bound", self.bind("deploy/web", status=2).stderr)
        self.plane.create(self.pod("web"))
        self.assertIn("was refused", self.bind("web", server=f"https://127.0.0.1:{closed_port()}", status=3).stderr)
        self.assertIn('nodes "nowhere" not found', self.bind("web", "--node", "nowhere", status=1).stderr)

    # ---- which node ----

    def test_node_that_is_asked_for(self):
        self.node("a")
        place = self.node("b", cpu="1")  # the least good one
        self.plane.create(self.pod("web", "500m"), self.pod("db", "900m"))
        self.bind("web", "--node", place)
        self.assertEqual(self.node_of("web"), place)
        self.plane.kubectl("taint", "node", place, "more=x:NoSchedule")
        done = self.bind("db", "--node", place, status=1)
        self.assertEqual(done.stdout, "")
        self.assertIn(f"error: pod {self.space}/db: node {place} does not pass: ", done.stderr)
        self.assertIn("node(s) had untolerated taint(s) (TaintToleration); Insufficient cpu (NodeResourcesFit)", done.stderr)
        self.assertIsNone(self.node_of("db"))
        done = self.bind("db", "--node", place, "--force-node")
        self.assertIn(f"warning: pod {self.space}/db: node {place} does not pass, and it is bound there all the same: ", done.stderr)
        self.assertIn("Insufficient cpu (NodeResourcesFit)", done.stderr)
        self.assertEqual(done.stdout, f"pod/db bound to node {place}\n")
        self.assertEqual(self.node_of("db"), place)

    # ---- dry runs ----

    def test_dry_runs_write_nothing(self):
        place = self.node("a")
        self.plane.create(self.pod("web", "3"), self.pod("db", "3"))
        before = [self.find(name) for name in ("web", "db")]
        relay = self.relay(repeats=Through())
        done = self.bind("--all", "--dry-run=client", status=1, server=relay.url)
        self.assertRegex(done.stdout, rf"^pod/(web|db) bound to node {place} \(dry run\)\n$")
        self.assertIn("1 Insufficient cpu", done.stderr)
        self.assertEqual({one.method for one in relay.seen}, {"GET"})
        relay = self.relay(repeats=Through())
        done = self.bind("web", "--dry-run=server", server=relay.url)
        self.assertEqual(done.stdout, f"pod/web bound to node {place} (server dry run)\n")
        self.assertEqual([one.path for one in relay.seen if one.method != "GET"], [f"{self.path('web')}/binding?dryRun=All"])
        self.assertEqual([self.find(name) for name in ("web", "db")], before)

    # ---- schedulers that run ----

    def test_schedulers_that_run_have_their_pods(self):
        place = self.node("a")
        self.plane.create(self.pod("web", scheduler="default-scheduler"), self.pod("db", scheduler="mine"))
        self.lease("kube-scheduler", "node-1_x")
        said = 'its scheduler "default-scheduler" runs: the Lease kube-system/kube-scheduler is held by node-1_x (--force binds all the same)'
        done = self.bind("web", status=1)
        self.assertIn(f"error: pod {self.space}/web: {said}\n", done.stderr)
        done = self.bind("--all")
        self.assertIn(f"pod {self.space}/web is left out: {said}\n", done.stderr)
        self.assertEqual((self.node_of("web"), self.node_of("db")), (None, place))
        self.bind("web", "--force")
        self.assertEqual(self.node_of("web"), place)

    def test_ksched_that_runs_has_its_pods(self):
        place = self.node("a")
        self.plane.create(self.pod("own", "20", scheduler="ksched"))
        log = open(self.folder / "run.log", "wb")
        runner = subprocess.Popen([self.ksched, "run", "--secure-port", "0"], env=self.surroundings(self.config()), stdin=subprocess.DEVNULL,
                                  stdout=log, stderr=log)
        self.addCleanup(lambda: runner.poll() is None and runner.kill())
        self.plane.wait("it to lead", lambda: "leading" in (self.folder / "run.log").read_text())
        self.assertIn("the Lease kube-system/ksched is held by", self.bind("own", "--node", place, "--force-node", status=1).stderr)
        runner.terminate()
        runner.wait(40)
        log.close()
        self.bind("own", "--node", place, "--force-node")

    # ---- preemption ----

    def test_preemption_is_named_and_stops(self):
        place = self.node("a")
        names = self.victims(place)
        self.plane.create(self.pod("new", "3500m", priorityClassName="high"))
        before = self.find("new")
        done = self.bind("new", status=1)
        self.assertIn(f"error: pod {self.space}/new: it fits only without less important pods (--preempt evicts them): on node {place} without ",
                      done.stderr)
        for name in names:
            self.assertIn(f"{self.space}/{name} (priority -5)", done.stderr)
            self.assertNotIn("deletionTimestamp", self.find(name)["metadata"])
        self.assertEqual(self.find("new"), before)
        done = self.bind("new", "--preempt", "--dry-run=client")
        self.assertRegex(done.stdout, rf"pod/new bound to node {place} when .*old-.* are gone \(dry run\)")
        self.assertEqual(self.find("new"), before)

    def test_preemption_waits_for_budgets(self):
        place = self.node("a")
        names = self.victims(place)
        budget = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "keep", "namespace": self.space},
                  "spec": {"minAvailable": 2, "selector": {"matchExpressions": [{"key": "app", "operator": "In", "values": names}]}}}
        self.plane.create(budget)
        path = f"/apis/policy/v1/namespaces/{self.space}/poddisruptionbudgets/keep"
        self.plane.wait("the budget", lambda: self.api.get(path).get("status", {}).get("currentHealthy") == 2)
        self.plane.create(self.pod("new", "3500m", priorityClassName="high"))
        done = self.bind("new", "--preempt", "--timeout", "3s", status=1)
        self.assertIn("not while its disruption budget forbids it: keep", done.stderr)
        self.assertIn(f"error: pod {self.space}/new: it was not bound within 3s: it waits for ", done.stderr)
        self.assertTrue(all(self.find(name) for name in names))
        self.assertFalse(self.find("new")["status"].get("nominatedNodeName"), "nobody was evicted for it")
        process = self.start("new", "--preempt", "--timeout", "0")
        self.plane.wait("the nomination", lambda: self.find("new")["status"].get("nominatedNodeName") == place)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
        self.assertEqual((process.returncode, out), (1, ""), err)
        self.assertIn(f"error: pod {self.space}/new: it was interrupted before it was bound: it waits for ", err)
        process = self.start("new", "--preempt", "--timeout", "60s")
        self.plane.wait("the nomination", lambda: self.find("new")["status"].get("nominatedNodeName") == place)
        threading.Event().wait(1)
        self.assertIsNone(process.poll())
        self.assertTrue(all(self.find(name) for name in names))
        self.api.merge(path, {"spec": {"minAvailable": 0}})
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (0, f"pod/new bound to node {place}\n"), err)
        for name in names:
            self.assertIsNone(self.find(name))
            self.assertIn(f"pod {self.space}/{name}: gone\n", err)
        self.assertEqual(self.node_of("new"), place)

    def test_preemption_waits_for_those_that_leave(self):
        place = self.node("a")
        (old,) = self.victims(place, 1, "3")
        self.api.merge(self.path(old), {"metadata": {"finalizers": ["example.com/slow"]}})
        self.plane.create(self.pod("new", "3500m", priorityClassName="high"))
        done = self.bind("new", "--preempt", "--timeout", "2s", status=1)
        self.assertIn(f"it was not bound within 2s: it waits for {self.space}/{old}", done.stderr)
        self.assertIn("deletionTimestamp", self.find(old)["metadata"])
        self.assertIn("(priority -5, leaving already)", self.bind("new", status=1).stderr)
        process = self.start("new", "--preempt")
        threading.Event().wait(2)
        self.assertIsNone(process.poll())
        self.api.merge(self.path(old), {"metadata": {"finalizers": None}})
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (0, f"pod/new bound to node {place}\n"), err)

    # ---- what happens meanwhile ----

    def test_bound_by_another_before_the_check(self):
        places = [self.node(end) for end in "ab"]
        self.plane.create(self.pod("web"))
        looks = []

        def rule(seen, _nth):
            if seen.method == "GET" and seen.path == self.path("web"):
                looks.append(seen)
                if len(looks) == 2:
                    self.bind_by_another("web", places[1])
        relay = self.relay(rule, repeats=Through())
        done = self.bind("web", "--node", places[0], status=1, server=relay.url)
        self.assertIn(f"error: pod {self.space}/web: it is bound to node {places[1]} already\n", done.stderr)
        self.assertFalse([one for one in relay.seen if one.method == "POST" and "/pods/" in one.path])
        self.assertEqual(self.node_of("web"), places[1])

    def test_bound_by_another_after_the_check(self):
        places = [self.node(end) for end in "ab"]
        self.plane.create(self.pod("web"))

        def rule(seen, _nth):
            if seen.method == "POST" and seen.path.endswith("/binding"):
                self.bind_by_another("web", places[1])
        relay = self.relay(rule, repeats=Through())
        done = self.bind("web", "--node", places[0], status=1, server=relay.url)
        self.assertIn("is already assigned to node", done.stderr)
        self.assertEqual((done.stdout, self.node_of("web")), ("", places[1]))

    def test_answer_that_is_lost(self):
        place = self.node("a")
        self.plane.create(self.pod("web"))

        def rule(seen, _nth):
            return Reply(cut=0) if seen.path.endswith("/binding") else None
        relay = self.relay(rule, repeats=Through())
        self.assertEqual(self.bind("web", server=relay.url).stdout, f"pod/web bound to node {place}\n")
        self.assertEqual(len(relay.paths("/binding")), 1)

    def test_node_that_has_become_bad(self):
        places = [self.node(end) for end in "ab"]
        self.plane.create(self.pod("web"))
        cordoned = []

        def rule(seen, _nth):
            name = seen.path.rsplit("/", 1)[1]
            if seen.method == "GET" and name in places and not cordoned:
                cordoned.append(name)
                self.plane.kubectl("cordon", name)
        relay = self.relay(rule, repeats=Through())
        done = self.bind("web", server=relay.url)
        self.assertRegex(done.stderr, rf"node {cordoned[0]} does not pass any more: node\(s\) were unschedulable \(NodeUnschedulable\).*: looking for another node\n")
        self.assertNotEqual(self.node_of("web"), cordoned[0])

    # ---- volumes ----

    def test_volumes_are_bound_before_the_pod(self):
        self.node("a")
        wanted = self.node("b")
        self.plane.create(volume(1, wanted, "5Gi"), {**claim("data", "1Gi"), "metadata": {"name": "data", "namespace": self.space}})
        self.plane.create(self.pod("user", volumes=[{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]))
        self.assertIn(wanted, self.bind("user", "--dry-run=client").stdout)
        self.assertEqual(self.bind("user").stdout, f"pod/user bound to node {wanted}\n")
        claimed = self.api.get(f"/api/v1/namespaces/{self.space}/persistentvolumeclaims/data")
        self.assertEqual((claimed["status"]["phase"], claimed["spec"]["volumeName"]), ("Bound", f"{wanted}-1"))
        self.plane.create(self.pod("lost", volumes=[{"name": "data", "persistentVolumeClaim": {"claimName": "none"}}]))
        done = self.bind("lost", "--node", wanted, status=1)
        self.assertIn(f'node {wanted} does not pass: persistentvolumeclaim "none" not found (', done.stderr)
        self.bind("lost", "--node", wanted, "--force-node")
        self.assertEqual(self.node_of("lost"), wanted)


if __name__ == "__main__":
    raise SystemExit("run.py runs this")
