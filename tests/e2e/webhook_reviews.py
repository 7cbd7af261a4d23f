"""The admission webhook on a real control plane: the requests of webhook_table, by kubectl, one after the other.

Of each is checked: how kubectl ends, what it says, what the API server's audit log has, and what the webhook counted.
"""

import dataclasses
import json

import webhook_table as table
from control_plane import ControlPlane
from live import Live
from objects import node, pod
from rest import Api
from webhook_server import WebhookRunner, registration, review, unguarded

AUDITED = [{"level": "Metadata", "verbs": ["create", "update", "patch", "delete"], "resources": [{"group": group} for group in ("", "apps", "batch")]},
           {"level": "None"}]
CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
CANNOT = "ksched cannot judge whether this can be scheduled: "
SWEPT = [f"/api/v1/namespaces/{{}}/{plural}" for plural in ("pods", "replicationcontrollers")]
SWEPT += [f"/apis/apps/v1/namespaces/{{}}/{plural}" for plural in ("deployments", "replicasets", "statefulsets", "daemonsets")]
SWEPT += [f"/apis/batch/v1/namespaces/{{}}/{plural}" for plural in ("jobs", "cronjobs")]


def shortened(text, limit):
    return text if len(text) <= limit else f"{text[:limit - 3]}..."


def resident(name, on, cpu, **metadata):
    """A pod that is there."""
    one = pod(name, cpu, "64Mi", "shop", nodeName=on, ports=[{"containerPort": 80, "hostPort": 8080}])
    one["metadata"].update(metadata)
    return one


@dataclasses.dataclass(frozen=True)
class Said:
    """What kubectl shows, before it is shortened, and what is in the audit log."""
    warning: str = ""
    refusal: str = ""
    annotations: dict = dataclasses.field(default_factory=dict)


def said_of(row):
    action, reason = row.counted.split()[::2] if row.counted else ("skip", "")
    if reason == "Exempt":
        return Said(annotations={"decision": "exempt", "reason": row.says})
    if action in ("skip", "ignore"):
        return Said()
    if action == "unable":
        return Said(**{"refusal" if row.fails else "warning": CANNOT + row.says}, annotations={"decision": action, "reason": row.says})
    if action in ("allow", "unknown"):
        return Said(annotations={"decision": action, "reason": row.says or "fits"})
    text = row.says + row.helps
    question = "impossible" if " could ever run " in text else "no room"
    return Said(warning=row.says if action == "warn" else "", refusal=text if action == "deny" else "",
                annotations={"decision": action, "reason": f"{question}: {text}", "plugin": reason})


class Reviews(Live):
    step = 0

    @classmethod
    def setUpClass(cls):
        cls.plane = ControlPlane.of_class(cls, nodes=0, scheduler_config=None, controllers=False, audit=AUDITED)
        cls.api = Api(cls.plane.folder)
        cls.addClassCleanup(cls.api.close)
        cls.plane.create(*({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}} for name, labels in table.SPACES.items()))
        cls.put_nodes()
        owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "shop-1", "uid": "1", "controller": True}
        shop = table.made("Deployment", "1", space="shop")
        shop["metadata"]["name"] = "shop"
        cls.plane.create(resident("full", "small-a", "3"), resident("half", "small-b", "1"), shop)
        cls.plane.create({**pod("shop-1-a", "1", "64Mi", "shop", nodeName="small-b"),
                          "metadata": {"name": "shop-1-a", "namespace": "shop", "labels": {"app": "made", "pod-template-hash": "1"}, "ownerReferences": [owner]}})
        cls.put_what_admission_reads()

    @classmethod
    def put_what_admission_reads(cls):
        limit = {"type": "Container", "default": {"cpu": "20"}, "defaultRequest": {"cpu": "20"}}
        heavy = {"overhead": {"podFixed": {"cpu": "20"}}}
        on_gpu = {"scheduling": {"nodeSelector": {"pool": "gpu"}, "tolerations": table.TOLERATED}}
        bound = [{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": f"e2e-{name}"},
                  "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
                  "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": name}]}
                 for kind, name in (("User", "alice"), ("User", "robot"), ("Group", "team"))]
        cls.plane.create(
            {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "limits", "namespace": "limited"}, "spec": {"limits": [limit]}},
            {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 1000},
            *({"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": name}, "handler": name, **more}
              for name, more in (("heavy", heavy), ("on-gpu", on_gpu))),
            {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "unbound", "namespace": "default"},
             "spec": {"storageClassName": "", "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}, *bound)

    @classmethod
    def put_nodes(cls, taints=(), cordoned=False):
        """All of them, with these taints besides their own, and a label that says which change this is."""
        Reviews.step += 1
        for one in table.NODES:
            name = one["metadata"]["name"]
            if cls.api.find(f"/api/v1/nodes/{name}") is None:
                cls.plane.create(one)
            # A new node gets the taint of one that is not ready, and nobody takes it away here.
            cls.api.merge(f"/api/v1/nodes/{name}", {"metadata": {"labels": {"step": str(Reviews.step)}},
                                                    "spec": {"unschedulable": cordoned, "taints": [*table.OWN_TAINTS.get(name, ()), *taints]}})

    def setUp(self):
        super().setUp()
        self.addCleanup(self.sweep)

    def sweep(self):
        for space in ("default", "kube-system", *table.SPACES):
            for path in SWEPT if space != "shop" else ():
                self.api.call("DELETE", path.format(space), {"apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0, "propagationPolicy": "Background"})

    def until(self, what, condition, runner, seconds=30):
        try:
            return self.plane.wait(what, condition, seconds, pause=0.05)
        except RuntimeError as late:
            self.fail(f"{late}; it said:\n{runner.said()}")

    def hook(self, register=registration, policy="", ready=True, **how):
        """A webhook that the API server asks, from now to the end of the test."""
        runner = WebhookRunner(self, policy=policy, **how)
        if ready:
            self.until("readiness", lambda: runner.get("/readyz")[0] == 200, runner)
        made = register(runner.port, runner.authority)
        self.api.call("POST", CONFIGURATIONS, made)
        self.addCleanup(self.unhook, f"{CONFIGURATIONS}/{made['metadata']['name']}", runner)
        self.until("the API server to ask", lambda: self.is_asked(runner), runner)
        return runner

    def unhook(self, path, runner):
        self.api.call("DELETE", path)
        self.until("the API server to ask no more", lambda: not self.is_asked(runner), runner)

    def is_asked(self, runner):
        before = runner.counts()
        one = pod("asked", schedulerName="nobody")
        self.api.call("POST", "/api/v1/namespaces/default/pods?dryRun=All", one)
        return runner.counts() != before

    def knows(self, runner, *decisions):
        """The webhook knows of the last change of nodes: of a pod for the last node as it is now it says one of these."""
        probe = pod("probe", "1m", "1Mi", nodeSelector={"step": str(self.step), "pool": "gpu"}, schedulerName="default-scheduler", tolerations=[{"operator": "Exists"}])
        self.until("the news", lambda: runner.judge(review(probe))["auditAnnotations"]["decision"] in decisions, runner)

    # ---- one request ----

    def check(self, runner, *rows):
        for row in rows:
            with self.subTest(row.name):
                before, since = runner.counts(), self.plane.audit_log().stat().st_size
                kind = row.what["kind"] if isinstance(row.what, dict) else ""
                done = self.ask(row)
                counted = [name for name, count in runner.counts().items() for _ in range(int(count - before.get(name, 0)))]
                self.assertEqual(counted, [row.counted.format(kind=kind)] if row.counted else [], done.stderr)
                said = said_of(row)
                self.check_outcome(row, said, done)
                if isinstance(row.what, dict) or row.what[0] != "get":  # readings are not audited here
                    self.check_annotations(row, said, since)

    def ask(self, row):
        if not isinstance(row.what, dict):
            given = table.GIVEN.get(row.name)
            return self.plane.run_kubectl(*row.what, *row.flags, given=given and json.dumps(given))
        name = "generateName" if row.name.endswith("-") else "name"
        one = {**row.what, "metadata": {**row.what["metadata"], name: row.name}}
        done = self.plane.run_kubectl("create", "-f", "-", *row.flags, given=json.dumps(one))
        if "--dry-run=server" in row.flags:
            self.assertEqual(self.plane.kubectl("get", one["kind"], row.name, "-n", one["metadata"]["namespace"], "--ignore-not-found"), "")
        return done

    def check_outcome(self, row, said, done):
        if said.refusal:
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertRegex(done.stderr, r'^Error from server \(Forbidden\): .*admission webhook "\w+.ksched.dev" denied the request: ')
            text = done.stderr.split(" denied the request: ", 1)[1].removesuffix("\n")
            self.check_text(row, text, said.refusal, 1024)
        elif row.fails:
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertNotIn("admission webhook", done.stderr)
        else:
            self.assertEqual(done.returncode, 0, done.stderr)
            warnings = done.stderr.splitlines()
            self.assertEqual(len(warnings), 1 if said.warning else 0, done.stderr)
            for warning in warnings:
                self.check_text(row, warning.removeprefix("Warning: "), said.warning, 120)

    def check_text(self, row, text, expected, limit):
        if row.cut:
            self.assertTrue(text.startswith(expected), text)
            self.assertTrue(text.endswith("..."), text)
            self.assertEqual(len(text), limit)
        else:
            self.assertEqual(text, shortened(expected, limit))

    def check_annotations(self, row, said, since):
        def events():
            return [event for event in self.plane.audit_events(since) if event["userAgent"].startswith("kubectl")]
        (event,) = self.plane.wait("the audit log", events, seconds=20, pause=0.01)
        hooks, found = set(), {}
        for name, text in event.get("annotations", {}).items():
            hook, _, key = name.partition("/")
            if hook.endswith(".ksched.dev"):
                hooks.add(hook)
                found[key] = text
        self.assertLessEqual(len(hooks), 1)
        if row.cut:
            text = said.annotations["reason"]
            self.assertEqual(found["reason"][:len(text)], text)
            found["reason"] = text
        self.assertEqual(found, said.annotations)

    # ---- the tests ----

    def test_default_policy(self):
        runner = self.hook()
        self.check(runner, *table.DEFAULT)

    def test_what_is_let_through(self):
        for register, rows in ((registration, table.SPARED), (unguarded, table.LET_THROUGH)):
            runner = self.hook(register, name=register.__name__)
            self.check(runner, *rows)
            self.doCleanups()

    def test_rules(self):
        """They come into force while it runs; a bad file leaves the old ones in force."""
        runner = self.hook()
        (rule,) = [row for row in table.BY_RULE if row.name == "warn-pod"]
        denied = dataclasses.replace(rule, name="before", counted=table.DENIED, says=table.impossible(), helps=table.LESS)
        self.check(runner, denied)
        self.reload(runner, table.RULES, "success")
        self.check(runner, *table.BY_RULE)
        self.reload(runner, table.BAD_RULES, "failure")
        line = 1 + runner.policy.read_text().splitlines().index(next(line for line in runner.policy.read_text().splitlines() if "never" in line))
        self.assertIn(f'{runner.policy}:{line}: rules[1].noRoom: Unsupported value: "never"', runner.said())
        self.check(runner, *(dataclasses.replace(row, name=f"still-{row.name}") for row in table.BY_RULE[::5]))
        self.reload(runner, "", "success")
        self.check(runner, dataclasses.replace(denied, name="after"))

    def reload(self, runner, policy, result):
        before = runner.reloads(result)
        runner.write_policy(policy)
        self.until("the new policy", lambda: runner.reloads(result) > before, runner)

    def test_gated_pods_by_rule(self):
        self.check(self.hook(unguarded, policy=table.RULES), *table.GATED_BY_RULE)

    def test_clusters(self):
        runner = self.hook()
        self.addCleanup(self.put_nodes)
        for nodes, rows in (({"taints": table.LIFECYCLE["cordoned"], "cordoned": True}, table.CORDONED),
                            ({"taints": table.LIFECYCLE["not-ready"]}, table.NOT_READY), ({"taints": table.VENDOR}, table.STARTING)):
            self.put_nodes(**nodes)
            self.knows(runner, "allow", "warn")
            self.check(runner, *rows)
        self.reload(runner, table.RULES, "success")
        self.check(runner, *table.STARTING_BY_RULE)
        self.reload(runner, "", "success")
        for one in table.NODES:
            self.plane.kubectl("delete", "node", one["metadata"]["name"], "--wait=false")
        self.knows(runner, "unknown")
        self.check(runner, *table.NO_NODES)

    def test_one_that_may_read_nothing(self):
        runner = self.hook(ready=False, config=self.config({**self.admin, "as": "nobody"}))
        self.assertEqual(runner.get("/readyz")[0], 500)
        self.check(runner, *table.UNABLE)
        self.reload(runner, "failClosed: true", "success")
        self.check(runner, *table.CLOSED)


if __name__ == "__main__":
    raise SystemExit("run.py runs this")
