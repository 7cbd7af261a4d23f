"""clang-format and clang-tidy over the sources, with the results of clang-tidy kept by content."""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import shutil
import subprocess

import include_rules

FORMAT, TIDY = "clang-format-16", "clang-tidy-16"
EXTRA = ["--quiet", "--extra-arg=-Wno-unknown-warning-option"]


def require(program):
    if shutil.which(program) is None:
        raise SystemExit(f"lint: error: {program} is not installed (Debian package {program})")


def check_format(root, sources):
    """Lines that clang-format would write in another way."""
    require(FORMAT)
    if not sources:
        return []
    done = subprocess.run([FORMAT, "--dry-run", "-Werror", "--style=file", *map(str, sources)], cwd=root, capture_output=True, text=True)
    return [line.replace(f"{root}/", "") for line in done.stderr.splitlines() if ": error:" in line]


def fix_format(root, sources):
    require(FORMAT)
    subprocess.run([FORMAT, "-i", "--style=file", *map(str, sources)], cwd=root, check=True)


def check_tidy(root, build, jobs):
    """What clang-tidy says about src/**/*.cc but tests; and sources that no target compiles."""
    require(TIDY)
    commands = {pathlib.Path(entry["file"]): entry for entry in json.loads((build / "compile_commands.json").read_text())}
    files = sorted(path for path in (root / "src").rglob("*.cc"))
    problems = [f"{path.relative_to(root)}: no target compiles it" for path in files if path not in commands]
    todo = [path for path in files if path in commands and not path.name.endswith("_test.cc")]
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "ksched/tidy"
    cache.mkdir(parents=True, exist_ok=True)
    salt = _salt(root)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for lines in pool.map(lambda path: _tidy_one(root, build, path, commands[path], cache, salt), todo):
            problems += lines
    return problems


def _salt(root):
    version = subprocess.run([TIDY, "--version"], check=True, capture_output=True).stdout
    return version + (root / ".clang-tidy").read_bytes() + "".join(EXTRA).encode()


def _tidy_one(root, build, path, command, cache, salt):
    """Runs clang-tidy on a file, unless it had nothing to say about the same content before."""
    text = command.get("command") or " ".join(command["arguments"])
    # Another clone of the same sources may use what this one found.
    digest = hashlib.sha256(salt + text.replace(str(root), ".").encode())
    for one in sorted(_with_headers(root / "src", path)):
        digest.update(str(one.relative_to(root)).encode() + b"\0" + one.read_bytes())
    clean = cache / digest.hexdigest()
    if clean.exists():
        return []
    done = subprocess.run([TIDY, "-p", str(build), *EXTRA, str(path)], cwd=root, capture_output=True, text=True)
    if done.returncode == 0:
        clean.touch()
        return []
    said = [line.replace(f"{root}/", "") for line in done.stdout.splitlines() if ": error:" in line or ": warning:" in line]
    return said or [f"{path.relative_to(root)}: {TIDY} failed: {done.stderr.strip()[-300:]}"]


def _with_headers(source_root, path):
    """The file and all of the project's headers that it includes, directly or not."""
    reached, todo = set(), [path]
    while todo:
        one = todo.pop()
        if one in reached or not one.exists():
            continue
        reached.add(one)
        todo += [source_root / target for _, target in include_rules.included(one)]
    return reached
