"""Answers that are printed again when the cluster changes; recordings of it that are played again."""

import copy
import gzip
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

from control_plane import ControlPlane
from live import Live
from objects import node, pod
from pod_by_pod import scheduler_config
from relay import closed_port
from scripted_api import KINDS, ScriptedApi, a_node, an_object


class Running:
    """A `simulate --watch` that goes on: what it has printed so far."""

    def __init__(self, test, *arguments, config, stdout=None):
        self.out, self.err = test.folder / "watch.out", test.folder / "watch.err"
        with open(self.out, "wb") as out, open(self.err, "wb") as err:
            command = [test.ksched, "simulate", "--watch", *map(str, arguments)]
            self.process = subprocess.Popen(command, env=test.surroundings(config), cwd=test.folder, stdin=subprocess.DEVNULL,
                                            stdout=out if stdout is None else stdout, stderr=err)
        test.addCleanup(self.end)

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def interrupt(self, number=signal.SIGINT, seconds=30):
        """As Ctrl-C; the status that it ends with."""
        self.process.send_signal(number)
        return self.process.wait(seconds)

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
        cls.plane = ControlPlane.of_class(cls, nodes=2, scheduler_config=scheduler_config())

    def until(self, running, what, condition, seconds=60):
        try:
            self.plane.wait(what, condition, seconds)
        except RuntimeError:
            self.fail(f"waited in vain for {what}; it said:\n{running.said()}\nand its last answer was {running.last()}")

    def test_a_workload_that_is_there_already(self):
        container = {"name": "c", "image": "registry.example/one", "resources": {"requests": {"cpu": "10m"}}}
        made = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "shop", "namespace": "default"},
                "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "shop"}},
                         "template": {"metadata": {"labels": {"app": "shop"}}, "spec": {"containers": [container]}}}}
        self.plane.create(made)
        self.addCleanup(self.plane.kubectl, "delete", "deployment", "--wait=false", "shop")
        self.plane.wait("its pods", lambda: len(self.plane.get("pods", "-l", "app=shop")) == 2)
        other = copy.deepcopy(made)
        other["spec"]["template"]["spec"]["containers"][0]["image"] = "registry.example/two"
        running = Running(self, "-f", self.manifest(other), "--pending", "ignore", config=self.config())
        self.until(running, "the rollout", lambda: "Deployment default/shop: rollout" in running.out.read_text(), seconds=20)
        self.assertEqual(running.interrupt(), -signal.SIGINT)

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


class Faults(Live):
    """simulate --watch on an API server that is made up, and does what a real one does when it is in trouble."""

    def setUp(self):
        self.folder = self.pki = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.api = ScriptedApi()
        self.addCleanup(self.api.__exit__)

    def start(self, *arguments, answers=True, **how):
        """With a first answer, unless there is none."""
        running = Running(self, *arguments, config=self.config(user={}, server=self.api.url, certificate_authority=None), **how)
        if answers:
            self.until(running, "the first answer", lambda: running.out.read_text())
        return running

    def until(self, running, what, condition, seconds=20):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                self.fail(f"waited in vain for {what}; it said:\n{running.said()}\nand printed:\n{running.out.read_text()}")
            time.sleep(0.05)

    def says(self, running, text, seconds=20):
        self.until(running, text, lambda: text in running.said(), seconds)

    def interrupted_at_once(self, running, number=signal.SIGINT):
        self.assertEqual(running.interrupt(number, seconds=3), -number)

    def test_signals_while_an_answer_is_waited_for(self):
        for path in ("/version", "/api/v1/pods"):
            for number in (signal.SIGINT, signal.SIGTERM):
                with self.subTest(path, signal=number):
                    asked = len(self.api.seen)
                    self.api.rule = lambda _handler, asked_for, _query, path=path: asked_for == path and self.api.hang()
                    running = self.start(answers=False)
                    self.until(running, "its request", lambda asked=asked, path=path: any(one.startswith(path) for one in self.api.seen[asked:]))
                    self.interrupted_at_once(running, number)
                    self.assertEqual((running.out.read_text(), running.said()), ("", ""))

    def dry_runs(self, handler, path, _query):
        """How the API server answers dry runs is in `self.how`."""
        if handler.command != "POST":
            return False
        self.asked += 1
        if self.how == "hang":
            return self.api.hang()
        if self.how == "fail":
            return self.api.refuse(handler, 500, "InternalError", "the webhook is away")
        return self.api.send(handler, 201, json.loads(handler.given))

    def test_an_answer_that_fails_is_tried_again(self):
        self.how, self.asked, self.api.rule = "answer", 0, self.dry_runs
        running = self.start("-f", self.manifest(), "--admission", "server", "--pending", "ignore", "-o", "yaml")
        first = running.out.read_text()
        self.how = "fail"
        self.api.put_node("3")
        self.says(running, "error: Error from server (InternalError): the webhook is away")
        self.how = "answer"  # and nothing changes
        self.says(running, "asked again\nthe answer is the one of before\n")
        self.assertEqual(running.out.read_text(), first)
        self.how, self.asked = "hang", 0
        self.api.put_node("4")
        self.until(running, "a dry run", lambda: self.asked)
        self.interrupted_at_once(running)
        self.assertEqual(running.said().count("error: "), 1)

    def test_a_kind_that_becomes_forbidden(self):
        forbidden = []
        self.api.rule = lambda handler, path, _query: path == "/api/v1/pods" and forbidden and self.api.refuse(handler, 403, "Forbidden", "pods is forbidden")
        running = self.start("-o", "json")
        forbidden.append(True)
        self.api.end_watches("pods")
        self.says(running, "pods is forbidden")
        self.assertRegex(running.said(), r"warning: pods: .* pods is forbidden .*: trying again, and going on with what was there before\n$")
        self.api.put_node("0")
        self.until(running, "an answer meanwhile", lambda: running.last() == {"waits": "Unschedulable"})
        forbidden.clear()
        self.says(running, "pods: watched again\n", seconds=60)
        self.interrupted_at_once(running)

    def test_nothing_is_there_for_a_moment(self):
        away = []
        self.api.rule = lambda handler, path, _query: path != "/version" and away and self.api.send(handler, 404, b"default backend - 404", "text/plain")
        running = self.start("-o", "json")
        time.sleep(1.5)  # a watch that ends younger is taken for broken, and is waited for
        away.append(True)
        self.api.end_watches(*KINDS)
        time.sleep(6)
        away.clear()
        self.until(running, "all kinds", lambda: running.said().count("watched again\n") == len(KINDS), seconds=60)
        self.assertEqual(len(running.answers()), 1)
        self.assertNotRegex(running.said(), "error: |count as gone")
        self.interrupted_at_once(running)

    def test_errors_in_a_watch_that_only_a_new_list_passes(self):
        gone = self.api.version
        broken = {"type": "ERROR", "object": {"kind": "Status", "apiVersion": "v1", "message": "cannot decode", "reason": "InternalError", "code": 500}}

        def rule(handler, path, query):
            if path != "/api/v1/nodes" or query.get("resourceVersion") != str(gone) or self.api.version == gone:
                return False
            self.api.begin(handler)
            self.api.piece(handler, broken)
            self.api.piece(handler, b"")
            return True

        self.api.rule = rule
        running = self.start("-o", "json")
        self.api.version, self.api.objects["nodes"] = 200, [a_node("n", 150, "0")]
        self.api.tell("nodes", broken)
        self.api.end_watches("nodes")
        self.until(running, "what the new list says", lambda: running.last() == {"waits": "Unschedulable"}, seconds=40)
        self.interrupted_at_once(running)

    def test_objects_that_cannot_be_read(self):
        running = self.start("-o", "json", "--record", "night.json")
        self.api.say("nodes", "MODIFIED", a_node("n", 101, "many"))
        self.says(running, "error: the cluster's nodes: Node n: status.allocatable[cpu]: ")
        self.assertRegex(running.said(), r"warning: nodes: Node n: status.allocatable\[cpu\]: .*: this is not recorded\n")
        self.api.say("nodes", "MODIFIED", a_node("n", 102, "4"))
        self.says(running, "the answer is the one of before")
        self.api.say("pods", "ADDED", {"apiVersion": "v1", "kind": "Pod", "metadata": {"resourceVersion": "103"}})
        self.says(running, "warning: pods: the server sent an object without a name")
        self.assertEqual(len(running.answers()), 1)
        self.interrupted_at_once(running)
        self.api.objects["nodes"] = [a_node("n", 101, "many")]
        done = self.run_ksched("simulate", "--watch", "--server", self.api.url)
        self.assertEqual(self.one_error(done), self.one_error(self.run_ksched("simulate", "--server", self.api.url)))

    def test_standard_output_that_nobody_takes(self):
        with open("/dev/full", "wb") as full:
            running = self.start(answers=False, stdout=full)
        self.assertEqual(running.process.wait(10), 2)
        self.assertEqual(running.said(), "error: writing to standard output failed\n")
        reader, writer = os.pipe()
        running = self.start("--record", "night.json.gz", answers=False, stdout=writer)
        os.close(writer)
        self.assertTrue(os.read(reader, 1))
        os.close(reader)
        for cpu in ("0", "4"):  # the first may have come before
            self.api.put_node(cpu)
            time.sleep(1)
        self.assertEqual(running.process.wait(10), 2)
        self.assertRegex(running.said(), r"night.json.gz: \d+ events\nerror: writing to standard output failed\n$")
        self.assertEqual(self.run_ksched("simulate", "--replay", "night.json.gz").returncode, 0)

    def test_what_is_recorded_onto(self):
        kept = self.write("night.json", "what was recorded last night\n")
        manifest = self.manifest()
        for what, arguments, status in (("no cluster", ["--server", f"http://127.0.0.1:{closed_port()}", "--record", kept], 3),
                                        ("an input", ["--server", self.api.url, "-f", manifest, "--record", self.folder / "home/../manifest.json"], 2),
                                        ("a folder that is read", ["--server", self.api.url, "-f", self.folder, "--record", "new.json"], 2)):
            with self.subTest(what):
                before = manifest.read_text()
                self.one_error(self.run_ksched("simulate", "--watch", *arguments), status)
                self.assertEqual((kept.read_text(), manifest.read_text()), ("what was recorded last night\n", before))
                self.assertFalse((self.folder / "new.json").exists())

    def test_a_recording_is_one_from_the_first_answer_on(self):
        running = self.start("--record", "night.json")
        running.process.kill()
        running.process.wait()
        self.assertEqual(self.run_ksched("simulate", "--replay", "night.json").returncode, 0)
        self.api.rule = lambda _handler, path, _query: path == "/api/v1/pods" and self.api.hang()
        running = self.start("--record", "night.json", answers=False)
        self.says(running, "still waiting for the lists of pods\n")
        self.interrupted_at_once(running)
        self.assertIn("warning: night.json: this is no recording that could be used: ", running.said())
        done = self.run_ksched("simulate", "--replay", "night.json")
        self.assertIn("error: night.json: the recording ends before the cluster had been read", done.stderr)

    def test_streamed_lists_that_do_not_end(self):
        def rule(handler, path, query):
            if path != "/api/v1/nodes" or "sendInitialEvents" not in query:
                return False
            self.api.begin(handler)
            while not self.api.stopped.wait(1):
                self.api.piece(handler, {"type": "BOOKMARK", "object": an_object("nodes", "", 100)})
            return True

        self.api.rule = rule
        # The other kinds are refused it, and so it is asked for at most once; which kind is first is not known.
        running = self.start(answers=False)
        self.says(running, "still waiting for the lists of nodes\n")
        self.until(running, "the list in pages", lambda: running.out.read_text(), seconds=80)
        self.interrupted_at_once(running)

    def test_who_schedules(self):
        running = self.start("-v")
        self.assertRegex(running.said(), r"^kubectl-ksched .*\nkube-scheduler: .*\n$")
        self.interrupted_at_once(running)
