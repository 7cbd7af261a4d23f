"""Deployments whose pods care where others are: they grow pod by pod."""

from objects import deployment
from pod_by_pod import BY_HAND

ZONE, HOST = "topology.kubernetes.io/zone", "kubernetes.io/hostname"
SERVICES = [{"apiVersion": "v1", "kind": "Service", "metadata": {"name": name, "namespace": "default"},
             "spec": {"selector": {"app": name}, "ports": [{"port": 80}]}} for name in ("served", "kept-apart")]


def selector(app):
    return {"matchLabels": {"app": app}}


def spread(app, key, skew=1, soft=False, **more):
    return {"maxSkew": skew, "topologyKey": key, "whenUnsatisfiable": "ScheduleAnyway" if soft else "DoNotSchedule", "labelSelector": selector(app), **more}


def term(app, key, **more):
    return {"topologyKey": key, "labelSelector": selector(app), **more}


def required(kind, *terms):
    return {kind: {"requiredDuringSchedulingIgnoredDuringExecution": list(terms)}}


def preferred(kind, *terms):
    return {kind: {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": weight, "podAffinityTerm": one} for weight, one in terms]}}


def grown(name, cpu="300m", **spec):
    """Made with no replicas; the test asks for one more at a time."""
    made = deployment(name, 0, cpu, "256Mi", **spec)
    made["spec"]["template"]["metadata"]["labels"].update(BY_HAND)
    return made


DEPLOYMENTS = [
    grown("zones", topologySpreadConstraints=[spread("zones", ZONE)]),
    grown("zones-large", "2", topologySpreadConstraints=[spread("zones-large", ZONE), spread("zones-large", HOST, soft=True)]),
    grown("zones-of-pool", topologySpreadConstraints=[spread("zones-of-pool", ZONE)], nodeSelector={"pool": "big"}),
    grown("zones-anywhere", topologySpreadConstraints=[spread("zones-anywhere", ZONE, nodeAffinityPolicy="Ignore")], nodeSelector={"pool": "big"}),
    grown("many-zones", topologySpreadConstraints=[spread("many-zones", ZONE, minDomains=6)]),
    grown("untainted-hosts", topologySpreadConstraints=[spread("untainted-hosts", HOST, nodeTaintsPolicy="Honor")]),
    grown("this-version", topologySpreadConstraints=[spread("this-version", ZONE, 2, matchLabelKeys=["pod-template-hash"])]),
    grown("one-a-host", affinity=required("podAntiAffinity", term("one-a-host", HOST))),
    grown("one-a-zone", affinity=required("podAntiAffinity", term("one-a-zone", ZONE))),
    grown("kept-apart", "700m", affinity=preferred("podAntiAffinity", (100, term("kept-apart", HOST)), (30, term("kept-apart", ZONE)))),
    grown("near-zones", affinity={**preferred("podAffinity", (80, term("zones", HOST)), (20, term("zones-large", ZONE))),
                                  **preferred("podAntiAffinity", (50, term("near-zones", HOST)))}),
    grown("with-one-a-zone", affinity=required("podAffinity", term("one-a-zone", HOST))),
    grown("together", "900m", affinity=required("podAffinity", term("together", ZONE, namespaceSelector={}))),
    grown("by-default"),
    grown("served"),
]
