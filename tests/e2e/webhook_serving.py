"""How the admission webhook serves: its pages, requests that are none, hostile clients, certificates, its end, and an API server that is away."""

import concurrent.futures
import contextlib
import json
import os
import resource
import socket
import ssl
import subprocess
import threading
import time

from control_plane import ControlPlane
from live import Live
from objects import node, pod
from rest import Api
from serving import parse
from webhook import issue
from webhook_server import Raw, WebhookRunner, mount, review

FITS = review(pod("fits", schedulerName="default-scheduler"))
HUGE = review(pod("huge", cpu="100", schedulerName="default-scheduler"))
REFUSAL = "0/1 nodes could ever run this pod: 1 Insufficient cpu. 1 would if it asked for less: at most cpu 4."
BODY = json.dumps(FITS)
MIB = 1 << 20
FAMILIES = {"ksched_webhook_requests_total": "counter", "ksched_webhook_refused_requests_total": "counter", "ksched_webhook_reloads_total": "counter",
            "ksched_webhook_duration_seconds": "histogram", "ksched_webhook_in_flight": "gauge", "ksched_webhook_cache_age_seconds": "gauge",
            "ksched_webhook_certificate_expiry_timestamp_seconds": "gauge"}
WELL = "[+]shutdown ok\n[+]cluster ok\n[+]certificate ok\n[+]handshake ok\nreadyz check passed\n"
# Each as (path, status, text) of a GET.
PAGES = [("/healthz", 200, "ok"), ("/healthz?verbose", 200, "[+]ping ok\nhealthz check passed\n"), ("/livez", 200, "ok"), ("/readyz", 200, "ok"),
         ("/readyz?verbose", 200, WELL), ("/readyz?exclude=cluster&verbose", 200, WELL.replace("cluster ok", "cluster excluded: ok")),
         ("/", 404, "404 page not found\n"), ("/validate/", 404, "404 page not found\n"), ("/validate", 405, "an AdmissionReview comes by POST\n")]


def without(name):
    """A review that lacks a field of its request."""
    return {**FITS, "request": {key: value for key, value in FITS["request"].items() if key != name}}


def asking(**fields):
    return {**FITS, "request": {**FITS["request"], **fields}}


def nested(depth):
    return BODY.replace('"spec": {', f'"spec": {{"deep": {"[" * depth}{"]" * depth}, ', 1)


# Each as (name, body, beginning of the answer), which is a 400.
NO_REVIEWS = [
    ("v1beta1", {**FITS, "apiVersion": "admission.k8s.io/v1beta1"}, 'apiVersion: "admission.k8s.io/v1beta1": only admission.k8s.io/v1 is spoken'),
    ("another kind", {**FITS, "kind": "Pod"}, 'kind: "Pod": expected AdmissionReview'),
    ("no request", {key: value for key, value in FITS.items() if key != "request"}, "request: is missing"),
    ("no uid", without("uid"), "request.uid: is missing"),
    ("no kind", without("kind"), "request.kind: is missing"),
    ("no operation", without("operation"), "request.operation: is missing"),
    ("another operation", asking(operation="READ"), 'request.operation: "READ" is none of'),
    ("no object", asking(object="pod"), "request.object: expected an object, found"),
    ("groups", asking(userInfo={"groups": [1]}), "request.userInfo.groups[0]: expected a string, found"),
    ("empty", "", "the body is no JSON: it ends too early"),
    ("blank", " \n", "the body is no JSON: it ends too early"),
    ("a list", "[]", "expected an object, found"),
    ("a number", "7", "expected an object, found"),
    ("no JSON", "apiVersion: v1", "the body is no JSON, at byte 0"),
    ("more", BODY + "{}", f"the body goes on after its JSON, at byte {len(BODY)}"),
    ("twice", BODY.replace('"uid": "4b1b"', '"uid": "4b1b", "uid": "4b1c"'), 'duplicate key "uid"'),
    ("deep", '{"a":' * 100_000, "the body is too much"),
    ("deep object", nested(100_000), "the body is too much"),
    ("no UTF-8", BODY.replace("4b1b", "4b\u00ff").encode("latin-1"), "the body is no UTF-8, at byte "),
    ("half a surrogate", BODY.replace("4b1b", "\\ud800"), "the body is no JSON, at byte "),
]


def descriptors(process):
    return len(os.listdir(f"/proc/{process}/fd"))


class WebhookServing(Live):
    @classmethod
    def setUpClass(cls):
        cls.plane = ControlPlane.of_class(cls, nodes=0, scheduler_config=None, controllers=False)
        cls.api = Api(cls.plane.folder)
        cls.addClassCleanup(cls.api.close)
        cls.put_node("one")
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))

    @classmethod
    def put_node(cls, name, **labels):
        cls.plane.create(node(name, "4", "16Gi", labels))
        # A new node gets the taint of one that is not ready, and nobody takes it away here.
        cls.api.merge(f"/api/v1/nodes/{name}", {"spec": {"taints": []}})

    def serve(self, *flags, ready=True, **how):
        runner = WebhookRunner(self, *flags, **how)
        if ready:
            self.until("readiness", lambda: runner.get("/readyz")[0] == 200, runner)
            self.until("the node", lambda: runner.judge(FITS)["auditAnnotations"]["decision"] == "allow", runner)
        return runner

    def until(self, what, condition, runner, seconds=60):
        try:
            return self.plane.wait(what, condition, seconds, pause=0.05)
        except RuntimeError as late:
            self.fail(f"{late}; it said:\n{runner.said()}")

    def tls(self, runner):
        return ssl.create_default_context(cafile=runner.authority)

    def raw(self, runner, secure=True):
        made = Raw(runner.port, self.tls(runner) if secure else None)
        self.addCleanup(made.socket.close)
        return made

    def answers(self, runner):
        """A new connection gets a judgement."""
        with runner.client() as client:
            self.assertTrue(client.judge(FITS)["allowed"])
            self.assertEqual(client.judge(HUGE)["status"]["message"], REFUSAL)

    # ---- pages, and requests that are no reviews ----

    def test_pages(self):
        runner = self.serve()
        for path, status, text in PAGES:
            with self.subTest(path):
                self.assertEqual(runner.get(path)[::2], (status, text))
        self.assertEqual(runner.get("/validate")[1]["Allow"], "POST")
        for method, path in (("PUT", "/validate"), ("DELETE", "/validate"), ("POST", "/healthz"), ("POST", "/nothing"), ("PUT", "/metrics")):
            with self.subTest(method=method, path=path):
                self.assertEqual(runner.steady.ask(method, path, BODY, "application/json")[0], 405)
        status, headers, text = runner.steady.ask("HEAD", "/healthz")
        self.assertEqual((status, headers["Content-Length"], text), (200, "2", ""))

    def test_one_that_knows_nothing_is_not_ready(self):
        runner = self.serve(ready=False, config=self.config({**self.admin, "as": "nobody"}))
        unready = WELL.replace("[+]cluster ok", "[-]cluster failed: reason withheld").replace("passed", "failed")
        self.until("the page", lambda: runner.get("/readyz")[::2] == (500, unready), runner)
        self.assertEqual(runner.get("/healthz")[2], "ok")
        self.assertEqual(runner.judge(FITS)["warnings"], ["ksched cannot judge whether this can be scheduled: the cluster has not been read yet"])

    def test_metrics(self):
        runner = self.serve()
        before = runner.counts()
        for _ in range(3):
            runner.judge(HUGE)
        runner.steady.post("no review")
        runner.steady.post(BODY, kind="text/plain")
        self.until("the metrics of a second", lambda: runner.metric("ksched_webhook_certificate_expiry_timestamp_seconds"), runner)
        status, headers, text = runner.get("/metrics")
        self.assertEqual((status, headers["Content-Type"]), (200, "text/plain; version=0.0.4; charset=utf-8"))
        families, samples = parse(text)
        self.assertEqual({name: kind for name, (_, kind) in families.items() if name.startswith("ksched_webhook_")}, FAMILIES)
        for name, (words, _) in families.items():
            self.assertTrue(words.endswith("."), name)
        self.assertEqual(runner.counts(), {**before, "deny Pod NodeResourcesFit": 3})
        self.assertEqual(samples["ksched_webhook_duration_seconds_count", frozenset()], sum(runner.counts().values()))
        self.assertEqual(samples["ksched_webhook_in_flight", frozenset()], 0)
        self.assertEqual(runner.metric("ksched_webhook_refused_requests_total", reason="Malformed"), 1)
        self.assertEqual(runner.metric("ksched_webhook_refused_requests_total", reason="ContentType"), 1)
        self.assertEqual((runner.reloads("success"), runner.reloads("failure")), (0, 0))
        ends = runner.steady.certificate()["notAfter"]
        self.assertEqual(runner.metric("ksched_webhook_certificate_expiry_timestamp_seconds"), ssl.cert_time_to_seconds(ends))
        for name in ("process_resident_memory_bytes", "ksched_watch_up"):
            self.assertIn(name, families)

    def test_what_is_no_review(self):
        runner = self.serve()
        self.assertEqual(runner.steady.post(BODY, kind="application/json; charset=utf-8")[0], 200)
        for kind in ("text/plain", "application/yaml", None):
            self.assertEqual(runner.steady.post(BODY, kind=kind)[::2], (415, "an AdmissionReview comes as application/json\n"))
        for name, body, text in NO_REVIEWS:
            with self.subTest(name):
                status, _, said = runner.steady.post(body)
                self.assertEqual((status, said[:len(text)]), (400, text), said[:300])
                self.assertLess(len(said), 500)
                self.assertTrue(runner.judge(FITS)["allowed"])
        for end in range(0, len(BODY), 7):
            status, _, said = runner.steady.post(BODY[:end])
            self.assertEqual((status, said), (400, "the body is no JSON: it ends too early\n"), end)
        self.answers(runner)

    def test_sizes(self):
        runner = self.serve()
        large = review({**FITS["request"]["object"], "status": {"message": "x" * (7 * MIB)}})
        self.assertTrue(runner.judge(large)["allowed"])
        head = "POST /validate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
        for name, text, answer in (("body", f"{head}Content-Length: {8 * MIB + 1}\r\n\r\n", "HTTP/1.1 413 "),
                                   ("header", f"{head}X: {'x' * (64 << 10)}", "HTTP/1.1 431 "), ("no HTTP", "hello\r\n\r\n", "HTTP/1.1 400 "),
                                   ("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "HTTP/1.1 400 ")):
            with self.subTest(name):
                client = self.raw(runner)
                client.send(text)
                self.assertTrue((said := client.read()).startswith(answer), said)
        client = self.raw(runner)
        client.send(f"{head}Transfer-Encoding: chunked\r\n\r\n")
        for _ in range(8):
            client.send(b"100000\r\n" + b" " * MIB + b"\r\n")
        client.send("1\r\n \r\n")
        self.assertTrue((said := client.read()).startswith("HTTP/1.1 413 "), said)
        self.answers(runner)

    def test_a_deadline_that_is_near(self):
        runner = self.serve(policy="")
        said = "ksched cannot judge whether this can be scheduled: the request came too close to its deadline"
        self.assertEqual(self.judged_within("50ms", runner)["warnings"], [said])
        self.assertEqual(runner.counts()["unable Pod Deadline"], 1)
        runner.write_policy("failClosed: true")
        self.until("the policy", lambda: runner.reloads("success"), runner)
        answer = self.judged_within("50ms", runner)
        self.assertEqual((answer["allowed"], answer["status"]["message"], answer["status"]["code"]), (False, said, 403))
        for timeout in ("10s", "", "nonsense", "-1s"):
            self.assertEqual(self.judged_within(timeout, runner)["status"]["message"], REFUSAL)

    @staticmethod
    def judged_within(timeout, runner):
        return json.loads(runner.steady.post(HUGE, path=f"/validate?timeout={timeout}")[2])["response"]

    # ---- clients that mean no good, and many of them ----

    def test_hostile_clients(self):
        runner = self.serve()
        self.assert_no_old_tls(runner)
        for garbage in (os.urandom(4096), b"\x16\x03\x01\x40\x00" + os.urandom(4000), b"GET /healthz HTTP/1.1\r\n\r\n", b"\x16"):
            client = self.raw(runner, secure=False)
            client.send(garbage)
            client.socket.shutdown(socket.SHUT_WR)
            self.assertNotIn("200", client.read())
        idle = descriptors(runner.process.pid)
        self.abort_many(runner, 600)
        self.until("the aborted connections to end", lambda: descriptors(runner.process.pid) <= idle, runner)
        before = runner.resident()
        self.abort_many(runner, 10_000 if self.long else 3000)
        self.until("the aborted connections to end", lambda: descriptors(runner.process.pid) <= idle, runner)
        self.assertLess(runner.resident(), before + 4096, "KiB")
        self.assertIsNone(runner.process.poll())
        self.answers(runner)

    def assert_no_old_tls(self, runner):
        old = self.tls(runner)
        old.set_ciphers("ALL:@SECLEVEL=0")
        old.minimum_version, old.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
        with self.assertRaisesRegex(ssl.SSLError, "PROTOCOL_VERSION"):
            Raw(runner.port, old)

    def abort_many(self, runner, count):
        """Connections that end in the middle of things: at once, in the handshake, in a header, in a body, before the answer."""
        tls = self.tls(runner)
        head = f"POST /validate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: {len(BODY)}\r\n"
        texts = [None, b"\x16\x03\x01\x02\x00\x01", "", head[:50], f"{head}\r\n{BODY[:200]}", f"{head}\r\n{BODY}"]

        def abort(number):
            text = texts[number % len(texts)]
            client = Raw(runner.port, tls if isinstance(text, str) else None)
            if text:
                client.send(text)
            client.abort()

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for _ in pool.map(abort, range(count)):
                pass

    def test_thousands_of_idle_connections(self):
        runner = self.serve()
        idle, tls = descriptors(runner.process.pid), self.tls(runner)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            clients = list(pool.map(lambda _: Raw(runner.port, tls), range(4000)))
        self.assertEqual(descriptors(runner.process.pid), idle + 4000)
        self.answers(runner)
        half_open = [Raw(runner.port) for _ in range(200)]
        self.answers(runner)
        for client in half_open + clients:
            client.socket.close()
        self.until("their end", lambda: descriptors(runner.process.pid) <= idle, runner)
        self.answers(runner)

    def test_the_limit_of_connections(self):
        runner = self.serve("--max-connections", 20)
        clients = [self.raw(runner) for _ in range(19)]  # and the one that asks for pages
        with runner.client() as client:
            status, headers, text = client.post(FITS)
        self.assertEqual((status, headers["Connection"], text), (503, "close", "too many connections\n"))
        self.assertTrue(runner.judge(FITS)["allowed"])
        clients.pop().socket.close()
        self.until("a place", lambda: self.is_answered(runner), runner)

    def is_answered(self, runner):
        with runner.client() as client:
            return client.post(FITS)[0] == 200

    def test_slow_clients(self):
        """Who says nothing, or goes on for ever, is left after a while; nobody else waits."""
        runner = self.serve()
        head = f"POST /validate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: {len(BODY)}\r\n"
        silent, no_handshake = self.raw(runner), self.raw(runner, secure=False)
        slow_header, slow_body = self.raw(runner), self.raw(runner)
        slow_header.send(head)
        slow_body.send(f"{head}\r\n")
        waiting = {no_handshake, slow_header, *((slow_body, silent) if self.long else ())}
        end = time.monotonic() + 200
        while waiting:
            self.assertLess(time.monotonic(), end, "they are not left")
            for client in [slow for slow in waiting if slow.ended()]:
                waiting.remove(client)
            for client, text in ((slow_header, "X"), (slow_body, " ")):
                with contextlib.suppress(OSError):
                    client.send(text)
            self.answers(runner)
            time.sleep(0.5)
        if not self.long:
            self.assertFalse(slow_body.ended() or silent.ended())

    # ---- certificates ----

    def test_certificates_change_under_load(self):
        pairs = [issue(self.pki, self.folder, f"pair-{number}") for number in range(4)]
        runner = self.serve(certificates=mount(self.folder / "certificates", 0, *pairs[0]))
        failures, counts, stopping = [], [0, 0], threading.Event()

        def ask(steady):
            client = runner.client()
            while not stopping.is_set():
                try:
                    if client.judge(FITS)["allowed"]:
                        counts[steady] += 1
                except Exception as failure:  # whatever it is, it is one too many
                    failures.append(failure)
                if not steady:
                    client.connection.close()
            client.connection.close()

        threads = [threading.Thread(target=ask, args=(steady,)) for steady in (True, True, True, False, False)]
        serials = {self.serial(runner)}
        for thread in threads:
            thread.start()
        try:
            for number, pair in enumerate(pairs[1:], 1):
                before = self.serial(runner)
                mount(self.folder / "certificates", number, *pair)
                self.until("the new certificate", lambda before=before: self.serial(runner) != before, runner)
                serials.add(self.serial(runner))
            (self.folder / "certificates/..3/tls.key").write_text("nonsense")
            self.until("the bad key to be seen", lambda: runner.reloads("failure", "certificate"), runner)
            self.assertIn(self.serial(runner), serials)
        finally:
            stopping.set()
            for thread in threads:
                thread.join()
        self.assertEqual(failures, [])
        self.assertEqual((len(serials), runner.reloads("success", "certificate")), (4, 3))
        self.assertGreater(min(counts), 20)
        self.assertEqual(runner.get("/readyz")[0], 200)

    def serial(self, runner):
        with runner.client() as client:
            return client.certificate()["serialNumber"]

    def test_clients_need_a_certificate(self):
        other = self.folder / "other"
        other.mkdir()
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=other-ca", "-keyout", other / "ca.key", "-out", other / "ca.crt"],
                       check=True, capture_output=True)
        foreign, ours = issue(other, name="client"), (self.pki / "admin.crt", self.pki / "admin.key")
        trusted = self.write("clients.crt", (self.pki / "ca.crt").read_text())
        runner = self.serve("--client-ca-file", trusted, ready=False)
        self.until("readiness", lambda: runner.get("/readyz")[0] == 200, runner)

        def ask(certificate):
            with runner.client(certificate=certificate) as client:
                return client.post(FITS)[::2]

        self.assertEqual(ask(None), (403, "a client certificate is needed\n"))
        self.assertEqual(ask(ours)[0], 200)
        status, text = ask(foreign)
        self.assertEqual(status, 403)
        self.assertTrue(text.startswith("the client certificate is not trusted: "), text)
        self.assertEqual(runner.metric("ksched_webhook_refused_requests_total", reason="Client"), 2)
        trusted.write_text((other / "ca.crt").read_text())
        self.until("the other authority", lambda: ask(foreign)[0] == 200, runner)
        self.assertEqual(ask(ours)[0], 403)
        trusted.write_text("nonsense")
        self.until("the warning", lambda: f"warning: {trusted}" in runner.said(), runner)
        self.assertEqual(ask(foreign)[0], 200)

    # ---- the end, and a time without an API server ----

    def test_it_ends_after_all_is_answered(self):
        runner = self.serve(delay="4s")
        head = f"POST /validate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: {len(BODY)}\r\n\r\n"
        begun, late = self.raw(runner), self.raw(runner)
        for client in (begun, late):
            client.send(head + BODY[:100])
        runner.process.terminate()
        unready = WELL.replace("[+]shutdown ok", "[-]shutdown failed: reason withheld").replace("passed", "failed")
        self.until("readiness to go off", lambda: runner.get("/readyz")[0] == 500, runner)
        self.assertEqual(runner.get("/readyz")[2], unready)
        self.assertEqual(runner.get("/healthz")[2], "ok")
        self.assertTrue(runner.judge(FITS)["allowed"])
        self.answers(runner)  # by a new connection too
        begun.send(BODY[100:])
        self.assertIn('"allowed":true', begun.socket.recv(65536).decode())
        self.until("no new connection", lambda: not self.accepts(runner), runner)
        late.send(BODY[100:])
        self.assertIn('"allowed":true', late.read())
        self.assertEqual(runner.process.wait(30), 0, runner.said())
        self.assertTrue(runner.said().endswith("stopped\n"), runner.said())

    @staticmethod
    def accepts(runner):
        try:
            socket.create_connection(("127.0.0.1", runner.port), 5).close()
            return True
        except ConnectionError:
            return False

    def test_without_an_api_server(self):
        runner = self.serve(policy="")
        command = self.plane.kill("kube-apiserver")
        ages, end = [], time.monotonic() + (60 if self.long else 30)
        try:
            while time.monotonic() < end:
                self.answers(runner)
                ages.append(runner.metric("ksched_webhook_cache_age_seconds"))
                time.sleep(0.5)
            self.assertEqual(ages, sorted(ages))
            self.assertGreater(ages[-1], 10)
            self.assertEqual(runner.get("/readyz")[0], 200)
            self.check_staleness(runner)
        finally:
            self.plane.start_again("kube-apiserver", command)
            self.plane.wait_until_ready()
            self.api.close()  # it was connected to the one that has ended
        self.until("what is known to be fresh", lambda: runner.metric("ksched_webhook_cache_age_seconds") < 5, runner, 120)
        self.assertEqual(runner.judge(HUGE)["status"]["message"], REFUSAL)
        self.addCleanup(self.plane.kubectl, "delete", "node", "late", "--wait=false")
        self.put_node("late", late="yes")
        newcomer = review(pod("newcomer", schedulerName="default-scheduler", nodeSelector={"late": "yes"}))
        self.until("the new node", lambda: runner.judge(newcomer)["allowed"], runner)
        self.assertIsNone(runner.process.poll())

    def check_staleness(self, runner):
        """What is older than the policy allows, is not judged by."""
        said = "ksched cannot judge whether this can be scheduled: the API server has not been heard of for "
        runner.write_policy("maxStaleness: 5s")
        self.until("the policy", lambda: runner.reloads("success") == 1, runner)
        answer = runner.judge(HUGE)
        self.assertTrue(answer["allowed"])
        self.assertRegex(answer["warnings"][0], f"^{said}[0-9]+ s$")
        runner.write_policy("maxStaleness: 5s\nfailClosed: true")
        self.until("the policy", lambda: runner.reloads("success") == 2, runner)
        self.assertRegex(runner.judge(FITS)["status"]["message"], f"^{said}[0-9]+ s$")


if __name__ == "__main__":
    raise SystemExit("run.py runs this")
