"""Certificates that the webhook keeps by itself, on a real API server: made, shared by the replicas, written into the configuration, and trusted."""

import http.client
import signal
import socket
import ssl
import subprocess

from webhook_targets import CONFIGURATION, JSON_PATCH, NAME, SERVER_NAME, SPACE, Manifests, where, workload

SECRET = f"/api/v1/namespaces/{SPACE}/secrets/ksched-webhook-certificates"


def own_address():
    """An address of this machine that is not loopback, which the API server would not connect a Service with; "": it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        try:
            one.connect(("192.0.2.1", 9))
            return one.getsockname()[0]
        except OSError:
            return ""


class Replica:
    """The program with the flags of the Deployment, and the rights of its ServiceAccount."""

    def __init__(self, test, number, address):
        flags = {"--policy": str(test.write("policy.yaml", test.one("overlays/self-managed", "ConfigMap", "ksched-webhook-policy")["data"]["policy.yaml"])),
                 "--listen": f"{address}:0"}
        given = test.one("overlays/self-managed", "Deployment")["spec"]["template"]["spec"]["containers"][0]["args"]
        words = [f"{word.split('=')[0]}={flags.get(word.split('=')[0], word.partition('=')[2])}" if "=" in word else word for word in given]
        self.test, self.address, self.log = test, address, test.folder / f"webhook-{number}.log"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen([test.ksched, *words, "--shutdown-delay-duration=0s"], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            env=test.surroundings(test.config({"token": test.token})), cwd=test.folder)
        test.addCleanup(self.end)
        self.port = int(test.plane.wait("an address", self.said_port, seconds=30))

    def said(self):
        return self.log.read_text()

    def said_port(self):
        self.test.assertIsNone(self.process.poll(), self.said())
        lines = [line for line in self.said().splitlines() if "serving on" in line]
        return lines[0].rsplit(":", 1)[1].strip('"}') if lines else ""

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def page(self, path):
        tls = ssl.create_default_context()
        tls.check_hostname, tls.verify_mode = False, ssl.CERT_NONE
        connection = http.client.HTTPSConnection(self.address, self.port, context=tls, timeout=20)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def serves(self, bundle):
        """The certificate, as whoever trusts the bundle sees it."""
        tls = ssl.create_default_context(cadata=bundle)
        with socket.create_connection((self.address, self.port), timeout=20) as one, tls.wrap_socket(one, server_hostname=SERVER_NAME) as secure:
            return secure.getpeercert(binary_form=True)

    def answered(self):
        return sum(float(line.rsplit(" ", 1)[1]) for line in self.page("/metrics")[1].splitlines() if line.startswith("ksched_webhook_requests_total{"))


class SelfManaged(Manifests):
    def setUp(self):
        super().setUp()
        self.apply("overlays/self-managed")
        self.token = self.plane.kubectl("create", "token", NAME, "-n", SPACE).strip()

    def replicas(self, address="127.0.0.1"):
        made = [Replica(self, number, address) for number in range(2)]
        for one in made:
            self.wait("readiness", made, lambda one=one: one.page("/readyz")[0] == 200)
        return made

    def wait(self, what, replicas, condition, seconds=60):
        try:
            return self.plane.wait(what, condition, seconds)
        except RuntimeError as late:
            self.fail(f"{late}; they said:\n" + "\n".join(one.said() for one in replicas))

    def same_bundle(self):
        first, second = self.bundles()
        return first if first == second else ""

    def test_certificates_are_made_shared_and_kept(self):
        replicas = self.replicas()
        bundle = self.wait("the bundle", replicas, self.same_bundle)
        certificates = {one.serves(bundle) for one in replicas}
        self.assertEqual(len(certificates), 1, "all replicas show the same")
        self.assertEqual(self.api.get(SECRET)["type"], "kubernetes.io/tls")
        (container,) = self.one("overlays/self-managed", "Deployment")["spec"]["template"]["spec"]["containers"]
        for one in replicas:
            self.assertNotIn("orbidden", one.said())
            for probe in ("livenessProbe", "readinessProbe"):
                self.assertEqual(one.page(container[probe]["httpGet"]["path"])[0], 200, probe)
        # Somebody puts another bundle there.
        self.set_bundle(1, self.pki / "ca.crt")
        self.wait("the bundle again", replicas, lambda: self.same_bundle() == bundle)
        # A new authority comes into the bundle first; what is served is trusted all the time.
        self.api.call("DELETE", SECRET)
        both = self.wait("two authorities", replicas, lambda: self.same_bundle() if self.same_bundle().count("BEGIN") == 2 else "")
        self.assertTrue(both.endswith(bundle))
        self.assertEqual({one.serves(both) for one in replicas}, certificates)
        for one in replicas:
            one.process.send_signal(signal.SIGTERM)
            self.assertEqual(one.process.wait(40), 0, one.said())

    def behind_the_service(self):
        """Replicas that the API server reaches through the Service, and what it asks them about."""
        address = own_address()
        if not address:
            self.skipTest("this machine has no address but loopback, and a Service cannot lead there")
        replicas = self.replicas(address)
        self.wait("the bundle", replicas, self.same_bundle)
        for number, one in enumerate(replicas):
            path = f"/apis/discovery.k8s.io/v1/namespaces/{SPACE}/endpointslices"
            self.api.call("POST", path, {"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
                                         "metadata": {"name": f"replica-{number}", "labels": {"kubernetes.io/service-name": NAME}},
                                         "endpoints": [{"addresses": [address], "conditions": {"ready": True}}],
                                         "ports": [{"name": "https", "port": one.port}]})
            self.addCleanup(self.api.call, "DELETE", f"{path}/replica-{number}")

        def ask():
            self.api.call("POST", where("apps", "deployments", "default") + "?dryRun=All", workload("Deployment", "asked"))

        def both_have_answered():
            ask()
            return all(one.answered() for one in replicas)

        self.wait("answers of both", replicas, both_have_answered)
        return replicas, ask

    def test_the_api_server_asks_through_the_service(self):
        replicas, ask = self.behind_the_service()
        before = sum(one.answered() for one in replicas)
        for _ in range(10):
            ask()
        self.assertEqual(sum(one.answered() for one in replicas), before + 10)

    def test_another_authority_loses_no_request(self):
        """With failurePolicy Fail, so that a request without an answer is refused."""
        if not self.long:
            self.skipTest("--long: a bundle has to be there for a minute before the certificate changes")
        replicas, ask = self.behind_the_service()
        first = self.same_bundle()
        changes = [{"op": "replace", "path": f"/webhooks/{number}/failurePolicy", "value": "Fail"} for number in range(2)]
        self.api.call("PATCH", CONFIGURATION, changes, JSON_PATCH)
        served = {one.serves(first) for one in replicas}
        self.api.call("DELETE", SECRET)

        def changed():
            ask()
            return all(one.serves(self.same_bundle()) not in served for one in replicas)

        self.wait("another certificate", replicas, changed, seconds=180)
        for _ in range(200):
            ask()
        after = self.same_bundle()
        self.assertEqual((after.count("BEGIN"), after.endswith(first)), (2, True))


if __name__ == "__main__":
    raise SystemExit("run.py runs this")
