"""Nodes and pods by chance, the same for the same seed: what the decisions of two schedulers are compared with."""

import random

from objects import node, pod

IMAGES = {f"registry.example.com/{name}:1": size << 20 for name, size in
          {"app": 90, "web": 220, "db": 610, "train": 4200, "cache": 35, "batch": 980}.items()}
TAINTS = [("nvidia.com/gpu", "present", "NoSchedule"), ("example.com/spot", "true", "PreferNoSchedule"), ("dedicated", "db", "NoSchedule"),
          ("example.com/old", "", "PreferNoSchedule"), ("dedicated", "batch", "NoExecute"), ("example.com/slow", "disk", "PreferNoSchedule")]


def random_nodes(count, seed):
    """Nodes that differ in size, labels, taints, images and extended resources."""
    chance = random.Random(seed)
    return [random_node(chance, f"varied-{i}") for i in range(count)]


def random_node(chance, name):
    labels = {"pool": chance.choice(["general", "big", "db", "batch"]), "disktype": chance.choice(["ssd", "hdd", "nvme"]),
              "generation": str(chance.randint(1, 9)), "topology.kubernetes.io/zone": f"zone-{chance.randint(0, 3)}"}
    extra = {}
    if chance.random() < 0.35:
        extra["nvidia.com/gpu"] = str(chance.choice([1, 2, 4, 8]))
    if chance.random() < 0.3:
        extra["example.com/fpga"] = str(chance.choice([2, 6]))
    made = node(name, chance.choice(["3", "7500m", "12", "16", "24"]), f"{chance.choice([6, 15, 31, 48, 90])}Gi", labels,
                chance.sample(TAINTS, chance.choice([0, 0, 0, 1, 1, 2])), unschedulable=chance.random() < 0.06, extra=extra)
    images = chance.sample(sorted(IMAGES), chance.randint(0, 5))
    made["status"]["images"] = [{"names": [image], "sizeBytes": IMAGES[image]} for image in images]
    return made


def random_pods(count, seed):
    chance = random.Random(seed)
    return [random_pod(chance, f"random-{i}") for i in range(count)]


def random_pod(chance, name):
    """A pod with some of what a pod may ask for; about one in six asks for too much."""
    made = pod(name, chance.choice(["10m", "50m", "130m", "250m", "400m", "700m", "1500m"]),
               f"{chance.choice([32, 100, 200, 500, 900, 2500])}Mi", extra=random_extended(chance))
    change_containers(chance, made["spec"])
    choose_nodes(chance, made["spec"])
    if chance.random() < 0.25:
        made["spec"]["priorityClassName"] = chance.choice(["low", "high", "system-node-critical"])
    return made


def change_containers(chance, spec):
    """Images, further containers, ports of the host, and requests that are none or too large for any node."""
    containers = spec["containers"]
    containers[0]["image"] = chance.choice(sorted(IMAGES))
    if chance.random() < 0.15:
        containers[0].pop("resources")
    if chance.random() < 0.05:
        containers[0]["resources"] = {"requests": {"cpu": "40", "memory": chance.choice(["1Gi", "900Gi"])}}
    if chance.random() < 0.2:
        containers.append({"name": "side", "image": chance.choice(sorted(IMAGES)), "resources": {"requests": {"cpu": "20m"}}})
    if chance.random() < 0.1:
        spec["initContainers"] = [{"name": "first", "image": chance.choice(sorted(IMAGES)),
                                   "resources": {"requests": {"cpu": chance.choice(["10m", "2", "9"]), "memory": "64Mi"}}}]
    if chance.random() < 0.12:
        containers[0]["ports"] = [{"containerPort": 80, "hostPort": chance.choice([8080, 8080, 9090]),
                                   "protocol": chance.choice(["TCP", "UDP"]), **chance.choice([{}, {"hostIP": "127.0.0.1"}])}]


def choose_nodes(chance, spec):
    """Tolerations, a node selector and node affinity."""
    if chance.random() < 0.3:
        spec["tolerations"] = random_tolerations(chance)
    if chance.random() < 0.2:
        spec["nodeSelector"] = dict([chance.choice([("pool", "big"), ("pool", "db"), ("disktype", "ssd"), ("pool", "quantum"),
                                                    ("kubernetes.io/os", "linux"), ("topology.kubernetes.io/zone", "zone-1")])])
    affinity = random_affinity(chance)
    if affinity:
        spec["affinity"] = {"nodeAffinity": affinity}


def random_extended(chance):
    asked = chance.random()
    if asked < 0.08:
        return {"nvidia.com/gpu": str(chance.choice([1, 1, 2, 9]))}
    if asked < 0.13:
        return {"example.com/fpga": str(chance.choice([1, 3]))}
    if asked < 0.15:
        return {"example.com/nowhere": "1"}
    if asked < 0.25:
        return {"ephemeral-storage": chance.choice(["1Gi", "30Gi", "90Gi"])}
    return {}


def random_tolerations(chance):
    possible = [{"key": "nvidia.com/gpu", "operator": "Exists"}, {"key": "dedicated", "value": "db", "effect": "NoSchedule"},
                {"key": "example.com/spot", "operator": "Equal", "value": "true"}, {"operator": "Exists"},
                {"key": "dedicated", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 3600},
                {"key": "node.kubernetes.io/unschedulable", "operator": "Exists"}, {"operator": "Exists", "effect": "PreferNoSchedule"}]
    return chance.sample(possible, chance.randint(1, 2))


def random_affinity(chance):
    """Required terms, preferred terms, both or nothing."""
    affinity = {}
    if chance.random() < 0.22:
        affinity["requiredDuringSchedulingIgnoredDuringExecution"] = {
            "nodeSelectorTerms": [random_term(chance) for _ in range(chance.choice([1, 1, 2]))]}
    if chance.random() < 0.45:
        affinity["preferredDuringSchedulingIgnoredDuringExecution"] = [
            {"weight": chance.randint(1, 100), "preference": random_term(chance, fields=False)} for _ in range(chance.randint(1, 3))]
    return affinity


def random_term(chance, fields=True):
    if fields and chance.random() < 0.15:
        name = chance.choice(["varied-2", "varied-5", "node-1", "no-such-node"])
        return {"matchFields": [{"key": "metadata.name", "operator": chance.choice(["In", "NotIn"]), "values": [name]}]}
    return {"matchExpressions": [random_expression(chance) for _ in range(chance.choice([1, 1, 2]))]}


def random_expression(chance):
    number = {"key": "generation", "operator": chance.choice(["Gt", "Lt"]), "values": [str(chance.randint(1, 9))]}
    return chance.choice([
        number, number,
        {"key": "disktype", "operator": chance.choice(["In", "NotIn"]), "values": chance.sample(["ssd", "hdd", "nvme", "tape"], 2)},
        {"key": "pool", "operator": chance.choice(["Exists", "DoesNotExist"])},
        {"key": "topology.kubernetes.io/zone", "operator": "In", "values": [f"zone-{chance.randint(0, 4)}"]},
        {"key": "pool", "operator": "NotIn", "values": ["general"]}])
