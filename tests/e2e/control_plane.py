"""A real control plane on loopback for a test, which is stopped whatever happens."""

import atexit
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request

CLUSTER = pathlib.Path(__file__).resolve().parent / "cluster"


class ControlPlane:
    """Started by `with`; `nodes` ready nodes, and the real kube-scheduler with the given configuration (None: no scheduler).

    `audit` are the rules of an audit policy: what they choose is in audit_events().
    """

    def __init__(self, programs, nodes, scheduler_config, keep_logs=False, controllers=True, apiserver_flags="", audit=None):
        self.controllers, self.apiserver_flags, self.audit = controllers, apiserver_flags, audit
        self.programs = programs
        self.nodes = nodes
        self.scheduler_config = scheduler_config
        self.keep_logs = keep_logs
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ksched-e2e-"))
        self.environment = dict(os.environ, KUBE_BIN=str(programs), KUBECONFIG=str(self.folder / "kubeconfig"),
                                PATH=f"{programs}:{os.environ['PATH']}")

    @classmethod
    def of_class(cls, case, **how):
        """Started now, and stopped after the last test of the class, whose `programs` it is of."""
        plane = cls(case.programs, **how)
        plane.__enter__()
        case.addClassCleanup(plane.stop)
        return plane

    def __enter__(self):
        scheduler = []
        if self.scheduler_config is not None:
            scheduler = ["--scheduler-config", self.folder / "scheduler-config.yaml"]
            scheduler[1].write_text(self.scheduler_config)
        more = [] if self.controllers else ["--no-controllers"]
        flags = " ".join([self.apiserver_flags, *(self.audit_flags() if self.audit else ())]).strip()
        more += ["--apiserver-flags", flags] if flags else []
        atexit.register(self.stop)  # a signal in the middle of a test case leaves its clean-up out
        try:
            subprocess.run([CLUSTER / "up", self.folder, "--nodes", str(self.nodes), *scheduler, *more],
                           check=True, env=self.environment, stdin=subprocess.DEVNULL, timeout=600)
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

    def audit_flags(self):
        policy = self.folder / "audit-policy.json"
        policy.write_text(json.dumps({"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"], "rules": self.audit}))
        return "--audit-policy-file", str(policy), "--audit-log-path", str(self.audit_log())

    def audit_log(self):
        return self.folder / "log/audit.log"

    def audit_events(self, since=0):
        """Those that stand after the byte `since` of the log; the last line may be half written."""
        with open(self.audit_log(), "rb") as log:
            log.seek(since)
            return [json.loads(line) for line in log if line.endswith(b"\n")]

    def run_kubectl(self, *arguments, given=None):
        return subprocess.run(["kubectl", *arguments], env=self.environment, input=given, text=True, capture_output=True, timeout=60, check=False)

    def kubectl(self, *arguments, given=None):
        """Runs kubectl and returns what it printed."""
        done = self.run_kubectl(*arguments, given=given)
        if done.returncode != 0:
            raise RuntimeError(f"kubectl {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout

    def create(self, *objects):
        """Creates objects, all of them in one call."""
        self.kubectl("create", "-f", "-", given=json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)}))

    def get(self, *what):
        """The items of a `kubectl get`."""
        return json.loads(self.kubectl("get", *what, "-o", "json"))["items"]

    def answers(self, path="/readyz"):
        """Whether the API server does."""
        try:
            self.kubectl("get", "--raw", path)
            return True
        except (RuntimeError, subprocess.TimeoutExpired):
            return False

    def processes(self):
        """The servers that have been started, as pairs of process id and name."""
        return [(int(number), name) for number, name in map(str.split, (self.folder / "pids").read_text().splitlines())]

    def process_of(self, name):
        return next(number for number, one in reversed(self.processes()) if one == name)

    def command_of(self, name):
        """It is empty for a moment after the start."""
        path = pathlib.Path(f"/proc/{self.process_of(name)}/cmdline")
        return self.wait(f"{name} to begin", lambda: path.read_text().split("\0")[:-1], seconds=10, pause=0.01)

    def kill(self, name):
        """Ends a server at once, by its process id; how it was started is returned."""
        command, process = self.command_of(name), self.process_of(name)
        os.kill(process, signal.SIGKILL)
        self.wait(f"{name} to end", lambda: not alive(process), seconds=10, pause=0.01)
        kept = [f"{number} {one}\n" for number, one in self.processes() if number != process]
        (self.folder / "pids").write_text("".join(kept))
        return command

    def start_again(self, name, command):
        """Starts a server that was killed, with the command line that `kill` returned; does not wait until it answers."""
        with open(self.folder / "log" / f"{name}-again.log", "ab") as log:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        with open(self.folder / "pids", "a", encoding="utf-8") as pids:
            pids.write(f"{process.pid} {name}\n")  # `down` stops it with the others
        threading.Thread(target=process.wait, daemon=True).start()  # so that nothing is left of it when it has ended

    def restart(self, *names):
        """Kills these servers, the last one first, and starts them again in their order; waits until the API server is ready."""
        commands = {name: self.kill(name) for name in reversed(names)}
        for name in names:
            self.start_again(name, commands[name])
        self.wait_until_ready()

    def wait_until_ready(self):
        self.wait("the API server to be ready", self.answers, seconds=150)

    def etcd_address(self):
        return next(word for word in self.command_of("etcd") if word.startswith("http://"))

    def etcd(self, what, given):
        return json.loads(post(f"{self.etcd_address()}/v3/kv/{what}", given))

    def revision(self):
        """Etcd's newest."""
        return self.etcd("range", {"key": "AA=="})["header"]["revision"]

    def compact(self):
        """Etcd forgets all but the newest version; it may have done so already, if nothing was written since."""
        try:
            self.etcd("compaction", {"revision": self.revision(), "physical": True})
        except urllib.error.HTTPError as refused:
            if b"has been compacted" not in refused.read():
                raise

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


def post(url, given):
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(given).encode()), timeout=30) as answer:
        return answer.read()


def alive(process):
    """Whether it runs, or any of its threads: these hold its ports after the first has ended. One that nobody has asked about does not."""
    folder = pathlib.Path(f"/proc/{process}")
    try:
        ended = (folder / "stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
        return not ended or len(list((folder / "task").iterdir())) > 1
    except OSError:
        return False
