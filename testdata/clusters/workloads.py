"""The pods of production.yaml: daemon sets, static pods, deployments, stateful sets, jobs."""

from pod_form import finished, make_pod, owner, tolerate

# namespace, name, replicas, milli-CPU, MiB, image, pools, priority class
DEPLOYMENTS = [
    ("kube-system", "coredns", 4, 100, 170, "registry.k8s.io/coredns/coredns:v1.12.1", ["general"], "system-cluster-critical"),
    ("kube-system", "metrics-server", 2, 100, 200, "registry.k8s.io/metrics-server/metrics-server:v0.7.2", ["general"], "system-cluster-critical"),
    ("kube-system", "cluster-autoscaler", 1, 100, 600, "registry.k8s.io/autoscaling/cluster-autoscaler:v1.37.0", ["general"], "system-cluster-critical"),
    ("ingress-nginx", "ingress-nginx-controller", 6, 500, 512, "registry.k8s.io/ingress-nginx/controller:v1.12.1", ["general"], "production-high"),
    ("monitoring", "grafana", 2, 250, 512, "docker.io/grafana/grafana:11.5.2", ["general"], "production"),
    ("monitoring", "kube-state-metrics", 1, 100, 400, "registry.k8s.io/kube-state-metrics/kube-state-metrics:v2.15.0", ["general"], "production"),
    ("shop", "frontend", 30, 400, 512, "registry.example.com/shop/frontend:v4.18.2", ["general"], "production-high"),
    ("shop", "cart", 20, 300, 384, "registry.example.com/shop/cart:v2.7.0", ["general"], "production-high"),
    ("shop", "catalog", 20, 500, 768, "registry.example.com/shop/catalog:v3.3.1", ["general"], "production-high"),
    ("shop", "recommendations", 12, 750, 2048, "registry.example.com/shop/recommendations:v0.31.4", ["general"], "production"),
    ("shop", "checkout", 12, 400, 512, "registry.example.com/shop/checkout:v5.2.0", ["general"], "production-high"),
    ("payments", "api", 16, 600, 1024, "registry.example.com/payments/api:v1.29.5", ["general"], "production-high"),
    ("payments", "ledger", 6, 800, 2048, "registry.example.com/payments/ledger:v1.12.0", ["general"], "production-high"),
    ("payments", "fraud-scoring", 6, 1000, 3072, "registry.example.com/payments/fraud:v0.9.12", ["general", "highmem"], "production"),
    ("data", "ingest", 16, 350, 1024, "registry.example.com/data/ingest:v6.0.3", ["general"], "production"),
    ("data", "query-frontend", 4, 500, 4096, "registry.example.com/data/query:v2.2.1", ["highmem"], "production"),
    ("ml", "inference", 3, 4000, 24576, "registry.example.com/ml/inference:2026.02", ["gpu"], "production"),
    ("ci", "runner", 16, 900, 1800, "registry.example.com/ci/runner:v37.1", ["spot"], "batch"),
    ("ci", "image-builder", 6, 1200, 2500, "registry.example.com/ci/builder:v1.8.0", ["spot"], "batch"),
]
STATEFUL_SETS = [
    ("monitoring", "prometheus", 2, 1500, 12288, "quay.io/prometheus/prometheus:v3.2.1", ["highmem"], "production"),
    ("logging", "loki-write", 3, 700, 3072, "docker.io/grafana/loki:3.4.2", ["general"], "production"),
    ("shop", "redis", 6, 250, 2048, "docker.io/library/redis:7.4.2", ["general"], "production-high"),
    ("payments", "postgres", 3, 2000, 16384, "docker.io/library/postgres:16.6", ["highmem"], "production-high"),
    ("data", "kafka", 6, 1500, 12288, "registry.example.com/data/kafka:3.9.0", ["highmem"], "production-high"),
    ("data", "zookeeper", 3, 250, 1024, "registry.example.com/data/zookeeper:3.9.3", ["general"], "production-high"),
]
DAEMON_SETS = [
    ("kube-system", "kube-proxy", 100, 64, "registry.k8s.io/kube-proxy:v1.37.2", None, "system-node-critical", True),
    ("kube-system", "cilium", 100, 256, "quay.io/cilium/cilium:v1.17.1", None, "system-node-critical", True),
    ("monitoring", "node-exporter", 50, 48, "quay.io/prometheus/node-exporter:v1.9.0", None, "system-node-critical", False),
    ("logging", "fluent-bit", 100, 128, "docker.io/fluent/fluent-bit:3.2.8", ["general", "highmem", "gpu", "spot"], "system-node-critical", False),
    ("kube-system", "nvidia-device-plugin", 50, 64, "nvcr.io/nvidia/k8s-device-plugin:v0.17.1", ["gpu"], "system-node-critical", False),
]
STATIC_PODS = [("etcd", 200, 512), ("kube-apiserver", 500, 2048), ("kube-controller-manager", 200, 512), ("kube-scheduler", 100, 256)]
JOBS = [("data", "compact-29541", 4, "Succeeded"), ("data", "compact-29542", 3, "Succeeded"), ("payments", "reconcile-29540", 2, "Succeeded"),
        ("ci", "nightly-cleanup-29540", 1, "Failed"), ("ml", "evaluate-7f2", 1, "Succeeded")]
WAITS = {
    "train": "0/40 nodes are available: 1 node(s) were unschedulable, 13 node(s) had untolerated taint(s), 22 node(s) didn't match Pod's "
             "node affinity/selector, 4 Insufficient nvidia.com/gpu. preemption: not eligible due to preemptionPolicy=Never.",
    "warehouse": "0/40 nodes are available: 1 node(s) were unschedulable, 16 node(s) didn't match Pod's node affinity/selector, 17 node(s) "
                 "had untolerated taint(s), 6 Insufficient cpu, 6 Insufficient memory. preemption: 0/40 nodes are available: "
                 "40 Preemption is not helpful for scheduling.",
}
# What a daemon set's controller adds to its pods.
DAEMON_TOLERATIONS = [("node.kubernetes.io/not-ready", "NoExecute"), ("node.kubernetes.io/unreachable", "NoExecute"),
                      ("node.kubernetes.io/disk-pressure", "NoSchedule"), ("node.kubernetes.io/memory-pressure", "NoSchedule"),
                      ("node.kubernetes.io/pid-pressure", "NoSchedule"), ("node.kubernetes.io/unschedulable", "NoSchedule")]


def all_pods(nodes, rng, uid):
    """Every pod with the plan for it: (pod, {"need", "pools", "phase", perhaps "node"}); those with a given node come first."""
    return [*_static(nodes, uid), *_daemons(nodes, rng, uid), *_stateful(rng, uid), *_deployed(nodes, rng, uid), *_jobs(rng, uid),
            *_pending(rng, uid)]


def suffix(rng, length=5):
    return "".join(rng.choice("bcdfghjklmnpqrstvwxz2456789") for _ in range(length))


def pool_of(node):
    return node["metadata"]["labels"]["node.example.com/pool"]


def _plan(cpu, mib, pools=(), phase="Running", node=None, gpu=0):
    return {"need": {"cpu": cpu, "memory": mib, **({"gpu": gpu} if gpu else {})}, "pools": list(pools), "phase": phase, "node": node}


def _static(nodes, uid):
    for node in (n for n in nodes if pool_of(n) == "control-plane"):
        host = node["metadata"]["name"]
        for name, cpu, mib in STATIC_PODS:
            pod = make_pod(uid, "kube-system", f"{name}-{host}", {"component": name, "tier": "control-plane"},
                           f"registry.k8s.io/{name}:v1.37.2", cpu, mib, "system-node-critical")
            pod["metadata"]["ownerReferences"] = [owner("v1", "Node", host, uid)]
            pod["metadata"]["annotations"] = {"kubernetes.io/config.source": "file", "kubernetes.io/config.mirror": uid("mirror", name, host)}
            pod["spec"].update(hostNetwork=True, tolerations=[{"effect": "NoExecute", "operator": "Exists"}])
            yield pod, _plan(cpu, mib, node=host)


def _daemons(nodes, rng, uid):
    for namespace, name, cpu, mib, image, pools, priority, host_network in DAEMON_SETS:
        for node in nodes:
            if pools is None or pool_of(node) in pools:
                host = node["metadata"]["name"]
                pod = make_pod(uid, namespace, f"{name}-{suffix(rng)}", {"app.kubernetes.io/name": name, "controller-revision-hash": "6b7d5cf9d"},
                               image, cpu, mib, priority)
                pod["metadata"]["ownerReferences"] = [owner("apps/v1", "DaemonSet", name, uid)]
                _daemon_spec(pod["spec"], name, host, pools, host_network)
                yield pod, _plan(cpu, mib, node=host)


def _daemon_spec(spec, name, host, pools, host_network):
    own = [{"operator": "Exists"}] if pools is None else [
        {"key": "example.com/spot", "operator": "Exists"}, {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]
    added = DAEMON_TOLERATIONS + ([("node.kubernetes.io/network-unavailable", "NoSchedule")] if host_network else [])
    spec["tolerations"] = own + [{"effect": effect, "key": key, "operator": "Exists"} for key, effect in added]
    spec["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
        {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [host]}]}]}}}
    if host_network:
        spec["hostNetwork"] = True
    if name == "node-exporter":
        spec["hostNetwork"] = True
        spec["containers"][0]["ports"] = [{"containerPort": 9100, "hostPort": 9100, "name": "metrics", "protocol": "TCP"}]


def _stateful(rng, uid):
    for namespace, name, replicas, cpu, mib, image, pools, priority in STATEFUL_SETS:
        for ordinal in range(replicas):
            labels = {"app.kubernetes.io/name": name, "apps.kubernetes.io/pod-index": str(ordinal),
                      "controller-revision-hash": f"{name}-5d8f7b9c44", "statefulset.kubernetes.io/pod-name": f"{name}-{ordinal}"}
            pod = make_pod(uid, namespace, f"{name}-{ordinal}", labels, image, cpu, mib, priority)
            pod["metadata"]["ownerReferences"] = [owner("apps/v1", "StatefulSet", name, uid)]
            tolerate(pod, pools)
            yield pod, _plan(cpu, mib, pools)


def _deployed(nodes, rng, uid):
    cordoned = next(n for n in nodes if n["spec"].get("unschedulable"))["metadata"]["name"]
    lost = next(n for n in nodes if any(t["key"].endswith("unreachable") for t in n["spec"].get("taints", [])))["metadata"]["name"]
    for namespace, name, replicas, cpu, mib, image, pools, priority in DEPLOYMENTS:
        hashed = suffix(rng, 9)
        for index in range(replicas):
            gpu = 1 if pools == ["gpu"] else 0
            pod = make_pod(uid, namespace, f"{name}-{hashed}-{suffix(rng)}", {"app.kubernetes.io/name": name, "pod-template-hash": hashed},
                           image, cpu, mib, priority, gpu=gpu)
            pod["metadata"]["ownerReferences"] = [owner("apps/v1", "ReplicaSet", f"{name}-{hashed}", uid)]
            tolerate(pod, pools)
            if name in ("frontend", "api"):
                _spread(pod, name)
            # Placed before the one node was cordoned and the other lost.
            here = {0: cordoned, 1: lost}.get(index) if pools == ["general"] and replicas >= 8 else None
            if here == lost:
                pod["metadata"].update(deletionTimestamp="2026-03-02T07:46:14Z", deletionGracePeriodSeconds=30)
            yield pod, _plan(cpu, mib, pools, node=here, gpu=gpu)


def _spread(pod, name):
    pod["spec"]["topologySpreadConstraints"] = [{
        "labelSelector": {"matchLabels": {"app.kubernetes.io/name": name}}, "maxSkew": 1,
        "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "ScheduleAnyway"}]


def _jobs(rng, uid):
    for namespace, name, count, phase in JOBS:
        for _ in range(count):
            pod = make_pod(uid, namespace, f"{name}-{suffix(rng)}", {"batch.kubernetes.io/job-name": name}, f"registry.example.com/{namespace}/jobs:v1.4.0",
                           1000, 2048, "batch")
            pod["metadata"]["ownerReferences"] = [owner("batch/v1", "Job", name, uid)]
            pod["spec"]["restartPolicy"] = "Never"
            tolerate(pod, ["general"])
            yield pod, _plan(1000, 2048, ["general"], phase)


def _pending(rng, uid):
    """Pods that wait: for GPUs, for a larger machine than there is, and for a gate."""
    gpu = make_pod(uid, "ml", f"train-resnet-{suffix(rng)}", {"batch.kubernetes.io/job-name": "train-resnet"},
                   "registry.example.com/ml/trainer:2026.02", 8000, 32768, "batch", gpu=4)
    gpu["metadata"]["ownerReferences"] = [owner("batch/v1", "Job", "train-resnet", uid)]
    gpu["spec"]["restartPolicy"] = "Never"
    tolerate(gpu, ["gpu"])
    large = make_pod(uid, "data", "warehouse-0", {"app.kubernetes.io/name": "warehouse", "apps.kubernetes.io/pod-index": "0"},
                     "registry.example.com/data/warehouse:v1.0.0", 12000, 131072, "production")
    large["metadata"]["ownerReferences"] = [owner("apps/v1", "StatefulSet", "warehouse", uid)]
    tolerate(large, ["highmem"])
    gated = make_pod(uid, "ml", f"sweep-{suffix(rng)}", {"batch.kubernetes.io/job-name": "sweep"},
                     "registry.example.com/ml/trainer:2026.02", 4000, 16384, "batch", gpu=1)
    gated["metadata"]["ownerReferences"] = [owner("batch/v1", "Job", "sweep", uid)]
    gated["spec"].update(restartPolicy="Never", schedulingGates=[{"name": "example.com/quota"}])
    tolerate(gated, ["gpu"])
    for minute, pod in enumerate((gpu, large, gated)):
        pod["metadata"]["creationTimestamp"] = f"2026-03-02T07:5{minute}:20Z"
        yield pod, _plan(0, 0, phase="Pending")


def leave_pending(pod, plan):
    """The status of a pod without a node."""
    assert plan["phase"] == "Pending", f"no node for {pod['metadata']['name']}"
    reason, message = "Unschedulable", WAITS.get(pod["metadata"]["name"].split("-")[0])
    if "schedulingGates" in pod["spec"]:
        reason, message = "SchedulingGated", "Scheduling is blocked due to non-empty scheduling gates"
    pod["status"] = {"phase": "Pending", "qosClass": "Burstable", "conditions": [
        {"lastProbeTime": None, "lastTransitionTime": pod["metadata"]["creationTimestamp"], "message": message, "reason": reason,
         "status": "False", "type": "PodScheduled"}]}


def bind(pod, plan, node, rng):
    """Gives the pod its node, and the status that it has there."""
    pod["spec"]["nodeName"] = node["metadata"]["name"]
    finished(pod, plan["phase"], node, rng)
