"""What waiting, an autoscaler or another pod could change for a pod: the oracle's answers in such clusters."""

import copy
import itertools
import json

import scenarios
import webhook_expectation

UNIVERSAL = {"capacity": {"storage": "1Ti"}, "accessModes": ["ReadWriteOnce", "ReadWriteMany", "ReadOnlyMany"], "persistentVolumeReclaimPolicy": "Retain",
             "nfs": {"server": "nfs.example.com", "path": "/"}}


def write(objects, path):
    """JSON is YAML, and much quicker to write."""
    path.write_text("".join(f"---\n{json.dumps(one)}\n" for one in objects))


# ---- changes of the cluster: each takes the objects and the pod ----

def without_pods(objects, _pod, _rules):
    return [one for one in objects if one["kind"] != "Pod"]


def with_open_nodes(objects, _pod, rules):
    """Neither cordoned nor with a taint that comes and goes."""
    return [open_node(one, rules) if one["kind"] == "Node" else one for one in objects]


def open_node(node, rules):
    node = copy.deepcopy(node)
    spec = node.setdefault("spec", {})
    spec.pop("unschedulable", None)
    spec["taints"] = [taint for taint in spec.get("taints") or [] if not webhook_expectation.is_transient(taint["key"], rules.transient)]
    return node


def with_claims(objects, pod, _rules):
    """The claims that the pod names and that are not there come, bound to a volume for every node; classes come too."""
    namespace = pod["metadata"]["namespace"]
    known = {(one["metadata"]["namespace"], one["metadata"]["name"]) for one in objects if one["kind"] == "PersistentVolumeClaim"}
    missing = [(name, owner) for name, owner in claims_of(pod) if (namespace, name) not in known]
    return objects + missing_classes(objects) + [made for name, owner in missing for made in bound_claim(namespace, name, owner)]


def with_bound_claims(objects, pod, rules):
    """As with_claims; and what its claims that are there are bound to is good for every node."""
    namespace, names = pod["metadata"]["namespace"], {name for name, _ in claims_of(pod)}
    others = [one for one in objects if one["kind"] != "PersistentVolumeClaim" or one["metadata"]["namespace"] != namespace
              or one["metadata"]["name"] not in names]
    return with_claims(others, pod, rules)


def claims_of(pod):
    """Names; and an owner for those that are made for the pod."""
    for volume in pod["spec"].get("volumes") or []:
        if "persistentVolumeClaim" in volume:
            yield volume["persistentVolumeClaim"]["claimName"], None
        elif "ephemeral" in volume:
            meta = pod["metadata"]
            yield f"{meta['name']}-{volume['name']}", {"apiVersion": "v1", "kind": "Pod", "name": meta["name"], "uid": meta["uid"], "controller": True}


def bound_claim(namespace, name, owner):
    volume = f"universal-{namespace}-{name}"
    metadata = {"name": name, "namespace": namespace, "uid": volume, "annotations": {"pv.kubernetes.io/bind-completed": "yes"}}
    if owner:
        metadata["ownerReferences"] = [owner]
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "status": {"phase": "Bound"},
             "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "volumeName": volume, "storageClassName": ""}}
    reference = {"kind": "PersistentVolumeClaim", "namespace": namespace, "name": name, "uid": volume}
    yield claim
    yield {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": volume}, "status": {"phase": "Bound"},
           "spec": {**UNIVERSAL, "claimRef": reference, "storageClassName": ""}}


def missing_classes(objects):
    known = {one["metadata"]["name"] for one in objects if one["kind"] == "StorageClass"}
    named = {one["spec"].get("storageClassName") for one in objects if one["kind"] == "PersistentVolumeClaim"} - known - {None, ""}
    return [{"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": name}, "provisioner": "any.example.com",
             "volumeBindingMode": "WaitForFirstConsumer"} for name in sorted(named)]


def with_target(objects, pod, node):
    """Pods that the pod wants to be near run on the node, and ask for nothing."""
    terms = (((pod["spec"].get("affinity") or {}).get("podAffinity") or {}).get("requiredDuringSchedulingIgnoredDuringExecution") or [])
    targets = [{"apiVersion": "v1", "kind": "Pod", "status": {"phase": "Running"},
                "metadata": {"name": f"target-{index}", "uid": f"target-{index}", "namespace": (term.get("namespaces") or [pod["metadata"]["namespace"]])[0],
                             "labels": labels_for(term, pod)},
                "spec": {"nodeName": node, "containers": [{"name": "main", "image": "registry.example.com/app:1"}]}} for index, term in enumerate(terms)]
    return objects + targets


def labels_for(term, pod):
    selector, own = term.get("labelSelector") or {}, pod["metadata"].get("labels") or {}
    labels = dict(selector.get("matchLabels") or {})
    for one in selector.get("matchExpressions") or []:
        if one["operator"] in ("In", "Exists"):
            labels.setdefault(one["key"], (one.get("values") or ["any"])[0])
    labels.update({key: own[key] for key in term.get("matchLabelKeys") or [] if key in own})
    return labels


# ---- the pod without what never makes it impossible ----

def bare(pod):
    """Only what is judged is left: node selector and affinity, tolerations, requests. What its containers' other fields need nodes to have
    declared is of NodeDeclaredFeatures, which bare-config.yaml leaves out."""
    made = copy.deepcopy(pod)
    spec = made["spec"]
    for field in ("volumes", "topologySpreadConstraints", "resourceClaims", "priorityClassName", "schedulingGates"):
        spec.pop(field, None)
    node_affinity = (spec.get("affinity") or {}).get("nodeAffinity")
    spec["affinity"] = {"nodeAffinity": node_affinity} if node_affinity else {}
    for one in [*spec["containers"], *spec.get("initContainers", [])]:
        for field in ("ports", "volumeMounts"):
            one.pop(field, None)
        (one.get("resources") or {}).pop("claims", None)
    return made


CHANGES = (without_pods, with_open_nodes, with_claims)


class Oracle:
    """Asks the oracle about one pod at a time, in a cluster that is changed."""

    def __init__(self, program, folder, rules):
        self.program, self.folder, self.rules = program, folder, rules

    def node_for(self, objects, pod, config="config.yaml"):
        """Where it goes; None: nowhere."""
        cluster, manifest, out = (self.folder / name for name in ("relaxed.yaml", "pod.yaml", "oracle.json"))
        write(objects, cluster)
        write([pod], manifest)
        scenarios.run_program([self.program, "run", "--config", self.folder / config, cluster, manifest], out, {0})
        outcome = next(one for one in json.loads(out.read_text())["pods"]
                       if (one["namespace"], one["name"]) == (pod["metadata"]["namespace"], pod["metadata"]["name"]))
        return outcome.get("node") if outcome["result"] == "Scheduled" else None

    def changed(self, objects, pod, changes):
        for change in changes:
            objects = change(objects, pod, self.rules)
        return objects

    def bare_node(self, objects, pod):
        return self.node_for(self.changed(objects, pod, (without_pods, with_open_nodes)), bare(pod), "bare-config.yaml")

    def placed_by(self, objects, pod):
        """The names of the first changes that make the oracle place the pod; None: none does."""
        everything = self.changed(objects, pod, (without_pods, with_open_nodes, with_bound_claims))
        if node := self.bare_node(objects, pod):
            return f"nothing in the way, on {node}"
        if self.node_for(everything, pod):
            return "no pods, open nodes, claims bound"
        for count in range(len(CHANGES) + 1):
            for some in itertools.combinations(CHANGES, count):
                if self.node_for(self.changed(objects, pod, some), pod):
                    return ", ".join(change.__name__ for change in some) or "nothing changed"
        return self.placed_beside_target(everything, pod)

    def placed_beside_target(self, everything, pod):
        if not ((pod["spec"].get("affinity") or {}).get("podAffinity")):
            return None
        for node in (one["metadata"]["name"] for one in everything if one["kind"] == "Node"):
            if self.node_for(with_target(everything, pod, node), pod):
                return f"its target on {node}"
        return None
