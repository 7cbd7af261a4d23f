"""watch_probe, which follows a cluster as a scheduler would: asked on standard input, it answers in JSON."""

import json
import os
import pathlib
import queue
import subprocess
import threading


def program(ksched):
    """It is built beside kubectl-ksched; WATCH_PROBE names another."""
    return pathlib.Path(os.environ.get("WATCH_PROBE") or pathlib.Path(ksched).resolve().parent / "tests/e2e/watch_probe")


class Probe:
    """A running one; `arguments` are flags of it and of the connection."""

    def __init__(self, ksched, *arguments, environment=None):
        self.process = subprocess.Popen([program(ksched), *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env=environment)
        self.answers = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdin.close()

    @property
    def pid(self):
        return self.process.pid

    def read(self):
        with self.process.stdout as lines:
            for line in lines:
                self.answers.put(line)
        self.answers.put(None)

    def ask(self, command, seconds=150):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        answer = self.answers.get(timeout=seconds)
        if answer is None:
            raise RuntimeError(f"watch_probe ended with status {self.process.wait()} when it was asked: {command}")
        return json.loads(answer)

    def stop(self, seconds=60):
        """Asks it to end, so that what it records is complete."""
        self.process.stdin.write("stop\n")
        self.process.stdin.flush()
        if self.process.wait(seconds) != 0:
            raise RuntimeError(f"watch_probe ended with status {self.process.returncode}")

    def repeats(self):
        """What came twice, and was told once."""
        return sum(one["repeats"] for one in self.ask("stats")["kinds"].values())


def replay(ksched, recording):
    """What the probe makes of a recording."""
    done = subprocess.run([program(ksched), "--replay", recording], capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"watch_probe --replay: status {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)
