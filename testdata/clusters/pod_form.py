"""The form of one pod, as the API server stores it and the kubelet reports on it."""

PRIORITIES = {"system-node-critical": 2000001000, "system-cluster-critical": 2000000000, "production-high": 100000,
              "production": 10000, "batch": 100}
POOL_TOLERATIONS = {"gpu": {"effect": "NoSchedule", "key": "nvidia.com/gpu", "operator": "Exists"},
                    "spot": {"effect": "NoSchedule", "key": "example.com/spot", "operator": "Equal", "value": "true"}}
DEFAULT_TOLERATIONS = [{"effect": "NoExecute", "key": f"node.kubernetes.io/{what}", "operator": "Exists", "tolerationSeconds": 300}
                       for what in ("not-ready", "unreachable")]


def owner(api_version, kind, name, uid):
    return {"apiVersion": api_version, "blockOwnerDeletion": True, "controller": True, "kind": kind, "name": name, "uid": uid(kind, name)}


def make_pod(uid, namespace, name, labels, image, cpu, mib, priority, gpu=0):
    """A pod in stored form, with nowhere to run yet."""
    resources = {"requests": {"cpu": f"{cpu}m" if cpu % 1000 else str(cpu // 1000), "memory": _memory(mib)}, "limits": {"memory": _memory(mib)}}
    if gpu:
        resources["limits"]["nvidia.com/gpu"] = resources["requests"]["nvidia.com/gpu"] = str(gpu)
    main = {"image": image, "imagePullPolicy": "IfNotPresent", "name": image.split("/")[-1].split(":")[0], "resources": resources,
            "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File"}
    return {
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "labels": labels, "uid": uid("pod", namespace, name),
                     "creationTimestamp": None, "resourceVersion": str(80000000 + int(uid("rv", name)[:5], 16))},
        "spec": {"containers": [main], "dnsPolicy": "ClusterFirst", "enableServiceLinks": True, "preemptionPolicy": _policy(priority),
                 "priority": PRIORITIES[priority], "priorityClassName": priority, "restartPolicy": "Always", "schedulerName": "default-scheduler",
                 "securityContext": {}, "serviceAccount": "default", "serviceAccountName": "default", "terminationGracePeriodSeconds": 30,
                 "tolerations": []},
        "status": {},
    }


def _policy(priority):
    return "Never" if priority == "batch" else "PreemptLowerPriority"


def _memory(mib):
    return f"{mib // 1024}Gi" if mib % 1024 == 0 else f"{mib}Mi"


def tolerate(pod, pools):
    """The tolerations and selectors of a pod for these pools, and those that admission adds."""
    pod["spec"]["tolerations"] = [POOL_TOLERATIONS[pool] for pool in pools if pool in POOL_TOLERATIONS] + DEFAULT_TOLERATIONS
    if len(pools) == 1 and pools != ["general"]:
        pod["spec"]["nodeSelector"] = {"node.example.com/pool": pools[0]}


def finished(pod, phase, node, rng):
    """The status of a pod with a node, in this phase."""
    started = f"2026-02-{rng.randint(12, 28)}T{rng.randrange(24):02}:{rng.randrange(60):02}:{rng.randrange(60):02}Z"
    pod["metadata"]["creationTimestamp"] = started
    address = node["status"]["addresses"][0]["address"]
    own = address if pod["spec"].get("hostNetwork") else f"10.244.{rng.randrange(16, 64)}.{rng.randrange(2, 250)}"
    ready = "True" if phase == "Running" else "False"
    conditions = [{"lastProbeTime": None, "lastTransitionTime": started, "status": status, "type": kind} for kind, status in (
        ("Initialized", "True"), ("Ready", ready), ("ContainersReady", ready), ("PodScheduled", "True"))]
    pod["status"] = {
        "conditions": conditions, "containerStatuses": [_container_status(pod, phase, started, rng)], "hostIP": address,
        "phase": phase, "podIP": own, "qosClass": "Burstable", "startTime": started}


def _container_status(pod, phase, started, rng):
    container = pod["spec"]["containers"][0]
    identity = f"containerd://{rng.getrandbits(256):064x}"
    state = {"running": {"startedAt": started}} if phase == "Running" else {"terminated": {
        "containerID": identity, "exitCode": 0 if phase == "Succeeded" else 1, "finishedAt": started,
        "reason": "Completed" if phase == "Succeeded" else "Error", "startedAt": started}}
    return {"containerID": identity, "image": container["image"], "imageID": f"{container['image'].rsplit(':', 1)[0]}@sha256:{rng.getrandbits(256):064x}",
            "lastState": {}, "name": container["name"], "ready": phase == "Running", "restartCount": rng.choice([0, 0, 0, 1, 3]),
            "started": phase == "Running", "state": state}
