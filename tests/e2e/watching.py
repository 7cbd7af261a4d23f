"""Answers that are printed again when the cluster changes; recordings of it that are played again."""

import gzip
import json
import pathlib
import signal
import subprocess
import time

from control_plane import ControlPlane
from live import Live
from objects import node, pod
from pod_by_pod import scheduler_config
from relay import closed_port


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
