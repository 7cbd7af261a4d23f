#!/usr/bin/env python3
"""Runs every test, stage by stage (./dev test), and ends with one line: N passed, N failed.

A stage that fails does not stop those after it, unless they need what it was to build. A stage whose output
tells of no test is a failure: nothing is skipped silently.
"""

import argparse
import dataclasses
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
PYTHON = sys.executable
STAGE_TIMEOUT_SECONDS = 45 * 60

# Stages that end with the name of a folder, and what later stages know it by.
FOLDERS = {"build control plane": "KUBE_BIN", "build oracle": "ORACLE_BIN", "fetch api testdata": "KSCHED_API_TESTDATA"}

# How the closing lines of ctest and of this project's own runners look.
CTEST_LINE = re.compile(r"^\d+% tests passed, (\d+) tests? failed out of (\d+)$")
OWN_LINE = re.compile(r"^[\w-]+: (\d+) passed, (\d+) failed$")
NOT_RUN = re.compile(r"\((Skipped|Not Run|Disabled)\)$")


@dataclasses.dataclass
class Stage:
    """A command; `needs` names stages that must have passed; a stage that only builds counts no tests."""

    name: str
    command: list
    needs: tuple = ()
    builds: bool = False
    passed: int = 0
    failed: int = 0
    seconds: float = 0.0
    output: str = ""


def ctest(preset, *arguments):
    return ["ctest", "--preset", preset, "--no-tests=error", *arguments]


def all_stages():
    """What CI runs, the quick and telling first."""
    release = ("build release",)
    return [
        Stage("build release", ["./dev", "build", "release"], builds=True),
        Stage("unit tests", ctest("release", "-LE", "lint|golden", "-E", "fuzz"), release),
        Stage("fuzz corpus", ctest("release", "-R", "fuzz"), release),
        Stage("golden scenarios", [PYTHON, "tests/conformance/golden.py"], release),
        Stage("fetch api testdata", ["./dev", "tools", "api-testdata"], builds=True),
        Stage("api testdata", ["build/release/src/api/api_testdata_test"], release + ("fetch api testdata",)),
        Stage("lint", ["./dev", "lint"]),
        Stage("build asan", ["./dev", "build", "asan"], builds=True),
        Stage("tests under sanitizers", ctest("asan", "-LE", "lint"), ("build asan",)),
        Stage("build oracle", ["./dev", "tools", "oracle"], builds=True),
        Stage("conformance", ["./dev", "conformance", "--check", "oracle,cache"], release + ("build oracle",)),
        Stage("webhook property", [PYTHON, "tests/conformance/webhook_property.py"], release + ("build oracle",)),
        Stage("build control plane", ["./dev", "tools", "kube"], builds=True),
        Stage("kubeconfig golden files", [PYTHON, "tests/e2e/kubeconfig_golden.py", "--check"], ("build control plane",)),
        Stage("build static", ["./dev", "release"], builds=True),
        Stage("end to end", [PYTHON, "tests/e2e/run.py", "--jobs", "2"], release + ("build control plane", "build oracle", "build static")),
    ]


def run(stage, done, environment):
    """Runs one stage, shows its output as it comes, and counts its tests."""
    print(f"\n==== {stage.name}", flush=True)
    missing = [name for name in stage.needs if done[name].failed]
    if missing:
        print(f"not run, since this failed: {', '.join(missing)}")
        stage.failed = 1
        return
    start = time.monotonic()
    status, lines = stream(stage.command, environment)
    stage.seconds = time.monotonic() - start
    stage.output = lines[-1] if lines else ""
    count(stage, status, lines)
    print(f"---- {stage.name}: {'failed' if stage.failed else 'ok'}, {stage.seconds:.0f} s", flush=True)


def stream(command, environment):
    """Runs a command in a process group of its own, which does not outlive this; returns its status and its lines."""
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
    previous = signal.signal(signal.SIGALRM, lambda *_: end_group(process))
    signal.alarm(STAGE_TIMEOUT_SECONDS)
    lines = []
    try:
        for line in process.stdout:
            sys.stdout.write(line)
            sys.stdout.flush()
            lines.append(line.rstrip("\n"))
        return process.wait(), lines
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)
        if process.poll() is None:
            end_group(process)


def end_group(process):
    """Asks a command and its children to end, so that they can clean up."""
    try:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(30)
    except ProcessLookupError:
        pass
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)


def count(stage, status, lines):
    """Reads how many tests passed and failed from what was printed; a failure that no line tells of counts as one."""
    if not stage.builds:
        for line in lines:
            if match := CTEST_LINE.match(line):
                stage.failed += int(match[1])
                stage.passed += int(match[2]) - int(match[1])
            elif match := OWN_LINE.match(line):
                stage.passed += int(match[1])
                stage.failed += int(match[2])
            elif NOT_RUN.search(line):
                print(f"a test was not run: {line.strip()}")
                stage.failed += 1
        if not stage.passed and not stage.failed:
            print("this stage ran no test")
            stage.failed = 1
    if status != 0 and not stage.failed:
        print(f"exit status {status}: {' '.join(map(str, stage.command))}")
        stage.failed = 1


def summarise(stages):
    print("\n==== summary")
    for stage in stages:
        counted = "" if stage.builds else f", {stage.passed} passed, {stage.failed} failed"
        print(f"  {'FAILED' if stage.failed else 'ok':7}{stage.name}{counted} ({stage.seconds:.0f} s)")
    print()
    print(f"{sum(s.passed for s in stages)} passed, {sum(s.failed for s in stages)} failed", flush=True)


def stop(number, _frame):
    sys.exit(128 + number)


def main():
    parser = argparse.ArgumentParser(prog="./dev test", description=__doc__)
    parser.add_argument("--only", help="stages to run, by parts of their names, with commas between; not what CI runs")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGHUP, stop)
    stages = all_stages()
    if options.only:
        parts = options.only.split(",")
        stages = [stage for stage in stages if any(part in stage.name for part in parts)]
        for stage in stages:
            stage.needs = tuple(name for name in stage.needs if name in {s.name for s in stages})
    environment = dict(os.environ, CTEST_OUTPUT_ON_FAILURE="1")
    done = {}
    for stage in stages:
        run(stage, done, environment)
        done[stage.name] = stage
        if stage.name in FOLDERS and not stage.failed:
            environment[FOLDERS[stage.name]] = stage.output
    summarise(stages)
    return 1 if not stages or any(stage.failed for stage in stages) else 0


if __name__ == "__main__":
    sys.exit(main())
