"""What tests of a live cluster share: one control plane, kubeconfig files, and ksched run in surroundings that know no other cluster."""

import base64
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from objects import pod
from relay import Relay, Tunnel

PROBE = pod("probe")
PROBE["metadata"].pop("namespace")


def data(path):
    """A file as the fields of a kubeconfig that end in -data have it."""
    return base64.b64encode(pathlib.Path(path).read_bytes()).decode()


class Live(unittest.TestCase):
    """Test cases against `plane`, which the module sets; each has a folder of its own."""
    ksched = programs = plane = None

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=self.plane.folder))
        self.pki = self.plane.folder / "pki"
        self.admin = {"client-certificate": str(self.pki / "admin.crt"), "client-key": str(self.pki / "admin.key")}
        config = json.loads(self.plane.kubectl("config", "view", "--raw", "-o", "json"))
        self.server = config["clusters"][0]["cluster"]["server"]
        host, port = self.server.removeprefix("https://").split(":")
        self.target = (host, int(port))

    def write(self, name, content):
        """A file of the test's folder, as JSON unless it is a text."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def config(self, user=None, server=None, name="config", namespace=None, **cluster):
        """A kubeconfig with one context; further keywords are fields of its cluster (with _ for -), None takes one away."""
        fields = {"server": server or self.server, "certificate-authority": str(self.pki / "ca.crt")}
        fields.update({key.replace("_", "-"): value for key, value in cluster.items()})
        context = {"cluster": "c", "user": "u", **({"namespace": namespace} if namespace else {})}
        return self.write(name, {"apiVersion": "v1", "kind": "Config", "current-context": "x",
                                 "clusters": [{"name": "c", "cluster": {key: value for key, value in fields.items() if value is not None}}],
                                 "users": [{"name": "u", "user": self.admin if user is None else user}],
                                 "contexts": [{"name": "x", "context": context}]})

    def manifest(self, *objects):
        return self.write("manifest.json", {"apiVersion": "v1", "kind": "List", "items": list(objects or (PROBE,))})

    def surroundings(self, config=None, **variables):
        """An environment in which nothing names a cluster but what is given."""
        (self.folder / "home").mkdir(exist_ok=True)
        made = {"PATH": os.environ["PATH"], "HOME": str(self.folder / "home"), **variables}
        return {**made, "KUBECONFIG": str(config)} if config else made

    def run_ksched(self, *arguments, config=None, variables=None, given=None, cwd=None):
        stdin = {"stdin": subprocess.DEVNULL} if given is None else {"input": given}
        return subprocess.run([self.ksched, *map(str, arguments)], env=self.surroundings(config, **(variables or {})), cwd=cwd or self.folder,
                              capture_output=True, text=True, timeout=60, check=False, **stdin)

    def simulate(self, *flags, manifest=None, **how):
        return self.run_ksched("simulate", "-f", manifest or self.manifest(), "--pending", "ignore", "-o", "json", *flags, **how)

    def reaches(self, *flags, **how):
        """The cluster is read, and the probe has a place; the report is returned."""
        done = self.simulate(*flags, **how)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual([(one["name"], one["result"]) for one in report["pods"]], [("probe", "Scheduled")])
        return report

    def fails(self, *flags, status=3, **how):
        """There is no answer, and one line says why; it is returned."""
        return self.one_error(self.simulate(*flags, **how), status)

    def one_error(self, done, status=3):
        self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
        self.assertTrue(done.stderr.startswith("error: "), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr


class Relayed(Live):
    """With relays in front of the API server, and certificates as they should not be."""

    def relay(self, rule=None, certificate=None, repeats=None):
        made = Relay(self.target, certificate or self.certificate("IP:127.0.0.1,DNS:localhost"), self.pki / "ca.crt",
                     (self.pki / "admin.crt", self.pki / "admin.key"), rule, repeats)
        self.addCleanup(made.__exit__)
        return made

    def tunnel(self, speak, **how):
        made = Tunnel(self.target, speak, **how)
        self.addCleanup(made.__exit__)
        return made

    def openssl(self, *arguments):
        subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, cwd=self.folder)

    def certificate(self, san="IP:127.0.0.1", days=1, own_authority=False):
        """A server's certificate and key, of the cluster's authority or of its own."""
        self.write("san.cnf", f"subjectAltName={san}\n")
        self.openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=elsewhere",
                     "-keyout", "server.key", "-out", "server.csr")
        signer = ["-signkey", "server.key"] if own_authority else ["-CA", self.pki / "ca.crt", "-CAkey", self.pki / "ca.key", "-set_serial", "77"]
        self.openssl("x509", "-req", "-in", "server.csr", *signer, "-days", days, "-extfile", "san.cnf", "-out", "server.crt")
        return self.folder / "server.crt", self.folder / "server.key"

    def header(self, relay, name):
        """The values of a header over all requests."""
        return {one.headers.get(name) for one in relay.seen}
