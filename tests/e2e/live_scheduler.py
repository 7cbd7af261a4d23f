"""`kubectl ksched run`: a second scheduler beside the real one, and what it writes."""

import json
import pathlib
import signal
import subprocess
import time

import yaml

from control_plane import ControlPlane
from local_volumes import CLASSES, claim, volume
from own_space import PRIORITIES, OwnSpace
from pod_by_pod import scheduler_config, verdict
from rest import Api
from scenario_player import SELECTED_NODE, made_volume

MANIFESTS = pathlib.Path(__file__).resolve().parents[2] / "plugin-manifest"
LEASE = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/ksched"


class Runner:
    """A scheduler that runs: what it says goes to a file. It may do what the ServiceAccount of rbac/run.yaml may, if the plane has that."""
    command = ("run", "--secure-port", "0")

    def __init__(self, test, *arguments, config=None, name="run", variables=None):
        self.test, self.log = test, test.folder / f"{name}.log"
        with open(self.log, "wb") as log:
            command = [test.ksched, *self.command, *map(str, arguments)]
            self.process = subprocess.Popen(command, env=test.surroundings(config or test.config(getattr(test, "user", None)), **(variables or {})), cwd=test.folder,
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        test.addCleanup(self.end)

    def said(self):
        return self.log.read_text()

    def wait_for(self, text, seconds=60):
        end = time.monotonic() + seconds
        while text not in self.said():
            if time.monotonic() > end or self.process.poll() is not None:
                self.test.fail(f"it did not say {text!r}, but:\n{self.said()}")
            time.sleep(0.02)
        return self

    def stop(self, number=signal.SIGTERM, seconds=40):
        """The status that it ends with."""
        self.process.send_signal(number)
        return self.process.wait(seconds)

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


class Scheduling(OwnSpace):
    """One plane for all."""

    @classmethod
    def setUpClass(cls):
        cls.plane = ControlPlane.of_class(cls, nodes=2, scheduler_config=scheduler_config())
        cls.api = Api(cls.plane.folder)
        cls.addClassCleanup(cls.api.close)
        cls.plane.create(*PRIORITIES, *CLASSES)
        cls.plane.kubectl("apply", "-f", MANIFESTS / "rbac/run.yaml")
        cls.user = {"token": cls.plane.kubectl("create", "token", "ksched", "-n", "kube-system").strip()}

    def pod(self, name, cpu="1", scheduler="ksched", **spec):
        return super().pod(name, cpu, scheduler, **spec)

    def until(self, what, condition, runner, seconds=40):
        try:
            return self.plane.wait(what, condition, seconds, pause=0.05)
        except RuntimeError as late:
            self.fail(f"{late}; it said:\n{runner.said()}\n{json.dumps([self.api.get(self.path(''))])[-3000:]}")

    def placed(self, name, runner, seconds=40):
        return self.until(f"a node for {name}", lambda: (self.find(name) or {"spec": {}})["spec"].get("nodeName"), runner, seconds)

    def test_pods_of_its_name_are_bound_and_no_others(self):
        self.node("a")
        runner = Runner(self).wait_for("leading")
        self.plane.create(self.pod("ours"), self.pod("theirs", scheduler="default-scheduler"), self.pod("nobodys", scheduler="other"))
        self.assertEqual(self.placed("ours", runner), f"{self.space}-a")
        (event,) = self.until("its event", lambda: self.events("ours", "Scheduled"), runner)
        self.assertEqual((event["note"], event["type"], event["action"], event["reportingController"]),
                         (f"Successfully assigned {self.space}/ours to {self.space}-a", "Normal", "Binding", "ksched"))
        condition = next(c for c in self.find("ours")["status"]["conditions"] if c["type"] == "PodScheduled")
        self.assertEqual(condition["status"], "True")
        (event,) = self.until("the other one's event", lambda: self.events("theirs", "Scheduled"), runner)
        self.assertEqual(event["reportingController"], "default-scheduler")
        self.assertNotIn("nodeName", self.find("nobodys")["spec"])
        self.assertEqual(runner.stop(), 0, runner.said())
        self.assertIn("1 pods bound, 0 bindings failed", runner.said())
        self.assertFalse(self.api.get(LEASE)["spec"].get("holderIdentity"), "the lease is given back")

    def test_a_pod_without_a_node_says_why_as_the_real_one_does(self):
        self.node("a")
        runner = Runner(self).wait_for("leading")
        self.plane.create(self.pod("ours", cpu="20"), self.pod("theirs", cpu="20", scheduler="default-scheduler"))
        ours = self.until("its condition", lambda: verdict(self.find("ours")), runner)
        theirs = self.until("the other one's condition", lambda: verdict(self.find("theirs")), runner)
        for one in (ours, theirs):
            one.pop("lastTransitionTime"), one.pop("lastProbeTime")
        self.assertEqual(ours, theirs)
        self.assertIn("1 Insufficient cpu", ours["message"])
        (event,) = self.until("its event", lambda: self.events("ours", "FailedScheduling"), runner)
        (other,) = self.until("the other one's event", lambda: self.events("theirs", "FailedScheduling"), runner)
        for field in ("note", "type", "action"):
            self.assertEqual(event[field], other[field])
        self.node("large", cpu="64")
        self.assertEqual(self.placed("ours", runner), f"{self.space}-large")

    def test_a_more_important_pod_preempts(self):
        place = self.node("a")
        self.plane.create(*(self.pod(f"old-{i}", cpu="1500m", priorityClassName="low", terminationGracePeriodSeconds=0) for i in range(2)))
        runner = Runner(self).wait_for("leading")
        for i in range(2):
            self.placed(f"old-{i}", runner)
        since = self.api.get(self.path(""))["metadata"]["resourceVersion"]
        self.plane.create(self.pod("new", cpu="3500m", priorityClassName="high"))
        self.assertEqual(self.placed("new", runner), place)
        self.assertEqual([self.find(f"old-{i}") for i in range(2)], [None, None])
        self.plane.create(self.pod("end", cpu="1m"))
        seen = list(self.api.events(self.path(""), since, lambda event: event["object"]["metadata"]["name"] == "end"))
        self.assertTrue(any(e["object"]["status"].get("nominatedNodeName") == place for e in seen if e["object"]["metadata"]["name"] == "new"))
        for i in range(2):
            reasons = [c["reason"] for e in seen if e["object"]["metadata"]["name"] == f"old-{i}"
                       for c in e["object"]["status"].get("conditions", []) if c["type"] == "DisruptionTarget"]
            self.assertIn("PreemptionByScheduler", reasons)
            (event,) = self.until("its event", lambda i=i: self.events(f"old-{i}", "Preempted"), runner)
            self.assertRegex(event["note"], f"Preempted by pod [-0-9a-f]+ on node {place}")

    def test_volumes_are_bound_before_the_pod(self):
        for end in "ab":
            self.node(end)
        wanted = f"{self.space}-b"
        self.plane.create(volume(1, wanted, "5Gi"), {**claim("data", "1Gi"), "metadata": {"name": "data", "namespace": self.space}})
        runner = Runner(self).wait_for("leading")
        self.plane.create(self.pod("user", volumes=[{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]))
        self.assertEqual(self.placed("user", runner), wanted)
        claimed = self.api.get(f"/api/v1/namespaces/{self.space}/persistentvolumeclaims/data")
        self.assertEqual((claimed["status"]["phase"], claimed["spec"]["volumeName"]), ("Bound", f"{wanted}-1"))
        bound = self.api.get(f"/api/v1/persistentvolumes/{wanted}-1")
        self.assertEqual(bound["metadata"]["annotations"]["pv.kubernetes.io/bound-by-controller"], "yes")

    def test_a_binding_of_volumes_that_takes_too_long_is_tried_again(self):
        """A volume that is to be made, by a provisioner that is late; the real controller binds it."""
        name = self.node("a")
        slow = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "slow"}, "provisioner": "e2e.example/slow",
                "volumeBindingMode": "WaitForFirstConsumer"}
        wanted = claim("data", "1Gi", "slow")
        wanted["metadata"]["namespace"] = self.space
        self.plane.create(slow, wanted)
        arguments = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "VolumeBindingArgs", "bindTimeoutSeconds": 2}
        config = self.write("scheduler.json", {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "profiles": [
            {"schedulerName": "ksched", "pluginConfig": [{"name": "VolumeBinding", "args": arguments}]}]})
        runner = Runner(self, "--config", config, "--leader-elect-resource-name", "ksched").wait_for("leading")
        self.plane.create(self.pod("user", volumes=[{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]))
        path = f"/api/v1/namespaces/{self.space}/persistentvolumeclaims/data"
        self.until("the claim's node", lambda: self.api.get(path)["metadata"].get("annotations", {}).get(SELECTED_NODE) == name, runner)
        late = self.until("its condition", lambda: verdict(self.find("user")), runner)
        self.assertEqual(late["reason"], "SchedulerError")
        self.assertIn("binding volumes: context deadline exceeded", late["message"])
        self.assertNotIn("nodeName", self.find("user")["spec"])
        found = self.api.get(path)
        self.plane.create(made_volume(found, name))
        self.assertEqual(self.placed("user", runner), name)
        self.assertEqual(self.api.get(path)["spec"]["volumeName"], f"pvc-{found['metadata']['uid']}")

    def test_a_more_important_pod_overtakes_those_that_wait_to_be_written(self):
        self.node("a", "40", extra={"pods": "500", "memory": "64Gi"})
        self.plane.create(*(self.pod(f"many-{number}", "10m") for number in range(300)))
        runner = Runner(self, "--kube-api-qps", "20", "--kube-api-burst", "20").wait_for("leading")
        self.until("the first", lambda: self.bound() >= 1, runner)
        self.plane.create(self.pod("important", "10m", priorityClassName="high"))
        self.placed("important", runner)
        self.assertLess(self.bound(), 250)
        self.until("all others", lambda: self.bound() == 301, runner)

    def bound(self):
        return sum("nodeName" in one["spec"] for one in self.api.get(self.path(""))["items"])

    def test_a_standby_takes_over(self):
        self.node("a")
        quick = ("--leader-elect-lease-duration", "3s", "--leader-elect-renew-deadline", "2s", "--leader-elect-retry-period", "300ms")
        first = Runner(self, *quick, name="first").wait_for("leading")
        second = Runner(self, *quick, "-v", "1", name="second").wait_for("the leader is ")
        self.plane.create(self.pod("one"))
        self.placed("one", first)
        first.process.kill()
        self.plane.create(self.pod("two"))
        self.placed("two", second)
        third = Runner(self, *quick, "-v", "1", name="third").wait_for("the leader is ")
        began = time.monotonic()
        self.assertEqual(second.stop(), 0)
        self.plane.create(self.pod("three"))
        self.placed("three", third)
        self.assertLess(time.monotonic() - began, 20)
        for runner, bound in ((second, 1), (third, 1)):
            runner.process.poll() is None and runner.stop()
            self.assertIn(f"{bound} pods bound, 0 bindings failed", runner.said())

    def test_a_standby_that_watches_nothing(self):
        """delayCacheUntilActive: the cluster is listed by the one that leads only."""
        self.node("a")
        config = self.folder / "config.yaml"
        config.write_text(json.dumps({"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
                                      "delayCacheUntilActive": True, "profiles": [{"schedulerName": "ksched"}],
                                      "leaderElection": {"leaseDuration": "3s", "renewDeadline": "2s", "retryPeriod": "300ms"}}))
        first = Runner(self, "--config", config, name="first").wait_for("the cluster is known")
        self.assertLess(first.said().index("leading"), first.said().index("the cluster is known"))
        second, third = [Runner(self, "--config", config, "-v", "1", name=name).wait_for("the leader is ") for name in ("second", "third")]
        self.plane.create(self.pod("one"))
        self.placed("one", first)
        self.assertEqual(third.stop(), 0)
        self.assertNotIn("the cluster is known", second.said() + third.said())
        self.assertEqual(first.stop(), 0)
        self.plane.create(self.pod("two"))
        self.placed("two", second)
        self.assertEqual(second.stop(), 0)
        self.assertIn("1 pods bound, 0 bindings failed", second.said())

    def test_the_deployment_is_one_that_strict_clusters_take(self):
        """The API server takes it, and its pods in a namespace that enforces the strictest Pod Security Standard."""
        path = MANIFESTS / "run/deployment.yaml"
        self.plane.kubectl("apply", "--dry-run=server", "-f", path)
        template = next(yaml.safe_load_all(path.read_text()))["spec"]["template"]
        self.plane.kubectl("label", "namespace", self.space, "pod-security.kubernetes.io/enforce=restricted")
        template["spec"].pop("priorityClassName")  # of kube-system alone
        template["spec"]["serviceAccountName"] = "default"
        one = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "replica", "namespace": self.space}, "spec": template["spec"]}
        self.plane.kubectl("create", "--dry-run=server", "-f", "-", given=json.dumps(one))
        del one["spec"]["containers"][0]["securityContext"]
        with self.assertRaisesRegex(RuntimeError, "violates PodSecurity"):
            self.plane.kubectl("create", "--dry-run=server", "-f", "-", given=json.dumps(one))


if __name__ == "__main__":
    raise SystemExit("run.py runs this")
