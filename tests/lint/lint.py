#!/usr/bin/env python3
"""Checks what compilers and tests do not: include directions, format, clang-tidy, lengths, words and scripts."""

import argparse
import pathlib
import sys
import time

import clang_tools
import include_rules
import text_rules

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main():
    parser = argparse.ArgumentParser(prog="./dev lint", description=__doc__)
    parser.add_argument("--compile-commands", type=pathlib.Path, required=True, help="the build folder with compile_commands.json")
    parser.add_argument("--notes", action="store_true", help="also name the files that are longer than is aimed at")
    parser.add_argument("--fix", action="store_true", help="first let clang-format write the sources anew")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    if options.fix:
        clang_tools.fix_format(ROOT, text_rules.sources(ROOT))
    too_long, notes = text_rules.lengths(ROOT)
    checks = [
        ("include directions", lambda: include_rules.check(ROOT)),
        ("one library for each folder", lambda: text_rules.libraries(ROOT)),
        ("file lengths", lambda: too_long),
        ("words", lambda: text_rules.words(ROOT)),
        ("scripts", lambda: text_rules.scripts(ROOT)),
        ("clang-format", lambda: clang_tools.check_format(ROOT, text_rules.sources(ROOT))),
        ("clang-tidy", lambda: clang_tools.check_tidy(ROOT, options.compile_commands.resolve(), options.jobs)),
    ]
    failed = sum(not show(name, check) for name, check in checks)
    if options.notes:
        print("\n".join(notes))
    print(f"lint: {len(checks) - failed} passed, {failed} failed")
    return 1 if failed else 0


def show(name, check):
    """Runs one check and prints its problems; says whether there were none."""
    start = time.monotonic()
    problems = check()
    for line in problems:
        print(line)
    print(f"{'FAILED' if problems else 'ok':7}{name} ({time.monotonic() - start:.1f} s)", flush=True)
    return not problems


if __name__ == "__main__":
    sys.exit(main())
