#!/usr/bin/env python3
"""Compares ksched with the oracle (the real kube-scheduler's code) on generated scenarios, field by field.

Without a choice of seeds and events: 40 seeds of each kind, the second half of them with 12 events. Exit status 1 if
any report differs; the folder of each such scenario is kept and named.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import pathlib
import shutil
import sys
import tempfile

import compare
import scenarios

ROOT = pathlib.Path(__file__).resolve().parents[2]


@dataclasses.dataclass
class Outcome:
    """What came of one scenario: cycles compared, and per check whether it passed and what to print if not."""

    name: str
    cycles: int = 0
    passed: int = 0
    failures: list = dataclasses.field(default_factory=list)


def parse_arguments():
    parser = argparse.ArgumentParser(prog="./dev conformance", description=__doc__)
    parser.add_argument("--kinds", help="kinds, with commas between them; by default " + ",".join(scenarios.KINDS))
    parser.add_argument("--seeds", help="seeds, as A-B or A")
    parser.add_argument("--events", type=int, help="how many changes of the cluster there are while it runs; 0 for none")
    parser.add_argument("--user-form", action="store_true", help="pods as a user writes them, without the API server's defaults")
    parser.add_argument("--long", action="store_true", help="1,000 seeds of each kind: 450 without events, 50 in user form, 300 with 12 events and 200 with 40")
    parser.add_argument("--dirs", nargs="+", default=[], help="scenarios in these folders (cluster.yaml, pods.yaml...) instead")
    parser.add_argument("--check", default="oracle", help="what to compare with: oracle, cache (ksched --no-cache), or oracle,cache")
    parser.add_argument("--no-cache", action="store_const", const="cache", dest="check", help="the same as --check cache")
    parser.add_argument("--jobs", type=int, default=2, help="how many scenarios at the same time")
    parser.add_argument("--work", help="where scenarios are written; by default a temporary folder")
    parser.add_argument("--keep", action="store_true", help="keep the folders of all scenarios, not only of those that differ")
    parser.add_argument("--ksched", default=str(ROOT / "build/release/kubectl-ksched"))
    parser.add_argument("--tools", required=True, help="the folder of the programs oracle and scenario")
    options = parser.parse_args()
    options.checks = options.check.split(",")
    if not set(options.checks) <= {"oracle", "cache"}:
        parser.error(f"--check: {options.check}")
    return options


def plan(options):
    """The scenarios to compare, in order."""
    if options.dirs:
        return [scenarios.Scenario(kind="", folder=str(pathlib.Path(d).resolve())) for d in options.dirs]
    kinds = options.kinds.split(",") if options.kinds else scenarios.KINDS
    if options.long:
        runs = [("1-450", 0, False), ("451-500", 0, True), ("501-800", 12, False), ("801-1000", 40, False)]
    elif options.seeds or options.events is not None or options.user_form:
        runs = [(options.seeds or "1-40", options.events or 0, options.user_form)]
    else:
        runs = [("1-20", 0, False), ("21-40", 12, False)]
    return [scenarios.Scenario(kind, seed, events, user) for seeds, events, user in runs
            for kind in kinds for seed in seed_range(seeds)]


def seed_range(text):
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def examine(scenario, options, work):
    """Makes one scenario, runs each check on it, and tells what came of it."""
    folder = work / scenario.name
    outcome = Outcome(scenario.name)
    try:
        prepare(scenario, options, folder)
        actual = scenarios.run_ksched(options.ksched, folder, folder / "ksched.json")
    except scenarios.RunFailed as failure:
        outcome.failures = [(check, [f"    {failure}"]) for check in options.checks]
        return outcome
    for check in options.checks:
        try:
            found = check_one(check, options, folder, actual, outcome)
            lines = compare.describe(found)
        except scenarios.RunFailed as failure:
            lines = [f"    {failure}"]
        if lines:
            outcome.failures.append((check, lines))
        else:
            outcome.passed += 1
    if not outcome.failures and not options.keep:
        shutil.rmtree(folder)
    return outcome


def prepare(scenario, options, folder):
    if scenario.folder:
        scenarios.copy_folder(pathlib.Path(scenario.folder), folder)
    else:
        scenarios.generate(scenario, f"{options.tools}/scenario", folder)


def check_one(check, options, folder, actual, outcome):
    """The differences between ksched's report and the oracle's, or its own without the cache."""
    if check == "oracle":
        expected = scenarios.run_oracle(f"{options.tools}/oracle", folder)
    else:
        expected = scenarios.run_ksched(options.ksched, folder, folder / "no-cache.json", extra=["--no-cache"])
    outcome.cycles += len(expected.get("cycles", []))
    return compare.differences(expected, actual)


def report_failures(outcome, work):
    for check, lines in outcome.failures:
        print(f"DIFFERENT {outcome.name} ({check}): {work / outcome.name}")
        print("\n".join(lines), flush=True)


def main():
    options = parse_arguments()
    work = pathlib.Path(options.work or tempfile.mkdtemp(prefix="ksched-conformance-"))
    work.mkdir(parents=True, exist_ok=True)
    todo = plan(options)
    totals = collections.Counter()
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        for outcome in pool.map(examine, todo, [options] * len(todo), [work] * len(todo), chunksize=4):
            report_failures(outcome, work)
            totals.update(passed=outcome.passed, failed=len(outcome.failures), cycles=outcome.cycles)
    kinds = {scenario.kind for scenario in todo}
    print(f"{len(kinds)} kinds, {len(todo)} scenarios, {totals['cycles']} cycles compared, {totals['failed']} differences")
    print(f"conformance: {totals['passed']} passed, {totals['failed']} failed")
    if not totals["failed"] and not options.keep and not options.work:
        shutil.rmtree(work)
    return 1 if totals["failed"] or not totals["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
