#!/usr/bin/env python3
"""Writes testdata/kubeconfig/<case>/expected.json anew: what the real kubectl makes of the case's files.

A case is a folder with its files and case.json: `kubeconfig` (a list for KUBECONFIG), `flag` (for --kubeconfig),
`home` (the home folder) and `flatten`. Paths start at the case's folder. Without --flatten kubectl prints paths as they
are written, so only absolute ones may stand in such a case; with it the answer shows which files have been read.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CASES = ROOT / "testdata" / "kubeconfig"


def view(kubectl, folder):
    """kubectl's merged configuration for a case, as text."""
    case = json.loads((folder / "case.json").read_text())
    inside = folder.relative_to(ROOT)
    environment = {"PATH": os.environ["PATH"], "HOME": str(inside / case.get("home", "no-home"))}
    if "kubeconfig" in case:
        environment["KUBECONFIG"] = ":".join(str(inside / name) if name else "" for name in case["kubeconfig"])
    command = [kubectl, "config", "view", "--raw", "-o", "json"]
    command += ["--flatten"] if case.get("flatten") else []
    command += [f"--kubeconfig={inside / case['flag']}"] if "flag" in case else []
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise RuntimeError(f"{folder.name}: {run.stderr.strip()}")
    config = json.loads(run.stdout)
    if not config.get("preferences"):  # older versions of kubectl print it when it is empty
        config.pop("preferences", None)
    return json.dumps(config, indent=2) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    built = os.environ.get("KUBE_BIN")
    parser.add_argument("--kubectl", default=f"{built}/kubectl" if built else "kubectl", help="the kubectl to ask (that of KUBE_BIN, or PATH)")
    parser.add_argument("--check", action="store_true", help="only compare, and fail if anything differs")
    arguments = parser.parse_args()
    passed = failed = 0
    for folder in sorted(path.parent for path in CASES.glob("*/case.json")):
        text, expected = view(arguments.kubectl, folder), folder / "expected.json"
        same = expected.exists() and expected.read_text() == text
        if not arguments.check:
            expected.write_text(text)
        elif not same:
            print(f"{folder.name}: kubectl says something else than expected.json")
        passed, failed = passed + (same or not arguments.check), failed + (arguments.check and not same)
    print(f"kubeconfig: {passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
