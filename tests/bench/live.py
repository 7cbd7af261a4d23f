"""Scheduling a stream of pods: kube-scheduler and `ksched run`, one after the other on the same control plane, without client limits."""

import json
import pathlib
import subprocess
import sys
import time

import yaml

import watching

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
from control_plane import ControlPlane  # noqa: E402
from objects import pod  # noqa: E402
from pod_by_pod import scheduler_config  # noqa: E402
from rest import Api  # noqa: E402

NODES, PODS = 1000, 5000
NO_LIMITS = {"clientConnection": {"qps": -1, "burst": 1}, "leaderElection": {"leaderElect": False}}


def pods_of(scheduler):
    for number in range(PODS):
        workload = f"{scheduler}-{number // 50}"
        one = pod(f"{workload}-{number % 50}", "100m", "64Mi", schedulerName=scheduler)
        one["metadata"]["labels"] = {"app": workload}
        yield one


def waiting(api):
    """Whether any pod has no node yet."""
    return api.get("/api/v1/pods?fieldSelector=spec.nodeName%3D&limit=1")["items"]


def measure(plane, name, command):
    """Everything is there when it starts; what it takes until it knows the cluster is not counted."""
    api, made = Api(plane.folder), list(pods_of(name))
    with open(plane.folder / "log" / f"bench-{name}.log", "wb") as log:
        watching.in_parallel(plane.folder, PODS, lambda one, number: one.create(made[number]))
        process = subprocess.Popen(command, env=plane.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        used = watching.Process(process.pid)
        plane.wait("the first pod", lambda: api.get("/api/v1/pods?fieldSelector=spec.nodeName!%3D&limit=1")["items"], pause=0.02)
        start, before = time.monotonic(), used.cpu_seconds()
        plane.wait("all pods", lambda: not waiting(api), seconds=600, pause=0.1)
        seconds = time.monotonic() - start
        time.sleep(3)  # events are written after the bindings
        result = {"pods a second": PODS / seconds, "CPU seconds": used.cpu_seconds(), "of these until the first pod": before,
                  "most memory, MiB": used.memory_mib("VmHWM")}
    finally:
        process.terminate()
        process.wait(60)
        api.close()
    clear(plane, made)
    return result


def clear(plane, made):
    """One by one: to delete thousands takes longer than one request may, and than the server keeps a connection that is idle."""
    options = {"kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": 0}
    watching.in_parallel(plane.folder, PODS, lambda one, number: one.call(
        "DELETE", f"/api/v1/namespaces/default/pods/{made[number]['metadata']['name']}", options))
    api = Api(plane.folder)
    plane.wait("the pods to go", lambda: not api.get("/api/v1/pods?limit=1")["items"], seconds=300)
    api.close()


def bench(programs, ksched):
    config = json.dumps({**yaml.safe_load(scheduler_config()), **NO_LIMITS})
    with ControlPlane(programs, nodes=NODES, scheduler_config=None) as plane:
        theirs_config, ours_config = plane.folder / "theirs.json", plane.folder / "ours.json"
        theirs, ours = json.loads(config), json.loads(config)
        for one, name, path in ((theirs, "kube-scheduler", theirs_config), (ours, "ksched", ours_config)):
            for profile in one.setdefault("profiles", [{}]):
                profile["schedulerName"] = name
            one["clientConnection"]["kubeconfig"] = str(plane.folder / "kubeconfig")
            path.write_text(json.dumps(one))
        print(f"\nScheduling {PODS} pods on {NODES} nodes through the API server, without client limits", flush=True)
        results = [measure(plane, "kube-scheduler", [f"{programs}/kube-scheduler", "--config", theirs_config, "--secure-port", "0"]),
                   measure(plane, "ksched", [ksched, "run", "--config", ours_config, "--secure-port", "0"])]
        watching.table(*results)
