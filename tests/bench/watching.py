"""Following a large cluster: watch_probe beside the real kube-scheduler, on the same API server in the same run."""

import os
import pathlib
import ssl
import sys
import threading
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
from control_plane import ControlPlane  # noqa: E402
from objects import node, pod  # noqa: E402
from probe import Probe  # noqa: E402
from relay import closed_port  # noqa: E402
from rest import Api  # noqa: E402

CONNECTIONS = 6
TICKS = os.sysconf("SC_CLK_TCK")
PODS_OF_WORKLOAD = 50
IDLE_SECONDS = 20


class Process:
    """What a process has used, of all its threads."""

    def __init__(self, pid):
        self.folder = pathlib.Path(f"/proc/{pid}")

    def cpu_seconds(self):
        fields = (self.folder / "stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def memory_mib(self, field="VmRSS"):
        (line,) = [line for line in (self.folder / "status").read_text().splitlines() if line.startswith(field + ":")]
        return int(line.split()[1]) / 1024


def a_pod(number, nodes):
    """As a Deployment's look in a usual cluster; it is on its node, and nobody says that it runs."""
    workload = f"workload-{number // PODS_OF_WORKLOAD}"
    tolerations = [{"key": f"node.kubernetes.io/{key}", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
                   for key in ("not-ready", "unreachable")]
    token = {"name": "token", "projected": {"sources": [{"serviceAccountToken": {"path": "token", "expirationSeconds": 3607}}]}}
    one = pod(f"{workload}-{number % PODS_OF_WORKLOAD}", nodeName=f"node-{number % nodes}", tolerations=tolerations, volumes=[token],
              serviceAccountName="default")
    one["metadata"]["labels"] = {"app": workload, "pod-template-hash": "5f7d8c9b6d", "tier": f"tier-{number % 3}"}
    one["metadata"]["ownerReferences"] = [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": f"{workload}-5f7d8c9b6d", "uid": workload,
                                           "controller": True, "blockOwnerDeletion": True}]
    (container,) = one["spec"]["containers"]
    container["env"] = [{"name": f"SETTING_{index}", "value": f"value-{index}"} for index in range(5)]
    container["volumeMounts"] = [{"name": "token", "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "readOnly": True}]
    return one


def a_node(number):
    zone = {"topology.kubernetes.io/zone": f"zone-{number % 3}", "topology.kubernetes.io/region": "region-0", "node.kubernetes.io/instance-type": "m"}
    one = node(f"node-{number}", "32", "128Gi", zone)
    one["status"]["images"] = [{"names": [f"registry.example.com/image-{index}@sha256:{index:064x}", f"registry.example.com/image-{index}:1"],
                                "sizeBytes": 50_000_000 + index} for index in range(20)]
    return one


def in_parallel(folder, count, call):
    """call(api, number) for all numbers, over some connections."""
    failures = []

    def work(first):
        api = Api(folder)
        try:
            for number in range(first, count, CONNECTIONS):
                call(api, number)
        except Exception as failure:
            failures.append(failure)
        finally:
            api.close()
    threads = [threading.Thread(target=work, args=(first,)) for first in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def start_scheduler(plane):
    """The real kube-scheduler; `down` stops it with the others. Its process id, and where it says that it is ready."""
    port, config = closed_port(), str(plane.folder / "scheduler.kubeconfig")
    plane.start_again("kube-scheduler", [f"{plane.programs}/kube-scheduler", "--kubeconfig", config, "--leader-elect=false",
                                         "--authentication-kubeconfig", config, "--authorization-kubeconfig", config,
                                         "--bind-address", "127.0.0.1", "--secure-port", str(port)])
    return plane.process_of("kube-scheduler"), f"https://127.0.0.1:{port}/readyz"


def ready(url):
    """Whether it is, which includes that its informers have synced."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with urllib.request.urlopen(url, context=context, timeout=10) as answer:
            return answer.status == 200
    except OSError:
        return False


def synced(process, started, wait):
    wait()
    return {"time to sync, seconds": time.monotonic() - started, "CPU to sync, seconds": process.cpu_seconds(),
            "memory then, MiB": process.memory_mib(), "most memory until then, MiB": process.memory_mib("VmHWM")}


def per_event(processes, plane, probe, updates):
    """CPU of each during changes of pods' labels, less what it takes in as long without any."""
    def used(during):
        before, start = [one.cpu_seconds() for one in processes], time.monotonic()
        during()
        return [one.cpu_seconds() - then for one, then in zip(processes, before)], time.monotonic() - start

    def change():
        seen = probe.ask("stats")["kinds"]["pods"]["updates"]
        in_parallel(plane.folder, updates, lambda api, number: api.merge(path_of(number), {"metadata": {"labels": {"round": "second"}}}))
        plane.wait("all updates", lambda: probe.ask("stats")["kinds"]["pods"]["updates"] >= seen + updates)
        time.sleep(2)
    idle, idle_seconds = used(lambda: time.sleep(IDLE_SECONDS))
    busy, busy_seconds = used(change)
    return [{"CPU when idle, ms per second": rest / idle_seconds * 1e3,
             "CPU per update of a pod, microseconds": max(0.0, all_ - rest * busy_seconds / idle_seconds) / updates * 1e6}
            for all_, rest in zip(busy, idle)]


def path_of(number):
    return f"/api/v1/namespaces/default/pods/workload-{number // PODS_OF_WORKLOAD}-{number % PODS_OF_WORKLOAD}"


def fill(plane, nodes, pods):
    start = time.monotonic()
    in_parallel(plane.folder, nodes, lambda api, number: api.create(a_node(number)))
    in_parallel(plane.folder, pods, lambda api, number: api.create(a_pod(number, nodes)))
    print(f"\nFollowing a cluster of {nodes} nodes and {pods} pods (made in {time.monotonic() - start:.0f} s)", flush=True)


def table(theirs, ours):
    print(f"{'':<40}{'kube-scheduler':>16}{'ksched':>12}{'ratio':>8}")
    for name, value in theirs.items():
        ratio = f"{value / ours[name]:>8.1f}" if ours[name] else f"{'-':>8}"
        print(f"{name:<40}{value:>16.1f}{ours[name]:>12.1f}{ratio}")


def bench(programs, ksched, folder, nodes, pods, updates):
    """Prints the table; whether the probe knew the truth at the end."""
    with ControlPlane(pathlib.Path(programs), nodes=0, scheduler_config=None, controllers=False) as plane:
        fill(plane, nodes, pods)
        surroundings = {"PATH": os.environ["PATH"], "HOME": str(folder), "KUBECONFIG": str(plane.folder / "kubeconfig")}
        started = time.monotonic()
        with Probe(ksched, "--unchecked", environment=surroundings) as probe:
            process = Process(probe.pid)
            ours = synced(process, started, lambda: probe.ask("synced", seconds=300))
            started = time.monotonic()
            pid, url = start_scheduler(plane)
            scheduler = Process(pid)
            theirs = synced(scheduler, started, lambda: plane.wait("kube-scheduler", lambda: ready(url), seconds=300, pause=0.1))
            for figures, more in zip((theirs, ours), per_event((scheduler, process), plane, probe, updates)):
                figures.update(more)
            theirs["memory afterwards, MiB"], ours["memory afterwards, MiB"] = scheduler.memory_mib(), process.memory_mib()
            checked = probe.ask("check")
            probe.stop()
    table(theirs, ours)
    print(f"{checked['objects']} objects compared with a new list, {checked['differences']} differences")
    return checked["differences"] == 0
