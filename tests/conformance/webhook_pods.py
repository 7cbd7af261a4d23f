"""Makes pods that may or may not fit a cluster, out of what its nodes have, for webhook_property.py."""

RUNTIME_CLASS = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "heavy"}, "handler": "heavy",
                 "overhead": {"podFixed": {"cpu": "250m", "memory": "120Mi"}}}
DEVICE_CLASS = {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "accelerators"},
                "spec": {"extendedResourceName": "example.com/accelerator"}}
EFFECTS = ["NoSchedule", "NoExecute", "PreferNoSchedule"]
OPERATORS = ["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"]
PLAIN = ("cpu", "memory", "ephemeral-storage")


class Facts:
    """What pods can refer to in a cluster; `shapes` are the nodes of the policy's shapes."""

    def __init__(self, objects, shapes):
        def named(kind):
            return [one for one in objects if one["kind"] == kind]
        nodes = named("Node") + shapes
        self.nodes = [node["metadata"]["name"] for node in nodes] or ["node-0"]
        self.label_sets = [labels for node in nodes if (labels := node["metadata"].get("labels"))] or [{"a": "b"}]
        self.taints = [taint for node in nodes for taint in node.get("spec", {}).get("taints") or []]
        self.most = [node["status"]["allocatable"] for node in nodes if node.get("status", {}).get("allocatable")] or [{"cpu": "1"}]
        self.namespaces = [name for one in named("Namespace") if (name := one["metadata"]["name"]) != "kube-system"] or ["default"]
        claims = [(one["metadata"]["namespace"], one["metadata"]["name"]) for one in named("PersistentVolumeClaim")]
        self.claims = [(namespace, name) for namespace, name in claims if namespace != "kube-system"]
        self.priorities = [one["metadata"]["name"] for one in named("PriorityClass") if not one["metadata"]["name"].startswith("system-")]


class Maker:
    """Draws pods, all of them such as an API server takes."""

    def __init__(self, rng, facts):
        self.rng, self.facts = rng, facts

    def chance(self, percent):
        return self.rng.randrange(100) < percent

    def pod(self, name):
        namespace = self.rng.choice(self.facts.namespaces)
        spec = {"containers": [self.container("main")]}
        made = {"apiVersion": "v1", "kind": "Pod", "spec": spec,
                "metadata": {"name": name, "namespace": namespace, "uid": f"uid-of-{name}", "labels": {"app": self.rng.choice(["web", "db", name])}}}
        for percent, add in ((25, self.node_selector), (45, self.node_affinity), (70, self.tolerations), (15, self.more_containers), (8, self.pod_level),
                             (12, self.runtime_class), (25, self.volumes), (12, self.pod_affinity), (12, self.spread), (12, self.ports)):
            if self.chance(percent):
                add(spec, made["metadata"])
        if self.facts.priorities and self.chance(60):
            spec["priorityClassName"] = self.rng.choice(self.facts.priorities)
        if self.chance(4):
            spec["schedulingGates"] = [{"name": "example.com/later"}]
        if self.chance(6):
            made["metadata"]["ownerReferences"] = [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "rs", "uid": "rs", "controller": True}]
        return made

    # ---- what it asks for ----

    def container(self, name):
        requests, limits = {}, {}
        for resource, percent in (("cpu", 70), ("memory", 60), ("ephemeral-storage", 15)):
            if self.chance(percent):
                requests[resource] = self.amount(resource)
        if self.chance(18):
            resource = self.rng.choice([self.scalar(), "nvidia.com/gpu", "example.com/nowhere", "example.com/accelerator"])
            requests[resource] = limits[resource] = self.amount(resource)
        if self.chance(8) and requests:
            pages = self.rng.choice(["hugepages-2Mi", "hugepages-1Gi"])
            requests[pages] = limits[pages] = self.amount(pages)
            requests.setdefault("cpu", "1m")
        return {"name": name, "image": "registry.example.com/app:1", "resources": {"requests": requests, **({"limits": limits} if limits else {})}}

    def scalar(self):
        names = {name for most in self.facts.most for name in most if "/" in name}
        return self.rng.choice(sorted(names) or ["nvidia.com/gpu"])

    def amount(self, resource):
        """Around what some node has: little, all of it, or too much."""
        most = str(self.rng.choice(self.facts.most).get(resource, "0"))
        if resource.startswith("hugepages-"):
            page = resource.removeprefix("hugepages-")
            return self.rng.choice([page, page, most, "512" + page[1:]])
        if resource not in PLAIN:
            return self.rng.choice(["0", "1", "1", most, "1000000"])
        huge = {"cpu": "100k", "memory": "7Ei", "ephemeral-storage": "9E"}[resource]
        usual = {"cpu": ["1m", "100m", "500m", "1", "2.5"], "memory": ["1", "64Mi", "512Mi", "1.5Gi", "1e9"], "ephemeral-storage": ["1", "1Gi", "5G"]}
        return self.rng.choice(["0", *usual[resource] * 2, most, most, huge])

    def more_containers(self, spec, _metadata):
        kind = self.rng.choice(["containers", "initContainers", "sidecars"])
        added = [self.container(f"more-{index}") for index in range(self.rng.choice([1, 2]))]
        if kind == "sidecars":
            added = [{**one, "restartPolicy": "Always"} if self.chance(70) else one for one in added]
        spec.setdefault("containers" if kind == "containers" else "initContainers", []).extend(added)

    def pod_level(self, spec, _metadata):
        """Not below what its containers ask for: they ask for nothing then."""
        for one in spec["containers"] + spec.get("initContainers", []):
            one["resources"] = {}
        spec["resources"] = {"requests": {resource: self.amount(resource) for resource in ("cpu", "memory")}}

    def runtime_class(self, spec, _metadata):
        spec["runtimeClassName"] = RUNTIME_CLASS["metadata"]["name"]
        spec["overhead"] = dict(RUNTIME_CLASS["overhead"]["podFixed"])

    # ---- where it may go ----

    def node_selector(self, spec, _metadata):
        labels = self.rng.choice(self.facts.label_sets)
        chosen = dict(self.rng.sample(sorted(labels.items()), k=min(len(labels), self.rng.choice([1, 1, 2]))))
        if self.chance(30):
            chosen[self.rng.choice([*chosen, "no-such-key"])] = self.rng.choice(["", "nothing"])
        spec["nodeSelector"] = chosen

    def node_affinity(self, spec, _metadata):
        terms = [self.term() for _ in range(self.rng.choice([1, 1, 2, 3]))]
        spec.setdefault("affinity", {})["nodeAffinity"] = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}

    def term(self):
        """An empty one matches no node."""
        term = {}
        if self.chance(85):
            term["matchExpressions"] = [self.requirement() for _ in range(self.rng.choice([1, 1, 2, 3]))]
        if self.chance(25):
            name = self.rng.choice([self.rng.choice(self.facts.nodes), "no-such-node"])
            term["matchFields"] = [{"key": "metadata.name", "operator": self.rng.choice(["In", "In", "NotIn"]), "values": [name]}]
        return term

    def requirement(self):
        key, value = self.rng.choice(sorted(self.rng.choice(self.facts.label_sets).items()))
        if self.chance(15):
            key = self.rng.choice(["no-such-key", "example.com/generation", "pool"])
        operator = self.rng.choice(OPERATORS)
        if operator in ("Exists", "DoesNotExist"):
            return {"key": key, "operator": operator}
        if operator in ("Gt", "Lt"):
            return {"key": self.rng.choice([key, "example.com/generation"]), "operator": operator, "values": [self.rng.choice(["0", "1", "2", "100"])]}
        return {"key": key, "operator": operator, "values": sorted({value, self.rng.choice([value, "", "nothing"])})}

    def tolerations(self, spec, _metadata):
        spec["tolerations"] = [self.toleration() for _ in range(self.rng.choice([1, 1, 2, 4]))]

    def toleration(self):
        taint = self.rng.choice([*self.facts.taints, {"key": "no-such-taint", "value": "x", "effect": "NoSchedule"}])
        effect = self.rng.choice([taint["effect"], taint["effect"], "", *EFFECTS])
        made = {"effect": effect} if effect else {}
        kind = self.rng.choice(["Exists", "Equal", "default", "all"])
        if kind == "all":
            return {**made, "operator": "Exists"}
        made["key"] = taint["key"] if self.chance(85) else "no-such-taint"
        if kind == "Exists":
            return {**made, "operator": "Exists"}
        if value := taint.get("value", "") if self.chance(80) else "other":
            made["value"] = value
        return made if kind == "default" else {**made, "operator": "Equal"}

    # ---- what never makes it impossible ----

    def volumes(self, spec, metadata):
        kind = self.rng.choice(["there", "there", "missing", "missing", "ephemeral", "empty", "devices"])
        if kind == "devices":
            spec["resourceClaims"] = [{"name": "device", "resourceClaimName": "no-such-claim"}]
            return
        volume = {"name": "data"}
        if kind == "there" and self.facts.claims:
            metadata["namespace"], name = self.rng.choice(self.facts.claims)
            volume["persistentVolumeClaim"] = {"claimName": name}
        elif kind == "ephemeral":
            claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "storageClassName": "no-such-class"}
            volume["ephemeral"] = {"volumeClaimTemplate": {"spec": claim}}
        elif kind == "empty":
            volume["emptyDir"] = {}
        else:
            volume["persistentVolumeClaim"] = {"claimName": "no-such-claim"}
        spec["volumes"] = [volume]

    def pod_affinity(self, spec, _metadata):
        key = self.rng.choice(["kubernetes.io/hostname", "topology.kubernetes.io/zone", "no-such-key"])
        term = {"labelSelector": {"matchLabels": {"app": self.rng.choice(["web", "db", "nobody"])}}, "topologyKey": key}
        kind = self.rng.choice(["podAffinity", "podAffinity", "podAntiAffinity"])
        spec.setdefault("affinity", {})[kind] = {"requiredDuringSchedulingIgnoredDuringExecution": [term]}

    def spread(self, spec, metadata):
        key = self.rng.choice(["kubernetes.io/hostname", "topology.kubernetes.io/zone", "no-such-key"])
        spec["topologySpreadConstraints"] = [{"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": self.rng.choice(["DoNotSchedule", "ScheduleAnyway"]),
                                              "labelSelector": {"matchLabels": dict(metadata["labels"])}}]

    def ports(self, spec, _metadata):
        port = self.rng.choice([80, 8080, 9100])
        spec["containers"][0]["ports"] = [{"containerPort": port, "hostPort": port, "protocol": self.rng.choice(["TCP", "UDP"])}]
