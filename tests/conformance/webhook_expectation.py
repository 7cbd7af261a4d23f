"""Whether any node could ever run a pod, worked out from Kubernetes' documentation alone: node selectors and affinity, taints, allocatable."""

import fractions
import math
import re

TRANSIENT = ["node.kubernetes.io/*", "node.cloudprovider.kubernetes.io/*", "ToBeDeletedByClusterAutoscaler"]
SUFFIXES = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
QUANTITY = re.compile(r"([+-]?[0-9.]+)(?:[eE]([+-]?[0-9]+)|([numkMGTPE]?|[KMGTPE]i))$")


def quantity(value):
    number, exponent, suffix = QUANTITY.match(str(value)).groups()
    if exponent is not None:
        return fractions.Fraction(number) * fractions.Fraction(10) ** int(exponent)
    if suffix in BINARY:
        return fractions.Fraction(number) * 2 ** BINARY[suffix]
    return fractions.Fraction(number) * fractions.Fraction(10) ** SUFFIXES[suffix]


def amount(resource, value):
    """In the scheduler's units: thousandths of a CPU, whole ones of the rest; what is less counts as one."""
    return math.ceil(quantity(value) * 1000) if resource == "cpu" else math.ceil(quantity(value))


# ---- requests ----

def total(lists):
    added = {}
    for one in lists:
        for resource, value in one.items():
            added[resource] = added.get(resource, 0) + value
    return added


def largest(lists):
    return {resource: max(one.get(resource, 0) for one in lists) for resource in {key for one in lists for key in one}}


def asked(holder):
    """A limit is the request where there is none."""
    resources = holder.get("resources") or {}
    return {resource: amount(resource, value) for resource, value in {**(resources.get("limits") or {}), **(resources.get("requests") or {})}.items()}


def requests_of(spec):
    """Sidecars run beside all that starts after them; other init containers run alone with these."""
    sidecars, peaks = [], []
    for one in spec.get("initContainers") or []:
        if one.get("restartPolicy") == "Always":
            sidecars.append(asked(one))
            peaks.append(total(sidecars))
        else:
            peaks.append(total([*sidecars, asked(one)]))
    needed = largest([total([*map(asked, spec["containers"]), *sidecars]), *peaks])
    needed.update(asked(spec))  # what the pod as a whole asks for counts instead
    overhead = {resource: amount(resource, value) for resource, value in (spec.get("overhead") or {}).items()}
    return total([needed, overhead])


# ---- one node ----

def meets(requirement, labels):
    key, operator, values = requirement["key"], requirement["operator"], requirement.get("values") or []
    if operator == "Exists":
        return key in labels
    if operator == "DoesNotExist":
        return key not in labels
    if operator == "In":
        return key in labels and labels[key] in values
    if operator == "NotIn":
        return key not in labels or labels[key] not in values
    if not re.fullmatch(r"[+-]?[0-9]+", labels.get(key, "")):
        return False
    return int(labels[key]) > int(values[0]) if operator == "Gt" else int(labels[key]) < int(values[0])


def matches(selector, node):
    """Any of the terms; all requirements of a term, and one without any matches nothing."""
    labels, fields = node["metadata"].get("labels") or {}, {"metadata.name": node["metadata"]["name"]}
    for term in selector["nodeSelectorTerms"]:
        expressions, on_fields = term.get("matchExpressions") or [], term.get("matchFields") or []
        if (expressions or on_fields) and all(meets(one, labels) for one in expressions) and all(meets(one, fields) for one in on_fields):
            return True
    return False


def allowed_by_affinity(spec, node, added):
    labels = node["metadata"].get("labels") or {}
    if any(labels.get(key) != value for key, value in (spec.get("nodeSelector") or {}).items()):
        return False
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    for affinity in (((spec.get("affinity") or {}).get("nodeAffinity") or {}), added):
        if affinity.get(required) is not None and not matches(affinity[required], node):
            return False
    return True


def tolerates(toleration, taint):
    if toleration.get("effect") and toleration["effect"] != taint["effect"]:
        return False
    if toleration.get("key") and toleration["key"] != taint["key"]:
        return False
    return toleration.get("operator") == "Exists" or toleration.get("value", "") == taint.get("value", "")


def is_transient(key, patterns):
    return any(key.startswith(pattern[:-1]) if pattern.endswith("*") else key == pattern for pattern in patterns)


def lasting_taints(node, patterns):
    return [taint for taint in (node.get("spec") or {}).get("taints") or []
            if taint["effect"] != "PreferNoSchedule" and not is_transient(taint["key"], patterns)]


def has_enough(needed, node, rules):
    status = node.get("status") or {}
    has = {name: amount(name, value) for name, value in (status.get("allocatable") or status.get("capacity") or {}).items()}
    if has.get("pods", 0) < 1:
        return False
    for resource, value in needed.items():
        if value <= has.get(resource, 0):
            continue
        if resource in rules.ignored_resources or resource.split("/")[0] in rules.ignored_groups:
            continue
        if resource in rules.device_resources and has.get(resource, 0) == 0:  # devices stand for it there
            continue
        return False
    return True


class Rules:
    """What the configuration, the policy and the cluster add to the documentation's rules."""

    def __init__(self, configuration, policy, objects):
        arguments = {entry["name"]: entry["args"] for entry in configuration["profiles"][0].get("pluginConfig") or []}
        fit = arguments.get("NodeResourcesFit", {})
        self.added_affinity = arguments.get("NodeAffinity", {}).get("addedAffinity") or {}
        self.ignored_resources, self.ignored_groups = fit.get("ignoredResources") or [], fit.get("ignoredResourceGroups") or []
        self.transient = TRANSIENT + (policy.get("transientTaints") or [])
        self.device_resources = {one["spec"].get("extendedResourceName") for one in objects if one["kind"] == "DeviceClass"}


def possible_nodes(pod, nodes, rules):
    """Names of the nodes that could run the pod if it were alone there, and nothing passing were in the way."""
    spec, needed = pod["spec"], requests_of(pod["spec"])
    return [node["metadata"]["name"] for node in nodes
            if allowed_by_affinity(spec, node, rules.added_affinity)
            and all(any(tolerates(one, taint) for one in spec.get("tolerations") or []) for taint in lasting_taints(node, rules.transient))
            and has_enough(needed, node, rules)]
