#!/usr/bin/env python3
"""Measures ksched beside the real scheduler's code, how it reads a large snapshot, the memory of its state, and how it follows a cluster.

Cycles: both get the cluster that `oracle bench --dump` writes, and the same plugins; reading and decoding are left
out on both sides. Reading: 5,000 nodes and 150,000 pods as `kubectl get -o json` prints them, about 900 MB.
Memory: bytes that ClusterState needs for a node and for a running pod of a common workload (state_memory.cc).
Watching: 5,000 nodes and 50,000 pods on a real API server, followed by ksched and by the real kube-scheduler.
Webhook: the same cluster, and 2,000 reviews of pods a second; then as many as it answers.
CPU seconds are those of the processes, of all threads, so they depend little on what else the machine does.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import live
import reviewing
import snapshot
import watching

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/conformance"))
import compare  # noqa: E402
import configs  # noqa: E402  (the list of plugins that are not there yet is kept there)

# Workload, nodes, existing pods, pods to schedule.
CASES = [("basic", 1000, 1000, 1000), ("basic", 5000, 5000, 2000), ("spread", 5000, 5000, 2000), ("antiaffinity", 5000, 2000, 2000),
         ("preferred-affinity", 5000, 5000, 2000), ("preemption", 500, 2000, 500)]
UPDATES = 2_000  # of watched pods
ONE_POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "probe"}, "spec": {"containers": [
    {"name": "main", "image": "registry.example.com/app:1", "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}}}]}}


def parse_arguments():
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__)
    parser.add_argument("--tools", required=True, help="the folder of the program oracle")
    parser.add_argument("--ksched", default=str(ROOT / "build/release/kubectl-ksched"))
    parser.add_argument("--only", choices=["cycles", "reading", "memory", "watching", "live", "webhook"], help="one of the measurements")
    parser.add_argument("--state-memory", default=str(ROOT / "build/release/tests/bench/state_memory"), help="the program of that name")
    parser.add_argument("--webhook-load", default=str(ROOT / "build/release/tests/bench/webhook_load"), help="the program of that name")
    parser.add_argument("--webhook-seconds", type=int, default=60, help="how long the webhook is asked")
    parser.add_argument("--programs", default=os.environ.get("KUBE_BIN"), help="the folder with kube-apiserver and the others, for watching, live and webhook")
    parser.add_argument("--workloads", help="which of the workloads of cycles, with commas between them")
    parser.add_argument("--pods", type=int, default=150_000, help="pods in the large snapshot")
    parser.add_argument("--nodes", type=int, default=5_000, help="nodes in the large snapshot")
    parser.add_argument("--watched-pods", type=int, default=50_000, help="pods in the cluster that is watched")
    parser.add_argument("--watched-nodes", type=int, default=5_000, help="nodes in it")
    return parser.parse_args()


def run(command, accepted=(0,)):
    """Runs a program; returns its output, what it said on stderr, its CPU seconds and its peak memory in bytes."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen([str(part) for part in command], stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read().decode(errors="replace"))
    if process.returncode not in accepted:
        raise SystemExit(f"bench: error: exit status {process.returncode}: {' '.join(map(str, command))}\n{texts[1][-2000:]}")
    return texts[0], texts[1], usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def phase_stats(stderr):
    """The JSON line of --stats: by phase its CPU seconds and count."""
    for line in reversed(stderr.splitlines()):
        if line.startswith("{"):
            return json.loads(line)
    raise SystemExit("bench: error: --stats printed no line of JSON")


def bench_cycles(options, folder):
    print("\nScheduling cycles, default profile, CPU microseconds per cycle")
    print("(kube-scheduler twice: as it is, where equal pods that follow each other may share results, and with --batching=false)")
    print(f"{'workload':<20}{'nodes':>6}{'existing':>10}{'cycles':>8}{'kube-scheduler':>16}{'no batching':>13}{'ksched':>9}{'ratios':>15}  reports")
    config = folder / "config.yaml"
    configs.write_without_absent(None, config)
    for workload, nodes, existing, pods in CASES:
        if options.workloads and workload not in options.workloads.split(","):
            continue
        size = ["--nodes", nodes, "--existing-pods", existing, "--pods", pods, "--workload", workload, "--config", config]
        dump = folder / f"dump-{workload}-{nodes}"
        run([f"{options.tools}/oracle", "bench", *size, "--dump", dump])
        theirs = oracle_cycle(options, size)
        unbatched = oracle_cycle(options, [*size, "--batching=false"])
        seconds, cycles = ksched_cycles(options.ksched, dump, config)
        ours = seconds / cycles
        print(f"{workload:<20}{nodes:>6}{existing:>10}{cycles:>8}{theirs * 1e6:>16.1f}{unbatched * 1e6:>13.1f}{ours * 1e6:>9.2f}"
              f"{theirs / ours:>8.1f}{unbatched / ours:>7.1f}  {compare_reports(options, dump, config)}", flush=True)


def compare_reports(options, dump, config):
    """Runs both over the dumped cluster and says whether they report the same of every pod."""
    files = [dump / "cluster.yaml", dump / "pods.yaml"]
    theirs = run([f"{options.tools}/oracle", "run", "--config", config, *files])[0]
    ours = run([options.ksched, "simulate", "--snapshot", files[0], "-f", files[1], "--admission", "none", "--config", config,
                "-o", "json"], accepted=(0, 1))[0]
    found = compare.differences(json.loads(theirs), json.loads(ours))
    return "equal" if not found else f"DIFFERENT: {found[0]}"


def oracle_cycle(options, arguments):
    """CPU seconds of one cycle of the real scheduler's code."""
    oracle = json.loads(run([f"{options.tools}/oracle", "bench", *arguments])[0])
    return oracle["cpuSeconds"] / oracle["cycles"]


def ksched_cycles(program, dump, config):
    """CPU seconds of ksched's cycles, and how many there were."""
    command = [program, "simulate", "--snapshot", dump / "cluster.yaml", "-f", dump / "pods.yaml", "--admission", "none",
               "--config", config, "--stats", "-o", "name"]
    stats = phase_stats(run(command, accepted=(0, 1))[1])
    return stats["cycles"]["cpuSeconds"], stats["cycles"]["count"]


def bench_reading(options, folder):
    path = folder / "snapshot.json"
    snapshot.write(path, options.nodes, options.pods)
    size = path.stat().st_size
    manifest = folder / "pod.json"
    manifest.write_text(json.dumps(ONE_POD))
    _, stderr, cpu, memory = run([options.ksched, "simulate", "--snapshot", path, "-f", manifest, "--stats", "-o", "name"], accepted=(0, 1))
    print(f"\nReading a snapshot of {options.nodes} nodes and {options.pods} pods, {size / 1e6:.0f} MB of JSON, and one cycle")
    print(f"  CPU seconds {cpu:.2f}, peak memory {memory / 2**30:.2f} GiB, {size / 1e6 / cpu:.0f} MB per CPU second")
    print(f"  by phase: {json.dumps(phase_stats(stderr))}")


def bench_memory(options):
    found = json.loads(run([options.state_memory, options.nodes, options.pods])[0])
    print(f"\nState of {found['nodes']} nodes with 50 images of 2 names each and {found['pods']} running pods, 50 replicas a workload")
    print(f"  bytes per node {found['bytesPerNode']}, per pod {found['bytesPerPod']}; "
          f"of a reader of snapshots {found['readerBytesPerNode']} and {found['readerBytesPerPod']}")


def main():
    options = parse_arguments()
    with tempfile.TemporaryDirectory(prefix="ksched-bench-") as temporary:
        folder = pathlib.Path(temporary)
        if options.only in (None, "cycles"):
            bench_cycles(options, folder)
        if options.only in (None, "reading"):
            bench_reading(options, folder)
        if options.only in (None, "memory"):
            bench_memory(options)
        if options.only in (None, "watching", "live", "webhook") and not options.programs:
            raise SystemExit("bench: error: set KUBE_BIN or --programs: ./dev tools kube prints it")
        if options.only in (None, "live"):
            live.bench(options.programs, options.ksched)
        right = True
        if options.only in (None, "watching"):
            right &= watching.bench(options.programs, options.ksched, folder, options.watched_nodes, options.watched_pods, UPDATES)
        if options.only in (None, "webhook"):
            right &= reviewing.bench(options.programs, options.ksched, options.webhook_load, options.watched_nodes, options.watched_pods,
                                     options.webhook_seconds)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
