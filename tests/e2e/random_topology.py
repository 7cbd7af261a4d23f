"""Pods by chance that care where other pods are: spreading, affinity and anti-affinity, over several namespaces."""

import random

from objects import pod
from pod_by_pod import BY_HAND
from random_pods import choose_nodes, random_extended

ZONE, HOST, DISK = "topology.kubernetes.io/zone", "kubernetes.io/hostname", "disktype"
APPS = ["cart", "pay", "mail", "find", "lone"]
TRACKS = ["stable", "canary"]
NAMESPACES = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}} for name, labels in
              (("shop", {"team": "sales", "env": "prod"}), ("back", {"team": "core", "env": "prod"}), ("lab", {"team": "core", "env": "test"}))]
NAMES = ["default", *(one["metadata"]["name"] for one in NAMESPACES)]
HELD = "example.com/held"  # a finalizer of owners that are being deleted: their controllers do nothing about their pods any more


def services_and_owners():
    """What default spreading goes by: Services that select some of the pods, and controllers that pods may name as their owners."""
    for name in NAMES:
        for app in APPS[:2] if name != "lab" else APPS[:1]:
            yield made("v1", "Service", app, name, {"selector": {"app": app}, "ports": [{"port": 80}]})
        yield made("v1", "Service", "canaries", name, {"selector": {"track": "canary"}, "ports": [{"port": 80}]})
        for kind in ("ReplicaSet", "StatefulSet"):
            selector = {"matchLabels": {"app": "mail"}} if kind == "ReplicaSet" else {"matchExpressions": [{"key": "app", "operator": "In", "values": APPS[2:4]}]}
            more = {"serviceName": "cart"} if kind == "StatefulSet" else {}
            template = {"metadata": {"labels": {"app": "mail"}}, "spec": pod("mail")["spec"]}
            yield made("apps/v1", kind, "held", name, {"replicas": 0, "selector": selector, "template": template, **more}, finalizers=[HELD])


def made(api_version, kind, name, namespace, spec, **metadata):
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, "namespace": namespace, **metadata}, "spec": spec}


class RandomTopology:
    """Makes pods; `owners` are the live ReplicaSets and StatefulSets of all namespaces."""

    def __init__(self, seed, owners):
        self.chance = random.Random(seed)
        self.owners = owners

    def pods(self, count):
        return [self.pod(f"topology-{i}") for i in range(count)]

    def often(self, probability):
        return self.chance.random() < probability

    def pod(self, name):
        chance = self.chance
        new = pod(name, chance.choice(["10m", "50m", "130m", "250m"]), f"{chance.choice([32, 100, 200, 500])}Mi", chance.choice(NAMES),
                  extra=random_extended(chance))
        labels = {"app": chance.choice(APPS), "track": chance.choice(TRACKS), "tier": str(chance.randint(0, 2)), **BY_HAND}
        new["metadata"]["labels"] = labels
        spec = new["spec"]
        if self.often(0.4):
            choose_nodes(chance, spec)
        if self.often(0.6):
            spec["topologySpreadConstraints"] = self.constraints(labels)
        affinity = {**self.affinity("podAffinity", 0.2, 0.35, labels), **self.affinity("podAntiAffinity", 0.2, 0.3, labels)}
        if affinity:
            spec["affinity"] = {**spec.get("affinity", {}), **affinity}
        owned = labels["app"] in ("mail", "find")
        if owned and self.often(0.6):
            self.give_owner(new, "StatefulSet" if labels["app"] == "find" else chance.choice(["ReplicaSet", "StatefulSet"]))
        if self.often(0.1):
            spec["priorityClassName"] = chance.choice(["low", "high", "polite"])
        return new

    def give_owner(self, new, kind):
        owner = next(o for o in self.owners if o["kind"] == kind and o["metadata"]["namespace"] == new["metadata"]["namespace"])
        new["metadata"]["ownerReferences"] = [{"apiVersion": owner["apiVersion"], "kind": kind, "name": owner["metadata"]["name"],
                                               "uid": owner["metadata"]["uid"], "controller": True}]

    def constraints(self, labels):
        """Up to three, no two of them with the same key and the same action, as the API server wants it."""
        chance, found = self.chance, {}
        for _ in range(chance.choice([1, 1, 2, 3])):
            key, when = chance.choice([ZONE, ZONE, HOST, DISK, "rack"]), chance.choice(["DoNotSchedule", "ScheduleAnyway", "ScheduleAnyway"])
            if key == "rack" and self.often(0.7):
                continue
            found[key, when] = self.constraint(key, when, labels)
        return list(found.values()) or [self.constraint(ZONE, "ScheduleAnyway", labels)]

    def constraint(self, key, when, labels):
        chance = self.chance
        one = {"maxSkew": chance.choice([1, 1, 2, 3, 5]), "topologyKey": key, "whenUnsatisfiable": when, "labelSelector": self.selector(labels)}
        if when == "DoNotSchedule" and self.often(0.3):
            one["minDomains"] = chance.choice([1, 2, 4, 6])
        if self.often(0.3):
            one["nodeAffinityPolicy"] = chance.choice(["Honor", "Ignore"])
        if self.often(0.3):
            one["nodeTaintsPolicy"] = chance.choice(["Honor", "Ignore"])
        if self.often(0.25):
            one["matchLabelKeys"] = chance.choice([["track"], ["track", "tier"], ["nowhere"]])
            one["labelSelector"] = {"matchLabels": {"app": labels["app"]}}
        return one

    def selector(self, labels):
        """Mostly one that selects the pod itself."""
        chance = self.chance
        return chance.choice([
            {"matchLabels": {"app": labels["app"]}}, {"matchLabels": {"app": labels["app"]}}, {"matchLabels": {"app": chance.choice(APPS)}},
            {"matchExpressions": [{"key": "app", "operator": "In", "values": chance.sample(APPS, 2)}]},
            {"matchExpressions": [{"key": "tier", "operator": "NotIn", "values": [str(chance.randint(0, 3))]}, {"key": "app", "operator": "Exists"}]},
            {"matchLabels": {"track": chance.choice(TRACKS)}, "matchExpressions": [{"key": "owner", "operator": "DoesNotExist"}]}])

    def affinity(self, kind, required, preferred, labels):
        found = {}
        if self.often(required):
            found["requiredDuringSchedulingIgnoredDuringExecution"] = [
                self.term(labels, narrow=kind == "podAntiAffinity") for _ in range(self.chance.choice([1, 1, 1, 2]))]
        if self.often(preferred):
            found["preferredDuringSchedulingIgnoredDuringExecution"] = [
                {"weight": self.chance.randint(1, 100), "podAffinityTerm": self.term(labels)} for _ in range(self.chance.choice([1, 2, 3]))]
        return {kind: found} if found else {}

    def term(self, labels, narrow=False):
        """Without `narrow` of any topology; with it mostly of hosts: what keeps pods out of zones is soon in everyone's way."""
        chance = self.chance
        key = HOST if narrow and self.often(0.8) else chance.choice([ZONE, HOST, DISK])
        if narrow:
            one = {"topologyKey": key, "labelSelector": {"matchLabels": {"app": chance.choice(APPS), "track": "canary", "tier": str(chance.randint(0, 2))}}}
        else:
            one = {"topologyKey": key, "labelSelector": self.selector(labels)}
        if self.often(0.3):
            one["namespaces"] = chance.sample(NAMES, chance.choice([1, 2]))
        if self.often(0.3):
            one["namespaceSelector"] = chance.choice([{}, {"matchLabels": {"env": "prod"}}, {"matchLabels": {"team": "core"}},
                                                      {"matchExpressions": [{"key": "team", "operator": "DoesNotExist"}]}])
        if self.often(0.15):
            one[chance.choice(["matchLabelKeys", "mismatchLabelKeys"])] = ["track"]
            one["labelSelector"] = {"matchLabels": {"app": chance.choice(APPS)}}
        return one
