"""Workloads as a cluster has them, and the manifests that change them.

Each scenario has a namespace and nodes of its own, so that no other one is in its way. Templates have the label `version`, by
which their pods are told apart, and one that leaves their readiness to the test.
"""

import dataclasses

from objects import node, pod

ROLLING = "RollingUpdate"


@dataclasses.dataclass
class Scenario:
    """`stages` are applied one after the other; then `new` is what ksched is asked about, and what is applied next."""

    name: str
    stages: list
    new: dict
    nodes: list = dataclasses.field(default_factory=list)
    names: bool = False  # the controller's order decides which of the pods go: they have different deletion costs
    others: list = dataclasses.field(default_factory=list)  # further objects of the namespace
    scale: int | None = None  # what `kubectl scale` makes of the last stage, as an autoscaler would
    apart: bool = False  # each version has a node of its own, which tells of which version a new pod of ksched's is
    by_node: bool = False  # which pods go depends on their nodes, and nothing else tells them apart

    @property
    def kind(self):
        return self.new["kind"]


def template(scenario, version, cpu="100m", **spec):
    made = pod(scenario, cpu, nodeSelector={"scenario": scenario}, **spec)
    return {"metadata": {"labels": {"app": "web", "version": version, "e2e/readiness": "by-hand"}}, "spec": made["spec"]}


def workload(scenario, kind, version, cpu="100m", pod_spec=None, **spec):
    """A workload named web in the scenario's namespace."""
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "web", "namespace": scenario},
            "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": template(scenario, version, cpu, **(pod_spec or {})), **spec}}


def workload_apart(scenario, version, cpu="1", **spec):
    """A Deployment whose versions have nodes of their own."""
    made = workload(scenario, "Deployment", version, cpu, **spec)
    made["spec"]["template"]["spec"]["nodeSelector"]["for"] = version
    return made


def nodes_apart(scenario):
    return [own_node(scenario, f"-{version}", labels={"for": version}) for version in "12"]


def own_node(scenario, name="", cpu="30", labels=None, taints=()):
    return node(f"{scenario}{name}", cpu, "60Gi", {"scenario": scenario, **(labels or {})}, taints)


def rolling(surge, unavailable):
    return {"strategy": {"type": ROLLING, "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}}}


def changed(name, kind, before, after, cpu="30", **more):
    """From version 1 with the fields `before` to version 2 with `after`, which may give another version or cpu."""
    return Scenario(name, [workload(name, kind, "1", **before)], workload(name, kind, **{"version": "2", **after}),
                    nodes=[own_node(name, cpu=cpu)], **more)


def deployments():
    """Deployments: names of the old pods that go are determined by their deletion costs."""
    def case(name, before, after, **more):
        return changed(f"deploy-{name}", "Deployment", before, after, names=True, **more)

    for surge, unavailable, replicas in ((1, 0, 4), (0, 1, 4), (2, 1, 6), (3, 3, 5), ("25%", "25%", 7), ("0%", "40%", 5), ("100%", 0, 4),
                                         (0, "100%", 3)):
        name = f"rolling-{surge}-{unavailable}".replace("%", "p")
        bounds = rolling(surge, unavailable)
        yield case(name, {"replicas": replicas, **bounds}, {"replicas": replicas, **bounds})
    recreate = {"replicas": 4, "strategy": {"type": "Recreate"}}
    yield case("recreate", recreate, recreate)
    for name, before, after, more in (("grows", 3, 6, {}), ("shrinks", 6, 3, {}), ("grows-a-lot", 2, 9, {}), ("paused", 3, 5, {"paused": True})):
        name = f"deploy-{name}"
        yield Scenario(name, [workload_apart(name, "1", replicas=before, **rolling(1, 1))],
                       workload_apart(name, "2", replicas=after, **rolling(1, 1), **more), nodes_apart(name), names=True, apart=True)
    yield case("more-of-the-same", {"replicas": 3}, {"replicas": 5, "version": "1"})
    yield case("fewer-of-the-same", {"replicas": 6}, {"replicas": 2, "version": "1"})
    yield case("unchanged", {"replicas": 3}, {"replicas": 3, "version": "1"})
    yield case("to-none", {"replicas": 3}, {"replicas": 0})
    # The new pods fit once, and no old one may leave for the next.
    yield case("stuck", {"replicas": 4, "cpu": "1", **rolling(2, 0)}, {"replicas": 4, "cpu": "3", **rolling(2, 0)}, cpu="7")
    yield case("stuck-at-once", {"replicas": 4, "cpu": "1", **rolling("50%", 1)}, {"replicas": 4, "cpu": "9", **rolling("50%", 1)}, cpu="8")
    yield case("tight", {"replicas": 4, "cpu": "1", **rolling(0, 1)}, {"replicas": 4, "cpu": "1", **rolling(0, 1)}, cpu="4")
    yield case("recreate-stuck", {**recreate, "cpu": "1"}, {**recreate, "cpu": "3"}, cpu="8")
    yield from deployments_with_a_past()


def deployments_with_a_past():
    name = "deploy-rollback"
    yield Scenario(name, [workload(name, "Deployment", v, replicas=4, **rolling(1, 1)) for v in "12"],
                   workload(name, "Deployment", "1", replicas=4, **rolling(1, 1)), [own_node(name)], names=True)
    for name, last in (("deploy-stuck-then-third", "3"), ("deploy-stuck-then-back", "1")):
        bounds = rolling(1, 1)
        stages = [workload(name, "Deployment", "1", "1", replicas=5, **bounds), workload(name, "Deployment", "2", "50", replicas=5, **bounds)]
        yield Scenario(name, stages, workload(name, "Deployment", last, "1", replicas=5, **bounds), [own_node(name, cpu="10")], names=True)
    for name, replicas in (("deploy-stuck-then-grows", 12), ("deploy-stuck-then-shrinks", 3)):
        stages = [workload_apart(name, v, cpu, replicas=6, **rolling(2, 1)) for v, cpu in (("1", "1"), ("2", "50"))]
        yield Scenario(name, stages, workload_apart(name, "2", "50", replicas=replicas, **rolling(2, 1)), nodes_apart(name), names=True, apart=True)
    name = "deploy-crowded"  # a node that has more of them loses them first
    yield Scenario(name, [workload(name, "Deployment", "1", "1", replicas=4)], workload(name, "Deployment", "1", "1", replicas=2),
                   [own_node(name, "-0", cpu="3"), own_node(name, "-1", cpu="1")], by_node=True)
    for name, others in (("deploy-scaled-by-others", []), ("deploy-autoscaler", [autoscaler("deploy-autoscaler")])):
        yield Scenario(name, [workload(name, "Deployment", "1", **rolling(1, 0))], workload(name, "Deployment", "2", **rolling(1, 0)),
                       [own_node(name)], names=True, others=others, scale=4)


def autoscaler(namespace):
    return {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "web", "namespace": namespace},
            "spec": {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}, "minReplicas": 2, "maxReplicas": 8,
                     "metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}}}]}}


def stateful_sets():
    def case(name, before, after, **more):
        common = {"serviceName": "web"}
        return changed(f"sts-{name}", "StatefulSet", {**common, **before}, {**common, **after}, **more)

    def partition(ordinal):
        return {"updateStrategy": {"type": ROLLING, "rollingUpdate": {"partition": ordinal}}}

    parallel, on_delete = {"podManagementPolicy": "Parallel"}, {"updateStrategy": {"type": "OnDelete"}}
    yield case("ordered", {"replicas": 3}, {"replicas": 3})
    yield case("ordered-grows", {"replicas": 2}, {"replicas": 4})
    yield case("ordered-shrinks", {"replicas": 4}, {"replicas": 2})
    yield case("ordered-more", {"replicas": 2}, {"replicas": 4, "version": "1"})
    yield case("ordered-fewer", {"replicas": 4}, {"replicas": 1, "version": "1"})
    yield case("parallel", {"replicas": 4, **parallel}, {"replicas": 4, **parallel})
    yield case("parallel-grows", {"replicas": 2, **parallel}, {"replicas": 5, **parallel})
    yield case("parallel-fewer", {"replicas": 5, **parallel}, {"replicas": 2, "version": "1", **parallel})
    yield case("partition", {"replicas": 5, **partition(0)}, {"replicas": 5, **partition(3)})
    yield case("partition-grows", {"replicas": 3, **partition(0)}, {"replicas": 5, **partition(4)})
    yield case("partition-above", {"replicas": 3, **partition(0)}, {"replicas": 3, **partition(7)})
    yield case("on-delete", {"replicas": 3, **on_delete}, {"replicas": 3, **on_delete})
    yield case("on-delete-grows", {"replicas": 2, **on_delete}, {"replicas": 4, **on_delete})
    yield case("stuck", {"replicas": 3, "cpu": "1"}, {"replicas": 3, "cpu": "20"}, cpu="5")
    yield case("start", {"replicas": 3, "ordinals": {"start": 2}}, {"replicas": 3, "ordinals": {"start": 3}, "version": "1"})
    claim = {"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "none",
                                                    "resources": {"requests": {"storage": "1Gi"}}}}
    yield case("claims", {"replicas": 2, "volumeClaimTemplates": [claim]}, {"replicas": 3, "volumeClaimTemplates": [claim]})
    yield from stateful_sets_that_go_back(partition, parallel, on_delete)


def stateful_sets_that_go_back(partition, parallel, on_delete):
    """To the template before the last: pods that still have it stay."""
    def back(name, replicas, second, third, cpu="100m"):
        name = f"sts-back-{name}"
        common = {"serviceName": "web", "replicas": replicas}
        stages = [workload(name, "StatefulSet", "1", **common, **third), workload(name, "StatefulSet", "2", cpu, **common, **second)]
        return Scenario(name, stages, workload(name, "StatefulSet", "1", **common, **third), [own_node(name)])

    yield back("from-stuck", 3, {}, {}, cpu="50")  # the broken pod stays in the way: "forced rollback" in the documentation of StatefulSets
    yield back("from-half", 4, partition(2), partition(0))
    yield back("parallel", 4, {**partition(2), **parallel}, {**partition(0), **parallel})
    yield back("on-delete", 3, on_delete, on_delete)


def daemon_sets():
    def case(name, before, after, last_cpu="30", **more):
        name = f"daemon-{name}"
        nodes = [own_node(name, "-0"), own_node(name, "-1"), own_node(name, "-2", labels={"disktype": "ssd"}),
                 own_node(name, "-3", taints=[("dedicated", "db", "NoSchedule")]), own_node(name, "-4", cpu=last_cpu)]
        return Scenario(name, [workload(name, "DaemonSet", "1", **before)], workload(name, "DaemonSet", **{"version": "2", **after}), nodes, **more)

    def bounds(surge, unavailable):
        return {"updateStrategy": {"type": ROLLING, "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable}}}

    tolerations = {"pod_spec": {"tolerations": [{"key": "dedicated", "operator": "Exists"}]}}
    on_ssd = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [{"matchExpressions": [{"key": "disktype", "operator": "NotIn", "values": ["ssd"]}]}]}}}
    on_delete = {"updateStrategy": {"type": "OnDelete"}}
    yield case("rolling-1", {}, {})
    yield case("rolling-2", bounds(0, 2), bounds(0, 2))
    yield case("rolling-half", bounds(0, "50%"), bounds(0, "50%"))
    yield case("surge-1", bounds(1, 0), bounds(1, 0))
    yield case("surge-2", bounds(2, 0), bounds(2, 0))
    yield case("on-delete", on_delete, on_delete)
    yield case("on-delete-tolerates", on_delete, {**on_delete, **tolerations})
    yield case("tolerates", {}, tolerations)
    # One leaves and none comes for it. Which node's turn it is, is by chance (Go's order of a map): so all five at once.
    # Not 100 %, which is four: the pod whose node is not counted any more may then be the one that has to wait.
    yield case("tolerates-no-more", tolerations, bounds(0, 5))
    yield case("affinity", {}, {"pod_spec": {"affinity": on_ssd}})
    yield case("stuck", {"cpu": "1"}, {"cpu": "50"})
    for name, fields, cpu in (("stuck", {}, "50"), ("on-delete", on_delete, "100m")):
        back = case(f"back-{name}", fields, {"version": "1", **fields})
        back.stages.append(workload(back.name, "DaemonSet", "2", cpu, **fields))
        yield back
    # On one node the new pod does not fit beside the old one.
    yield case("surge-stuck", {"cpu": "1", **bounds("100%", 0)}, {"cpu": "3", **bounds("100%", 0)}, last_cpu="3")


def others():
    for name, before, after in (("more", 2, 4), ("fewer", 5, 2), ("other-template", 3, 4)):
        name = f"replicas-{name}"
        version = "2" if name.endswith("template") else "1"
        yield changed(name, "ReplicaSet", {"replicas": before}, {"replicas": after, "version": version}, names=True)
    yield Scenario("job-new", [], job("job-new", parallelism=3, completions=5), [own_node("job-new")])
    yield Scenario("job-indexed", [], job("job-indexed", parallelism=4, completions=3, completionMode="Indexed"), [own_node("job-indexed")])
    yield Scenario("job-stuck", [], job("job-stuck", "2", parallelism=3, completions=3), [own_node("job-stuck", cpu="5")])
    for name, before, after in (("job-more", 2, 4), ("job-fewer", 4, 1)):
        yield Scenario(name, [job(name, parallelism=before, completions=6)], job(name, parallelism=after, completions=6), [own_node(name)])
    yield Scenario("job-suspended", [job("job-suspended", parallelism=3, completions=3)],
                   job("job-suspended", parallelism=3, completions=3, suspend=True), [own_node("job-suspended")])
    for kind in ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"):
        name = f"new-{kind.lower()}"
        spec = {"DaemonSet": {}, "StatefulSet": {"replicas": 3, "serviceName": "web"}}.get(kind, {"replicas": 3})
        yield Scenario(name, [], workload(name, kind, "1", **spec), [own_node(name)])


def job(scenario, cpu="100m", **spec):
    made = template(scenario, "1", cpu, restartPolicy="Never")
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "web", "namespace": scenario}, "spec": {"template": made, **spec}}


SCENARIOS = [*deployments(), *stateful_sets(), *daemon_sets(), *others()]
