"""Test cases on one control plane, each with a namespace of its own, and perhaps nodes that nobody else's pods tolerate."""

from live import Live
from objects import node, pod

PRIORITIES = [{"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value}
              for name, value in (("low", -5), ("high", 1000))]


class OwnNamespace(Live):
    """`plane` and `api` are set by the module's class."""
    api = None

    def setUp(self):
        super().setUp()
        self.space = self.id().rsplit(".", 1)[1].removeprefix("test_").replace("_", "-")[:60].strip("-")
        self.plane.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.space}})


class OwnSpace(OwnNamespace):
    """With nodes."""

    def node(self, end, cpu="4", **more):
        name = f"{self.space}-{end}"
        self.plane.create(node(name, cpu, "16Gi", {"space": self.space}, [("space", self.space, "NoSchedule")], **more))
        self.addCleanup(self.plane.kubectl, "delete", "node", name, "--ignore-not-found", "--wait=false")
        self.plane.wait(f"{name} to be ready", lambda: self.is_ready(name))
        return name

    def is_ready(self, name):
        taints = self.api.get(f"/api/v1/nodes/{name}")["spec"].get("taints", [])
        return not [taint for taint in taints if taint["key"].startswith("node.")]

    def pod(self, name, cpu="1", scheduler="nobody", **spec):
        tolerations = [{"key": "space", "operator": "Exists"}]
        return pod(name, cpu, "64Mi", self.space, **{"schedulerName": scheduler, "nodeSelector": {"space": self.space},
                                                     "tolerations": tolerations, "terminationGracePeriodSeconds": 0, **spec})

    def path(self, name):
        return f"/api/v1/namespaces/{self.space}/pods/{name}"

    def find(self, name):
        return self.api.find(self.path(name))

    def node_of(self, name):
        return self.find(name)["spec"].get("nodeName")

    def events(self, name, reason):
        found = self.api.get(f"/apis/events.k8s.io/v1/namespaces/{self.space}/events")["items"]
        return [one for one in found if one["regarding"]["name"] == name and one["reason"] == reason]
