"""What tests of webhook/ share: its targets, and a control plane to put them on. No controller runs there: Deployments stay without pods."""

import base64
import json
import pathlib

import yaml

from control_plane import ControlPlane
from live import Live
from rest import Api

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "webhook"
TARGETS = ["base", *(f"overlays/{path.name}" for path in sorted((FOLDER / "overlays").iterdir()))]
SPACE = NAME = "ksched-webhook"
CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
CONFIGURATION = f"{CONFIGURATIONS}/{NAME}"
SERVER_NAME = f"{NAME}.{SPACE}.svc"
JSON_PATCH = "application/json-patch+json"


class Manifests(Live):
    @classmethod
    def setUpClass(cls):
        cls.plane = ControlPlane.of_class(cls, nodes=0, scheduler_config=None, controllers=False, apiserver_flags="--enable-aggregator-routing=true")
        cls.api = Api(cls.plane.folder)
        cls.addClassCleanup(cls.api.close)

    def build(self, target):
        return [one for one in yaml.safe_load_all(self.plane.kubectl("kustomize", FOLDER / target)) if one]

    def apply(self, target):
        """All of it but what needs cert-manager; the objects' versions are returned."""
        kept = [one for one in self.build(target) if not one["apiVersion"].startswith("cert-manager.io/")]
        made = json.loads(self.plane.kubectl("apply", "--warnings-as-errors", "-o", "json", "-f", "-", given=yaml.safe_dump_all(kept)))["items"]
        return {(one["kind"], one["metadata"]["name"]): one["metadata"]["resourceVersion"] for one in made}

    def one(self, target, kind, name=NAME):
        (found,) = [one for one in self.build(target) if (one["kind"], one["metadata"]["name"]) == (kind, name)]
        return found

    def set_bundle(self, number, path):
        """As somebody else does it."""
        value = base64.b64encode(path.read_bytes()).decode()
        self.api.call("PATCH", CONFIGURATION, [{"op": "add", "path": f"/webhooks/{number}/clientConfig/caBundle", "value": value}], JSON_PATCH)

    def bundles(self):
        return [base64.b64decode(one["clientConfig"].get("caBundle", "")).decode() for one in self.api.get(CONFIGURATION)["webhooks"]]


def workload(kind, name, version="apps/v1"):
    template = {"metadata": {"labels": {"app": name}}, "spec": {"containers": [{"name": "main", "image": "main"}]}}
    spec = {"selector": {"matchLabels": {"app": name}}, "template": template}
    if kind == "ReplicationController":
        spec["selector"] = {"app": name}
    if kind == "StatefulSet":
        spec["serviceName"] = name
    if version == "batch/v1":
        template["spec"]["restartPolicy"] = "Never"
        spec = {"template": template}
    if kind == "CronJob":
        spec = {"schedule": "0 0 1 1 *", "jobTemplate": {"spec": spec}}
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}, "spec": spec}


def where(group, plural, namespace="shop"):
    return f"/{f'apis/{group}' if group else 'api'}/v1/namespaces/{namespace}/{plural}"
