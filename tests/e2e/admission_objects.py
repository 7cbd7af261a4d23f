"""What the comparison of admission is made of: a cluster's classes, limits and quotas, and pods and workloads at random."""

import copy
import random
import re
from fractions import Fraction

UNITS = {"": 1, "m": Fraction(1, 1000), "k": 10**3, "M": 10**6, "G": 10**9, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}
DEFAULT_CLASS = {"storageclass.kubernetes.io/is-default-class": "true"}


def make(api_version, kind, name, namespace=None, annotations=None, **rest):
    metadata = {"name": name, **({"namespace": namespace} if namespace else {}), **({"annotations": annotations} if annotations else {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **rest}


def limits(namespace, *items):
    return make("v1", "LimitRange", "limits", namespace, spec={"limits": list(items)})


def quota(namespace, name, hard, **scopes):
    return make("v1", "ResourceQuota", name, namespace, spec={"hard": hard, **scopes})


def scope(name, operator, *values):
    return {"scopeSelector": {"matchExpressions": [{"scopeName": name, "operator": operator, **({"values": list(values)} if values else {})}]}}


# Namespaces for single pods, and what is in them.
NAMESPACES = ["plain", "defaults", "bounds", "pod-limits", "counted", "scopes", "both"]
# Each has at most one workload, whose pods alone use its quotas.
TIGHT = [f"tight-{i}" for i in range(8)]

CLASSES = [
    make("scheduling.k8s.io/v1", "PriorityClass", "high", value=1000),
    make("scheduling.k8s.io/v1", "PriorityClass", "never", value=5, preemptionPolicy="Never"),
    make("scheduling.k8s.io/v1", "PriorityClass", "normal", value=10, globalDefault=True),
    make("node.k8s.io/v1", "RuntimeClass", "kata", handler="kata", overhead={"podFixed": {"cpu": "250m", "memory": "120Mi"}},
         scheduling={"nodeSelector": {"runtime": "kata"}, "tolerations": [{"key": "kata", "operator": "Exists"}]}),
    make("node.k8s.io/v1", "RuntimeClass", "runc", handler="runc"),
    make("node.k8s.io/v1", "RuntimeClass", "ssd", handler="x", scheduling={
        "nodeSelector": {"disk": "ssd"},
        "tolerations": [{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"}]}),
    make("storage.k8s.io/v1", "StorageClass", "standard", annotations=DEFAULT_CLASS, provisioner="x"),
    make("storage.k8s.io/v1", "StorageClass", "other", provisioner="x"),
]

LIMITS = [
    limits("defaults", {"type": "Container", "default": {"cpu": "2", "memory": "1Gi"},
                        "defaultRequest": {"cpu": "100m", "memory": "64Mi", "ephemeral-storage": "1Gi"}}),
    limits("bounds", {"type": "Container", "max": {"cpu": "2", "memory": "2Gi"}, "min": {"cpu": "100m", "memory": "32Mi"},
                      "maxLimitRequestRatio": {"cpu": "4", "memory": "3"}},
           {"type": "PersistentVolumeClaim", "min": {"storage": "1Gi"}, "max": {"storage": "10Gi"}}),
    limits("pod-limits", {"type": "Pod", "max": {"cpu": "3", "memory": "4Gi"}, "min": {"cpu": "200m"},
                          "maxLimitRequestRatio": {"memory": "2500m"}}),
    limits("both", {"type": "Container", "default": {"cpu": "1", "memory": "512Mi"}}),
    limits("tight-5", {"type": "Container", "default": {"cpu": "500m"}, "defaultRequest": {"cpu": "300m", "memory": "100Mi"}}),
]

QUOTAS = [
    quota("counted", "quota", {"requests.cpu": "20", "requests.memory": "30Gi", "limits.cpu": "30", "pods": "30", "count/pods": "60",
                               "requests.example.com/gpu": "6", "hugepages-2Mi": "64Mi", "requests.ephemeral-storage": "20Gi"}),
    quota("scopes", "best", {"pods": "3"}, scopes=["BestEffort"]),
    quota("scopes", "guaranteed", {"pods": "12", "cpu": "12", "memory": "10Gi", "limits.memory": "40Gi"}, scopes=["NotBestEffort", "NotTerminating"]),
    quota("scopes", "terminating", {"pods": "4", "requests.cpu": "3"}, scopes=["Terminating"]),
    quota("scopes", "classes", {"pods": "5"}, **scope("PriorityClass", "In", "high", "never")),
    quota("scopes", "other-classes", {"pods": "12"}, **scope("PriorityClass", "NotIn", "high")),
    quota("scopes", "across", {"pods": "2"}, **scope("CrossNamespacePodAffinity", "Exists")),
    quota("both", "quota", {"limits.cpu": "12", "limits.memory": "9Gi", "memory": "8Gi"}),
    quota("tight-0", "quota", {"pods": "3"}),
    quota("tight-1", "quota", {"requests.cpu": "1"}),
    quota("tight-2", "quota", {"pods": "4", "requests.memory": "1Gi", "limits.cpu": "2"}),
    quota("tight-3", "quota", {"pods": "2"}, **scope("PriorityClass", "In", "normal")),
    quota("tight-4", "quota", {"count/pods": "1"}),
    quota("tight-5", "quota", {"requests.cpu": "1", "limits.cpu": "2"}),
    quota("tight-6", "quota", {"pods": "2"}),
    quota("tight-7", "quota", {"persistentvolumeclaims": "1", "requests.storage": "5Gi"}),
]


def amount(quantity):
    number, unit = re.fullmatch(r"([0-9.]+)(\w*)", quantity).groups()
    return Fraction(number) * UNITS[unit]


class Generator:
    """Pods and workloads by chance; the same seed gives the same ones."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def chance(self, share):
        return self.random.random() < share

    def cpu(self):
        return self.random.choice(["0", "100m", "0.25", "500m", "1", "1500m", "2", "2.5", "3"])

    def memory(self):
        return self.random.choice(["0", "32Mi", "64Mi", "100M", "1G", "1Gi", "1.5Gi", "2Gi", "3000Mi", "5Gi", "0.1"])

    def amounts(self, share, storage=True):
        made = {}
        if self.chance(share):
            made["cpu"] = self.cpu()
        if self.chance(share):
            made["memory"] = self.memory()
        if storage and self.chance(0.1):
            made["ephemeral-storage"] = self.random.choice(["1Gi", "500M", "4Gi"])
        return made

    def resources(self, storage=True):
        """Requests and limits; what a pod requests is seldom more than its limit, which the API server does not let in."""
        limit, request = self.amounts(0.5, storage), self.amounts(0.6, storage)
        for name in set(limit) & set(request):
            if amount(request[name]) > amount(limit[name]) and not self.chance(0.02):
                limit[name], request[name] = request[name], limit[name]
        return limit, request

    def pod_resources(self, small):
        """Now and then less than the containers have, which is invalid."""
        if self.chance(0.2):
            return self.resources(storage=False)
        request = {"cpu": self.random.choice(["10", "12500m"]), "memory": "40Gi"} if not small else {"cpu": "5", "memory": "8Gi"}
        limit = {name: value for name, value in request.items() if self.chance(0.5)}
        return limit, {name: value for name, value in request.items() if self.chance(0.8)}

    def container(self, name, full=False):
        if full:
            same = {"cpu": self.random.choice(["100m", "500m", "1"]), "memory": self.random.choice(["64Mi", "500Mi", "1Gi"])}
            limit, request = dict(same), dict(same)
        elif self.chance(0.2):
            limit, request = {}, {}
        else:
            limit, request = self.resources()
        if self.chance(0.12):
            limit["example.com/gpu"] = request["example.com/gpu"] = str(self.random.randint(1, 2))
        if self.chance(0.08) and request:
            limit["hugepages-2Mi"] = request["hugepages-2Mi"] = self.random.choice(["2Mi", "16Mi"])
        return {"name": name, "image": "registry.example.com/app:1", "resources": {
            **({"requests": request} if request else {}), **({"limits": limit} if limit else {})}}

    def selector(self):
        return self.random.choice([None, {}, {"matchLabels": {"app": "a"}}, {"matchExpressions": [{"key": "tier", "operator": "Exists"}]}])

    def affinity_term(self, keys):
        term = {"topologyKey": self.random.choice(["topology.kubernetes.io/zone", "kubernetes.io/hostname"])}
        selector = self.selector()
        if selector is not None:
            term["labelSelector"] = selector
            if self.chance(0.6):
                term["matchLabelKeys"] = self.random.sample(keys, self.random.randint(1, len(keys)))
            if self.chance(0.3):
                term["mismatchLabelKeys"] = ["tenant", "x"]
        if self.chance(0.15):
            term["namespaces"] = ["default"]
        if self.chance(0.1):
            term["namespaceSelector"] = {}
        return term

    def affinity(self, keys):
        made = {}
        for name in ("podAffinity", "podAntiAffinity"):
            if self.chance(0.6):
                made[name] = {
                    "requiredDuringSchedulingIgnoredDuringExecution": [self.affinity_term(keys) for _ in range(self.random.randint(0, 2))],
                    "preferredDuringSchedulingIgnoredDuringExecution": [
                        {"weight": 3, "podAffinityTerm": self.affinity_term(keys)} for _ in range(self.random.randint(0, 2))]}
        return made

    def toleration(self):
        made = {"operator": self.random.choice(["Exists", "Equal"])}
        key = self.random.choice(["kata", "a", "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable", ""])
        if key:
            made["key"] = key
        else:
            made["operator"] = "Exists"
        if made["operator"] == "Equal":
            made["value"] = "v"
        effect = self.random.choice(["", "NoSchedule", "NoExecute"])
        if effect:
            made["effect"] = effect
        if effect == "NoExecute" and self.chance(0.5):
            made["tolerationSeconds"] = self.random.choice([0, 30, 600])
        return made

    def spread(self, keys):
        return {"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "ScheduleAnyway",
                "labelSelector": {"matchLabels": {"app": "a"}}, **({"matchLabelKeys": keys} if self.chance(0.7) else {})}

    def classes(self, spec):
        """Priority and runtime classes, known and unknown, and pods that say themselves what a class says."""
        chosen = self.random.choices([None, "high", "never", "gold", "system-cluster-critical"], [70, 12, 12, 3, 3])[0]
        if chosen:
            spec["priorityClassName"] = chosen
        if self.chance(0.04):
            spec["priority"] = self.random.choice([0, 5, 10, 1000])
        if self.chance(0.05):
            spec["preemptionPolicy"] = self.random.choice(["Never", "PreemptLowerPriority"])
        if self.chance(0.2):
            spec["runtimeClassName"] = self.random.choice(["kata", "kata", "runc", "ssd", "gone"])
        if self.chance(0.04):
            spec["overhead"] = self.random.choice([{"cpu": "250m", "memory": "120Mi"}, {"cpu": "1"}, {}])
        if self.chance(0.2):
            spec["nodeSelector"] = {self.random.choice(["runtime", "disk"]): self.random.choice(["kata", "ssd", "hdd"])}

    def placement(self, spec, keys):
        if self.chance(0.3):
            spec["tolerations"] = [self.toleration() for _ in range(self.random.randint(1, 3))]
        if self.chance(0.35):
            spec["affinity"] = self.affinity(keys)
        if self.chance(0.25):
            spec["topologySpreadConstraints"] = [self.spread(keys)]
        if self.chance(0.12):
            spec["schedulingGates"] = [{"name": "example.com/gate"}]

    def network(self, spec):
        if self.chance(0.1):
            spec["hostNetwork"] = True
        if self.chance(0.2):
            spec["containers"][0]["ports"] = [{"containerPort": 80, **({} if spec.get("hostNetwork") or self.chance(0.5) else {"hostPort": 8080})}]

    def volumes(self, spec):
        if self.chance(0.12):
            spec["volumes"] = [ephemeral_volume("scratch", self.random.choice(["1Gi", "3Gi", "5G"]), self.random.choice([None, None, "other"])),
                               {"name": "data", "persistentVolumeClaim": {"claimName": "data"}}, {"name": "tmp", "emptyDir": {}}]

    def pod_spec(self, keys, full=False):
        containers = [self.container(f"c{i}", full) for i in range(self.random.choice([1, 1, 1, 2, 3]))]
        spec = {"containers": containers}
        if self.chance(0.3):
            spec["initContainers"] = [self.container(f"i{i}", full) for i in range(self.random.randint(1, 3))]
            for one in spec["initContainers"]:
                if self.chance(0.4):
                    one["restartPolicy"] = "Always"
        if self.chance(0.2):
            limit, request = self.pod_resources(full)
            spec["resources"] = {**({"requests": request} if request else {}), **({"limits": limit} if limit else {})}
        self.classes(spec)
        self.placement(spec, keys)
        self.network(spec)
        self.volumes(spec)
        return spec

    def pod(self, name):
        namespace = self.random.choice(NAMESPACES)
        full = namespace in ("counted", "scopes", "both", "bounds") and self.chance(0.7)
        labels = {"app": "a", "version": str(self.random.randint(1, 3)), "tenant": "t"}
        spec = self.pod_spec(["version", "release", "absent"], full)
        if self.chance(0.15):
            spec["activeDeadlineSeconds"] = 600
        return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": namespace, "labels": labels}, "spec": spec}

    def template(self, kind, keys):
        spec = self.pod_spec(keys)
        spec.pop("schedulingGates", None)
        if kind in ("Job", "CronJob"):
            spec["restartPolicy"] = "Never"
        return {"metadata": {"labels": {"app": "a", "tenant": "t"}, "annotations": {"example.com/note": "kept"}}, "spec": spec}

    def workload(self, kind, name, namespace=None):
        keys = {"Deployment": ["pod-template-hash"], "StatefulSet": ["controller-revision-hash", "apps.kubernetes.io/pod-index"],
                "DaemonSet": ["controller-revision-hash"]}.get(kind, self.random.choice([["tenant", "absent"]] * 4 + [["app"]]))
        namespace = namespace or self.random.choice(["plain", "defaults"])
        return workload(kind, name, namespace, self.template(kind, keys), self)


def ephemeral_volume(name, size, storage_class=None):
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}}
    if storage_class:
        spec["storageClassName"] = storage_class
    return {"name": name, "ephemeral": {"volumeClaimTemplate": {"metadata": {"labels": {"of": "scratch"}}, "spec": spec}}}


def claim_template(name, size):
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}}
    return {"metadata": {"name": name, "labels": {"of": "set"}}, "spec": spec}


def job_spec(template, chance, number):
    made = {"template": template, "parallelism": number(1, 3), "completions": number(2, 4)}
    if chance(0.5):
        made["completionMode"] = "Indexed"
    return made


def workload(kind, name, namespace, template, generator):
    """A workload of few pods around the template."""
    number = generator.random.randint
    if kind == "Job":
        return make("batch/v1", kind, name, namespace, spec=job_spec(template, generator.chance, number))
    if kind == "CronJob":
        job = {"metadata": {"labels": {"of": "cron"}}, "spec": job_spec(template, generator.chance, number)}
        return make("batch/v1", kind, name, namespace, spec={"schedule": "0 0 1 1 *", "jobTemplate": job})
    template = copy.deepcopy(template)
    template["metadata"]["labels"]["of"] = name  # each selects its own
    selector = {"of": name}
    if kind == "ReplicationController":
        return make("v1", kind, name, namespace, spec={"replicas": number(1, 3), "selector": selector, "template": template})
    spec = {"selector": {"matchLabels": selector}, "template": template}
    if kind != "DaemonSet":
        spec["replicas"] = number(1, 3)
    if kind == "StatefulSet":
        spec |= {"serviceName": "x", "podManagementPolicy": generator.random.choice(["Parallel", "OrderedReady"])}
        if generator.chance(0.6):
            spec["volumeClaimTemplates"] = [claim_template("disk", "2Gi")]
    return make("apps/v1", kind, name, namespace, spec=spec)


KINDS = ["Deployment", "ReplicaSet", "ReplicationController", "StatefulSet", "DaemonSet", "Job", "CronJob"]


def plain_template(cpu, memory, limit=None):
    resources = {"requests": {"cpu": cpu, "memory": memory}, **({"limits": limit} if limit else {})}
    return {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [{"name": "c", "image": "i", "resources": resources}]}}


def tight_workloads():
    """One for each namespace whose quota has no room for all of its pods."""
    sets = lambda replicas, **rest: {"replicas": replicas, "selector": {"matchLabels": {"app": "a"}}, **rest}  # noqa: E731
    storage = plain_template("100m", "64Mi")
    job = plain_template("100m", "64Mi")
    job["spec"]["restartPolicy"] = "Never"
    return [
        make("apps/v1", "Deployment", "over-pods", "tight-0", spec=sets(6, template=plain_template("100m", "64Mi"))),
        make("apps/v1", "ReplicaSet", "over-cpu", "tight-1", spec=sets(5, template=plain_template("300m", "64Mi"))),
        make("apps/v1", "Deployment", "over-limits", "tight-2", spec=sets(5, template=plain_template("300m", "100Mi", {"cpu": "700m"}))),
        make("v1", "ReplicationController", "over-class", "tight-3", spec={
            "replicas": 4, "selector": {"app": "a"}, "template": plain_template("100m", "64Mi")}),
        make("apps/v1", "StatefulSet", "over-count", "tight-4", spec=sets(
            4, serviceName="x", podManagementPolicy="Parallel", template=storage)),
        make("apps/v1", "Deployment", "over-defaults", "tight-5", spec=sets(
            6, template={"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}})),
        make("batch/v1", "Job", "over-job", "tight-6", spec={"parallelism": 4, "completions": 4, "template": job}),
        make("apps/v1", "StatefulSet", "over-claims", "tight-7", spec=sets(
            4, serviceName="x", podManagementPolicy="Parallel", template=storage, volumeClaimTemplates=[claim_template("disk", "1Gi")])),
    ]


def deployment(name, namespace, template, **spec):
    template["spec"].update(spec)
    return make("apps/v1", "Deployment", name, namespace, spec={"replicas": 1, "selector": {"matchLabels": {"app": "a"}}, "template": template})


def odd_workloads():
    """Templates that are stored, although their pods are refused; and others of which a template is not what its pods are."""
    keys = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": {"matchLabels": {"app": "a"}},
            "matchLabelKeys": ["app"]}
    limited = plain_template("1", "64Mi", {"cpu": "1500m"})
    del limited["spec"]["containers"][0]["resources"]["requests"]
    small = plain_template("100m", "64Mi", {"cpu": "200m", "memory": "128Mi"})
    return [
        deployment("label-keys", "plain", plain_template("100m", "64Mi"), topologySpreadConstraints=[keys]),
        deployment("requests-of-limits", "plain", limited, resources={"requests": {"cpu": "1"}}),
        deployment("empty-overhead", "plain", plain_template("100m", "64Mi"), overhead={}),
        deployment("limit-below-request", "defaults", plain_template("3", "64Mi")),
        deployment("refused-claim", "bounds", small, volumes=[ephemeral_volume("scratch", "20Gi")]),
    ]


def generated(seed, pods, workloads):
    """The pods, and after them the workloads."""
    generator = Generator(seed)
    singles = [generator.pod(f"p{i}") for i in range(pods)]
    return singles, [generator.workload(KINDS[i % len(KINDS)], f"w{i}") for i in range(workloads)]
