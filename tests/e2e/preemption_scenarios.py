"""Full nodes, budgets, and pods that are more important: who has to go?

Each scenario has a namespace, which budgets are of, and nodes that nothing else tolerates, so that no other one is in its way.
"""

import dataclasses
import random

from objects import deployment, node, pod
from pod_by_pod import BY_HAND

ZONE = "topology.kubernetes.io/zone"


@dataclasses.dataclass
class Scenario:
    """`running` are pods with a node and a start (seconds); `new` come one after the other."""

    name: str
    nodes: list
    running: list
    new: list
    budgets: list = dataclasses.field(default_factory=list)
    workload: dict | None = None  # its pods run too; it makes new ones for those that go


class Builder:
    """Makes the objects of one scenario."""

    def __init__(self, name):
        self.name = name
        self.running, self.nodes = [], []

    def node(self, end, cpu="4"):
        name = f"{self.name}-{end}"
        self.nodes.append(node(name, cpu, "16Gi", {"scenario": self.name, ZONE: f"{self.name}-{len(self.nodes) % 2}"},
                               [("scenario", self.name, "NoSchedule")]))
        return name

    def spec(self, priority, **spec):
        spec.update(nodeSelector={"scenario": self.name}, tolerations=[{"key": "scenario", "operator": "Exists"}])
        return {**spec, **({"priorityClassName": priority} if priority else {})}

    def run(self, where, start, priority="low", cpu="2", app="web", **spec):
        """A pod that runs on a node since then."""
        one = self.pod(f"old-{len(self.running)}", priority, cpu, app, nodeName=where, **spec)
        self.running.append((one, start))

    def pod(self, name, priority="higher", cpu="2", app="new", **spec):
        one = pod(name, cpu, "64Mi", self.name, **self.spec(priority, **spec))
        one["metadata"]["labels"] = {"app": app, **BY_HAND}
        return one

    def budget(self, name, selector, **bound):
        return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name, "namespace": self.name},
                "spec": {"selector": selector, **bound}}

    def at_least(self, count, *apps):
        """A budget of the pods of these apps."""
        return self.budget("-".join(apps), {"matchExpressions": [{"key": "app", "operator": "In", "values": list(apps)}]}, minAvailable=count)

    def scenario(self, *new, budgets=(), workload=None):
        return Scenario(self.name, self.nodes, self.running, list(new), list(budgets), workload)


def written():
    """Each rule of who is taken, and budgets of every kind."""
    for make in (budget_decides, overlapping, exhausted, everything_selected, bounds_of_a_workload, equal, rules_of_candidates, fewest_victims,
                 reprieved, never, no_help, anti_affine, spread, port):
        yield make(Builder(make.__name__.replace("_", "-")))


def budget_decides(of):
    """The less important pod has a budget that allows nothing, so the other one goes."""
    of.run(of.node("a"), 10, "lowest", "3", app="kept")
    of.run(of.node("b"), 10, "low", "3", app="free")
    return of.scenario(of.pod("first", cpu="3"), of.pod("second", cpu="3"), budgets=[of.at_least(1, "kept")])


def overlapping(of):
    """A pod of two budgets counts in both; who is first uses them up."""
    for end in "abc":
        where = of.node(end)
        for start, app in enumerate(("both", "left", "right", "both")):
            of.run(where, 10 + start + ord(end), "low", "1", app=app)
    return of.scenario(*[of.pod(f"new-{i}", cpu=cpu) for i, cpu in enumerate("2312")],
                       budgets=[of.at_least(8, "both", "left"), of.at_least(7, "both", "right"), of.at_least(5, "both")])


def exhausted(of):
    """Every candidate breaks a budget: the fewest, and those pods are kept first that would break one."""
    for end, apps in (("a", "kkk"), ("b", "kkf"), ("c", "kff")):
        where = of.node(end, "3")
        for start, app in enumerate(apps):
            of.run(where, 20 + start, "low", "1", app=app)
    return of.scenario(of.pod("all-of-it", cpu="3"), of.pod("two-thirds", cpu="2"), budgets=[of.at_least(6, "k")])


def everything_selected(of):
    """A budget with an empty selector is of every pod for the controller and of none for the scheduler."""
    of.run(of.node("a"), 10, cpu="3")
    of.run(of.node("b"), 20, cpu="3")
    return of.scenario(of.pod("first", cpu="3"), budgets=[of.budget("all", {}, minAvailable=2)])


def bounds_of_a_workload(of):
    """Percentages are of the replicas that a workload wants."""
    for end in "ab":
        of.node(end)
    made = deployment("web", 6, "1", "64Mi", **of.spec("low"))
    made["metadata"]["namespace"] = of.name
    made["spec"]["template"]["metadata"]["labels"].update(BY_HAND)
    return of.scenario(of.pod("first", cpu="3"), workload=made, budgets=[of.budget("third", {"matchLabels": {"app": "web"}}, maxUnavailable="33%")])


def equal(of):
    """Three nodes are alike."""
    for end in "abc":
        where = of.node(end)
        of.run(where, 50)
        of.run(where, 60, "lowest")
    return of.scenario(*[of.pod(f"new-{i}") for i in range(3)], of.pod("large", cpu="4"))


def rules_of_candidates(of):
    """The least important victim; then the sum; then the one that started last."""
    for end, pods in (("a", [("high", 30)]), ("b", [("low", 10), ("low", 11)]), ("c", [("low", 20), ("lowest", 21)]), ("d", [("low", 15), ("lowest", 30)])):
        where = of.node(end)
        for priority, start in pods:
            of.run(where, start, priority, "4" if len(pods) == 1 else "2")
    return of.scenario(*[of.pod(f"new-{i}", cpu="4") for i in range(5)])


def fewest_victims(of):
    """Equal priorities: the sum is less with fewer victims, as kube-scheduler sums."""
    for end, cpus in (("a", "1111"), ("b", "22"), ("c", "211")):
        where = of.node(end)
        for start, cpu in enumerate(cpus):
            of.run(where, 10 + start, "low", cpu)
    return of.scenario(*[of.pod(f"new-{i}", cpu="4") for i in range(3)])


def reprieved(of):
    """As many as possible stay, the most important first."""
    for end in "ab":
        where = of.node(end)
        for start, (priority, cpu) in enumerate((("lowest", "1500m"), ("low", "500m"), (None, "1"), ("high", "500m"), ("low", "500m"))):
            of.run(where, 10 * start + ord(end), priority, cpu)
    return of.scenario(*[of.pod(f"new-{cpu}", cpu=cpu) for cpu in ("500m", "1", "2500m", "1500m")], of.pod("lesser", None, "1"))


def never(of):
    """It is more important, and yet waits."""
    of.run(of.node("a"), 10, cpu="3")
    return of.scenario(of.pod("first", "polite", "3"))


def no_help(of):
    """Pods that are as important, nodes that are too small, and nothing to remove."""
    of.run(of.node("a"), 10, "high", "3")
    of.run(of.node("b"), 10, "low", "1")
    of.node("c", "2")
    return of.scenario(of.pod("as-important", "high", "4"), of.pod("too-large", "higher", "5"), of.pod("elsewhere", "higher", "4", affinity={
        "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
            {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": ["no-help-c"]}]}]}}}))


def keep_apart(key, app):
    term = {"topologyKey": key, "labelSelector": {"matchLabels": {"app": app}}}
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def anti_affine(of):
    """The pods that are in the way by their labels go; in another node of the zone they cannot be reached."""
    for end, app in (("a", "noisy"), ("b", "web"), ("c", "noisy"), ("d", "calm")):
        of.run(of.node(end), 10 + ord(end), cpu="1", app=app, **({"affinity": keep_apart("kubernetes.io/hostname", "new")} if end != "a" else {}))
    return of.scenario(of.pod("host", affinity=keep_apart("kubernetes.io/hostname", "noisy")), of.pod("zone", affinity=keep_apart(ZONE, "noisy")),
                       of.pod("web", affinity=keep_apart("kubernetes.io/hostname", "web")))


def spread(of):
    """Skew is lessened by removing pods of the spread app."""
    for end, count in (("a", 2), ("b", 1), ("c", 3), ("d", 0)):
        where = of.node(end)
        for start in range(count):
            of.run(where, 10 + start + ord(end), "low", "1", app="new")
    constraint = {"maxSkew": 1, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "DoNotSchedule", "nodeTaintsPolicy": "Honor",
                  "labelSelector": {"matchLabels": {"app": "new"}}}
    return of.scenario(*[of.pod(f"new-{i}", cpu="4" if i == 1 else "2", topologySpreadConstraints=[constraint]) for i in range(4)])


def port(of):
    """The one that holds the port of the host."""
    for end in "ab":
        where = of.node(end)
        of.run(where, 10 + ord(end), "low", "1", ports=[{"containerPort": 80, "hostPort": 8080}])
        of.run(where, 20, "lowest", "1")
    return of.scenario(of.pod("first", cpu="1", ports=[{"containerPort": 80, "hostPort": 8080}]))


def by_chance(count, seed):
    chance = random.Random(seed)
    for number in range(count):
        yield chance_scenario(chance, Builder(f"chance-{number}"))


def chance_scenario(chance, of):
    """A few nodes, some of them alike, none of whose pods are equally important."""
    rows = []
    for end in range(chance.randint(2, 5)):
        if not rows or chance.random() < 0.65:
            rows.append(chance_row(chance))
        where = of.node(end)
        for start, (priority, cpu, app) in chance.choice(rows[-2:]).items():
            of.run(where, start, priority, cpu, app)
    budgets = {}
    for _ in range(chance.choice([0, 1, 2, 3])):
        apps = chance.sample("abc", chance.choice([1, 2]))
        there = sum(one["metadata"]["labels"]["app"] in apps for one, _ in of.running)
        budgets["-".join(apps)] = of.at_least(max(0, there - chance.randint(0, 3)), *apps)
    return of.scenario(*[chance_pod(chance, of, f"new-{i}") for i in range(chance.choice([1, 2, 3]))], budgets=budgets.values())


def chance_row(chance):
    """The pods of a node by their starts; they use most of its 4 cores."""
    row, left = {}, 4000
    for start in chance.sample(range(1, 40), 6):
        cpu = chance.choice([500, 700, 1000, 1500, 2000])
        if cpu <= left:
            row[start] = chance.choice(["lowest", "low", "low", None, "high"]), f"{cpu}m", chance.choice("abcd")
            left -= cpu
    return row


def chance_pod(chance, of, name):
    more = {}
    if chance.random() < 0.2:
        more["affinity"] = keep_apart(chance.choice([ZONE, "kubernetes.io/hostname"]), chance.choice("abd"))
    if chance.random() < 0.2:
        more["topologySpreadConstraints"] = [{"maxSkew": chance.choice([1, 2]), "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "DoNotSchedule",
                                              "nodeTaintsPolicy": "Honor", "labelSelector": {"matchLabels": {"app": "a"}}}]
    return of.pod(name, chance.choice(["higher", "higher", "higher", "high", None, "polite"]), chance.choice(["500m", "1", "2", "3", "4"]),
                  chance.choice("abd"), **more)


SCENARIOS = [*written(), *by_chance(28, seed=5)]
