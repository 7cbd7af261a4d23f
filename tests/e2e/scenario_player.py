"""Plays the oracle's generated scenarios on a real API server: objects, then changes one by one.

Nobody else is there but a scheduler, so who a cluster has besides is played too: kubelets that end pods, the controller that
binds volumes, and a provisioner.
"""

import copy
import subprocess
import threading
import time

import yaml

from rest import Api, Refused

PLURALS = {"StorageClass": "storageclasses", "PriorityClass": "priorityclasses", "RuntimeClass": "runtimeclasses",
           "CSIStorageCapacity": "csistoragecapacities", "DeviceClass": "deviceclasses"}
CLUSTER_WIDE = {"Node", "Namespace", "PersistentVolume", "StorageClass", "PriorityClass", "RuntimeClass", "CSINode", "CSIDriver",
                "VolumeAttachment", "DeviceClass", "ResourceSlice"}
BOUND_BY = {"pv.kubernetes.io/bind-completed": "yes"}
SELECTED_NODE = "volume.kubernetes.io/selected-node"
PVS, PVCS, PODS = "/api/v1/persistentvolumes", "/api/v1/persistentvolumeclaims", "/api/v1/pods"


def documents(path):
    return [one for one in yaml.safe_load_all(path.read_text()) if one] if path.exists() else []


def generate(program, folder, kind, seed, events):
    subprocess.run([program, "--kind", kind, "--seed", str(seed), "--events", str(events), "--user-form", "--out", folder],
                   check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def collection(one):
    """The path of the objects of its kind in its namespace."""
    version, kind = one["apiVersion"], one["kind"]
    root = "/apis" if "/" in version else "/api"
    where = "" if kind in CLUSTER_WIDE else f"/namespaces/{one['metadata'].get('namespace', 'default')}"
    return f"{root}/{version}{where}/{PLURALS.get(kind, kind.lower() + 's')}"


def path_of(one):
    return f"{collection(one)}/{one['metadata']['name']}"


def by_kind(objects, *kinds):
    return [one for one in objects if one["kind"] in kinds]


class Player:
    """Makes one scenario's objects; what the API server does not accept is counted and left out."""

    def __init__(self, folder, plane_folder):
        self.cluster, self.pods = documents(folder / "cluster.yaml"), documents(folder / "pods.yaml")
        self.events = documents(folder / "events.yaml")
        self.api = Api(plane_folder)
        self.refused, self.made, self.uids = [], {}, {}

    def close(self):
        self.api.close()

    def attempt(self, what, call):
        try:
            return call()
        except Refused as refused:
            self.refused.append(f"{what}: {refused}")
            return None

    def set_up(self):
        """Everything but the pods that wait. A volume names its claim by the uid that this has here."""
        first = by_kind(self.cluster, "Namespace", "PriorityClass", "RuntimeClass", "StorageClass", "Node", "PersistentVolumeClaim")
        for one in first:
            self.create(one)
        for one in self.cluster:
            if one not in first:
                self.create(one)

    def create(self, given):
        one = copy.deepcopy(given)
        metadata, status = one["metadata"], one.get("status")
        for field in ("uid", "resourceVersion", "creationTimestamp", "managedFields", "deletionTimestamp", "deletionGracePeriodSeconds"):
            metadata.pop(field, None)
        if one["kind"] == "PersistentVolume" and "uid" in one["spec"].get("claimRef", {}):
            ref = one["spec"]["claimRef"]
            ref["uid"] = self.uids.get(ref["uid"], ref["uid"])
        made = self.make(one)
        if made is None:
            return None
        self.made[path_of(one)] = one
        self.uids[given["metadata"].get("uid")] = made["metadata"]["uid"]
        if one["kind"] == "Node":  # admission has added a taint, which a controller would take away
            self.attempt("taints", lambda: self.api.merge(path_of(one), {"spec": {"taints": one["spec"].get("taints")}}))
        if status:
            self.attempt(f"status of {path_of(one)}", lambda: self.api.merge(f"{path_of(one)}/status", {"status": status}))
        if given["metadata"].get("deletionTimestamp") and one["kind"] != "Pod":
            self.delete(one)
        return made

    def make(self, one):
        """What a cluster has from the start, or namespaces that another scenario has left, get its labels."""
        if one["kind"] in ("Namespace", "PriorityClass") and self.api.find(path_of(one)):
            self.attempt(f"label {path_of(one)}", lambda: self.api.merge(path_of(one), {"metadata": {"labels": one["metadata"].get("labels")}}))
            return None
        return self.attempt(f"create {path_of(one)}", lambda: self.api.call("POST", collection(one), one))

    def add_pods(self):
        for one in self.pods:
            self.create(one)

    def delete(self, one):
        self.made.pop(path_of(one), None)
        grace = 1 if one["kind"] == "Pod" else 0
        return self.attempt(f"delete {path_of(one)}", lambda: self.api.call("DELETE", path_of(one), {"gracePeriodSeconds": grace}))

    def update(self, given):
        current = self.api.find(path_of(given))
        if current is None:
            return
        one, status = copy.deepcopy(given), given.get("status")
        one["metadata"].update({key: current["metadata"][key] for key in ("uid", "resourceVersion", "creationTimestamp")})
        for field in ("deletionTimestamp", "deletionGracePeriodSeconds"):
            one["metadata"].pop(field, None)
        if one["kind"] == "Pod":  # little of it may change
            changed = {key: one["spec"][key] for key in ("tolerations", "schedulingGates") if key in one["spec"]}
            one["spec"] = {**current["spec"], **changed}
            if "schedulingGates" not in changed:
                one["spec"].pop("schedulingGates", None)
        done = self.attempt(f"update {path_of(one)}", lambda: self.api.call("PUT", path_of(one), one))
        if status and done is not None:
            self.attempt(f"status of {path_of(one)}", lambda: self.api.merge(f"{path_of(one)}/status", {"status": status}))

    def play(self, event):
        {"add": self.create, "update": self.update, "delete": self.delete}[event["type"]](event["object"])

    def clear(self):
        """Everything goes, also what was made by others."""
        for path in (PODS, PVCS, PVS):
            kind = {PODS: "Pod", PVCS: "PersistentVolumeClaim", PVS: "PersistentVolume"}[path]
            for one in self.api.get(path)["items"]:
                self.remove_now(path_of({**one, "apiVersion": "v1", "kind": kind}))
        for path, one in reversed(self.made.items()):
            if one["kind"] == "Namespace":
                continue  # without its controller it would never end
            if one["kind"] not in ("Pod", "PersistentVolume", "PersistentVolumeClaim"):
                self.remove_now(path)

    def remove_now(self, path):
        try:
            self.api.merge(path, {"metadata": {"finalizers": None}})
            self.api.call("DELETE", path, {"gracePeriodSeconds": 0})
        except Refused as refused:
            if refused.status != 404:
                self.refused.append(f"remove {path}: {refused}")


class Others(threading.Thread):
    """The kubelets and the volume controllers, over and over until it is stopped."""

    def __init__(self, plane_folder):
        super().__init__(daemon=True)
        self.api, self.stopping, self.failures = Api(plane_folder), threading.Event(), []

    def run(self):
        while not self.stopping.wait(0.1):
            try:
                self.end_pods()
                self.bind_claims()
            except Refused as refused:  # what it was about has changed
                self.failures.append(str(refused))
            except OSError as failure:
                self.failures.append(str(failure))

    def stop(self):
        self.stopping.set()
        self.join()
        self.api.close()

    def end_pods(self):
        for one in self.api.get(PODS)["items"]:
            if "deletionTimestamp" in one["metadata"]:
                self.api.call("DELETE", path_of({**one, "apiVersion": "v1", "kind": "Pod"}), {"gracePeriodSeconds": 0})

    def bind_claims(self):
        claims = {(c["metadata"]["namespace"], c["metadata"]["name"]): c for c in self.api.get(PVCS)["items"]}
        for volume in self.api.get(PVS)["items"]:
            ref = volume["spec"].get("claimRef")
            claim = claims.get((ref["namespace"], ref["name"])) if ref else None
            if claim and ref.get("uid") == claim["metadata"]["uid"] and not claim["spec"].get("volumeName"):
                self.bind(volume, claim)
                claims.pop((ref["namespace"], ref["name"]))
        for claim in claims.values():
            node = claim["metadata"].get("annotations", {}).get(SELECTED_NODE)
            if node and not claim["spec"].get("volumeName"):
                self.api.call("POST", PVS, made_volume(claim, node))

    def bind(self, volume, claim):
        where = f"/api/v1/namespaces/{claim['metadata']['namespace']}/persistentvolumeclaims/{claim['metadata']['name']}"
        self.api.merge(f"{PVS}/{volume['metadata']['name']}/status", {"status": {"phase": "Bound"}})
        self.api.merge(where, {"metadata": {"annotations": BOUND_BY}, "spec": {"volumeName": volume["metadata"]["name"]}})
        self.api.merge(f"{where}/status", {"status": {"phase": "Bound", "capacity": volume["spec"]["capacity"]}})


def made_volume(claim, node):
    """What a provisioner makes for a claim, on the node that was chosen."""
    metadata = claim["metadata"]
    expression = {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}]}
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": f"pvc-{metadata['uid']}"},
            "spec": {"capacity": claim["spec"]["resources"]["requests"], "accessModes": claim["spec"]["accessModes"],
                     "storageClassName": claim["spec"].get("storageClassName", ""), "csi": {"driver": "made.example", "volumeHandle": metadata["uid"]},
                     "claimRef": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": metadata["namespace"],
                                  "name": metadata["name"], "uid": metadata["uid"]},
                     "nodeAffinity": {"required": {"nodeSelectorTerms": [expression]}}}}


def wait_until_quiet(folder, seconds_quiet, most):
    """Until no cycle has been written for so long."""
    end, last, since = time.monotonic() + most, -1, time.monotonic()
    while time.monotonic() < end:
        count = sum(1 for _ in folder.glob("*.report.json")) if folder.exists() else 0
        if count != last:
            last, since = count, time.monotonic()
        if time.monotonic() - since >= seconds_quiet:
            break
        time.sleep(0.05)
    return last
