"""A real control plane on loopback for a test, which is stopped whatever happens."""

import atexit
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

CLUSTER = pathlib.Path(__file__).resolve().parent / "cluster"


class ControlPlane:
    """Started by `with`; `nodes` ready nodes, and the real kube-scheduler with the given configuration (None: no scheduler)."""

    def __init__(self, programs, nodes, scheduler_config, keep_logs=False):
        self.programs = programs
        self.nodes = nodes
        self.scheduler_config = scheduler_config
        self.keep_logs = keep_logs
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ksched-e2e-"))
        self.environment = dict(os.environ, KUBE_BIN=str(programs), KUBECONFIG=str(self.folder / "kubeconfig"),
                                PATH=f"{programs}:{os.environ['PATH']}")

    def __enter__(self):
        scheduler = []
        if self.scheduler_config is not None:
            scheduler = ["--scheduler-config", self.folder / "scheduler-config.yaml"]
            scheduler[1].write_text(self.scheduler_config)
        atexit.register(self.stop)  # a signal in the middle of a test case leaves its clean-up out
        try:
            subprocess.run([CLUSTER / "up", self.folder, "--nodes", str(self.nodes), *scheduler], check=True,
                           env=self.environment, stdin=subprocess.DEVNULL, timeout=600)
        except BaseException:
            self.keep_logs = True
            self.stop()
            raise
        return self

    def __exit__(self, kind, _value, _trace):
        self.keep_logs = self.keep_logs or kind is not None
        self.stop()

    def stop(self):
        """Stops the servers by their process ids; keeps the folder with their logs after a failure."""
        subprocess.run([CLUSTER / "down", self.folder], env=self.environment, stdin=subprocess.DEVNULL, check=False)
        atexit.unregister(self.stop)  # not earlier: a signal meanwhile would leave servers that run
        if self.keep_logs:
            print(f"the logs of the servers are in {self.folder}/log")
        else:
            shutil.rmtree(self.folder, ignore_errors=True)

    def kubectl(self, *arguments, given=None):
        """Runs kubectl and returns what it printed."""
        done = subprocess.run(["kubectl", *arguments], env=self.environment, input=given, text=True, capture_output=True, timeout=60)
        if done.returncode != 0:
            raise RuntimeError(f"kubectl {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout

    def create(self, *objects):
        """Creates objects, all of them in one call."""
        self.kubectl("create", "-f", "-", given=json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)}))

    def get(self, *what):
        """The items of a `kubectl get`."""
        return json.loads(self.kubectl("get", *what, "-o", "json"))["items"]

    def wait(self, what, condition, seconds=120, pause=0.2):
        """Waits until the condition holds; its last value is returned."""
        end = time.monotonic() + seconds
        while True:
            value = condition()
            if value:
                return value
            if time.monotonic() > end:
                raise RuntimeError(f"waited {seconds} s in vain for {what}")
            time.sleep(pause)
