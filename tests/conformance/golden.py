#!/usr/bin/env python3
"""Compares ksched with reports of the oracle that are kept in testdata/scenarios: needs no Go.

Each folder there has cluster.yaml, pods.yaml, config.yaml, perhaps events.yaml, and report.json or report.json.gz.
Every scenario is run twice: with its pods given by -f, and as part of the snapshot.
--update makes the folders anew with the programs `scenario` and `oracle`. Folders named found-... are cases that were
found to differ once (tests/conformance/differential.py and others): of these only the report is made anew.
"""

import argparse
import gzip
import json
import pathlib
import shutil
import sys
import tempfile

import compare
import scenarios

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "testdata/scenarios"
GENERATED = [(1, 0), (2, 0), (3, 12)]  # seed, events
SIZES = {"large": ["--nodes", "125", "--existing", "80", "--pods", "10"]}  # more than 100 nodes, so that they are sampled
FOUND = "found-"
GZIP_FROM = 60_000  # bytes of a report


def read_report(folder):
    packed = folder / "report.json.gz"
    if packed.exists():
        return json.loads(gzip.decompress(packed.read_bytes()))
    return json.loads((folder / "report.json").read_text())


def write_report(folder, text):
    """Writes the report; a long one is packed, with no time in it, so that the same report gives the same bytes."""
    if len(text) < GZIP_FROM:
        (folder / "report.json").write_bytes(text)
    else:
        (folder / "report.json.gz").write_bytes(gzip.compress(text, compresslevel=9, mtime=0))


def update(tools):
    """Makes all golden scenarios and their reports anew."""
    for folder in GOLDEN.iterdir():
        if folder.name.startswith(FOUND):
            update_found(tools, folder)
        else:
            shutil.rmtree(folder)
    for kind in scenarios.KINDS:
        for seed, events in GENERATED:
            scenario = scenarios.Scenario(kind, seed, events)
            with tempfile.TemporaryDirectory() as temporary:
                work = pathlib.Path(temporary)
                scenarios.generate(scenario, f"{tools}/scenario", work, SIZES.get(kind, ()))
                scenarios.run_oracle(f"{tools}/oracle", work)
                keep(work, GOLDEN / f"{kind}-{seed}")


def update_found(tools, folder):
    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(temporary)
        scenarios.copy_folder(folder, work)
        scenarios.run_oracle(f"{tools}/oracle", work)
        for report in folder.glob("report.json*"):
            report.unlink()
        write_report(folder, (work / "oracle.json").read_bytes())


def add_found(tools, source, folder):
    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(temporary)
        scenarios.copy_folder(source, work)
        scenarios.run_oracle(f"{tools}/oracle", work)
        keep(work, folder)


def keep(work, folder):
    folder.mkdir(parents=True)
    for name in ("cluster.yaml", "pods.yaml", "config.yaml", "events.yaml"):
        if (work / name).exists():
            shutil.copy(work / name, folder / name)
    write_report(folder, (work / "oracle.json").read_bytes())


def check(ksched, folders):
    """Runs ksched on each folder; returns the counts of comparisons that passed and that failed."""
    passed = failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        for folder in folders:
            expected = read_report(folder)
            for flag in ("-f", "--snapshot"):
                lines = compare_one(ksched, folder, pathlib.Path(temporary) / "ksched.json", flag, expected)
                passed, failed = (passed, failed + 1) if lines else (passed + 1, failed)
                if lines:
                    print(f"DIFFERENT {folder.relative_to(ROOT)} (pods by {flag})")
                    print("\n".join(lines))
    return passed, failed


def compare_one(ksched, folder, out, flag, expected):
    try:
        return compare.describe(compare.differences(expected, scenarios.run_ksched(ksched, folder, out, pods_flag=flag)))
    except scenarios.RunFailed as failure:
        return [f"    {failure}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--update", action="store_true", help="make the scenarios and their reports anew")
    parser.add_argument("--tools", help="with --update: the folder of the programs oracle and scenario")
    parser.add_argument("--ksched", default=str(ROOT / "build/release/kubectl-ksched"))
    parser.add_argument("--add", metavar="FOLDER", help="keep this scenario, which differed, under the name that is given (found-NAME)")
    parser.add_argument("names", nargs="*", help="folders of testdata/scenarios; all by default")
    options = parser.parse_args()
    if options.add:
        if not options.tools or len(options.names) != 1 or not options.names[0].startswith(FOUND):
            parser.error(f"--add needs --tools and one name that starts with {FOUND}")
        add_found(options.tools, pathlib.Path(options.add), GOLDEN / options.names[0])
        return 0
    if options.update:
        if not options.tools:
            parser.error("--update needs --tools")
        update(options.tools)
        return 0
    folders = [GOLDEN / name for name in options.names] or sorted(path for path in GOLDEN.iterdir() if path.is_dir())
    passed, failed = check(options.ksched, folders)
    print(f"golden: {passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
