"""The webhook under load: single-pod reviews over keep-alive TLS connections while pods of a large cluster change."""

import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import time

import watching

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
from control_plane import ControlPlane  # noqa: E402
from objects import required_affinity  # noqa: E402
from rest import Api  # noqa: E402
from webhook import issue  # noqa: E402

CONNECTIONS, RATE, SECONDS = 64, 2000, 60
WARM_UP_SECONDS = 5
EVENTS, WRITERS = 100, 4  # changes of pods a second, and who makes them
SPECS = 300
SHOWN = {"requests/s": "perSecond", "p50, ms": "p50Ms", "p99, ms": "p99Ms", "most, ms": "mostMs", "CPU of the webhook, us per request": "cpuUs",
         "of which without requests, us": "idleUs", "pod events/s": "events", "most memory, MiB": "memory", "CPU of the load, s": "cpuSeconds"}


def open_node(api, number):
    """The API server has marked it as not ready."""
    api.merge(f"/api/v1/nodes/node-{number}", {"spec": {"taints": None}})


def a_pod(number):
    """Most of them find a node; one of ten finds none now, and one of ten never will."""
    one = watching.a_pod(number * watching.PODS_OF_WORKLOAD, 1)
    spec, (container,) = one["spec"], one["spec"]["containers"]
    del spec["nodeName"], one["metadata"]["ownerReferences"]
    one["metadata"].update(name=f"asked-{number}")
    container["resources"]["requests"] = {"cpu": f"{50 + 25 * (number % 40)}m", "memory": f"{64 * (1 + number % 17)}Mi"}
    if number % 10 == 0:
        container["resources"]["requests"]["cpu"] = "31900m"  # there are pods on every node already
    elif number % 10 == 1:
        spec["nodeSelector"] = {"pool": f"nowhere-{number}"}
    elif number % 10 in (2, 3):
        spec["affinity"] = required_affinity("topology.kubernetes.io/zone", "In", f"zone-{number % 3}")
    elif number % 10 == 4:
        spec["topologySpreadConstraints"] = [{"maxSkew": 5, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "ScheduleAnyway",
                                              "labelSelector": {"matchLabels": {"app": one["metadata"]["labels"]["app"]}}}]
    elif number % 10 == 5:
        term = {"labelSelector": {"matchLabels": {"app": one["metadata"]["labels"]["app"]}}, "topologyKey": "kubernetes.io/hostname"}
        spec["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    return one


def review(one):
    """As an API server asks."""
    kind, resource = {"group": "", "version": "v1", "kind": "Pod"}, {"group": "", "version": "v1", "resource": "pods"}
    request = {"uid": "705ab4f5-6393-11e8-b7cc-42010a800002", "kind": kind, "resource": resource, "requestKind": kind, "requestResource": resource,
               "name": one["metadata"]["name"], "namespace": "default", "operation": "CREATE",
               "userInfo": {"username": "alice", "groups": ["developers", "system:authenticated"]}, "object": one, "oldObject": None, "dryRun": False,
               "options": {"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1", "fieldManager": "kubectl-client-side-apply"}}
    return {"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": request}


def write_reviews(plane, path):
    """Pods as the API server would send them: with all that it adds, which a dry run tells."""
    api = Api(plane.folder)
    try:
        with open(path, "w", encoding="ascii") as lines:
            for number in range(SPECS):
                made = api.call("POST", "/api/v1/namespaces/default/pods?dryRun=All", a_pod(number))
                lines.write(json.dumps(review(made)) + "\n")
    finally:
        api.close()


class Changes:
    """Labels of pods change, so many times a second, until it is left."""

    def __init__(self, plane, pods):
        self.plane, self.pods = plane, pods
        self.made, self.numbers, self.ending = 0, itertools.count(), threading.Event()
        self.threads = [threading.Thread(target=self.work) for _ in range(WRITERS)]

    def __enter__(self):
        self.start = time.monotonic()
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.ending.set()
        for thread in self.threads:
            thread.join()
        self.seconds = time.monotonic() - self.start

    def work(self):
        api = Api(self.plane.folder)
        try:
            while not self.ending.is_set():
                number = next(self.numbers)
                self.ending.wait(max(0.0, self.start + number / EVENTS - time.monotonic()))
                api.merge(watching.path_of(number * 37 % self.pods), {"metadata": {"labels": {"round": str(number)}}})
                self.made += 1
        finally:
            api.close()


class Server:
    """The webhook, which ends when this is left."""

    def __init__(self, plane, ksched):
        self.plane, self.log = plane, plane.folder / "log/webhook.log"
        certificates = plane.folder / "webhook-certificates"
        certificates.mkdir()
        for made, name in zip(issue(plane.folder / "pki", plane.folder), ("tls.crt", "tls.key")):
            shutil.copy(made, certificates / name)
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen([ksched, "webhook", "--listen", "127.0.0.1:0", "--cert-dir", certificates, "--shutdown-delay-duration", "0s"],
                                            env=plane.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.used = watching.Process(self.process.pid)

    def __enter__(self):
        try:
            self.port = int(self.plane.wait("the webhook to listen", self.listening, seconds=20)[1])
            self.plane.wait("the webhook to be ready", lambda: watching.ready(f"https://127.0.0.1:{self.port}/readyz"), seconds=300)
        except BaseException:
            self.__exit__()
            raise
        return self

    def listening(self):
        if self.process.poll() is not None:
            raise RuntimeError(f"the webhook has ended: {self.log.read_text()}")
        return re.search(r"serving on 127\.0\.0\.1:(\d+)", self.log.read_text())

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(60)


def ask(server, program, reviews, rate, seconds):
    """What the load generator printed, and the CPU seconds of the webhook meanwhile."""
    before = server.used.cpu_seconds()
    done = subprocess.run([program, "--port", str(server.port), "--reviews", reviews, "--connections", str(CONNECTIONS), "--rate", str(rate),
                           "--seconds", str(seconds)], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"webhook_load: {done.stdout}{done.stderr}")
    return json.loads(done.stdout), server.used.cpu_seconds() - before


def idle_cpu(server, seconds):
    before = server.used.cpu_seconds()
    time.sleep(seconds)
    return (server.used.cpu_seconds() - before) / seconds


def measure(server, program, reviews, rate, seconds):
    """One column: without requests first, so that what the watches take is told apart."""
    idle = idle_cpu(server, max(5, seconds // 4))
    figures, cpu = ask(server, program, reviews, rate, seconds)
    figures["perSecond"] = figures["requests"] / figures["seconds"]
    figures["cpuUs"] = cpu / figures["requests"] * 1e6
    figures["idleUs"] = idle * figures["seconds"] / figures["requests"] * 1e6
    figures["memory"] = server.used.memory_mib("VmHWM")
    return figures


def during_events(plane, pods, *how):
    with Changes(plane, pods) as changes:
        figures = measure(*how)
    figures["events"] = changes.made / changes.seconds
    return figures


def table(columns):
    print(f"{'':<40}" + "".join(f"{name:>24}" for name in columns))
    for name, key in SHOWN.items():
        print(f"{name:<40}" + "".join(f"{figures.get(key, 0):>24.2f}" for figures in columns.values()))
    for name, figures in columns.items():
        print(f"{name}: {figures['requests']} requests: {figures['allowed']} allowed, {figures['warned']} of these warned, {figures['denied']} denied, "
              f"{figures['unable']} not judged, {figures['failures']} failures")


def bench(programs, ksched, program, nodes, pods, seconds=SECONDS):
    """Prints the table; whether every request was judged."""
    with ControlPlane(pathlib.Path(programs), nodes=0, scheduler_config=None, controllers=False) as plane:
        watching.fill(plane, nodes, pods)
        watching.in_parallel(plane.folder, nodes, open_node)
        reviews = plane.folder / "reviews"
        write_reviews(plane, reviews)
        print(f"\nReviews of {SPECS} pods by the webhook, {os.cpu_count()} processors, {CONNECTIONS} connections, {seconds} s each", flush=True)
        with Server(plane, ksched) as server:
            ask(server, program, reviews, RATE, WARM_UP_SECONDS)
            how = (server, program, reviews)
            columns = {f"{RATE}/s, events": during_events(plane, pods, *how, RATE, seconds), f"{RATE}/s": measure(*how, RATE, seconds),
                       "all it can, events": during_events(plane, pods, *how, 0, seconds // 2), "all it can": measure(*how, 0, seconds // 2)}
    table(columns)
    return all(figures["unable"] == 0 and figures["failures"] == 0 for figures in columns.values())
