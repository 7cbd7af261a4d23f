"""Writes a large snapshot: nodes and pods with all that the API server has of them, managed fields among it.

The objects are written without indentation, as the API server sends them: 900 MB for 150,000 pods.
Each object is a template whose few varying fields are filled in: fast enough to write 900 MB in seconds.
"""

import json

PODS_PER_OWNER = 20
IMAGES = 30


def _managed(manager, fields):
    return {"apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": fields, "manager": manager, "operation": "Update",
            "time": "2026-02-11T10:03:27Z"}


def _node():
    conditions = [{"lastHeartbeatTime": "2026-03-02T07:58:11Z", "lastTransitionTime": "2026-02-11T10:03:27Z", "message": f"kubelet {kind}",
                   "reason": f"Kubelet{kind}", "status": "True" if kind == "Ready" else "False", "type": kind}
                  for kind in ("MemoryPressure", "DiskPressure", "PIDPressure", "Ready")]
    images = [{"names": [f"registry.example.com/team/app-{i}@sha256:{i:064x}", f"registry.example.com/team/app-{i}:v1.{i}.0"],
               "sizeBytes": 52428800 + 1048576 * i} for i in range(IMAGES)]
    capacity = {"cpu": "64", "ephemeral-storage": "104779756Ki", "memory": "263856392Ki", "pods": "110"}
    return {
        "apiVersion": "v1", "kind": "Node",
        "metadata": {
            "annotations": {"node.alpha.kubernetes.io/ttl": "0", "volumes.kubernetes.io/controller-managed-attach-detach": "true"},
            "creationTimestamp": "2026-02-11T10:01:02Z",
            "labels": {"kubernetes.io/arch": "amd64", "kubernetes.io/hostname": "~NODE~", "kubernetes.io/os": "linux",
                       "node.kubernetes.io/instance-type": "m6i.16xlarge", "topology.kubernetes.io/region": "eu-west-1",
                       "topology.kubernetes.io/zone": "~ZONE~"},
            "managedFields": [_managed("kubelet", {"f:metadata": {"f:annotations": {".": {}}, "f:labels": {".": {}, "f:kubernetes.io/arch": {}}}})],
            "name": "~NODE~", "resourceVersion": "81234567", "uid": "~UID~"},
        "spec": {"podCIDR": "10.244.0.0/24", "podCIDRs": ["10.244.0.0/24"], "providerID": "aws:///~ZONE~/~NODE~"},
        "status": {"addresses": [{"address": "~IP~", "type": "InternalIP"}, {"address": "~NODE~", "type": "Hostname"}],
                   "allocatable": capacity, "capacity": capacity, "conditions": conditions,
                   "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}}, "images": images,
                   "nodeInfo": {"architecture": "amd64", "bootID": "~UID~", "containerRuntimeVersion": "containerd://2.0.3",
                                "kernelVersion": "6.8.0-1024-aws", "kubeletVersion": "v1.37.2", "operatingSystem": "linux"}},
    }


def _environment():
    plain = [{"name": name, "value": value} for name, value in (
        ("LOG_LEVEL", "info"), ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://otel-collector.monitoring:4317"), ("REGION", "eu-west-1"),
        ("DATABASE_HOST", "postgres-primary.~NS~.svc.cluster.local"), ("FEATURES", "search,wishlist,recommendations"))]
    return plain + [{"name": "POD_NAME", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}},
                    {"name": "DATABASE_PASSWORD", "valueFrom": {"secretKeyRef": {"key": "password", "name": "~APP~-database"}}}]


def _container():
    probe = {"failureThreshold": 3, "httpGet": {"path": "/healthz", "port": "http", "scheme": "HTTP"}, "periodSeconds": 10,
             "successThreshold": 1, "timeoutSeconds": 1}
    return {"env": _environment(), "image": "registry.example.com/team/~APP~:v1.4.2", "imagePullPolicy": "IfNotPresent", "livenessProbe": probe,
            "name": "main", "ports": [{"containerPort": 8080, "name": "http", "protocol": "TCP"}], "readinessProbe": probe,
            "resources": {"limits": {"memory": "512Mi"}, "requests": {"cpu": "250m", "memory": "512Mi"}},
            "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
            "volumeMounts": [{"mountPath": "/etc/app", "name": "config", "readOnly": True},
                             {"mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "name": "kube-api-access-x", "readOnly": True}]}


def _volumes():
    return [{"configMap": {"defaultMode": 420, "name": "~APP~-config"}, "name": "config"},
            {"name": "kube-api-access-x", "projected": {"defaultMode": 420, "sources": [
                {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
                {"configMap": {"items": [{"key": "ca.crt", "path": "ca.crt"}], "name": "kube-root-ca.crt"}}]}}]


def _pod_status():
    conditions = [{"lastProbeTime": None, "lastTransitionTime": "2026-02-20T11:15:42Z", "status": "True", "type": kind}
                  for kind in ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")]
    container = {"containerID": "containerd://~UID~", "image": "registry.example.com/team/~APP~:v1.4.2",
                 "imageID": "registry.example.com/team/~APP~@sha256:" + "7" * 64, "lastState": {}, "name": "main", "ready": True,
                 "restartCount": 0, "started": True, "state": {"running": {"startedAt": "2026-02-20T11:15:41Z"}}}
    return {"conditions": conditions, "containerStatuses": [container], "hostIP": "~IP~", "hostIPs": [{"ip": "~IP~"}], "phase": "Running",
            "podIP": "~IP~", "podIPs": [{"ip": "~IP~"}], "qosClass": "Burstable", "startTime": "2026-02-20T11:15:39Z"}


def _pod_fields():
    """Who owns which fields: the controller what it created, the kubelet the status."""
    owned = {f"f:{name}": {} for name in ("image", "imagePullPolicy", "name", "terminationMessagePath", "terminationMessagePolicy")}
    owned["f:env"] = {f'k:{{"name":"{one["name"]}"}}': {".": {}, "f:name": {}, "f:value": {}} for one in _environment()}
    owned["f:resources"] = {".": {}, "f:limits": {".": {}, "f:memory": {}}, "f:requests": {".": {}, "f:cpu": {}, "f:memory": {}}}
    created = {"f:metadata": {"f:generateName": {}, "f:labels": {".": {}, "f:app": {}, "f:pod-template-hash": {}},
                              "f:ownerReferences": {".": {}, 'k:{"uid":"~OWNER~"}': {}}},
               "f:spec": {"f:containers": {'k:{"name":"main"}': {".": {}, **owned}}, "f:dnsPolicy": {}, "f:enableServiceLinks": {},
                          "f:restartPolicy": {}, "f:schedulerName": {}, "f:securityContext": {}, "f:terminationGracePeriodSeconds": {}}}
    conditions = {f'k:{{"type":"{kind}"}}': {".": {}, "f:lastProbeTime": {}, "f:lastTransitionTime": {}, "f:status": {}, "f:type": {}}
                  for kind in ("ContainersReady", "Initialized", "Ready")}
    reported = {"f:status": {"f:conditions": conditions, "f:containerStatuses": {}, "f:hostIP": {}, "f:phase": {}, "f:podIP": {},
                             "f:podIPs": {".": {}, 'k:{"ip":"~IP~"}': {".": {}, "f:ip": {}}}, "f:startTime": {}}}
    return [_managed("kube-controller-manager", created), _managed("kubelet", reported)]


def _pod():
    tolerations = [{"effect": "NoExecute", "key": f"node.kubernetes.io/{what}", "operator": "Exists", "tolerationSeconds": 300}
                   for what in ("not-ready", "unreachable")]
    return {
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "annotations": {"checksum/config": "4" * 64, "prometheus.io/scrape": "true"}, "creationTimestamp": "2026-02-20T11:15:39Z",
            "generateName": "~APP~-6d4cf56db6-", "labels": {"app": "~APP~", "pod-template-hash": "6d4cf56db6", "team": "~NS~"},
            "managedFields": _pod_fields(),
            "name": "~POD~", "namespace": "~NS~",
            "ownerReferences": [{"apiVersion": "apps/v1", "blockOwnerDeletion": True, "controller": True, "kind": "ReplicaSet",
                                 "name": "~APP~-6d4cf56db6", "uid": "~OWNER~"}],
            "resourceVersion": "81234567", "uid": "~UID~"},
        "spec": {"containers": [_container()], "dnsPolicy": "ClusterFirst", "enableServiceLinks": True, "nodeName": "~NODE~",
                 "preemptionPolicy": "PreemptLowerPriority", "priority": 0, "restartPolicy": "Always", "schedulerName": "default-scheduler",
                 "securityContext": {}, "serviceAccountName": "default", "terminationGracePeriodSeconds": 30, "tolerations": tolerations,
                 "volumes": _volumes()},
        "status": _pod_status(),
    }


def _template(made):
    """An object as text, in pieces: every second one is the name of a varying field."""
    return json.dumps(made, separators=(",", ":")).split("~")


def _fill(pieces, values):
    return "".join([values.get(piece, piece) for piece in pieces])


def _uid(kind, index):
    return f"{kind:08x}-0000-4000-8000-{index:012x}"


def _values(kind, index, node_index):
    app = index // PODS_PER_OWNER
    return {"NODE": f"ip-10-{node_index >> 8}-{node_index & 255}-7.eu-west-1.compute.internal", "ZONE": f"eu-west-1{'abc'[node_index % 3]}",
            "UID": _uid(kind, index), "IP": f"10.{node_index >> 8}.{node_index & 255}.7", "APP": f"app-{app}", "NS": f"team-{app % 200}",
            "POD": f"app-{app}-6d4cf56db6-{index:06x}", "OWNER": _uid(3, app)}


def write(path, nodes, pods):
    """Writes the snapshot; pods are spread evenly over the nodes."""
    node, pod = _template(_node()), _template(_pod())
    with open(path, "w", buffering=1 << 20) as file:
        file.write('{"apiVersion":"v1","items":[\n')
        for index in range(nodes):
            file.write(_fill(node, _values(1, index, index)) + ",\n")
        for index in range(pods):
            file.write(_fill(pod, _values(2, index, index % nodes)) + (",\n" if index + 1 < pods else "\n"))
        file.write('],"kind":"List","metadata":{"resourceVersion":""}}\n')
