"""A watched cluster stays true, whatever the API server and what is before it do; answers that are printed again; recordings."""

import gzip
import json
import pathlib
import signal
import subprocess
import time

from chaos_proxy import ChaosProxy
from control_plane import ControlPlane
from live import Live, Relayed
from objects import node, pod
from pod_by_pod import scheduler_config
from probe import Probe, replay
from relay import Repeats, closed_port
from storm import Storm

SEED = 6
OPERATIONS, RESTARTS = 10_000, 20
FREEZES = (4, 11)  # before these restarts
# One after the other; etcd forgets the past in between.
KILLED = [("etcd",), ("etcd", "kube-apiserver")]


class InAStorm(Relayed):
    """A control plane on which nobody changes anything but the storm."""

    @classmethod
    def setUpClass(cls):
        cls.plane = ControlPlane(cls.programs, nodes=0, scheduler_config=None, controllers=False)
        cls.plane.__enter__()
        cls.addClassCleanup(cls.plane.stop)

    def probe(self, server, *flags, user=None, name="config"):
        made = Probe(self.ksched, *flags, environment=self.surroundings(self.config(user, server=server, name=name)))
        self.addCleanup(made.__exit__)
        made.ask("synced")
        return made

    def true(self, probe):
        """What it knows is what the API server has, and it told everything once; its last numbers are returned."""
        checked, stats = probe.ask("check"), probe.ask("stats")
        self.assertEqual((checked["differences"], checked["first"]), (0, []))
        self.assertEqual((stats["faults"], stats["firstFaults"]), (0, []))
        self.assertGreater(checked["objects"], 0)
        return checked, stats

    def test_events_that_come_twice(self):
        repeats = Repeats(SEED)
        probe = self.probe(self.relay(repeats=repeats).url)
        with Storm(self.plane.folder, 600, SEED) as storm:
            storm.join()
        self.true(probe)
        self.assertGreater(repeats.count, 100)
        self.assertGreater(probe.repeats(), 0)
        probe.stop()

    def test_servers_are_killed_and_connections_break(self):
        recording = self.folder / "storm.json.gz"
        proxy = ChaosProxy(self.target, SEED)
        self.addCleanup(proxy.__exit__)
        probe = self.probe(proxy.url, "--record", recording)
        proxy.storm()
        with Storm(self.plane.folder, OPERATIONS, SEED) as storm:
            compactions = self.torment(storm, proxy)
            storm.join()
        proxy.calm()
        self.plane.wait("the frozen connections to be given up", lambda: self.noticed(probe) >= proxy.counts["freezes"])
        checked, stats = self.true(probe)
        print(f"\n  {storm.summary()}, {RESTARTS} restarts, {compactions} compactions; {proxy.summary()};\n  {self.noticed(probe)} noticed freezes, "
              f"{stats['events']} events, {stats['lists']} lists, {stats['relists']} of them again, {stats['watches']} watches, "
              f"{checked['objects']} objects compared, {checked['differences']} differences, {stats['faults']} told twice", flush=True)
        self.assertEqual(storm.done, OPERATIONS)
        self.assertGreater(stats["relists"], 0)
        for what in ("cuts", "freezes", "refusals"):
            self.assertGreater(proxy.counts[what], 0, what)
        digest = probe.ask("digest")["digest"]
        probe.stop()
        self.assertEqual(replay(self.ksched, recording)["digest"], digest)

    @staticmethod
    def noticed(probe):
        """How often it gave up a connection or a watch on which nothing came."""
        stats = probe.ask("stats")
        return stats["drops"] + stats["stalls"]

    def torment(self, storm, proxy):
        """Spreads restarts over the storm; each begins when the servers have been back for some operations. Returns how often etcd was compacted."""
        compactions = 0
        for number in range(RESTARTS):
            self.plane.wait("the storm", lambda n=number: storm.done >= OPERATIONS * (n + 1) / (RESTARTS + 2) or not storm.running, pause=0.05)
            if number in FREEZES:
                self.plane.wait("a connection in use", lambda: proxy.freeze() or not storm.running, pause=0.05)
            elif number % 3 == 0:
                proxy.refuse(1.5)
            compactions += self.restart(KILLED[number % len(KILLED)])
        return compactions

    def restart(self, names):
        commands = {name: self.plane.kill(name) for name in reversed(names)}
        for name in names:
            self.plane.start_again(name, commands[name])
            if name == "etcd":
                self.plane.wait("etcd", self.compacted, seconds=60)
        return names.count("etcd")

    def compacted(self):
        try:
            self.plane.compact()
            return True
        except OSError:
            return False

    def test_tokens_that_expire(self):
        """A token file and an exec plugin, whose tokens are not valid any more when the API server comes back."""
        token, tokens = self.write("token", "first"), self.pki / "tokens.csv"
        plugin = self.write("plugin", "#!/bin/sh\nprintf '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\",\"status\":"
                                      f"{{\"token\":\"%s\"}}}}' \"$(cat {token})\"\n")
        plugin.chmod(0o755)
        before = tokens.read_text()
        self.addCleanup(tokens.write_text, before)
        self.restart_with(tokens, before + 'first,storm,storm,"system:masters"\n')
        users = [{"tokenFile": str(token)},
                 {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": str(plugin), "interactiveMode": "Never"}}]
        probes = [self.probe(None, user=user, name=f"config-{number}") for number, user in enumerate(users)]
        self.write("new-token", "second").rename(token)
        self.restart_with(tokens, before + 'second,storm,storm,"system:masters"\n')
        with self.assertRaisesRegex(RuntimeError, "Unauthorized|must be logged in"):
            self.plane.kubectl("--kubeconfig", str(self.config({"token": "first"}, name="old")), "get", "--raw", "/api")
        known = [probe.ask("stats")["pods"] for probe in probes]
        self.plane.create(*(pod(f"with-the-second-token-{number}") for number in range(3)))
        for probe, count in zip(probes, known):
            self.plane.wait("the new pods", lambda p=probe, c=count: p.ask("stats")["pods"] == c + 3, seconds=60)
            self.true(probe)
            probe.stop()

    def restart_with(self, tokens, text):
        command = self.plane.kill("kube-apiserver")
        tokens.write_text(text)
        self.plane.start_again("kube-apiserver", command)
        self.plane.wait_until_ready()


class Running:
    """A `simulate --watch` that goes on: what it has printed so far."""

    def __init__(self, test, *arguments, config):
        self.out, self.err = test.folder / "watch.out", test.folder / "watch.err"
        with open(self.out, "wb") as out, open(self.err, "wb") as err:
            command = [test.ksched, "simulate", "--watch", *map(str, arguments)]
            self.process = subprocess.Popen(command, env=test.surroundings(config), cwd=test.folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        test.addCleanup(self.end)

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def interrupt(self):
        """As Ctrl-C; the status that it ends with."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(30)

    def said(self):
        return self.err.read_text()

    def answers(self):
        """The complete documents in JSON."""
        text, decoder, found, at = self.out.read_text(), json.JSONDecoder(), [], 0
        while (at := skip_space(text, at)) < len(text):
            try:
                one, at = decoder.raw_decode(text, at)
            except json.JSONDecodeError:  # it is being written
                break
            found.append(one)
        return found

    def last(self):
        """By pod what has become of it, in the last answer; None: there is none yet."""
        answers = self.answers()
        return {one["name"]: one["result"] for one in answers[-1]["pods"]} if answers else None


def skip_space(text, at):
    while at < len(text) and text[at].isspace():
        at += 1
    return at


class Answers(Live):
    """simulate --watch beside the real kube-scheduler."""

    @classmethod
    def setUpClass(cls):
        cls.plane = ControlPlane(cls.programs, nodes=2, scheduler_config=scheduler_config())
        cls.plane.__enter__()
        cls.addClassCleanup(cls.plane.stop)

    def until(self, running, what, condition, seconds=60):
        try:
            self.plane.wait(what, condition, seconds)
        except RuntimeError:
            self.fail(f"waited in vain for {what}; it said:\n{running.said()}\nand its last answer was {running.last()}")

    def large_node(self):
        self.plane.create(node("large-node", "200", "64Gi"))

    def test_an_answer_that_changes_is_printed_again(self):
        self.plane.create(pod("another", nodeName="node-0"))
        self.plane.wait("it to run", lambda: self.plane.kubectl("get", "pod", "another", "-o", "jsonpath={.status.phase}") == "Running")
        config, manifest = self.config(), self.manifest(pod("wide", cpu="100"))
        running = Running(self, "-f", manifest, "--pending", "ignore", "-o", "json", config=config)
        self.until(running, "the first answer", lambda: running.last() == {"wide": "Unschedulable"})
        self.large_node()
        self.until(running, "a place on the new node", lambda: running.last() == {"wide": "Scheduled"})
        self.quiet(running, lambda: self.plane.kubectl("label", "pod", "another", "colour=blue"))
        self.restart_api_server(running)
        self.plane.kubectl("delete", "node", "large-node")
        self.until(running, "an answer without the node", lambda: running.last() == {"wide": "Unschedulable"})
        self.assertIn("after ", running.said())
        self.assertEqual(running.interrupt(), -signal.SIGINT)

    def quiet(self, running, change):
        """The change changes no answer: nothing is printed."""
        before, same_since = None, time.monotonic()
        while time.monotonic() - same_since < 2:  # until the last answer about what was before has come
            if before != (before := (running.out.read_text(), running.said())):
                same_since = time.monotonic()
            time.sleep(0.2)
        change()
        time.sleep(4)
        self.assertEqual((running.out.read_text(), running.said()), before)

    def restart_api_server(self, running):
        command = self.plane.kill("kube-apiserver")
        try:
            self.until(running, "a word of the lost connection", lambda: ": trying again" in running.said())
        finally:
            self.plane.start_again("kube-apiserver", command)
        self.plane.wait_until_ready()
        self.until(running, "a word of the watch", lambda: "pods: watched again" in running.said(), seconds=120)

    def test_formats_for_people(self):
        running = Running(self, "-f", self.manifest(pod("fits")), "--pending", "ignore", config=self.config())
        self.until(running, "a table", lambda: "Scheduled" in running.out.read_text())
        self.assertEqual(running.interrupt(), -signal.SIGINT)

    def test_a_server_that_is_away_at_the_start(self):
        config = self.config(server=f"https://127.0.0.1:{closed_port()}")
        self.one_error(self.run_ksched("simulate", "--watch", "-f", self.manifest(), config=config))

    def test_a_recording_is_played_again(self):
        recording = self.record()
        done = self.run_ksched("simulate", "--replay", recording, "-o", "json")
        self.assertEqual(done.returncode, 1, done.stderr)
        pods = {one["name"]: one for one in json.loads(done.stdout)["pods"]}
        self.assertEqual({name: one["result"] for name, one in pods.items()},
                         {**{f"fits-{number}": "Scheduled" for number in range(4)}, "wide": "Unschedulable"})
        for number in range(4):
            self.assertIn(pods[f"fits-{number}"]["node"], ("node-0", "node-1"))
        self.cut_in_the_middle(recording)
        self.no_recording()

    def record(self):
        """Four pods are placed by the real kube-scheduler meanwhile, and one is not."""
        recording = self.folder / "night.json.gz"
        running = Running(self, "--record", recording, "-o", "json", config=self.config())
        self.until(running, "the first answer", lambda: running.last() is not None)
        fits = [f"fits-{number}" for number in range(4)]
        self.plane.create(*(pod(name, cpu="500m") for name in fits), pod("wide", cpu="100"))
        self.addCleanup(self.plane.kubectl, "delete", "pods", "--wait=false", "wide", *fits)
        self.plane.wait("their nodes", lambda: all(one["spec"].get("nodeName") for one in self.plane.get("pods", "-l", "app!=wide")))
        self.until(running, "an answer about the pod that waits", lambda: running.last() == {"wide": "Unschedulable"})
        self.assertEqual(running.interrupt(), -signal.SIGINT)
        self.assertRegex(running.said(), r"night\.json\.gz: \d+ events\n")
        return recording

    def cut_in_the_middle(self, recording):
        whole = recording.read_bytes()
        plain = gzip.decompress(whole)
        for name, content in (("cut.json.gz", whole[:len(whole) * 2 // 3]), ("cut.json", plain[:len(plain) * 2 // 3])):
            with self.subTest(name):
                path = self.folder / name
                path.write_bytes(content)
                done = self.run_ksched("simulate", "--replay", path, "-f", self.manifest(), "-o", "json")
                self.assertIn(done.returncode, (0, 1), done.stderr)
                self.assertRegex(done.stderr, r"warning: the recording is read up to its event \d+: ")

    def no_recording(self):
        for name, content in (("words", "no recording"), ("report.json", '{"pods": []}\n'), ("absent", None)):
            with self.subTest(name):
                path = self.write(name, content) if content else pathlib.Path("nowhere")
                done = self.run_ksched("simulate", "--replay", path)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertIn("error: ", done.stderr)
