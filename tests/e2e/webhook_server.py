"""`kubectl ksched webhook` on loopback, what it is asked, and how an API server is told of it."""

import contextlib
import http.client
import json
import os
import pathlib
import re
import socket
import ssl
import struct

import yaml

from live import data
from live_scheduler import Runner
from serving import parse
from webhook import issue

RESOURCES = {"Pod": "pods", "Deployment": "deployments", "ReplicaSet": "replicasets", "StatefulSet": "statefulsets", "DaemonSet": "daemonsets",
             "Job": "jobs", "CronJob": "cronjobs", "ReplicationController": "replicationcontrollers"}
MANIFEST = pathlib.Path(__file__).resolve().parents[2] / "webhook/base/configuration.yaml"


def mount(folder, number, certificate, key):
    """Puts a pair into the folder as kubelets do with Secrets: all files change at once, by a symbolic link. `number` is a new one each time."""
    made = folder / f"..{number}"
    made.mkdir(parents=True)
    for name, file in (("tls.crt", certificate), ("tls.key", key)):
        (made / name).write_bytes(file.read_bytes())
        if not (folder / name).is_symlink():
            (folder / name).symlink_to(f"..data/{name}")
    (folder / "..data_tmp").symlink_to(made.name)
    os.replace(folder / "..data_tmp", folder / "..data")
    return folder


def review(one, operation="CREATE", space="default", user="alice", old=None, version="admission.k8s.io/v1", **more):
    """What an API server asks about the object."""
    group, _, of_group = one["apiVersion"].rpartition("/")
    kind = {"group": group, "version": of_group, "kind": one["kind"]}
    resource = {"group": group, "version": of_group, "resource": RESOURCES.get(one["kind"], one["kind"].lower() + "s")}
    request = {"uid": "4b1b", "kind": kind, "resource": resource, "operation": operation, "namespace": space, "name": one["metadata"].get("name", ""),
               "userInfo": {"username": user, "groups": ["system:authenticated"]}, "object": one, "oldObject": old, **more}
    return {"apiVersion": version, "kind": "AdmissionReview", "request": request}


class Client:
    """A connection that stays open, as an API server's."""

    def __init__(self, port, authority, certificate=None, timeout=30):
        tls = ssl.create_default_context(cafile=authority)
        if certificate:
            tls.load_cert_chain(*certificate)
        self.connection = http.client.HTTPSConnection("127.0.0.1", port, context=tls, timeout=timeout)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def ask(self, method, path, body=None, kind=None):
        """Status, headers and text."""
        try:
            self.connection.request(method, path, body, {"Content-Type": kind} if kind else {})
            answer = self.connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read().decode()
        except BaseException:
            self.connection.close()
            raise

    def post(self, body, path="/validate?timeout=10s", kind="application/json"):
        return self.ask("POST", path, body if isinstance(body, (bytes, str)) else json.dumps(body), kind)

    def judge(self, body):
        """The response to a review."""
        status, _, text = self.post(body)
        if status != 200:
            raise RuntimeError(f"{status}: {text}")
        return json.loads(text)["response"]

    def certificate(self):
        """The server's, as the connection was made with it."""
        if self.connection.sock is None:
            self.connection.connect()
        return self.connection.sock.getpeercert()


class Raw:
    """A connection that says what it likes; `tls` is None for one without TLS."""

    def __init__(self, port, tls=None, timeout=60):
        self.timeout = timeout
        self.socket = socket.create_connection(("127.0.0.1", port), timeout)
        if tls:
            self.socket = tls.wrap_socket(self.socket, server_hostname="127.0.0.1")

    def send(self, text):
        self.socket.sendall(text if isinstance(text, bytes) else text.encode())

    def read(self):
        """All until the other end closes; an end without a farewell is one."""
        said = b""
        with contextlib.suppress(OSError):
            while more := self.socket.recv(65536):
                said += more
        return said.decode(errors="replace")

    def abort(self):
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def ended(self):
        """Whether the other end has closed it. Tickets of TLS may come at any time."""
        self.socket.settimeout(0)
        try:
            return self.socket.recv(4096) == b""
        except (ssl.SSLWantReadError, BlockingIOError):
            return False
        except OSError:
            return True
        finally:
            self.socket.settimeout(self.timeout)


class WebhookRunner(Runner):
    """It serves when it is made, and may know nothing of the cluster yet."""
    command = ("webhook",)

    def __init__(self, test, *flags, policy=None, port=0, certificates=None, name="webhook", config=None, delay="0s"):
        self.authority = test.pki / "ca.crt"
        self.policy = test.folder / f"{name}-policy.yaml"
        self.certificates = certificates or mount(test.folder / f"{name}-certificates", 1, *issue(test.pki, test.folder))
        if policy is not None:
            self.write_policy(policy)
            flags += "--policy", self.policy
        super().__init__(test, "--listen", f"127.0.0.1:{port}", "--cert-dir", self.certificates, "--shutdown-delay-duration", delay, *flags,
                         config=config, name=name)
        self.wait_for("serving on ")
        self.port = int(re.search(r"serving on 127\.0\.0\.1:(\d+)", self.said())[1])
        self.steady = Client(self.port, self.authority)
        test.addCleanup(self.steady.__exit__)

    def write_policy(self, text):
        """It is there at once as a whole."""
        fresh = self.policy.with_suffix(".new")
        fresh.write_text(text if text.startswith("apiVersion:") else f"apiVersion: ksched.dev/v1alpha1\nkind: AdmissionPolicy\n{text}")
        os.replace(fresh, self.policy)

    def client(self, **how):
        return Client(self.port, self.authority, **how)

    def get(self, path):
        return self.steady.ask("GET", path)

    def judge(self, body):
        return self.steady.judge(body)

    def metrics(self):
        """The value of each sample by its name and labels."""
        return parse(self.get("/metrics")[2])[1]

    def metric(self, name, **labels):
        return self.metrics().get((name, frozenset(labels.items())), 0)

    def counts(self):
        """How many reviews were answered, by action, kind and reason."""
        return {" ".join(dict(labels)[key] for key in ("action", "kind", "reason")): value
                for (name, labels), value in self.metrics().items() if name == "ksched_webhook_requests_total"}

    def reloads(self, result, what="policy"):
        return self.metric("ksched_webhook_reloads_total", result=result, what=what)

    def resident(self):
        """KiB"""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1])


def registration(port, authority):
    """The manifest's, by URL; a missing answer is a refusal, so that nobody overlooks it."""
    made = yaml.safe_load(MANIFEST.read_text())
    for webhook in made["webhooks"]:
        webhook.update(clientConfig=client_config(port, authority), failurePolicy="Fail")
    return made


def unguarded(port, authority):
    """It is asked about everything that concerns pods, workloads and nodes, also what the manifest leaves out."""
    rules = [{"apiGroups": [""], "resources": ["pods", "pods/*", "replicationcontrollers", "replicationcontrollers/*", "nodes"]},
             {"apiGroups": ["apps"], "resources": ["*/*"]}, {"apiGroups": ["batch"], "resources": ["*/*"]}]
    made = registration(port, authority)
    (webhook, _) = made["webhooks"]
    for guard in "namespaceSelector", "matchConditions":
        del webhook[guard]
    webhook.update(name="unguarded.ksched.dev", rules=[{**rule, "apiVersions": ["v1"], "operations": ["*"], "scope": "*"} for rule in rules])
    return {**made, "webhooks": [webhook]}


def client_config(port, authority):
    return {"url": f"https://127.0.0.1:{port}/validate", "caBundle": data(authority)}
