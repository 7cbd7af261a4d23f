"""What `kubectl ksched run` serves over HTTPS: health, metrics and configuration, and to whom; beside the real kube-scheduler."""

import http.client
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import time

import yaml

from control_plane import ControlPlane
from live_scheduler import Runner
from objects import node, pod
from own_space import OwnNamespace
from pod_by_pod import scheduler_config
from rest import Api

OURS, THEIRS = "ksched", "default-scheduler"
# Each as (method, path, who asks).
QUESTIONS = [("GET", path, None) for path in
             ("/healthz", "/livez", "/readyz", "/healthz?verbose", "/livez?verbose", "/readyz?verbose", "/readyz?verbose&exclude=shutdown&exclude=zzz",
              "/livez/ping", "/metrics", "/configz", "/", "/nothing")]
QUESTIONS += [("POST", "/healthz", None), ("GET", "/metrics", "token:bad"), ("GET", "/healthz", "token:bad"), ("GET", "/metrics", "scheduler"),
              ("GET", "/configz", "scheduler"), ("GET", "/healthz", "scheduler"), ("GET", "/metrics/", "admin"), ("GET", "/nothing", "admin"),
              ("GET", "/readyz/shutdown", "admin"), ("GET", "/readyz/sched-handler-sync", "admin"), ("GET", "/livez/ping", "token:test-token")]


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def parse(text):
    """{family: (help, type)} and {(sample, labels): value} of what /metrics says."""
    families, samples = {}, {}
    for line in text.splitlines():
        if line.startswith("# HELP "):
            name, words = line.removeprefix("# HELP ").split(" ", 1)
            families[name] = [words, None]
        elif line.startswith("# TYPE "):
            name, kind = line.removeprefix("# TYPE ").split(" ")
            families[name][1] = kind
        else:
            name, labels, value = re.fullmatch(r"(\w+)(?:\{(.*)\})? (\S+)", line).groups()
            samples[name, frozenset(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', labels or ""))] = float(value)
    return families, samples


class Serving(OwnNamespace):
    @classmethod
    def setUpClass(cls):
        cls.plane = ControlPlane.of_class(cls, nodes=0, scheduler_config=scheduler_config())
        cls.api = Api(cls.plane.folder)
        cls.addClassCleanup(cls.api.close)
        command = cls.plane.command_of("kube-scheduler")
        cls.reference = int(command[command.index("--secure-port") + 1])

    def run_served(self, *flags, elect=False, name="run"):
        """A scheduler that serves; its port."""
        port = free_port()
        config = str(self.plane.folder / "scheduler.kubeconfig")
        runner = Runner(self, "--secure-port", port, "--bind-address", "127.0.0.1", "--authentication-kubeconfig", config,
                        "--authorization-kubeconfig", config, *(() if elect else ("--leader-elect=false",)), *flags, name=name)
        runner.wait_for("serving securely on")
        return runner, port

    def ask(self, port, path, who=None, method="GET", check=None, timeout=20):
        """(status, headers, body); `who`: None, token:TOKEN, or the name of a client certificate."""
        tls = ssl.create_default_context(cafile=check)
        if check is None:
            tls.check_hostname, tls.verify_mode = False, ssl.CERT_NONE
        headers = {"Authorization": f"Bearer {who[6:]}"} if who and who.startswith("token:") else {}
        if who and not headers:
            tls.load_cert_chain(self.pki / f"{who}.crt", self.pki / f"{who}.key")
        connection = http.client.HTTPSConnection("127.0.0.1", port, context=tls, timeout=timeout)
        try:
            connection.request(method, path, headers=headers)
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read().decode()
        finally:
            connection.close()

    def metrics(self, port):
        status, headers, text = self.ask(port, "/metrics", "token:test-token")
        self.assertEqual(status, 200, text)
        self.assertTrue(headers["Content-Type"].startswith("text/plain; version=0.0.4; charset=utf-8"))
        return parse(text)

    def until(self, what, condition, runner, seconds=30):
        try:
            return self.plane.wait(what, condition, seconds, pause=0.1)
        except RuntimeError as late:
            self.fail(f"{late}; it said:\n{runner.said()}")

    def knows_clients(self, runner, port):
        self.until("the authority of clients", lambda: self.ask(port, "/metrics", "admin")[0] == 200, runner)

    def node(self, name):
        self.plane.create(node(name, "4", "16Gi", {"space": self.space}))
        self.addCleanup(self.plane.kubectl, "delete", "node", name, "--ignore-not-found", "--wait=false")

    def pod(self, name, cpu, scheduler, **spec):
        return pod(name, cpu, "64Mi", self.space, schedulerName=scheduler, nodeSelector={"space": self.space},
                   tolerations=[{"operator": "Exists"}], **spec)

    def test_it_answers_as_the_real_one_does(self):
        runner, port = self.run_served()
        runner.wait_for("the cluster is known")
        self.knows_clients(runner, port)
        for method, path, who in QUESTIONS:
            with self.subTest(method=method, path=path, who=who):
                ours, theirs = self.ask(port, path, who, method), self.ask(self.reference, path, who, method)
                self.assertEqual((ours[0], ours[2]), (theirs[0], theirs[2]))
                for header in ("Content-Type", "Cache-Control", "X-Content-Type-Options"):
                    self.assertEqual(ours[1].get(header), theirs[1].get(header), header)
        self.assertEqual(self.ask(port, "/metrics")[0], 403)
        self.assertEqual(self.ask(port, "/metrics", "admin")[0], 200)
        self.assertEqual(self.ask(port, "/metrics", "token:test-token")[0], 200)
        self.assertEqual(runner.stop(), 0, runner.said())

    def test_who_may_read_is_decided_by_the_cluster(self):
        runner, port = self.run_served("--authorization-webhook-cache-unauthorized-ttl", "1s")
        self.plane.create({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "scraper", "namespace": self.space}})
        who = "token:" + self.plane.kubectl("create", "token", "scraper", "-n", self.space).strip()
        status, _, text = self.ask(port, "/metrics", who)
        self.assertEqual((status, json.loads(text)["reason"]), (403, "Forbidden"))
        self.assertIn(f"system:serviceaccount:{self.space}:scraper", text)
        self.plane.kubectl("create", "clusterrole", "scraper", "--verb=get", "--non-resource-url=/metrics")
        self.plane.kubectl("create", "clusterrolebinding", "scraper", "--clusterrole=scraper", f"--serviceaccount={self.space}:scraper")
        self.until("the right", lambda: self.ask(port, "/metrics", who)[0] == 200, runner)
        self.assertEqual(self.ask(port, "/configz", who)[0], 403)

    def test_metrics_are_those_of_the_real_one(self):
        for end in "ab":
            self.node(f"{self.space}-{end}"[:60])
        runner, port = self.run_served()
        runner.wait_for("the cluster is known")
        before = self.metrics(self.reference)[1]
        for scheduler in (OURS, THEIRS):
            self.plane.create(*(self.pod(f"{scheduler}-{i}", "1", scheduler) for i in range(3)), self.pod(f"{scheduler}-big", "100", scheduler),
                              self.pod(f"{scheduler}-gated", "1", scheduler, schedulingGates=[{"name": "a/b"}]))

        def total(samples, name, **labels):
            return sum(value for (sample, pairs), value in samples.items() if sample == name and set(labels.items()) <= set(pairs))

        attempts = "scheduler_schedule_attempts_total"
        for place, profile, old in ((port, OURS, {}), (self.reference, THEIRS, before)):
            def done(place=place, profile=profile, old=old):
                samples = self.metrics(place)[1]
                return total(samples, attempts, result="scheduled", profile=profile) - total(old, attempts, result="scheduled", profile=profile) == 3
            self.until("three pods", done, runner)
        time.sleep(1.5)  # gauges are taken every second
        (families, ours), (their_families, theirs) = self.metrics(port), self.metrics(self.reference)
        for name, said in families.items():
            if name.startswith(("scheduler_", "process_")):
                self.assertEqual(said, their_families.get(name), name)
        self.assertEqual(total(ours, attempts, result="unschedulable", profile=OURS), total(theirs, attempts, result="unschedulable") - total(before, attempts, result="unschedulable"))
        self.assertGreaterEqual(total(ours, attempts, result="unschedulable"), 1)
        self.assertEqual(total(ours, "scheduler_scheduling_attempt_duration_seconds_count", result="scheduled"), 3)
        self.assertEqual(total(ours, "scheduler_pod_scheduling_attempts_sum"), 3)
        self.assertEqual(total(ours, "scheduler_pod_scheduling_sli_duration_seconds_count", attempts="1"), 3)
        self.assertEqual(total(ours, "scheduler_pending_pods"), 2)
        self.assertEqual(total(ours, "scheduler_pending_pods", queue="gated"), 1)
        self.assertEqual(total(ours, "scheduler_unschedulable_pods", plugin="SchedulingGates"), 1)
        self.assertEqual(total(ours, "scheduler_unschedulable_pods", plugin="NodeResourcesFit"), 1)
        self.assertEqual(total(ours, "scheduler_cache_size", type="nodes"), 2)
        self.assertEqual(total(ours, "scheduler_cache_size", type="pods"), 6)
        self.assertEqual(total(ours, "scheduler_queue_incoming_pods_total", event="UnscheduledPodAdd", queue="active"), 4)
        self.assertEqual(total(ours, "scheduler_queue_incoming_pods_total", event="UnscheduledPodAdd", queue="unschedulable"), 1)
        self.assertGreater(total(ours, "ksched_watch_objects", resource="pods"), 0)
        self.assertEqual(total(ours, "kubernetes_build_info", git_version="v1.37.2"), 1)
        # The same samples, but for what depends on time: each of ours that counted something is one of theirs.
        named = {(name, frozenset((key, THEIRS if value == OURS else value) for key, value in pairs)) for (name, pairs), value in ours.items() if value}
        foreign = sorted((name, sorted(pairs)) for name, pairs in named - set(theirs)
                         if name.startswith("scheduler_") and "incoming" not in name and not {"le", "event", "queue"} & {key for key, _ in pairs})
        self.assertEqual(foreign, [])
        self.plane.kubectl("delete", "namespace", self.space, "--wait=false")

    def test_a_changed_certificate_is_served(self):
        def certificate(name):
            subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}", "-addext",
                            "subjectAltName=IP:127.0.0.1", "-keyout", self.folder / f"{name}.key", "-out", self.folder / f"{name}.crt"],
                           check=True, capture_output=True)
            for end in ("crt", "key"):
                os.replace(self.folder / f"{name}.{end}", self.folder / f"tls.{end}")
            return self.write(f"{name}.ca", (self.folder / "tls.crt").read_text())

        first = certificate("first")
        runner, port = self.run_served("--tls-cert-file", "tls.crt", "--tls-private-key-file", "tls.key")
        self.assertEqual(self.ask(port, "/healthz", check=first)[2], "ok")
        second = certificate("second")
        runner.wait_for("a new certificate is served")
        self.assertEqual(self.ask(port, "/healthz", check=second)[2], "ok")
        with self.assertRaises(ssl.SSLError):
            self.ask(port, "/healthz", check=first)
        self.write("tls.key", "nonsense")
        runner.wait_for("the old certificate stays in use")
        self.assertEqual(self.ask(port, "/healthz", check=second)[2], "ok")

    def test_configuration(self):
        config = self.write("scheduler.yaml", "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
                            "percentageOfNodesToScore: 40\nclientConnection: {qps: 7.5}\nprofiles:\n- schedulerName: ksched\n"
                            "  pluginConfig:\n  - {name: InterPodAffinity, args: {hardPodAffinityWeight: 7}}\n")
        runner, port = self.run_served("--config", config)
        ours = json.loads(self.ask(port, "/configz", "token:test-token")[2])["componentconfig"]
        theirs = json.loads(self.ask(self.reference, "/configz", "token:test-token")[2])["componentconfig"]
        self.assertEqual(list(ours), list(theirs))
        self.assertEqual((ours["percentageOfNodesToScore"], ours["clientConnection"]["qps"], ours["profiles"][0]["schedulerName"]), (40, 7.5, "ksched"))
        self.assertEqual(list(ours["profiles"][0]["plugins"]), list(theirs["profiles"][0]["plugins"]))
        arguments = {one["name"]: one["args"] for one in ours["profiles"][0]["pluginConfig"]}
        self.assertEqual(arguments.pop("InterPodAffinity")["hardPodAffinityWeight"], 7)
        expected = {one["name"]: one["args"] for one in theirs["profiles"][0]["pluginConfig"]}
        self.assertEqual(arguments, {name: expected[name] for name in arguments})
        for given, written in ((config, "one.yaml"), (self.folder / "one.yaml", "two.yaml")):
            done = self.run_ksched("run", "--config", given, "--write-config-to", written, "--leader-elect=false")
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.folder / "one.yaml").read_text(), (self.folder / "two.yaml").read_text())
        self.assertEqual(yaml.safe_load((self.folder / "one.yaml").read_text())["profiles"], ours["profiles"])

    def test_flags_of_a_manifest_of_kube_scheduler(self):
        config = str(self.plane.folder / "scheduler.kubeconfig")
        runner, port = self.run_served("--kubeconfig", config, "--tls-min-version=VersionTLS12", "--profiling=false", "--v=2",
                                       "--tls-cipher-suites=TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
                                       "--feature-gates=kube:PodTopologyLabelsAdmission=true", "--emulated-version=1.37", "--vmodule=a=1",
                                       "--client-ca-file", str(self.pki / "ca.crt"), "--kube-api-qps=50", "--kube-api-burst=100",
                                       "--permit-port-sharing=true", "--http2-max-streams-per-connection=100", "--logging-format=json",
                                       "--requestheader-allowed-names=front-proxy-client", "--authentication-tolerate-lookup-failure=true",
                                       "--contention-profiling=false", "--kube-api-content-type=application/json",
                                       "--disabled-metrics=scheduler_pending_pods,scheduler_cache_size", "--scheduler-name=manifest")
        runner.wait_for("the cluster is known")
        self.assertEqual(self.ask(port, "/metrics", "admin")[0], 200)
        families, _ = self.metrics(port)
        self.assertIn("scheduler_queued_entities", families)
        self.assertFalse({"scheduler_pending_pods", "scheduler_cache_size"} & set(families))
        self.plane.create(self.pod("waits", "1", "manifest"))
        runner.wait_for("gets no node")
        lines = [json.loads(line) for line in runner.said().splitlines()]
        (line,) = [one for one in lines if one.get("pod")][:1]
        self.assertEqual((line["pod"], line["v"]), ({"name": "waits", "namespace": self.space}, 2))
        self.assertTrue(any("--vmodule is not heeded" in one["msg"] and one["level"] == "warning" for one in lines))
        for flag, why in (("--tls-sni-cert-key=a,b", "not there yet"), ("--emulated-version=1.35", "only version"), ("--secure-port=70000", "65535")):
            done = self.run_ksched("run", flag)
            self.assertEqual(done.returncode, 2)
            self.assertIn(why, done.stderr)
        self.plane.kubectl("delete", "namespace", self.space, "--wait=false")

    def test_who_leads_is_told(self):
        quick = ("--leader-elect-lease-duration", "6s", "--leader-elect-renew-deadline", "4s", "--leader-elect-retry-period", "500ms")
        first, port = self.run_served(*quick, elect=True, name="first")
        first.wait_for("leading")
        second, other = self.run_served(*quick, "-v", "1", elect=True, name="second")
        second.wait_for("the leader is ")
        master = ("leader_election_master_status", frozenset({("name", "kube-scheduler")}))
        self.until("the leader's word", lambda: self.metrics(port)[1].get(master) == 1, first)
        self.until("the other's word", lambda: self.metrics(other)[1].get(master) == 0, second)
        for one in (port, other):
            self.assertEqual(self.ask(one, "/healthz?verbose")[2], "[+]leaderElection ok\nhealthz check passed\n")
            self.assertEqual(self.ask(one, "/readyz?verbose")[2],
                             "[+]leaderElection ok\n[+]shutdown ok\n[+]sched-handler-sync ok\nreadyz check passed\n")
        self.assertEqual(second.stop(), 0)
        with self.assertRaises(OSError):
            self.ask(other, "/healthz")

    def test_an_api_server_that_hangs_keeps_no_probe_waiting(self):
        runner, port = self.run_served()
        runner.wait_for("the cluster is known")
        server = self.plane.process_of("kube-apiserver")
        os.kill(server, signal.SIGSTOP)
        try:
            with self.assertRaises(TimeoutError):
                self.ask(port, "/metrics", "token:other", timeout=1)
            began = time.monotonic()
            for path in ("/healthz", "/livez", "/readyz"):
                self.assertEqual(self.ask(port, path)[2], "ok")
            self.assertLess(time.monotonic() - began, 2)
        finally:
            os.kill(server, signal.SIGCONT)
        self.until("an answer again", lambda: self.ask(port, "/metrics", "token:test-token")[0] == 200, runner)

    def test_a_port_that_is_taken_is_an_error(self):
        done = self.run_ksched("run", "--bind-address", "127.0.0.1", "--secure-port", str(self.reference), config=self.config())
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"failed to listen on 127.0.0.1:{self.reference}", done.stderr)


if __name__ == "__main__":
    raise SystemExit("run.py runs this")
