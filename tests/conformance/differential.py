#!/usr/bin/env python3
"""Differential fuzzing: generated scenarios are changed at random and given to the oracle and to ksched; their reports must agree.

A scenario that either side refuses (or that the oracle cannot run) is counted and left out. Each difference is kept as a
folder with the scenario, both reports and what was changed. Exit status 1 if there was one.
"""

import argparse
import collections
import concurrent.futures
import pathlib
import random
import shutil
import sys
import tempfile
import time

import yaml

import compare
import mutate
import scenarios

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = ("cluster.yaml", "pods.yaml", "events.yaml")
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
KINDS = [kind for kind in scenarios.KINDS if kind != "large"]


class TextLoader(LOADER):
    """Times stay texts."""


TextLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in LOADER.yaml_implicit_resolvers.items()
}


def parse_arguments():
    parser = argparse.ArgumentParser(prog="tests/conformance/differential.py", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600, help="how long to go on (600)")
    parser.add_argument("--seed", type=int, help="of the first run; by default the time")
    parser.add_argument("--kinds", help="kinds, with commas between them; by default all but large")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", default=str(ROOT / "build/differential"), help="where differences are kept")
    parser.add_argument("--ksched", default=str(ROOT / "build/release/kubectl-ksched"))
    parser.add_argument("--tools", required=True, help="the folder of the programs oracle and scenario")
    return parser.parse_args()


def one_run(seed, options):
    """What came of one changed scenario: equal, refused, failed or DIFFERENT; and the lines to print."""
    rng = random.Random(seed)
    kinds = options.kinds.split(",") if options.kinds else KINDS
    scenario = scenarios.Scenario(rng.choice(kinds), rng.randrange(1, 100_000), rng.choice([0, 0, 8, 20]))
    folder = pathlib.Path(options.keep) / f"{scenario.name}-{seed}"
    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(temporary)
        try:
            scenarios.generate(scenario, f"{options.tools}/scenario", work)
            changes = change(rng, work)
            expected = scenarios.run_oracle(f"{options.tools}/oracle", work)
        except scenarios.RunFailed:
            return "refused", []
        try:
            actual = scenarios.run_ksched(options.ksched, work, work / "ksched.json")
        except scenarios.RunFailed as failure:
            if "exit status 2" in str(failure):  # the API server would not have such an object
                return "refused", []
            return "failed", keep(work, folder, changes, [f"    {failure}"])
        found = compare.differences(expected, actual)
        if not found:
            return "equal", []
        return "DIFFERENT", keep(work, folder, changes, compare.describe(found))


def change(rng, work):
    files = {}
    for name in FILES:
        path = work / name
        if path.exists():
            files[name] = [document for document in yaml.load_all(path.read_text(), TextLoader) if document]
    changes = mutate.Mutator(rng, files).mutate(rng.choice([1, 2, 4, 8]))
    for name, documents in files.items():
        (work / name).write_text(yaml.dump_all(documents, Dumper=DUMPER, sort_keys=False))
    return changes


def keep(work, folder, changes, lines):
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(work, folder)
    (folder / "changes.txt").write_text("\n".join(changes) + "\n")
    return [f"{folder}:", *lines, *(f"    changed: {one}" for one in changes)]


def main():
    options = parse_arguments()
    end = time.monotonic() + options.seconds
    seed = options.seed if options.seed is not None else int(time.time()) * 1000
    counts = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        running = set()
        while running or time.monotonic() < end:
            while len(running) < options.jobs and time.monotonic() < end:
                running.add(pool.submit(one_run, seed, options))
                seed += 1
            done, running = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                result, lines = future.result()
                counts[result] += 1
                if lines:
                    print(result, *lines, sep="\n", flush=True)
    compared = counts["equal"] + counts["DIFFERENT"]
    bad = counts["DIFFERENT"] + counts["failed"]
    print(f"differential: {compared} compared, {counts['refused']} refused, {counts['failed']} failed, {counts['DIFFERENT']} differences")
    return 1 if bad or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
