"""Small builders of the objects that the end-to-end test creates."""


def node(name, cpu, memory, labels=None, taints=(), unschedulable=False, extra=None):
    capacity = {"cpu": cpu, "memory": memory, "pods": "110", "ephemeral-storage": "100Gi", **(extra or {})}
    made = {
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
                                              **(labels or {})}},
        "spec": {"taints": [dict(zip(("key", "value", "effect"), taint)) for taint in taints]},
        "status": {"capacity": capacity, "allocatable": capacity},
    }
    if unschedulable:
        made["spec"]["unschedulable"] = True
    return made


def pod(name, cpu="100m", memory="128Mi", namespace="default", **spec):
    """A pod with one container; further keywords are fields of its spec, `ports` those of its container."""
    requests = {"cpu": cpu, "memory": memory, **spec.pop("extra", {})}
    limits = {key: value for key, value in requests.items() if "/" in key}
    container = {"name": "main", "image": "registry.example.com/app:1", "resources": {"requests": requests, **({"limits": limits} if limits else {})}}
    if "ports" in spec:
        container["ports"] = spec.pop("ports")
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": namespace, "labels": {"app": name}},
            "spec": {"containers": [container], **spec}}


def deployment(name, replicas, cpu, memory, **spec):
    template = pod(name, cpu, memory, **spec)
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": "default"},
            "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": name}},
                     "template": {"metadata": {"labels": {"app": name}}, "spec": template["spec"]}}}


def required_affinity(key, operator, *values):
    term = {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}}


def preferred_affinity(key, *values):
    term = {"matchExpressions": [{"key": key, "operator": "In", "values": list(values)}]}
    return {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 40, "preference": term}]}}
