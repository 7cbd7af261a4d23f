#!/usr/bin/env python3
"""The webhook's promise, on generated pods in generated clusters, by `kubectl ksched webhook test`.

Never denied is a pod that the oracle places once nothing passing is in its way: alone in the cluster, nodes open, claims and classes there, the
pods there that it wants to be near; each of these and all together are tried. Always denied is one that no node could ever run by its node
selector and affinity, its tolerations or its requests, worked out from the documentation (webhook_expectation.py). And where there is no room now,
`simulate` says the same. Exit status 1 if a pod was judged otherwise; its cluster's folder is kept and named.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import random
import shutil
import sys
import tempfile

import yaml

import configs
import scenarios
import webhook_expectation
import webhook_pods
import webhook_relaxed
from differential import TextLoader

ROOT = pathlib.Path(__file__).resolve().parents[2]
KINDS = [kind for kind in scenarios.KINDS if kind != "large"]
QUICK, LONG = 8, 60  # clusters
OWN, MADE = 3, 9  # pods of each cluster: of the generator's, and of webhook_pods
COMPLETING = "LimitRanger,Priority,DefaultTolerationSeconds,RuntimeClass"  # what the webhook adds to pods
WAIT_FOR_OBJECTS = {"VolumeBinding", "VolumeRestrictions", "VolumeZone", "NodeVolumeLimits", "DynamicResources"}
ARGUMENTS = [
    {"name": "NodeResourcesFit", "args": {"ignoredResources": ["example.com/nowhere"], "ignoredResourceGroups": ["vendor.example"]}},
    {"name": "NodeAffinity", "args": {"addedAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
        {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "Exists"}]}]}}}},
]
SHAPE = {"name": "big", "labels": {"kubernetes.io/os": "linux", "pool": "big", "example.com/generation": "7"},
         "taints": [{"key": "dedicated", "value": "big", "effect": "NoSchedule"}], "allocatable": {"cpu": "96", "memory": "384Gi", "nvidia.com/gpu": "8"}}
POLICY = {"apiVersion": "ksched.dev/v1alpha1", "kind": "AdmissionPolicy", "nodeShapes": [SHAPE], "transientTaints": ["maintenance", "spot*"]}


@dataclasses.dataclass
class Cluster:
    """What is written into a folder, and what the pods there are judged by."""

    folder: pathlib.Path
    objects: list  # without the shapes
    shapes: list  # as nodes
    pods: list
    rules: webhook_expectation.Rules
    policy: list

    @property
    def nodes(self):
        return [one for one in self.objects if one["kind"] == "Node"] + self.shapes


def parse_arguments():
    parser = argparse.ArgumentParser(prog="tests/conformance/webhook_property.py", description=__doc__)
    parser.add_argument("--long", action="store_true", help=f"{LONG} clusters; otherwise {QUICK}")
    parser.add_argument("--seeds", help="clusters by their seeds, as A-B or A")
    parser.add_argument("--jobs", type=int, default=2, help="how many clusters at the same time")
    parser.add_argument("--work", help="where clusters are written; by default a temporary folder")
    parser.add_argument("--ksched", default=str(ROOT / "build/release/kubectl-ksched"))
    parser.add_argument("--tools", default=os.environ.get("ORACLE_BIN"), help="the folder of the programs oracle and scenario; by default ORACLE_BIN")
    options = parser.parse_args()
    if not options.tools:
        parser.error("set ORACLE_BIN or --tools: ./dev tools oracle prints it")
    return options


# ---- clusters and pods ----

def make_cluster(seed, options, folder):
    rng = random.Random(seed)
    scenarios.generate(scenarios.Scenario(KINDS[seed % len(KINDS)], seed), f"{options.tools}/scenario", folder)
    objects = [one for one in yaml.load_all((folder / "cluster.yaml").read_text(), TextLoader) if one]
    objects.append(webhook_pods.RUNTIME_CLASS)
    if seed % 4 == 0:
        objects.append(webhook_pods.DEVICE_CLASS)
    if seed % 7 == 0:
        close_nodes(objects, rng)
    webhook_relaxed.write(objects, folder / "cluster.yaml")
    configuration = configs.without_absent({"profiles": [{"schedulerName": "default-scheduler", "pluginConfig": ARGUMENTS if seed % 3 == 0 else []}]})
    bare = configs.without_absent(configuration, ["NodeDeclaredFeatures"])
    for name, document in (("config.yaml", configuration), ("bare-config.yaml", bare)):
        (folder / name).write_text(yaml.safe_dump(document))
    policy = POLICY if seed % 2 else {}
    (folder / "policy.yaml").write_text(yaml.safe_dump(policy))
    made = Cluster(folder, objects, [shape_node(one) for one in policy.get("nodeShapes", [])], [],
                   webhook_expectation.Rules(configuration, policy, objects), ["--policy", folder / "policy.yaml"] if policy else [])
    made.pods = make_pods(made, rng)
    webhook_relaxed.write(made.pods, folder / "pods.yaml")
    return made


def close_nodes(objects, rng):
    """All of them are cordoned or not ready."""
    for node in (one for one in objects if one["kind"] == "Node"):
        key = rng.choice(["unschedulable", "not-ready", "unreachable", "disk-pressure"])
        node["spec"] = {**(node.get("spec") or {}), "unschedulable": key == "unschedulable"}
        node["spec"]["taints"] = [*(node["spec"].get("taints") or []), {"key": f"node.kubernetes.io/{key}", "effect": "NoSchedule"}]


def shape_node(shape):
    allocatable = {"pods": "110", **shape["allocatable"]}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": shape["name"], "labels": {**shape["labels"], "kubernetes.io/hostname": shape["name"]}},
            "spec": {"taints": shape["taints"]}, "status": {"allocatable": allocatable, "capacity": allocatable}}


def make_pods(cluster, rng):
    own = [one for one in yaml.load_all((cluster.folder / "pods.yaml").read_text(), TextLoader) if one and one["kind"] == "Pod"]
    own = [as_written(one) for one in own if one["metadata"]["namespace"] != "kube-system"]
    maker = webhook_pods.Maker(rng, webhook_pods.Facts(cluster.objects, cluster.shapes))
    return rng.sample(own, k=min(OWN, len(own))) + [maker.pod(f"made-{number}") for number in range(MADE)]


def as_written(pod):
    """By a user, for the default profile: admission adds the priority of its class."""
    spec = pod["spec"]
    for field in ("priority", "preemptionPolicy", "schedulerName"):
        spec.pop(field, None)
    for field in ("deletionTimestamp", "deletionGracePeriodSeconds"):
        pod["metadata"].pop(field, None)
    pod.pop("status", None)
    return pod


# ---- what is said of them ----

def webhook_answers(options, cluster):
    out = cluster.folder / "answers.json"
    scenarios.run_program([options.ksched, "webhook", "test", "--snapshot", cluster.folder / "cluster.yaml", "-f", cluster.folder / "pods.yaml",
                           "--config", cluster.folder / "config.yaml", *cluster.policy, "-o", "json"], out, {0, 1})
    return json.loads(out.read_text())


def simulated(options, cluster, pod):
    """Its first cycle; None: it is held back."""
    manifest, out = cluster.folder / "one.yaml", cluster.folder / "simulated.json"
    webhook_relaxed.write([without_missing_claims(cluster, pod)], manifest)
    scenarios.run_program([options.ksched, "simulate", "--snapshot", cluster.folder / "cluster.yaml", "-f", manifest, "--config", cluster.folder / "config.yaml",
                           "--admission", COMPLETING, "--explain", "-o", "json"], out, {0, 1})
    name = f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
    return next((one for one in json.loads(out.read_text()).get("cycles", []) if one["pod"] == name), None)


def without_missing_claims(cluster, pod):
    """What a claim that is not there will be bound to nobody knows: the webhook judges without it."""
    known = {(one["metadata"]["namespace"], one["metadata"]["name"]) for one in cluster.objects if one["kind"] == "PersistentVolumeClaim"}

    def stays(volume):
        claim = volume.get("persistentVolumeClaim")
        return "ephemeral" not in volume and (claim is None or (pod["metadata"]["namespace"], claim["claimName"]) in known)
    volumes = [volume for volume in pod["spec"].get("volumes") or [] if stays(volume)]
    return {**pod, "spec": {**pod["spec"], "volumes": volumes}}


# ---- the property ----

def judge(options, cluster, oracle, pod, answer):
    """What is wrong with the answer, and which kind of pod it was."""
    if pod["spec"].get("schedulingGates"):
        return ([] if answer["action"] == "skip" else ["it is gated and was judged"]), "gated"
    possible = webhook_expectation.possible_nodes(pod, cluster.nodes, cluster.rules)
    problems = compare_with_oracle(cluster, oracle, pod, possible)
    if not possible:
        return problems + check_impossible(cluster, oracle, pod, answer), "impossible"
    if not answer["allowed"]:
        problems.append(f"denied, but {possible[0]} could run it: {answer['message']}")
    cycle = simulated(options, cluster, pod)
    nominated = bool(cycle) and cycle["result"] == "Nominated"
    return problems + check_room(answer, cycle), "nominated" if nominated else answer["action"]


def compare_with_oracle(cluster, oracle, pod, possible):
    """The documentation and the scheduler's own code agree, where no device has to be found for the pod."""
    if cluster.rules.device_resources & set(webhook_expectation.requests_of(pod["spec"])):
        return []
    node = oracle.bare_node(cluster.objects + cluster.shapes, pod)
    if bool(node) != bool(possible):
        return [f"the oracle places it on {node}, by the documentation {possible[:3]} could run it"]
    return []


def check_impossible(cluster, oracle, pod, answer):
    if pod["metadata"].get("ownerReferences"):
        right = answer["allowed"] and answer["action"] == "warn" and answer["warnings"]
        return [] if right else [f"it has a controller and cannot run: it has to be warned about, not {answer['action']}"]
    if answer["allowed"]:
        return [f"no node could run it, but it was let through: {answer['action']} {answer['reason']}"]
    placed = oracle.placed_by(cluster.objects + cluster.shapes, pod)
    return [f"denied, but the oracle places it: {placed}"] if placed else []


def check_room(answer, cycle):
    """Placed means no warning, nominated a warning that says so; unknown is only what waits for objects."""
    result = cycle["result"] if cycle else "Held"
    action, said = answer["action"], f"simulate says {result}, the webhook {answer['action']}: {answer['auditAnnotations']}"
    if action == "unknown":
        waits = WAIT_FOR_OBJECTS & set((cycle or {}).get("unschedulablePlugins", []))
        return [] if result in ("Error", "Held") or (result == "Unschedulable" and waits) else [said]
    if action != ("allow" if result == "Scheduled" else "warn") or bool(answer["warnings"]) != (action == "warn"):
        return [said]
    nominated = "it would get room by preemption" in answer["auditAnnotations"].get("reason", "")
    return [said] if nominated != (result == "Nominated") else []


def examine(seed, options, work):
    """The problems of one cluster's pods, as lines; and how many pods there were of which kind."""
    folder, problems, counts = work / f"cluster-{seed}", [], collections.Counter()
    try:
        cluster = make_cluster(seed, options, folder)
        oracle = webhook_relaxed.Oracle(f"{options.tools}/oracle", folder, cluster.rules)
        answers = {(one["namespace"], one["name"]): one for one in webhook_answers(options, cluster)}
        for pod in cluster.pods:
            meta = pod["metadata"]
            found, kind = judge(options, cluster, oracle, pod, answers[(meta["namespace"], meta["name"])])
            counts[kind] += 1
            problems += [f"{meta['namespace']}/{meta['name']}: {one}" for one in found]
            counts["failed"] += bool(found)
            counts["passed"] += not found
    except scenarios.RunFailed as failure:
        problems.append(str(failure))
        counts["failed"] += 1
    if not problems:
        shutil.rmtree(folder)
    return seed, problems, counts


def main():
    options = parse_arguments()
    work = pathlib.Path(options.work or tempfile.mkdtemp(prefix="ksched-webhook-"))
    first, _, last = (options.seeds or f"1-{LONG if options.long else QUICK}").partition("-")
    seeds = range(int(first), int(last or first) + 1)
    totals = collections.Counter()
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        for seed, problems, counts in pool.map(examine, seeds, [options] * len(seeds), [work] * len(seeds)):
            if problems:
                print(f"WRONG {work / f'cluster-{seed}'}", *(f"    {one}" for one in problems), sep="\n", flush=True)
            totals.update(counts)
    kinds = ("impossible", "allow", "warn", "nominated", "unknown", "gated")
    print(f"{len(seeds)} clusters: " + ", ".join(f"{totals[kind]} {kind}" for kind in kinds))
    if not options.seeds and not all(totals[kind] for kind in kinds[:3]):
        print("a kind of pod is missing: nothing was shown about it")
        totals["failed"] += 1
    print(f"webhook_property: {totals['passed']} passed, {totals['failed']} failed")
    if not totals["failed"] and not options.work:
        shutil.rmtree(work)
    return 1 if totals["failed"] or not totals["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
