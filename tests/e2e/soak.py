#!/usr/bin/env python3
"""Churn on a real API server for a long time, followed by watch_probe and by `ksched run`: their memory has to stay flat, and what is known true.

Objects come and go under the same names again and again, and pods and nodes also under names that were never there before.
Half of the new pods are for `ksched run` to place.
"""

import argparse
import collections
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

from control_plane import ControlPlane
from objects import node, pod
from probe import Probe
from rest import Api, Refused
from storm import AWAY, Storm

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLE_SECONDS = 10
MOST_GROWTH = 1.05  # from the second quarter of the time to its end
NEW_PODS, PODS_OF_NODE = 150, 25  # new names that are there at a time, and how many of them come before a new node does


class AlwaysNew(threading.Thread):
    """Pods, and now and then a node, each with a name of its own; the oldest go."""

    def __init__(self, folder, per_second):
        super().__init__(daemon=True)
        self.api, self.pause, self.stopping, self.made = Api(folder, timeout=10), 1 / per_second, threading.Event(), 0

    def run(self):
        pods, nodes = collections.deque(), collections.deque()
        while not self.stopping.wait(self.pause):
            try:
                if self.made % PODS_OF_NODE == 0:
                    new_node = node(f"new-{self.made}", "8", "16Gi", {"storm/rack": f"rack-{self.made}"})
                    self.next(nodes, new_node, "/api/v1/nodes", NEW_PODS // PODS_OF_NODE)
                self.next(pods, self.pod(nodes[-1]), "/api/v1/namespaces/default/pods", NEW_PODS)
            except (Refused, *AWAY) as failure:
                print(f"soak: {failure}", file=sys.stderr)

    def pod(self, on):
        where = {"nodeName": on.rsplit("/", 1)[1]} if self.made % 2 else {"schedulerName": "ksched", "tolerations": [{"operator": "Exists"}]}
        one = pod(f"new-{self.made}", **where)
        one["metadata"]["labels"]["storm/run"] = f"run-{self.made // 10}"
        return one

    def next(self, there, one, collection, count):
        self.made += one["kind"] == "Pod"
        self.api.call("POST", collection, one)
        there.append(f"{collection}/{one['metadata']['name']}")
        if len(there) > count:
            self.api.call("DELETE", there.popleft(), {"kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": 0})


class Runner:
    """A scheduler on the plane, until the end of `with`."""

    def __init__(self, ksched, plane, surroundings):
        self.log = plane.folder / "log/ksched-run.log"
        with open(self.log, "wb") as log:
            command = [ksched, "run", "--secure-port", "0", "--leader-elect=false"]
            self.process = subprocess.Popen(command, env=surroundings, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(60)
        print(f"  run: {self.log.read_text().splitlines()[-1]}")

    def resident(self):
        """KiB"""
        (line,) = [line for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines() if line.startswith("VmRSS:")]
        return int(line.split()[1])


def follow(probe, runner, seconds):
    """Samples of seconds and KiB, of the probe and of the scheduler."""
    samples, of_run, start = [], [], time.monotonic()
    while (elapsed := time.monotonic() - start) < seconds:
        stats = probe.ask("stats")
        samples.append((elapsed, stats["residentKib"]))
        of_run.append((elapsed, runner.resident()))
        if len(samples) % 30 == 1:
            print(f"  after {elapsed:5.0f} s: {stats['residentKib'] / 1024:.1f} MiB, {stats['events']} events, {stats['pods']} pods, "
                  f"{stats['cpuSeconds']:.1f} CPU seconds; run: {of_run[-1][1] / 1024:.1f} MiB", flush=True)
        time.sleep(min(SAMPLE_SECONDS, max(0.0, seconds - elapsed)))
    return samples, of_run


def slope(samples):
    """KiB per hour, by least squares."""
    mean_time, mean_size = (sum(column) / len(samples) for column in zip(*samples))
    spread = sum((at - mean_time) ** 2 for at, _ in samples)
    return 3600 * sum((at - mean_time) * (size - mean_size) for at, size in samples) / spread if spread else 0.0


def judge(who, samples):
    """Prints how the memory went; whether it stayed flat."""
    count = len(samples)
    if count < 8:
        raise SystemExit("soak: error: too short for an answer")
    later = samples[count // 4:]
    second, last = samples[count // 4:count // 2], samples[-max(1, count // 8):]
    before, after = (sum(size for _, size in part) / len(part) for part in (second, last))
    print(f"{who}: memory: first {samples[0][1] / 1024:.1f} MiB, after the first quarter {later[0][1] / 1024:.1f}, last {samples[-1][1] / 1024:.1f}; "
          f"from the second quarter to the end {100 * (after / before - 1):+.1f} %; slope {slope(later) / 1024:+.2f} MiB an hour")
    return after <= before * MOST_GROWTH


def soak(options):
    programs = pathlib.Path(options.programs)
    with ControlPlane(programs, nodes=0, scheduler_config=None, controllers=False) as plane, tempfile.TemporaryDirectory() as home:
        surroundings = {"PATH": os.environ["PATH"], "HOME": home, "KUBECONFIG": str(plane.folder / "kubeconfig")}
        with Probe(options.ksched, "--unchecked", environment=surroundings) as probe, Runner(options.ksched, plane, surroundings) as runner:
            probe.ask("synced")
            new = AlwaysNew(plane.folder, options.per_second / 4)
            new.start()
            with Storm(plane.folder, 1 << 62, options.seed, workers=2, per_second=options.per_second) as storm:
                samples, of_run = follow(probe, runner, options.minutes * 60)
                new.stopping.set()
            new.join()
            checked, stats = probe.ask("check"), probe.ask("stats")
            probe.stop()
    print(f"{storm.summary()}, {new.made} pods with new names, {stats['events']} events, {stats['relists']} lists made again, "
          f"{checked['objects']} objects compared, {checked['differences']} differences")
    flat = [judge("watch_probe", samples), judge("run", of_run)]
    return checked["differences"] == 0 and all(flat)


def stop(number, _frame):
    raise KeyboardInterrupt(f"signal {number}")


def main():
    parser = argparse.ArgumentParser(prog="./dev soak", description=__doc__)
    parser.add_argument("minutes", nargs="?", type=float, default=30)
    parser.add_argument("--programs", default=os.environ.get("KUBE_BIN"), help="the folder with kube-apiserver and the others")
    parser.add_argument("--ksched", default=str(ROOT / "build/release/kubectl-ksched"))
    parser.add_argument("--per-second", type=float, default=40, help="operations")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if not options.programs:
        parser.error("set KUBE_BIN or --programs: ./dev tools kube prints it")
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    good = soak(options)
    print("soak: 1 passed, 0 failed" if good else "soak: 0 passed, 1 failed")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
