"""Volumes of nodes, which are bound when the first pod that needs them is placed, and StatefulSets that want them."""

from objects import node, pod
from pod_by_pod import BY_HAND

CLASSES = [{"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": name}, "provisioner": "kubernetes.io/no-provisioner",
            "volumeBindingMode": mode} for name, mode in
           (("local", "WaitForFirstConsumer"), ("fast", "WaitForFirstConsumer"), ("at-once", "Immediate"))]
NODES = [node(f"disk-{i}", "4", "16Gi", {"disks": "yes", "topology.kubernetes.io/zone": f"zone-{i % 3}"}) for i in range(6)]
MODES, ALONE = ["ReadWriteOnce"], ["ReadWriteOncePod"]


def volume(number, where, size, class_name="local", key="kubernetes.io/hostname", modes=MODES, **labels):
    """Of the nodes that have `where` as that label."""
    term = {"matchExpressions": [{"key": key, "operator": "In", "values": [where]}]}
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": f"{where}-{number}", "labels": labels},
            "spec": {"capacity": {"storage": size}, "accessModes": modes, "persistentVolumeReclaimPolicy": "Retain", "storageClassName": class_name,
                     "local": {"path": f"/disks/{number}"}, "nodeAffinity": {"required": {"nodeSelectorTerms": [term]}}}}


def volumes():
    """Of different sizes and classes, on some of the nodes."""
    sizes = {"disk-0": ["1Gi", "5Gi", "20Gi"], "disk-1": ["2Gi", "10Gi"], "disk-2": ["10Gi", "10Gi", "3Gi"], "disk-3": ["8Gi"], "disk-4": ["1Gi"]}
    for where, of_node in sizes.items():
        for number, size in enumerate(of_node):
            yield volume(number, where, size, tier="gold" if size == "10Gi" else "iron")
    for where in ("disk-0", "disk-2", "disk-5"):
        yield volume(9, where, "50Gi", "fast")
    for number in range(5):  # a node of the zone has them all
        yield volume(number, f"zone-{number % 3}", f"{200 + number}Gi", key="topology.kubernetes.io/zone")
    for where in ("disk-1", "disk-4"):
        yield volume(8, where, "30Gi", "at-once")
    yield volume(7, "disk-3", "1Gi", "fast", modes=ALONE)


def claim(name, size, class_name="local", modes=MODES, **more):
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name},
            "spec": {"accessModes": modes, "storageClassName": class_name, "resources": {"requests": {"storage": size}}, **more}}


def stateful_set(name, claims, cpu="100m", **spec):
    """Made with no replicas; the test asks for one more at a time."""
    template = pod(name, cpu, "64Mi", **spec)
    template["spec"]["containers"][0]["volumeMounts"] = [{"name": one["metadata"]["name"], "mountPath": f"/{one['metadata']['name']}"} for one in claims]
    return {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": name, "namespace": "default"},
            "spec": {"replicas": 0, "serviceName": name, "selector": {"matchLabels": {"app": name}}, "volumeClaimTemplates": claims,
                     "template": {"metadata": {"labels": {"app": name, **BY_HAND}}, "spec": template["spec"]}}}


def anti_affinity(app, key="kubernetes.io/hostname"):
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": key, "labelSelector": {"matchLabels": {"app": app}}}]}}


# Each grows until its last pod waits.
SETS = [
    stateful_set("db", [claim("data", "4Gi")], affinity=anti_affinity("db")),
    stateful_set("gold", [claim("data", "1Gi", selector={"matchLabels": {"tier": "gold"}})]),
    stateful_set("pair", [claim("data", "1Gi"), claim("log", "30Gi", "fast")]),
    stateful_set("zones", [claim("data", "150Gi")], nodeSelector={"disks": "yes"}, topologySpreadConstraints=[
        {"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": {"app": "zones"}}}]),
    stateful_set("too-large", [claim("data", "900Gi")]),
    stateful_set("at-once", [claim("data", "20Gi", "at-once")]),
    stateful_set("elsewhere", [claim("data", "1Gi")], nodeSelector={"kubernetes.io/hostname": "disk-5"}),
    stateful_set("rest", [claim("data", "1Gi")]),
    stateful_set("no-class", [claim("data", "1Gi", "nowhere")]),
]
# Those of at-once are there before its pods: only the PV controller binds them, and nobody plays it in a simulation.
CLAIMS = [*(claim(f"data-at-once-{i}", "20Gi", "at-once") for i in range(3)), claim("alone", "1Gi", "fast", ALONE)]


def pod_with_claim(name, claim_name, priority="low"):
    one = pod(name, "10m", "16Mi", priorityClassName=priority, volumes=[{"name": "data", "persistentVolumeClaim": {"claimName": claim_name}}])
    one["metadata"]["labels"].update(BY_HAND)
    return one


# Only one pod may use the claim at a time; the last one is more important than the one that has it then.
PODS = [pod_with_claim("first", "alone"), pod_with_claim("second", "alone"), pod_with_claim("no-claim", "nowhere"),
        pod_with_claim("important", "alone", "high")]
