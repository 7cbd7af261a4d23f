"""The nodes of production.yaml: pools in three zones."""

ZONES = ["eu-west-1a", "eu-west-1b", "eu-west-1c"]

# pool: machine type, CPUs, memory in GiB, nodes in each zone, taints, further labels
POOLS = {
    "control-plane": ("m6i.xlarge", 4, 16, [1, 1, 1], [("node-role.kubernetes.io/control-plane", None, "NoSchedule")],
                      {"node-role.kubernetes.io/control-plane": "", "node.kubernetes.io/exclude-from-external-load-balancers": ""}),
    "general": ("m6i.2xlarge", 8, 32, [7, 6, 5], [], {}),
    "highmem": ("r6i.2xlarge", 8, 64, [2, 2, 2], [], {"example.com/memory": "high"}),
    "gpu": ("g5.4xlarge", 16, 64, [2, 1, 1], [("nvidia.com/gpu", "present", "NoSchedule")],
            {"nvidia.com/gpu.product": "NVIDIA-A10G", "nvidia.com/gpu.present": "true"}),
    "spot": ("m5.xlarge", 4, 16, [3, 3, 3], [("example.com/spot", "true", "NoSchedule")], {"example.com/lifecycle": "spot"}),
}
GPUS = {("gpu", 0): 4}  # by index in the pool; others of the pool have one

IMAGES = [
    ("registry.example.com/shop/frontend", "sha256:9d7f", "v4.18.2", 187), ("registry.example.com/shop/cart", "sha256:1c02", "v2.7.0", 94),
    ("registry.example.com/shop/catalog", "sha256:77ab", "v3.3.1", 112), ("registry.example.com/payments/api", "sha256:e41d", "v1.29.5", 143),
    ("registry.example.com/payments/ledger", "sha256:b6aa", "v1.12.0", 151), ("registry.example.com/data/kafka", "sha256:20fe", "3.9.0", 412),
    ("docker.io/library/postgres", "sha256:5e1c", "16.6", 438), ("docker.io/library/redis", "sha256:c5d9", "7.4.2", 117),
    ("registry.k8s.io/ingress-nginx/controller", "sha256:d2fb", "v1.12.1", 289), ("quay.io/prometheus/prometheus", "sha256:02ae", "v3.2.1", 301),
    ("docker.io/grafana/grafana", "sha256:8b37", "11.5.2", 476),
]
BASE_IMAGES = [
    ("registry.k8s.io/pause", "sha256:ee65", "3.10.1", 1), ("registry.k8s.io/kube-proxy", "sha256:91b6", "v1.37.2", 93),
    ("quay.io/cilium/cilium", "sha256:1782", "v1.17.1", 702), ("quay.io/prometheus/node-exporter", "sha256:4cb2", "v1.9.0", 25),
    ("docker.io/fluent/fluent-bit", "sha256:7b1e", "3.2.8", 98),
]
ML_IMAGE = ("registry.example.com/ml/trainer", "sha256:aa10", "2026.02", 8214)


def quantity_mib(text):
    """MiB of a quantity in Ki."""
    return int(text.removesuffix("Ki")) // 1024


def image(entry):
    name, digest, tag, mib = entry
    return {"names": [f"{name}@{digest}{'0' * 12}", f"{name}:{tag}"], "sizeBytes": mib * 1048576 + 4711}


def all_nodes(rng, uid):
    """Every node, in the order of their names, as kubectl prints them."""
    nodes = []
    for pool, (machine, cpus, gib, counts, taints, labels) in POOLS.items():
        index = 0
        for zone, count in zip(ZONES, counts):
            for _ in range(count):
                nodes.append(_node(rng, uid, pool, index, zone, machine, cpus, gib, taints, labels))
                index += 1
    _cordon([n for n in nodes if n["metadata"]["labels"]["node.example.com/pool"] == "general"][4])
    _lose([n for n in nodes if n["metadata"]["labels"]["node.example.com/pool"] == "general"][11])
    return sorted(nodes, key=lambda n: n["metadata"]["name"])


def _node(rng, uid, pool, index, zone, machine, cpus, gib, taints, labels):
    subnet = 16 * (ZONES.index(zone) + 1) + list(POOLS).index(pool)
    name = f"ip-10-20-{subnet}-{20 + 7 * index + rng.randrange(7)}.eu-west-1.compute.internal"
    capacity = {"cpu": str(cpus), "memory": f"{gib * 1048576 - 243712}Ki", "pods": "58" if cpus > 4 else "40",
                "ephemeral-storage": "104779756Ki", "hugepages-1Gi": "0", "hugepages-2Mi": "0"}
    allocatable = dict(capacity, cpu=f"{cpus * 1000 - 80 - 10 * (cpus // 4)}m",
                       memory=f"{gib * 1048576 - 243712 - 1150976}Ki", **{"ephemeral-storage": "95491281146"})
    if pool == "gpu":
        capacity["nvidia.com/gpu"] = allocatable["nvidia.com/gpu"] = str(GPUS.get((pool, index), 1))
    node = {
        "apiVersion": "v1", "kind": "Node",
        "metadata": {
            "name": name, "uid": uid("node", name), "creationTimestamp": f"2026-0{1 + index % 2}-{10 + index:02}T0{index % 9}:14:32Z",
            "resourceVersion": str(81234567 + rng.randrange(90000)),
            "annotations": {"node.alpha.kubernetes.io/ttl": "0", "volumes.kubernetes.io/controller-managed-attach-detach": "true"},
            "labels": {
                "kubernetes.io/arch": "amd64", "kubernetes.io/hostname": name, "kubernetes.io/os": "linux",
                "node.kubernetes.io/instance-type": machine, "topology.kubernetes.io/region": "eu-west-1",
                "topology.kubernetes.io/zone": zone, "node.example.com/pool": pool, **labels}},
        "spec": {"podCIDR": f"10.244.{subnet}.{(index * 64) % 256}/26", "podCIDRs": [f"10.244.{subnet}.{(index * 64) % 256}/26"],
                 "providerID": f"aws:///{zone}/i-0{uid('vm', name).replace('-', '')[:16]}"},
        "status": {
            "addresses": [{"address": name[3:].split(".")[0].replace("-", "."), "type": "InternalIP"}, {"address": name, "type": "Hostname"}],
            "allocatable": allocatable, "capacity": capacity, "conditions": _conditions(True),
            "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}}, "images": _images(rng, pool),
            "nodeInfo": {"architecture": "amd64", "bootID": uid("boot", name), "containerRuntimeVersion": "containerd://2.0.3",
                         "kernelVersion": "6.8.0-1024-aws", "kubeProxyVersion": "", "kubeletVersion": "v1.37.2",
                         "machineID": uid("machine", name).replace("-", ""), "operatingSystem": "linux",
                         "osImage": "Ubuntu 24.04.2 LTS", "systemUUID": uid("system", name)}},
    }
    if taints:
        node["spec"]["taints"] = [{"key": key, **({"value": value} if value else {}), "effect": effect} for key, value, effect in taints]
    return node


def _images(rng, pool):
    chosen = list(BASE_IMAGES)
    if pool == "gpu":
        chosen.append(ML_IMAGE)
    elif pool != "control-plane":
        chosen += rng.sample(IMAGES, rng.randint(4, 8))
    return sorted((image(entry) for entry in chosen), key=lambda i: -i["sizeBytes"])


def _conditions(ready):
    def condition(kind, reason, message, status):
        return {"type": kind, "status": status, "reason": reason, "message": message,
                "lastHeartbeatTime": "2026-03-02T07:58:11Z", "lastTransitionTime": "2026-02-11T10:03:27Z"}
    lost = ("NodeStatusUnknown", "Kubelet stopped posting node status.", "Unknown")
    pressures = [("MemoryPressure", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
                 ("DiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
                 ("PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available")]
    if ready:
        return [condition(kind, reason, said, "False") for kind, reason, said in pressures] + [
            condition("Ready", "KubeletReady", "kubelet is posting ready status", "True")]
    return [condition(kind, *lost) for kind in ("MemoryPressure", "DiskPressure", "PIDPressure", "Ready")]


def _cordon(node):
    """As `kubectl cordon` and the node controller leave it."""
    node["spec"]["unschedulable"] = True
    node["spec"]["taints"] = [{"effect": "NoSchedule", "key": "node.kubernetes.io/unschedulable", "timeAdded": "2026-03-01T16:20:05Z"}]


def _lose(node):
    """A node whose kubelet has gone quiet."""
    node["status"]["conditions"] = _conditions(False)
    node["spec"]["taints"] = [{"effect": effect, "key": "node.kubernetes.io/unreachable", "timeAdded": "2026-03-02T07:41:09Z"}
                              for effect in ("NoSchedule", "NoExecute")]
