#!/usr/bin/env python3
"""End-to-end tests on real control planes: ./dev tools kube builds their programs (KUBE_BIN, or --programs).

usage: run.py [MODULE ...]    all modules when none is named
"""

import argparse
import importlib
import os
import pathlib
import signal
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]

# Each has test cases with the attributes `ksched` (the program) and `programs` (a folder), which are set here.
MODULES = ["decisions", "default_profile", "connections", "reading", "static_binary", "rollouts", "admission_equality",
           "watching", "storms", "live_scheduler", "live_cycles", "live_faults", "serving"]


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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modules", nargs="*", metavar="MODULE", help=f"of {', '.join(MODULES)}")
    parser.add_argument("--programs", default=os.environ.get("KUBE_BIN"), help="the folder with kube-apiserver and the others")
    parser.add_argument("--tools", default=os.environ.get("ORACLE_BIN"), help="the folder with the oracle and its generator")
    parser.add_argument("--long", action="store_true", help="live_cycles and live_faults at their full length: 20 minutes")
    parser.add_argument("--ksched", default=str(ROOT / "build/release/kubectl-ksched"))
    options = parser.parse_args()
    if unknown := set(options.modules) - set(MODULES):
        parser.error(f"there is no module {', '.join(sorted(unknown))}")
    if not options.programs:
        parser.error("set KUBE_BIN or --programs: ./dev tools kube prints it")
    if "live_cycles" in (options.modules or MODULES) and not options.tools:
        parser.error("set ORACLE_BIN or --tools: ./dev tools oracle prints it")
    if not os.access(options.ksched, os.X_OK):
        parser.error(f"{options.ksched} is not there: ./dev build")
    # What is started in the background inherits that SIGINT is ignored, and so would the commands that tests interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(load(options.modules or MODULES, options))
    broken = {str(test).split(" ", 1)[0] for test, _ in result.failures + result.errors}
    failed = min(result.testsRun, len(broken)) or (0 if result.wasSuccessful() else 1)
    print(f"e2e: {result.testsRun - failed if result.testsRun else 0} passed, {failed} failed")
    return 0 if result.wasSuccessful() and result.testsRun else 1


if __name__ == "__main__":
    sys.exit(main())
