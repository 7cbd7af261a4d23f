"""What webhook/ installs, on a real API server: every kustomize target is taken, what its ServiceAccount may do, and what is asked about."""

import base64
import json
import time

import yaml

from objects import pod
from rest import Refused
from webhook import Webhook
from webhook_targets import CONFIGURATION, CONFIGURATIONS, FOLDER, JSON_PATCH, NAME, SERVER_NAME, SPACE, TARGETS, Manifests, where, workload

# (group, resources) that the webhook reads.
READ = [("", "limitranges namespaces nodes persistentvolumeclaims persistentvolumes pods replicationcontrollers services"),
        ("apps", "replicasets statefulsets"), ("policy", "poddisruptionbudgets"), ("node.k8s.io", "runtimeclasses"),
        ("scheduling.k8s.io", "priorityclasses"), ("resource.k8s.io", "deviceclasses devicetaintrules resourceclaims resourceslices"),
        ("storage.k8s.io", "csidrivers csinodes csistoragecapacities storageclasses volumeattachments")]
# (verb, group, resource, namespace, name) that it must not do, whatever is installed.
NEVER = [*((verb, "", "pods", "default", "") for verb in ("create", "update", "patch", "delete")), ("patch", "", "nodes", "", ""),
         ("list", "", "secrets", SPACE, ""), ("get", "", "secrets", SPACE, "another"), ("delete", "", "secrets", SPACE, "ksched-webhook-certificates"),
         ("get", "", "secrets", "kube-system", "ksched-webhook-certificates"), ("create", "", "secrets", "kube-system", ""),
         ("get", "", "configmaps", SPACE, ""), ("list", "apps", "deployments", "", ""), ("create", "", "pods/binding", "default", ""),
         ("get", "admissionregistration.k8s.io", "validatingwebhookconfigurations", "", "another"),
         ("list", "admissionregistration.k8s.io", "validatingwebhookconfigurations", "", ""),
         ("delete", "admissionregistration.k8s.io", "validatingwebhookconfigurations", "", NAME),
         ("patch", "admissionregistration.k8s.io", "mutatingwebhookconfigurations", "", NAME)]
# What self-managed certificates need besides.
MANAGED = [("create", "", "secrets", SPACE, ""), ("get", "", "secrets", SPACE, "ksched-webhook-certificates"),
           ("update", "", "secrets", SPACE, "ksched-webhook-certificates"),
           ("get", "admissionregistration.k8s.io", "validatingwebhookconfigurations", "", NAME),
           ("patch", "admissionregistration.k8s.io", "validatingwebhookconfigurations", "", NAME)]


class Applied(Manifests):
    def test_each_target_is_taken(self):
        self.assertGreaterEqual(len(TARGETS), 5)
        for target in TARGETS:
            with self.subTest(target):
                made = self.apply(target)
                self.assertGreaterEqual(len(made), 9)
                self.assertEqual(self.apply(target), made, "a second time changes nothing")

    def test_a_bundle_outlives_another_installation(self):
        self.apply("overlays/warn-only")
        for number in range(2):
            self.set_bundle(number, self.pki / "ca.crt")
        self.apply("overlays/self-managed")
        self.assertEqual(self.bundles(), [(self.pki / "ca.crt").read_text()] * 2)

    def test_pods_are_ones_that_strict_namespaces_take(self):
        self.apply("base")
        for target in TARGETS:
            with self.subTest(target):
                spec = self.one(target, "Deployment")["spec"]["template"]["spec"]
                one = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "replica", "namespace": SPACE}, "spec": spec}
                self.plane.kubectl("create", "--dry-run=server", "-f", "-", given=json.dumps(one))
                del one["spec"]["containers"][0]["securityContext"]
                with self.assertRaisesRegex(RuntimeError, "violates PodSecurity"):
                    self.plane.kubectl("create", "--dry-run=server", "-f", "-", given=json.dumps(one))

    def test_volumes_and_flags_belong_together(self):
        """What a flag names is mounted, and what is mounted is named."""
        for target in TARGETS:
            with self.subTest(target):
                spec = self.one(target, "Deployment")["spec"]["template"]["spec"]
                (container,) = spec["containers"]
                mounted = {one["mountPath"] for one in container["volumeMounts"]}
                named = {word.split("=", 1)[1] for word in container["args"] if word.startswith(("--policy=", "--cert-dir="))}
                self.assertEqual({name.removesuffix("/policy.yaml") for name in named}, mounted)
                self.assertEqual({one["name"] for one in spec["volumes"]}, {one["name"] for one in container["volumeMounts"]})

    def test_certificates_of_cert_manager(self):
        """Its kinds are not known here: what they name has to be what the others name."""
        for target in ("overlays/cert-manager", "overlays/cert-manager-warn-only"):
            with self.subTest(target):
                certificate = self.one(target, "Certificate")
                volumes = self.one(target, "Deployment")["spec"]["template"]["spec"]["volumes"]
                self.assertIn(certificate["spec"]["secretName"], [one["secret"]["secretName"] for one in volumes if "secret" in one])
                self.assertIn(SERVER_NAME, certificate["spec"]["dnsNames"])
                injected = self.one(target, "ValidatingWebhookConfiguration")["metadata"]["annotations"]["cert-manager.io/inject-ca-from"]
                self.assertEqual(injected, f"{SPACE}/{certificate['metadata']['name']}")
                issuer = self.one(target, "Issuer", certificate["spec"]["issuerRef"]["name"])
                authority = self.one(target, "Certificate", "ksched-webhook-authority")
                self.assertEqual(issuer["spec"]["ca"]["secretName"], authority["spec"]["secretName"])
                self.one(target, "Issuer", authority["spec"]["issuerRef"]["name"])

    def test_policies(self):
        """Warn-only targets refuse nothing, the others the impossible."""
        for target in TARGETS:
            with self.subTest(target):
                text = self.one(target, "ConfigMap", "ksched-webhook-policy")["data"]["policy.yaml"]
                expected = "warn" if "warn-only" in target else "deny"
                self.assertEqual(yaml.safe_load(text)["defaults"], {"impossible": expected, "noRoom": "warn"})
                done = self.run_ksched("webhook", "test", "-f", self.manifest(), "--policy", self.write("policy.yaml", text), config=self.config())
                self.assertIn(done.returncode, (0, 1), done.stderr)
                broken = self.write("policy.yaml", text.replace("noRoom", "noroom"))
                done = self.run_ksched("webhook", "test", "-f", self.manifest(), "--policy", broken, config=self.config())
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("noroom", done.stderr)

    def may(self, verb, group, resource, namespace="", name=""):
        resource, _, subresource = resource.partition("/")
        attributes = {"verb": verb, "group": group, "resource": resource, "subresource": subresource, "namespace": namespace, "name": name}
        asked = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
                 "spec": {"user": f"system:serviceaccount:{SPACE}:{NAME}", "groups": ["system:serviceaccounts", f"system:serviceaccounts:{SPACE}"],
                          "resourceAttributes": attributes}}
        return self.api.call("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", asked)["status"]["allowed"]

    def check_rights(self, managed):
        reads = [(verb, group, one) for group, resources in READ for one in resources.split() for verb in ("get", "list", "watch")]
        self.assertEqual([one for one in reads if not self.may(*one)], [])
        self.assertEqual([one for one in NEVER if self.may(*one)], [])
        self.assertEqual([self.may(*one) for one in MANAGED], [managed] * len(MANAGED))

    def test_rights(self):
        self.plane.kubectl("delete", "--ignore-not-found", "-f", FOLDER / "overlays/self-managed/rbac.yaml")
        for target in ("base", "overlays/cert-manager"):
            self.apply(target)
            self.check_rights(managed=False)
        self.apply("overlays/self-managed")
        self.check_rights(managed=True)

    def test_a_patch_of_an_old_version_is_a_conflict(self):
        """What the order of bundles rests on."""
        self.apply("base")
        old = self.api.get(CONFIGURATION)["metadata"]["resourceVersion"]
        self.api.merge(CONFIGURATION, {"metadata": {"labels": {"changed": str(time.time_ns())}}})
        changes = [{"op": "replace", "path": "/metadata/resourceVersion", "value": old},
                   {"op": "add", "path": "/webhooks/0/clientConfig/caBundle", "value": base64.b64encode((self.pki / "ca.crt").read_bytes()).decode()}]
        with self.assertRaises(Refused) as refused:
            self.api.call("PATCH", CONFIGURATION, changes, JSON_PATCH)
        self.assertEqual(refused.exception.status, 409)


WORKLOADS = [("apps", "deployments", workload("Deployment", "d")), ("apps", "replicasets", workload("ReplicaSet", "r")),
             ("apps", "statefulsets", workload("StatefulSet", "s")), ("apps", "daemonsets", workload("DaemonSet", "x")),
             ("batch", "jobs", workload("Job", "j", "batch/v1")), ("batch", "cronjobs", workload("CronJob", "c", "batch/v1")),
             ("", "replicationcontrollers", workload("ReplicationController", "o", "v1"))]
TEMPLATES = {"cronjobs": ("jobTemplate", "spec", "template"), "jobs": ()}  # others: template


class Asked(Manifests):
    """The configuration as it is, but with a webhook on loopback that notes what it is asked."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.plane.kubectl("create", "namespace", "shop")
        cls.plane.kubectl("create", "namespace", SPACE)
        cls.hook = Webhook(cls.plane.folder, lambda _request: {"allowed": True})
        cls.addClassCleanup(cls.hook.stop)

    def setUp(self):
        super().setUp()
        made = self.one("base", "ValidatingWebhookConfiguration")
        for webhook in made["webhooks"]:
            webhook["clientConfig"] = {"url": f"https://127.0.0.1:{self.hook.server.server_port}/", "caBundle": self.hook.authority}
        self.plane.kubectl("apply", "-f", "-", given=json.dumps(made))
        self.plane.wait("the configuration to be in force", self.is_asked)

    def is_asked(self):
        return self.asked("POST", where("", "pods") + "?dryRun=All", pod("probe", namespace="shop")) != []

    def asked(self, *call):
        """(operation, resource/subresource) of the reviews for the call."""
        del self.hook.requests[:]
        self.api.call(*call)
        return [(one["operation"], "/".join(filter(None, (one["resource"]["resource"], one.get("subResource"))))) for one in self.hook.requests]

    def test_pods(self):
        mirror = {"kubernetes.io/config.mirror": "x"}
        for what, expected, annotations, spec in [
                ("one as it comes", True, None, {}), ("one with a node", False, None, {"nodeName": "somewhere"}), ("annotations", True, {"a": "b"}, {}),
                ("a mirror pod", False, mirror, {"nodeName": "somewhere"}), ("a gated one", False, None, {"schedulingGates": [{"name": "example.com/wait"}]}),
                ("an empty list of gates", True, None, {"schedulingGates": []}), ("of another scheduler", True, None, {"schedulerName": "other"})]:
            with self.subTest(what):
                one = pod("p", namespace="shop", **spec)
                if annotations:
                    one["metadata"]["annotations"] = annotations
                self.assertEqual(self.asked("POST", where("", "pods") + "?dryRun=All", one), [("CREATE", "pods")] if expected else [])

    def test_pods_that_are_there(self):
        path = where("", "pods")
        self.assertEqual(self.asked("POST", path, pod("there", namespace="shop")), [("CREATE", "pods")])
        self.assertEqual(self.asked("PATCH", f"{path}/there", {"metadata": {"labels": {"a": "b"}}}, "application/merge-patch+json"), [])
        self.assertEqual(self.asked("DELETE", f"{path}/there?gracePeriodSeconds=0"), [])

    def test_namespaces(self):
        one = workload("Deployment", "elsewhere")
        for namespace, expected in (("default", [("CREATE", "deployments")]), ("kube-system", []), (SPACE, [])):
            with self.subTest(namespace):
                self.assertEqual(self.asked("POST", where("apps", "deployments", namespace) + "?dryRun=All", one), expected)

    def test_workloads(self):
        for group, plural, one in WORKLOADS:
            path = where(group, plural)
            here = f"{path}/{one['metadata']['name']}"
            with self.subTest(plural):
                self.assertEqual(self.asked("POST", path, one), [("CREATE", plural)])
                self.assertEqual(self.change(here, {"metadata": {"labels": {"a": "b"}}}), [])
                change = {"parallelism": 3} if plural == "jobs" else {"metadata": {"labels": {"app": one["metadata"]["name"], "more": "x"}}}
                for name in reversed(TEMPLATES.get(plural, ("template",))):
                    change = {name: change}
                self.assertEqual(self.change(here, {"spec": change}), [("UPDATE", plural)])
                self.assertEqual(self.change(f"{here}/status", {"metadata": {"annotations": {"a": "b"}}}), [])
                self.assertEqual(self.asked("DELETE", here), [])

    def test_scale(self):
        for group, plural, one in WORKLOADS:
            if one["kind"] not in ("Deployment", "ReplicaSet", "StatefulSet", "ReplicationController"):
                continue
            path = where(group, plural)
            one = workload(one["kind"], f"scaled-{one['metadata']['name']}", one["apiVersion"])
            here = f"{path}/{one['metadata']['name']}/scale"
            with self.subTest(plural):
                self.asked("POST", path, one)
                self.assertEqual(self.change(here, {"spec": {"replicas": 5}}), [("UPDATE", f"{plural}/scale")])
                self.assertEqual(self.change(here, {"spec": {"replicas": 5}}), [])

    def change(self, path, change):
        """What was asked, each once: an API server tries a patch again, and asks again, if a controller has written in between."""
        return sorted(set(self.asked("PATCH", path, change, "application/merge-patch+json")))

    def test_without_an_answer_everything_goes_on(self):
        made = self.one("base", "ValidatingWebhookConfiguration")
        made["metadata"]["name"] = "nowhere"
        for webhook in made["webhooks"]:
            webhook["clientConfig"] = {"url": "https://127.0.0.1:1/", "caBundle": self.hook.authority}
        self.plane.kubectl("apply", "-f", "-", given=json.dumps(made))
        self.addCleanup(self.api.call, "DELETE", f"{CONFIGURATIONS}/nowhere")
        self.plane.kubectl("create", "--dry-run=server", "-f", "-", given=json.dumps(pod("p", namespace="shop")))

    def test_the_removal_that_the_readme_names(self):
        (command,) = [line for line in (FOLDER / "README.md").read_text().splitlines() if line.startswith("kubectl delete validating")]
        self.plane.kubectl(*command.split()[1:])
        self.plane.wait("nobody to be asked", lambda: not self.is_asked())


if __name__ == "__main__":
    raise SystemExit("run.py runs this")
