#!/usr/bin/env python3
"""Writes production.yaml: a plausible production cluster, as kubectl prints it.

    generate.py > production.yaml

stands for `kubectl get nodes,pods,namespaces,priorityclasses -A -o yaml`. Everything is drawn from one seed, so
the same script gives the same file. Pods are laid out by a rough first fit of its own, not by a scheduler.
"""

import hashlib
import random
import sys

import yaml

import workloads
from nodes import all_nodes, quantity_mib

RNG = random.Random(20260302)


def uid(*parts):
    digest = hashlib.sha256("/".join(parts).encode()).hexdigest()
    return f"{digest[:8]}-{digest[8:12]}-4{digest[13:16]}-a{digest[17:20]}-{digest[20:32]}"


def namespace(name, labels):
    return {
        "apiVersion": "v1", "kind": "Namespace",
        "metadata": {"name": name, "labels": {"kubernetes.io/metadata.name": name, **labels}, "uid": uid("ns", name),
                     "creationTimestamp": "2025-06-03T09:12:44Z", "resourceVersion": "412"},
        "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"},
    }


def priority_class(name, value, description, is_default=False, policy="PreemptLowerPriority"):
    one = {
        "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "description": description,
        "metadata": {"name": name, "uid": uid("pc", name), "creationTimestamp": "2025-06-03T09:12:40Z",
                     "generation": 1, "resourceVersion": "73"},
        "preemptionPolicy": policy, "value": value,
    }
    if is_default:
        one["globalDefault"] = True
    return one


PRIORITY_CLASSES = [
    priority_class("system-node-critical", 2000001000, "Used for system critical pods that must not be moved from their current node."),
    priority_class("system-cluster-critical", 2000000000, "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary."),
    priority_class("production-high", 100000, "User-facing services."),
    priority_class("production", 10000, "What runs without another class.", is_default=True),
    priority_class("batch", 100, "Jobs that can wait.", policy="Never"),
]

NAMESPACES = [
    namespace("default", {}), namespace("kube-system", {}), namespace("kube-public", {}), namespace("kube-node-lease", {}),
    namespace("ingress-nginx", {"team": "platform"}), namespace("monitoring", {"team": "platform"}),
    namespace("logging", {"team": "platform"}), namespace("shop", {"team": "storefront", "env": "prod"}),
    namespace("payments", {"team": "payments", "env": "prod"}), namespace("data", {"team": "data", "env": "prod"}),
    namespace("ml", {"team": "research", "env": "prod"}), namespace("ci", {"team": "platform"}),
]


class Room:
    """What is left on each node, for the layout of the pods."""

    def __init__(self, nodes):
        self.nodes = nodes
        self.left = {}
        for node in nodes:
            allocatable = node["status"]["allocatable"]
            self.left[node["metadata"]["name"]] = {
                "cpu": int(allocatable["cpu"].removesuffix("m")), "memory": quantity_mib(allocatable["memory"]),
                "pods": int(allocatable["pods"]), "gpu": int(allocatable.get("nvidia.com/gpu", "0"))}

    def take(self, name, need):
        for key, amount in need.items():
            self.left[name][key] -= amount

    def find(self, pools, need):
        """A node of one of the pools with the need to spare: mostly an emptier one, as schedulers do."""
        fitting = [n for n in self.nodes if n["metadata"]["labels"]["node.example.com/pool"] in pools and self.usable(n)
                   and all(self.left[n["metadata"]["name"]][key] >= amount for key, amount in need.items())]
        if not fitting:
            return None
        some = RNG.sample(fitting, min(4, len(fitting)))
        return max(some, key=lambda n: self.left[n["metadata"]["name"]]["cpu"])["metadata"]["name"]

    @staticmethod
    def usable(node):
        ready = next(c for c in node["status"]["conditions"] if c["type"] == "Ready")
        return ready["status"] == "True" and not node["spec"].get("unschedulable")


def place(pods, room):
    """Gives each pod its node and status."""
    for pod, plan in pods:
        need = dict(plan["need"], pods=1)
        node = plan.get("node") or (None if plan["phase"] == "Pending" else room.find(plan["pools"], need))
        if node is None:
            workloads.leave_pending(pod, plan)
            continue
        if plan["phase"] == "Running":
            room.take(node, need)
        host = next(n for n in room.nodes if n["metadata"]["name"] == node)
        workloads.bind(pod, plan, host, RNG)


def main():
    nodes = all_nodes(RNG, uid)
    pods = workloads.all_pods(nodes, RNG, uid)
    place(pods, Room(nodes))
    items = nodes + sorted((pod for pod, _ in pods), key=lambda p: (p["metadata"]["namespace"], p["metadata"]["name"]))
    items += sorted(NAMESPACES, key=lambda n: n["metadata"]["name"])
    items += sorted(PRIORITY_CLASSES, key=lambda c: c["metadata"]["name"])
    document = {"apiVersion": "v1", "items": items, "kind": "List", "metadata": {"resourceVersion": ""}}
    yaml.dump(document, sys.stdout, Dumper=Plain, sort_keys=True, width=100000)


class Plain(yaml.SafeDumper):
    """Writes no anchors: equal parts are written out, as kubectl does."""

    def ignore_aliases(self, _data):
        return True


if __name__ == "__main__":
    main()
