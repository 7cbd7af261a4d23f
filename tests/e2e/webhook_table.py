"""Requests to the admission webhook, and what becomes of each: the table of webhook_reviews.

Two nodes with the label pool=general have 4 cpu each, of which pods have 3 and 2; one with pool=gpu has 16 and a taint.
"""

import dataclasses
import json

from objects import node, pod, required_affinity

NODES = [node("small-a", "4", "16Gi", {"pool": "general"}), node("small-b", "4", "16Gi", {"pool": "general"}),
         node("gpu", "16", "64Gi", {"pool": "gpu"}, extra={"example.com/gpu": "4"})]
OWN_TAINTS = {"gpu": [{"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}]}
TOLERATED = [{"key": "dedicated", "operator": "Exists"}]
KINDS = ("Pod", "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "CronJob", "ReplicationController")
SPACES = {"warned": {}, "audited": {}, "ignored": {}, "sandbox": {"stage": "sandbox"}, "sized": {}, "exempt": {}, "limited": {}, "ksched-webhook": {}, "shop": {}}


@dataclasses.dataclass(frozen=True)
class Row:
    """A request by kubectl: an object to create, or what to say. Its name is that of the object."""
    name: str
    what: object
    counted: str = "allow {kind} Fits"  # action, kind and reason in the metrics; "": it is not asked
    says: str = ""                      # the warning, before it is shortened; of a refusal the beginning
    helps: str = ""                     # how a refusal goes on
    flags: tuple = ()
    fails: bool = False                 # for a reason of its own, or because it cannot be judged
    cut: bool = False                   # `says` is a beginning of what is shortened


def made(kind, cpu="100m", replicas=1, space="default", labels=None, owner=None, controlled=True, top=None, **spec):
    """An object of the kind without a name; `owner` is the kind of its owner, its controller or not; `top` is more of the object's own spec."""
    one = pod("made", cpu, "64Mi", space, **spec)
    metadata = {"namespace": space, "labels": labels or {}}
    if owner:
        metadata["ownerReferences"] = [{"apiVersion": "v1", "kind": owner, "name": "owner", "uid": "1", "controller": controlled}]
    if kind == "Pod":
        return {**one, "metadata": metadata}
    template = {"metadata": {"labels": {"app": "made"}}, "spec": one["spec"]}
    job = kind in ("Job", "CronJob")
    if job:
        template["spec"]["restartPolicy"] = "Never"
    selector = {"app": "made"} if kind == "ReplicationController" else {"matchLabels": {"app": "made"}}
    own = {"template": template, **({} if job else {"selector": selector})}
    if kind not in ("DaemonSet", "CronJob"):
        own["parallelism" if job else "replicas"] = replicas
    if kind == "CronJob":
        own = {"schedule": "0 0 1 1 *", "jobTemplate": {"spec": own}}
    version = "v1" if kind == "ReplicationController" else "batch/v1" if job else "apps/v1"
    return {"apiVersion": version, "kind": kind, "metadata": metadata, "spec": {**own, **(top or {})}}



def impossible(kind="Pod", reasons="3 Insufficient cpu", nodes="0/3 nodes"):
    return f"{nodes} could ever run {'this pod' if kind == 'Pod' else f'a pod of this {kind}'}: {reasons}"


def no_room(kind="Pod", reasons="Insufficient cpu on 2 nodes, 1 node(s) had untolerated taint(s)", fit=0, of=1):
    if kind == "Pod":
        return f"no node has room for this pod now: {reasons}"
    if kind == "DaemonSet":
        return "0 of 2 nodes have room now; 2: Insufficient cpu on 2 nodes"
    return f"{fit} of {of} replicas fit now; {of - fit}: {reasons}"


def huge(kind, space="default", cpu="20", **more):
    """No node is so large; taints are not what is in the way."""
    return made(kind, cpu, space=space, tolerations=TOLERATED, **more)


def change(kind, name, patch):
    return "patch", kind, name, "--type=merge", "-p", json.dumps({"spec": patch})


def changed(spec):
    return {"template": {"spec": spec}}


LESS = ". 3 would if it asked for less: at most cpu 16."
AFFINITY = "node(s) didn't match Pod's node affinity/selector"
TAINT = "1 node(s) had untolerated taint(s)"
DENIED, SCARCE = "deny {kind} NodeResourcesFit", "warn {kind} TaintToleration,NodeResourcesFit"
CLAIM = [{"name": "data", "persistentVolumeClaim": {"claimName": "not-there-yet"}}]
LATER = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
    {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "later"}}}]}}
LONG = {f"example.com/{letter * 60}": "1" for letter in "abcdefghijklmno"}

# ---- the default policy ----

EACH_KIND = [Row(f"impossible-{kind.lower()}", huge(kind), DENIED, impossible(kind), LESS) for kind in KINDS]
EACH_KIND += [Row(f"fits-{kind.lower()}", made(kind)) for kind in KINDS]
EACH_KIND += [Row(f"no-room-{kind.lower()}", made(kind, "3"), SCARCE, no_room(kind)) for kind in KINDS if kind not in ("DaemonSet", "CronJob")]
EACH_KIND += [
    Row("no-room-daemonset", made("DaemonSet", "3"), "warn DaemonSet NodeResourcesFit", no_room("DaemonSet")),
    Row("no-room-cronjob", made("CronJob", "3")),  # its pods come later
]
PODS = [
    Row("owned-pod", huge("Pod", owner="ReplicaSet"), "warn Pod NodeResourcesFit", impossible(), LESS),
    Row("owned-replicaset", huge("ReplicaSet", owner="Deployment"), "warn ReplicaSet NodeResourcesFit", impossible("ReplicaSet"), LESS),
    Row("owned-job", huge("Job", owner="CronJob"), "warn Job NodeResourcesFit", impossible("Job"), LESS),
    Row("owned-otherwise", huge("Pod", owner="ConfigMap", controlled=False), DENIED, impossible(), LESS),
    Row("dry-denied", huge("Pod"), DENIED, impossible(), LESS, flags=("--dry-run=server",)),
    Row("dry-warned", made("Deployment", "3"), SCARCE, no_room("Deployment"), flags=("--dry-run=server",)),
    Row("dry-fits", made("Job"), flags=("--dry-run=server",)),
    Row("generated-", made("Pod")),
    Row("generated-denied-", huge("Pod"), DENIED, impossible(), LESS),
    Row("selector", made("Pod", nodeSelector={"pool": "none"}, tolerations=TOLERATED), "deny Pod NodeAffinity", impossible("Pod", f"3 {AFFINITY}"),
        ". 3 would if its node selector and node affinity allowed it."),
    Row("affinity", made("Pod", affinity=required_affinity("pool", "NotIn", "general", "gpu"), tolerations=TOLERATED), "deny Pod NodeAffinity",
        impossible("Pod", f"3 {AFFINITY}"), ". 3 would if its node selector and node affinity allowed it."),
    Row("taint", made("Pod", nodeSelector={"pool": "gpu"}), "deny Pod TaintToleration,NodeAffinity", impossible("Pod", f"{TAINT}, 2 {AFFINITY}"),
        ". 2 would if its node selector and node affinity allowed it. 1 would if it tolerated their taints."),
    Row("no-single-change", made("Pod", "20", nodeSelector={"pool": "none"}), "deny Pod TaintToleration,NodeAffinity",
        impossible("Pod", f"{TAINT}, 2 {AFFINITY}"), ". No single change of selectors, tolerations or requests is enough."),
    Row("tolerates", made("Pod", nodeSelector={"pool": "gpu"}, tolerations=TOLERATED)),
    Row("devices", made("Pod", extra={"example.com/gpu": "4"}, tolerations=TOLERATED)),
    Row("devices-many", made("Pod", extra={"example.com/gpu": "8"}, tolerations=TOLERATED), DENIED, impossible("Pod", "3 Insufficient example.com/gpu"),
        ". 3 would if it asked for less: at most example.com/gpu 4."),
    Row("claim", made("Pod", volumes=CLAIM)),
    Row("claim-impossible", huge("Pod", volumes=CLAIM), DENIED, impossible(), LESS),
    Row("claim-unbound", made("Pod", volumes=[{"name": "data", "persistentVolumeClaim": {"claimName": "unbound"}}]), "unknown Pod VolumeBinding",
        "cannot be judged yet: 0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found"),
    Row("fresh-claims", made("StatefulSet", top={"serviceName": "fresh", "volumeClaimTemplates": [
        {"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}]})),
    Row("affinity-later", made("Pod", affinity=LATER), "warn Pod TaintToleration,InterPodAffinity",
        no_room("Pod", f"2 node(s) didn't match pod affinity rules, {TAINT}")),
    Row("affinity-later-deployment", made("Deployment", affinity=LATER), "warn Deployment TaintToleration,InterPodAffinity",
        no_room("Deployment", f"2 node(s) didn't match pod affinity rules, {TAINT}")),
    Row("spread", made("Pod", topologySpreadConstraints=[{"maxSkew": 1, "topologyKey": "rack", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {}}]),
        "warn Pod TaintToleration,PodTopologySpread",
        no_room("Pod", f"2 node(s) didn't match pod topology spread constraints (missing required label), {TAINT}")),
    Row("ports", made("Pod", ports=[{"containerPort": 80, "hostPort": 8080}]), "warn Pod TaintToleration,NodePorts",
        no_room("Pod", f"2 node(s) didn't have free ports for the requested pod ports, {TAINT}")),
    Row("preempts", made("Pod", "3", priorityClassName="high"), SCARCE, no_room(), "; it would get room by preemption"),
    Row("preempt", made("Deployment", "3", 4, priorityClassName="high"), SCARCE, no_room("Deployment", of=4), "; 2 would get room by preemption"),
    Row("long", huge("Pod", cpu="1", extra=LONG), DENIED, impossible("Pod", "3 Insufficient example.com/aaaa"), cut=True),
    Row("long-owned", huge("Pod", cpu="1", extra=LONG, owner="Job"), "warn Pod NodeResourcesFit", impossible("Pod", "3 Insufficient example.com/aaaa"), cut=True),
    Row("quiet", made("Deployment", "3", 0)),
    Row("impossible-without-replicas", huge("Deployment", replicas=0), DENIED, impossible("Deployment"), LESS),
    Row("some-fit", made("Deployment", "1", 5), SCARCE, no_room("Deployment", fit=3, of=5)),
    Row("completions", made("Job", "1", 5, top={"completions": 3})),
    Row("suspended", made("Job", "3", top={"suspend": True})),
    Row("suspended-impossible", huge("Job", top={"suspend": True}), DENIED, impossible("Job"), LESS),
    Row("daemons-nowhere", made("DaemonSet", nodeSelector={"pool": "none"})),  # that is nothing wrong
    Row("daemons-cordoned", made("DaemonSet", nodeSelector={"pool": "general"})),
]
# What admission adds to pods, the templates do not say.
BARE = {"containers": [{"name": "main", "image": "registry.example.com/app:1"}], "tolerations": TOLERATED}
COMPLETED = [
    Row("limited-pod", made("Pod", space="limited", **BARE), DENIED, impossible(), LESS),
    Row("limited-deployment", made("Deployment", space="limited", **BARE), DENIED, impossible("Deployment"), LESS),
    Row("overhead-pod", made("Pod", runtimeClassName="heavy", tolerations=TOLERATED), DENIED, impossible(), LESS),
    Row("overhead-job", made("Job", runtimeClassName="heavy", tolerations=TOLERATED), DENIED, impossible("Job"), LESS),
    Row("runtime-class-nodes", made("StatefulSet", "8", runtimeClassName="on-gpu")),
    Row("no-such-priority", made("Deployment", priorityClassName="absent"), "unknown Deployment NoTemplate",
        'admission would refuse it: pods "no-such-priority-" is forbidden: no PriorityClass with name absent was found'),
]
UPDATES = [
    Row("web", made("Deployment", "1", 2)),
    Row("untouched", ("annotate", "deployment", "web", "note=1"), ""),
    Row("image", ("set", "image", "deployment", "web", "main=registry.example.com/app:2"), "allow Deployment Fits"),
    Row("fewer", change("deployment", "web", {"replicas": 1}), "skip Deployment NothingNew"),
    Row("more", change("deployment", "web", {"replicas": 6}), "warn Deployment TaintToleration,NodeResourcesFit", no_room("Deployment", fit=3, of=6)),
    Row("now-impossible", change("deployment", "web", changed({"nodeSelector": {"pool": "none"}, "tolerations": TOLERATED})), "deny Deployment NodeAffinity",
        impossible("Deployment", f"3 {AFFINITY}"), ". 3 would if its node selector and node affinity allowed it."),
    Row("cronjob", made("CronJob")),
    Row("cronjob-impossible", change("cronjob", "cronjob", {"jobTemplate": {"spec": changed({"nodeSelector": {"pool": "none"}, "tolerations": TOLERATED})}}),
        "deny CronJob NodeAffinity", impossible("CronJob", f"3 {AFFINITY}"), ". 3 would if its node selector and node affinity allowed it."),
    Row("resumed", change("job", "suspended", {"suspend": False}), "warn Job TaintToleration,NodeResourcesFit", no_room("Job")),
    Row("parallel", made("Job", "1", 1)),
    Row("more-parallel", change("job", "parallel", {"parallelism": 4}), "warn Job TaintToleration,NodeResourcesFit", no_room("Job", fit=3, of=4)),
    Row("on-delete", made("StatefulSet", top={"serviceName": "s", "updateStrategy": {"type": "OnDelete"}})),
    Row("on-delete-larger", ("set", "resources", "statefulset", "on-delete", "--requests=cpu=3"), "allow StatefulSet Fits"),
    Row("daemons-larger", ("set", "resources", "daemonset", "daemons-cordoned", "--requests=cpu=3"), "warn DaemonSet NodeResourcesFit", no_room("DaemonSet")),
]
SCALED = [
    Row("scale-up-fits", ("scale", "-n", "shop", "deployment", "shop", "--replicas=2"), "allow Scale Fits"),
    Row("scale-up", ("scale", "-n", "shop", "deployment", "shop", "--replicas=6"), "warn Scale TaintToleration,NodeResourcesFit", no_room("Deployment", fit=3, of=5)),
    Row("scale-down", ("scale", "-n", "shop", "deployment", "shop", "--replicas=1"), "skip Scale NothingNew"),
    Row("scale-unknown", ("scale", "deployment", "web", "--replicas=9"), "unknown Scale NoTemplate", "none of its pods is there to say what they are like"),
    *(Row(f"scale-{kind.lower()}", ("scale", kind.lower(), f"fits-{kind.lower()}", "--replicas=2"), "unknown Scale NoTemplate",
          "none of its pods is there to say what they are like") for kind in ("ReplicaSet", "StatefulSet", "ReplicationController")),
]
DEFAULT = EACH_KIND + PODS + COMPLETED + UPDATES + SCALED

# ---- what is let through ----

GATED = {"schedulingGates": [{"name": "example.com/gate"}]}
POD = "/api/v1/namespaces/default/pods"
# As the webhook counts them if it is asked. The manifest spares it most of them.
LET_THROUGH = [
    Row("has-node", huge("Pod", nodeName="small-a"), "skip Pod HasNode"),
    Row("other-scheduler", huge("Pod", schedulerName="other"), "skip Pod OtherScheduler"),
    Row("other-scheduler-job", huge("Job", schedulerName="other"), "skip Job OtherScheduler"),
    Row("gated", huge("Pod", **GATED), "skip Pod Gated"),
    Row("gated-deployment", huge("Deployment", **GATED), "skip Deployment Gated"),
    Row("kube-system", huge("Pod", "kube-system"), "skip Pod ExemptNamespace"),
    Row("kube-system-daemons", huge("DaemonSet", "kube-system"), "skip DaemonSet ExemptNamespace"),
    Row("relabelled", ("label", "pod", "has-node", "note=1"), "skip Pod NothingNew"),
    Row("status", ("patch", "pod", "has-node", "--subresource=status", "--type=merge", "-p", '{"status": {"phase": "Running"}}'), "skip Pod Subresource"),
    Row("status-deployment", ("patch", "deployment", "gated-deployment", "--subresource=status", "--type=merge", "-p", '{"status": {"replicas": 1}}'),
        "skip Deployment Subresource"),
    Row("binding", ("create", "--raw", f"{POD}/other-scheduler/binding", "-f", "-"), "skip other Subresource"),
    Row("connect", ("get", "--raw", f"{POD}/has-node/proxy/"), "skip other Connect", fails=True),
    Row("node", ("patch", "node", "gpu", "--type=merge", "-p", '{"metadata": {"labels": {"note": "1"}}}'), "skip other OtherKind"),
    Row("deleted", ("delete", "pod", "has-node", "--wait=false", "--grace-period=1"), "skip Pod Deleted"),
    Row("deleted-deployment", ("delete", "deployment", "gated-deployment", "--wait=false"), "skip Deployment Deleted"),
]
ASKED_ANYWAY = {"other-scheduler", "other-scheduler-job", "gated-deployment"}
SPARED = [row if row.name in ASKED_ANYWAY else dataclasses.replace(row, counted="") for row in LET_THROUGH]
SPARED += [Row("own-namespace", huge("Pod", "ksched-webhook"), "")]
# What they read.
GIVEN = {"binding": {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "other-scheduler"}, "target": {"kind": "Node", "name": "small-a"}}}

# ---- a policy with rules ----

RULES = """
rules:
- {name: warned, match: {namespaces: [warned]}, impossible: warn, noRoom: audit}
- {name: audited, match: {namespaces: [audited]}, impossible: audit, noRoom: ignore}
- {name: ignored, match: {namespaces: [ignored]}, impossible: ignore, noRoom: deny}
- {name: sandboxes, match: {namespaceSelector: {matchLabels: {stage: sandbox}}}, impossible: warn}
- {name: batch, match: {objectSelector: {matchExpressions: [{key: tier, operator: In, values: [batch]}]}}, impossible: audit, noRoom: ignore}
- {name: alice, match: {users: [alice]}, impossible: warn}
- {name: team, match: {groups: [team]}, impossible: audit}
- {name: sizes, match: {namespaces: [sized]}, plugins: [NodeResourcesFit], impossible: warn}
- {name: nothing-else, match: {namespaces: [sandbox]}, noRoom: audit}
exemptions:
- {name: space, match: {namespaces: [exempt]}}
- {name: robot, match: {users: [robot], objectSelector: {matchLabels: {made-by: robot}}}}
nodeShapes:
- {name: large, labels: {pool: large}, allocatable: {cpu: 32, memory: 128Gi}}
judgeGated: true
transientTaints: ["vendor.io/*"]
"""
BAD_RULES = RULES.replace("impossible: audit, noRoom: ignore}", "impossible: audit, noRoom: never}", 1)
SHAPED = {"reasons": "4 Insufficient cpu", "nodes": "0/3 nodes and 0/1 node shapes"}
SHAPE_LESS = ". 4 would if it asked for less: at most cpu 32."
ALICE, TEAM, ROBOT = ("--as=alice",), ("--as=bob", "--as-group=team"), ("--as=robot",)


def beyond(kind, space="default", **more):
    """Too large for the shape too."""
    return huge(kind, space, "40", **more)


def ruled(name, action, one, flags=()):
    return Row(name, one, f"{action} {{kind}} NodeResourcesFit", impossible(one["kind"], **SHAPED), SHAPE_LESS, flags=flags)


BY_RULE = [ruled(f"{action}-{kind.lower()}", action, beyond(kind, space)) for space, action in (("warned", "warn"), ("audited", "audit"), ("ignored", "ignore"))
           for kind in KINDS]
BY_RULE += [Row(f"no-room-{space}-{kind.lower()}", made(kind, "3", space=space), f"{action} {{kind}} TaintToleration,NodeResourcesFit", no_room(kind))
            for space, action in (("warned", "audit"), ("audited", "ignore"), ("ignored", "deny")) for kind in ("Pod", "Deployment")]
BY_RULE += [
    ruled("rule-for-nobody", "deny", beyond("Pod")),
    ruled("namespace-selector", "warn", beyond("Pod", "sandbox")),
    Row("next-rule-says-it", made("Pod", "3", space="sandbox"), "audit {kind} TaintToleration,NodeResourcesFit", no_room()),
    ruled("object-selector", "audit", beyond("Pod", labels={"tier": "batch"})),
    ruled("object-selector-job", "audit", beyond("Job", labels={"tier": "batch"})),
    ruled("object-selector-other", "deny", beyond("Pod", labels={"tier": "web"})),
    ruled("user", "warn", beyond("Pod"), ALICE),
    ruled("group", "audit", beyond("StatefulSet"), TEAM),
    ruled("plugin", "warn", beyond("Pod", "sized")),
    Row("other-plugin", made("Pod", space="sized", nodeSelector={"pool": "none"}, tolerations=TOLERATED), "deny Pod NodeAffinity",
        impossible("Pod", f"4 {AFFINITY}", SHAPED["nodes"]), ". 4 would if its node selector and node affinity allowed it."),
    Row("exempt-namespace", beyond("Pod", "exempt"), "skip Pod Exempt", "space"),
    Row("exempt-user", beyond("Deployment", labels={"made-by": "robot"}), "skip Deployment Exempt", "robot", flags=ROBOT),
    ruled("exempt-user-other-object", "deny", beyond("Deployment"), ROBOT),
    Row("shape", made("Pod", "20", nodeSelector={"pool": "large"}, tolerations=TOLERATED), "warn Pod NodeAffinity", no_room("Pod", f"3 {AFFINITY}")),
]
# ---- other clusters, with the default policy and then with that of rules ----

LIFECYCLE = {"not-ready": [{"key": "node.kubernetes.io/not-ready", "effect": effect} for effect in ("NoSchedule", "NoExecute")],
             "cordoned": [{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}]}
VENDOR = [{"key": "vendor.io/agent", "value": "starting", "effect": "NoSchedule"}]
CORDONED = [
    Row("cordoned", made("Pod", tolerations=TOLERATED), "warn Pod NodeUnschedulable", no_room("Pod", "3 node(s) were unschedulable")),
    Row("cordoned-deployment", made("Deployment", tolerations=TOLERATED), "warn Deployment NodeUnschedulable",
        no_room("Deployment", "3 node(s) were unschedulable")),
    Row("cordoned-impossible", huge("Pod"), DENIED, impossible(), LESS),
    Row("cordoned-daemons", made("DaemonSet", tolerations=TOLERATED)),
]
NOT_READY = [
    Row("not-ready", made("Pod", tolerations=TOLERATED), "warn Pod TaintToleration", no_room("Pod", "3 node(s) had untolerated taint(s)")),
    Row("not-ready-job", made("Job", tolerations=TOLERATED), "warn Job TaintToleration", no_room("Job", "3 node(s) had untolerated taint(s)")),
    Row("not-ready-impossible", huge("Pod"), DENIED, impossible(), LESS),
]
STARTING = [Row("starting", made("Pod", tolerations=TOLERATED), "deny Pod TaintToleration", impossible("Pod", "3 node(s) had untolerated taint(s)"),
                ". 3 would if it tolerated their taints.")]
NO_NODES = [
    Row("no-nodes", huge("Pod"), "unknown Pod NoNodes", "the cluster has no nodes"),
    Row("no-nodes-deployment", huge("Deployment"), "unknown Deployment NoNodes", "the cluster has no nodes"),
]
STARTING_BY_RULE = [Row("starting-by-rule", made("Pod", tolerations=TOLERATED), "warn Pod TaintToleration",
                        no_room("Pod", "3 node(s) had untolerated taint(s)"))]
GATED_BY_RULE = [
    ruled("gated-denied", "deny", beyond("Pod", **GATED)),
    Row("gated-fits", made("Pod", **GATED)),
]
UNREAD = "the cluster has not been read yet"
UNABLE = [Row("unable", huge("Pod"), "unable Pod NotSynced", UNREAD), Row("unable-job", huge("Job"), "unable Job NotSynced", UNREAD),
          Row("unable-other-scheduler", huge("Pod", schedulerName="other"), "skip Pod OtherScheduler")]
CLOSED = [Row("closed", huge("Pod"), "unable Pod NotSynced", UNREAD, fails=True),
          Row("closed-other-scheduler", huge("Pod", schedulerName="other"), "skip Pod OtherScheduler")]
