"""The static program in a folder without anything else asks a live cluster."""

import json
import os
import pathlib
import shutil
import subprocess
import unittest

from control_plane import ControlPlane
from live import Live, data

STATIC = pathlib.Path(os.environ.get("KSCHED_STATIC") or pathlib.Path(__file__).resolve().parents[2] / "build/static/kubectl-ksched")
CHROOT = shutil.which("chroot", path=os.environ["PATH"] + ":/usr/sbin:/sbin")


def setUpModule():
    if not os.access(STATIC, os.X_OK):
        raise RuntimeError(f"{STATIC} is not there: ./dev release, or KSCHED_STATIC")
    if os.geteuid() != 0 or not CHROOT:
        raise unittest.SkipTest("only root can change the root folder")
    plane = Live.plane = ControlPlane(Live.programs, nodes=1, scheduler_config=None)
    plane.__enter__()
    unittest.addModuleCleanup(plane.stop)


class InAnEmptyFolder(Live):
    def setUp(self):
        super().setUp()
        self.root = self.folder / "root"
        self.root.mkdir()
        shutil.copy(STATIC, self.root / "kubectl-ksched")
        shutil.copy(self.pki / "ca.crt", self.root / "ca.crt")
        shutil.copy(self.manifest(), self.root / "manifest.json")

    def run_inside(self, *arguments, **variables):
        """Runs the program with the folder as its root: no libraries, no certificates, no /etc."""
        done = subprocess.run([CHROOT, str(self.root), "/kubectl-ksched", *arguments], env=variables, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def check(self, **variables):
        (probe,) = json.loads(self.run_inside("simulate", "-f", "/manifest.json", "-o", "json", **variables))["pods"]
        self.assertEqual(probe["result"], "Scheduled")

    def test_with_an_authority_of_the_kubeconfig(self):
        user = {"client-certificate-data": data(self.pki / "admin.crt"), "client-key-data": data(self.pki / "admin.key")}
        shutil.copy(self.config(user, certificate_authority="ca.crt"), self.root / "config")
        self.check(KUBECONFIG="/config")
        self.assertIn("API server: v1.37.2\n", self.run_inside("version", KUBECONFIG="/config"))

    def test_with_an_authority_of_the_environment(self):
        shutil.copy(self.config({"token": "test-token"}, certificate_authority=None), self.root / "config")
        self.check(KUBECONFIG="/config", SSL_CERT_FILE="/ca.crt")

    def test_a_name_is_looked_up(self):
        """By /etc/hosts, which is all that the folder gets more."""
        (self.root / "etc").mkdir()
        (self.root / "etc/hosts").write_text("127.0.0.1 kubernetes.default.svc\n")
        server = f"https://kubernetes.default.svc:{self.target[1]}"
        shutil.copy(self.config({"token": "test-token"}, server=server, certificate_authority="ca.crt"), self.root / "config")
        self.check(KUBECONFIG="/config")

    def test_a_snapshot(self):
        shutil.copy(self.config({"token": "test-token"}, certificate_authority="ca.crt"), self.root / "config")
        self.run_inside("snapshot", "-o", "/cluster.json.gz", KUBECONFIG="/config")
        done = self.run_ksched("simulate", "-f", self.manifest(), "--snapshot", self.root / "cluster.json.gz", "-o", "name")
        self.assertEqual((done.returncode, done.stdout), (0, "pod/probe\n"), done.stderr)
