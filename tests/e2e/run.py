#!/usr/bin/env python3
"""End-to-end tests on real control planes: ./dev tools kube builds their programs (KUBE_BIN, or --programs).

usage: run.py [MODULE ...]    all modules when none is named
"""

import argparse
import concurrent.futures
import importlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]

# Each has test cases with the attributes `ksched` (the program), `programs` and `tools` (folders) and `long`, which are set here.
# Those that take longest come first: with --jobs they are begun in this order.
MODULES = ["storms", "rollouts", "decisions", "watching", "live_cycles", "default_profile", "binding", "live_scheduler", "serving", "live_faults",
           "webhook_reviews", "webhook_serving", "admission_equality", "connections", "reading", "webhook_manifests", "webhook_certificates", "static_binary"]
NEED_TOOLS = {"live_cycles"}
TOTAL = re.compile(r"^e2e: (\d+) passed, (\d+) failed\n", re.MULTILINE)


def stop(number, _frame):
    raise KeyboardInterrupt(f"signal {number}")  # the only one that unittest lets through


def load(names, options):
    """The tests of the modules, told where the programs are."""
    suite = unittest.TestSuite()
    for name in names:
        module = importlib.import_module(name)
        for case in vars(module).values():
            if isinstance(case, type) and issubclass(case, unittest.TestCase):
                case.ksched, case.programs, case.tools = options.ksched, pathlib.Path(options.programs), pathlib.Path(options.tools or "")
                case.long = options.long
        suite.addTests(unittest.defaultTestLoader.loadTestsFromModule(module))
    return suite


def run_here(names, options):
    """How many tests passed and failed."""
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(load(names, options))
    broken = {str(test).split(" ", 1)[0] for test, _ in result.failures + result.errors}
    failed = min(result.testsRun, len(broken)) or (0 if result.wasSuccessful() and result.testsRun else 1)
    return max(0, result.testsRun - failed), failed


class Apart:
    """Runs modules in processes of their own."""

    def __init__(self, options):
        self.running, self.stopped = [], False
        self.command = [sys.executable, __file__, "--programs", options.programs, "--ksched", options.ksched]
        self.command += ["--tools", options.tools] if options.tools else []
        self.command += ["--long"] if options.long else []

    def run(self, name):
        if self.stopped:
            return 0, 0
        start = time.monotonic()
        with subprocess.Popen([*self.command, name], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
            self.running.append(process)
            said = process.stdout.read()
        counted = TOTAL.search(said)
        print(f"---- {name}, {time.monotonic() - start:.0f} s\n{TOTAL.sub('', said)}", end="", flush=True)
        passed, failed = map(int, counted.groups()) if counted else (0, 0)
        return passed, failed if process.returncode == 0 or failed else 1

    def run_all(self, names, jobs):
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            try:
                counts = list(pool.map(self.run, names))
            except KeyboardInterrupt:
                self.stop()
                raise
        return tuple(map(sum, zip(*counts)))

    def stop(self):
        self.stopped = True
        for process in self.running:
            if process.poll() is None:
                process.terminate()


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modules", nargs="*", metavar="MODULE", help=f"of {', '.join(MODULES)}")
    parser.add_argument("--programs", default=os.environ.get("KUBE_BIN"), help="the folder with kube-apiserver and the others")
    parser.add_argument("--tools", default=os.environ.get("ORACLE_BIN"), help="the folder with the oracle and its generator")
    parser.add_argument("--long", action="store_true", help="live_cycles and live_faults at their full length: half an hour")
    parser.add_argument("--jobs", type=int, default=1, help="modules at a time, each with control planes of its own")
    parser.add_argument("--ksched", default=str(ROOT / "build/release/kubectl-ksched"))
    options = parser.parse_args()
    options.modules = options.modules or MODULES
    if unknown := set(options.modules) - set(MODULES):
        parser.error(f"there is no module {', '.join(sorted(unknown))}")
    if not options.programs:
        parser.error("set KUBE_BIN or --programs: ./dev tools kube prints it")
    if NEED_TOOLS & set(options.modules) and not options.tools:
        parser.error("set ORACLE_BIN or --tools: ./dev tools oracle prints it")
    if not os.access(options.ksched, os.X_OK):
        parser.error(f"{options.ksched} is not there: ./dev build")
    return options


def main():
    options = parse_arguments()
    # What is started in the background inherits that SIGINT is ignored, and so would the commands that tests interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    if options.jobs > 1:
        passed, failed = Apart(options).run_all(options.modules, options.jobs)
    else:
        passed, failed = run_here(options.modules, options)
    print(f"e2e: {passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
