"""The objects of a storm: what is made under a name, and what is changed of it, by chance.

Every function takes a random.Random; what it returns is an object, or a list of requests as (method, path, body, kind of body).
"""

from objects import node, pod

NAMESPACES = ["storm-a", "storm-b", "storm-c"]
ZONE = "topology.kubernetes.io/zone"
MERGE, STRATEGIC = "application/merge-patch+json", "application/strategic-merge-patch+json"
CORE, APPS, STORAGE, POLICY = "/api/v1", "/apis/apps/v1", "/apis/storage.k8s.io/v1", "/apis/policy/v1"
# At once, whatever would be waited for.
NOW = {"kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": 0, "propagationPolicy": "Background"}


def label(random):
    return {f"storm/{random.choice('abc')}": random.choice(["1", "2", "3", None])}


def patch(path, change, kind=MERGE):
    return ("PATCH", path, change, kind)


class Kind:
    """Objects of one kind with names out of a small number, so that they are met again; `makes` and `changes` are of the kind."""

    def __init__(self, base, plural, count, prefix, makes, changes, namespaced=False, protected=False, after=None):
        self.base, self.plural, self.count, self.prefix = base, plural, count, prefix
        self.makes, self.changes = makes, changes
        self.namespaced, self.protected, self.after = namespaced, protected, after

    def place(self, random):
        """A collection, and a name in it."""
        namespace = random.choice(NAMESPACES) if self.namespaced else None
        where = f"{self.base}/namespaces/{namespace}/{self.plural}" if namespace else f"{self.base}/{self.plural}"
        return where, f"{self.prefix}-{random.randrange(self.count)}"

    def create(self, random, collection, name):
        made = self.makes(random, name)
        version = self.base.removeprefix("/apis/").removeprefix("/api/")
        # The namespace is the path's.
        metadata = {"name": name, **made.get("metadata", {}), "namespace": None}
        return [("POST", collection, {"apiVersion": version, **made, "metadata": metadata}, None)]

    def update(self, random, collection, name):
        return [random.choice(self.changes)(random, f"{collection}/{name}")]

    def delete(self, _random, collection, name):
        path = f"{collection}/{name}"
        if self.after:
            return [("DELETE", path, NOW, None), self.after(path, name)]
        freed = [patch(path, {"metadata": {"finalizers": None}})] if self.protected else []
        return [*freed, ("DELETE", path, NOW, None)]

    def recreate(self, random, collection, name):
        """Under the same name comes another object."""
        return [*self.delete(random, collection, name), *self.create(random, collection, name)]


def relabel(random, path):
    return patch(path, {"metadata": {"labels": label(random)}})


def annotate(random, path):
    """A change that no scheduler reads."""
    return patch(path, {"metadata": {"annotations": {"storm/note": str(random.random())}}})


# ---- pods ----

def a_node(random):
    return f"storm-{random.randrange(NODES.count + 2)}"  # some are never there


def a_pod(random, name):
    spec = {}
    if random.random() < 0.3:
        spec["nodeName"] = a_node(random)
    elif random.random() < 0.1:
        spec["schedulingGates"] = [{"name": "example.com/wait"}]
    if random.random() < 0.2:
        spec["ports"] = [{"containerPort": 80, "hostPort": random.choice([8080, 8081])}]
    if random.random() < 0.2:
        spec["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": f"claim-{random.randrange(CLAIMS.count)}"}}]
    if random.random() < 0.3:
        term = {"topologyKey": random.choice(["kubernetes.io/hostname", ZONE]), "labelSelector": {"matchLabels": {"storm/a": "1"}}}
        spec["affinity"] = {random.choice(["podAffinity", "podAntiAffinity"]): {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    if random.random() < 0.2:
        spec["topologySpreadConstraints"] = [{"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule",
                                              "labelSelector": {"matchLabels": {"app": name}}}]
    if random.random() < 0.2:
        spec["tolerations"] = [{"key": "storm/taint", "operator": "Exists"}]
    spec["priorityClassName"] = random.choice(["", "", "system-node-critical"])
    spec["schedulerName"] = random.choice(["default-scheduler"] * 5 + ["another"])
    spec["terminationGracePeriodSeconds"] = random.choice([0, 30])
    made = pod(name, cpu=f"{random.randrange(1, 9) * 50}m", memory=f"{random.randrange(1, 9) * 32}Mi", **spec)
    made["metadata"]["labels"].update({key: value for key, value in label(random).items() if value})
    if random.random() < 0.3:
        owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "set-0", "uid": "of-set-0", "controller": True}
        made["metadata"]["ownerReferences"] = [owner]
    return made


def bind(random, path):
    target = {"apiVersion": "v1", "kind": "Node", "name": a_node(random)}
    name = path.rsplit("/", 1)[1]
    return ("POST", path + "/binding", {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name}, "target": target}, None)


def resize(random, path):
    """In place: what a pod asks for changes while it runs."""
    resources = {"requests": {"cpu": f"{random.randrange(1, 9) * 50}m"}}
    return patch(path + "/resize", {"spec": {"containers": [{"name": "main", "resources": resources}]}}, STRATEGIC)


def resized(random, path):
    """What the node has given it counts too."""
    allocated = {"cpu": f"{random.randrange(1, 9) * 50}m", "memory": "64Mi"}
    status = {"name": "main", "image": "registry.example.com/app:1", "imageID": "", "ready": True, "restartCount": 0, "started": True,
              "allocatedResources": allocated, "resources": {"requests": allocated}, "state": {"running": {}}}
    return patch(path + "/status", {"status": {"phase": "Running", "containerStatuses": [status]}})


def phase(random, path):
    """A pod that is over is not the scheduler's any more."""
    return patch(path + "/status", {"status": {"phase": random.choice(["Running", "Running", "Succeeded", "Failed"])}})


def nominate(random, path):
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "storm"}
    return patch(path + "/status", {"status": {"nominatedNodeName": random.choice([a_node(random), ""]), "conditions": [condition]}})


def ungate(_random, path):
    return patch(path, {"spec": {"schedulingGates": []}})


def evict_slowly(_random, path):
    """A pod on a node stays with a deletionTimestamp until its kubelet says more, which here nobody is."""
    return ("DELETE", path, {"kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": 30}, None)


# ---- nodes ----

def a_storm_node(random, name):
    made = node(name, str(random.randrange(2, 9)), f"{random.randrange(4, 33)}Gi", {ZONE: f"zone-{random.randrange(3)}"},
                [("storm/taint", "x", "NoSchedule")] if random.random() < 0.3 else (), random.random() < 0.1)
    return made


def taint(random, path):
    effects = random.sample(["NoSchedule", "PreferNoSchedule", "NoExecute"], random.randrange(3))
    return patch(path, {"spec": {"taints": [{"key": "storm/taint", "value": "x", "effect": effect} for effect in effects]}})


def cordon(random, path):
    return patch(path, {"spec": {"unschedulable": random.choice([True, None])}})


def allocate(random, path):
    capacity = {"cpu": str(random.randrange(2, 9)), "memory": f"{random.randrange(4, 33)}Gi", "pods": "110",
                "example.com/chip": random.choice(["2", None])}
    return patch(path + "/status", {"status": {"capacity": capacity, "allocatable": capacity}})


def heartbeat(random, path):
    """Only the time of a condition, and images now and then."""
    condition = {"type": "Ready", "status": random.choice(["True", "False"]), "lastHeartbeatTime": f"2026-01-01T00:00:{random.randrange(60):02}Z"}
    images = [{"names": [f"registry.example.com/app:{random.randrange(3)}"], "sizeBytes": 1 << 25}]
    return patch(path + "/status", {"status": {"conditions": [condition], **({"images": images} if random.random() < 0.3 else {})}})


def move(random, path):
    return patch(path, {"metadata": {"labels": {ZONE: random.choice(["zone-0", "zone-1", "zone-2", None])}}})


# ---- volumes and classes ----

def a_volume(random, name):
    spec = {"capacity": {"storage": f"{random.randrange(1, 5)}Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "class-0",
            "csi": {"driver": "storm.example", "volumeHandle": name}}
    if random.random() < 0.5:
        expression = {"key": ZONE, "operator": "In", "values": [f"zone-{random.randrange(3)}"]}
        spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}
    return {"kind": "PersistentVolume", "spec": spec}


def claim_volume(random, path):
    claim = {"namespace": random.choice(NAMESPACES), "name": f"claim-{random.randrange(CLAIMS.count)}"}
    return patch(path, {"spec": {"claimRef": random.choice([claim, None])}})


def a_claim(random, _name):
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "storageClassName": f"class-{random.randrange(4)}"}
    return {"kind": "PersistentVolumeClaim", "spec": spec}


def bind_claim(random, path):
    volume = f"volume-{random.randrange(VOLUMES.count)}"
    return patch(path, {"metadata": {"annotations": {"pv.kubernetes.io/bind-completed": "yes"}}, "spec": {"volumeName": volume}})


def choose_node(random, path):
    return patch(path, {"metadata": {"annotations": {"volume.kubernetes.io/selected-node": random.choice([a_node(random), None])}}})


def a_class(random, _name):
    return {"kind": "StorageClass", "provisioner": random.choice(["storm.example", "kubernetes.io/no-provisioner"]),
            "volumeBindingMode": random.choice(["WaitForFirstConsumer", "Immediate"])}


def a_csi_node(random, name):
    driver = {"name": "storm.example", "nodeID": name, "topologyKeys": [ZONE], "allocatable": {"count": random.randrange(1, 9)}}
    return {"kind": "CSINode", "spec": {"drivers": [driver]}}


def a_capacity(random, _name):
    return {"kind": "CSIStorageCapacity", "storageClassName": "class-0", "capacity": f"{random.randrange(1, 50)}Gi",
            "nodeTopology": {"matchLabels": {ZONE: f"zone-{random.randrange(3)}"}}}


def fill(random, path):
    return patch(path, {"capacity": f"{random.randrange(1, 50)}Gi"})


def an_attachment(random, _name):
    return {"kind": "VolumeAttachment", "spec": {"attacher": "storm.example", "nodeName": a_node(random),
                                                 "source": {"persistentVolumeName": f"volume-{random.randrange(VOLUMES.count)}"}}}


# ---- what selects pods ----

def a_selector(random):
    return {"matchLabels": {"storm/a": random.choice("123")}}


def a_service(random, _name):
    return {"kind": "Service", "spec": {"clusterIP": "None", "selector": {"storm/a": random.choice("123")}, "ports": [{"port": 80}]}}


def select(random, path):
    return patch(path, {"spec": {"selector": {"storm/a": random.choice(["1", "2", None]), "storm/b": "1"}}})


def a_budget(random, _name):
    return {"kind": "PodDisruptionBudget", "spec": {"minAvailable": random.randrange(4), "selector": a_selector(random)}}


def budget(random, path):
    return patch(path, {"spec": {"minAvailable": random.randrange(4)}})


def allow(random, path):
    count = random.randrange(5)
    status = {"disruptionsAllowed": count, "currentHealthy": count, "desiredHealthy": 0, "expectedPods": count, "observedGeneration": 1}
    return patch(path + "/status", {"status": status})


def a_set(kind):
    """A workload without replicas: nobody makes pods for it."""
    def make(random, name):
        chosen = {"app": name} if kind == "ReplicationController" else {"matchLabels": {"app": name}}
        template = pod(name)
        template["metadata"] = {"labels": {"app": name, "storm/a": random.choice("123")}}
        spec = {"replicas": 0, "selector": chosen, "template": {"metadata": template["metadata"], "spec": template["spec"]}}
        if kind == "StatefulSet":
            spec["serviceName"] = "web"
        return {"kind": kind, "spec": spec}
    return make


def a_namespace(random, _name):
    return {"kind": "Namespace", "metadata": {"labels": {key: value for key, value in label(random).items() if value}}}


def finalized(path, name):
    """What the namespace controller does when nothing is left in a namespace."""
    return ("PUT", path + "/finalize", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}, "spec": {"finalizers": []}}, None)


NODES = Kind(CORE, "nodes", 30, "storm", a_storm_node, [relabel, move, taint, taint, cordon, allocate, allocate, heartbeat, annotate])
VOLUMES = Kind(CORE, "persistentvolumes", 30, "volume", a_volume, [relabel, claim_volume], protected=True)
CLAIMS = Kind(CORE, "persistentvolumeclaims", 20, "claim", a_claim, [relabel, bind_claim, choose_node], namespaced=True, protected=True)
PODS = Kind(CORE, "pods", 120, "pod", a_pod, [relabel, annotate, bind, bind, bind, bind, resize, resized, phase, nominate, ungate, evict_slowly],
            namespaced=True)

# How often one of the kind is met, of all.
KINDS = [
    (PODS, 60), (NODES, 14), (VOLUMES, 4), (CLAIMS, 4),
    (Kind(STORAGE, "storageclasses", 4, "class", a_class, [relabel]), 2),
    (Kind(STORAGE, "csinodes", 30, "storm", a_csi_node, [relabel, annotate]), 2),
    (Kind(STORAGE, "csistoragecapacities", 10, "capacity", a_capacity, [fill], namespaced=True), 2),
    (Kind(STORAGE, "volumeattachments", 20, "attachment", an_attachment, [relabel]), 2),
    (Kind(CORE, "services", 8, "service", a_service, [select, relabel], namespaced=True), 2),
    (Kind(CORE, "replicationcontrollers", 4, "controller", a_set("ReplicationController"), [relabel], namespaced=True), 1),
    (Kind(APPS, "replicasets", 8, "set", a_set("ReplicaSet"), [relabel], namespaced=True), 2),
    (Kind(APPS, "statefulsets", 4, "set", a_set("StatefulSet"), [relabel], namespaced=True), 1),
    (Kind(POLICY, "poddisruptionbudgets", 8, "budget", a_budget, [budget, allow, allow], namespaced=True), 2),
    (Kind(CORE, "namespaces", 6, "storm-empty", a_namespace, [relabel], after=finalized), 2),
]
