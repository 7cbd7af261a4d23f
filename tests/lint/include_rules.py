"""Which folder of src may include which: the directions of docs/design.md."""

import re

# A folder may include what is listed, and whatever that may include in turn.
BELOW = {
    "base": [],
    "api": ["base"],
    "state": ["api"],
    "config": ["state"],
    "framework": ["config"],
    "preemption": ["framework"],
    "plugins": ["preemption", "framework"],
    "queue": ["framework"],
    "cache": ["framework"],
    "scheduler": ["queue", "cache", "preemption", "framework"],
    "admission": ["api"],
    "controllers": ["api"],
    "manifest": ["state", "admission", "controllers"],
    "report": ["base"],
    "simulate": ["manifest", "report", "scheduler", "cache", "queue"],
    "kube": ["scheduler", "cache", "queue"],
    "serve": ["kube", "base"],
    "webhook": ["scheduler", "cache", "queue", "admission", "controllers"],
    "app": ["webhook", "report", "simulate", "manifest", "serve", "kube", "scheduler", "plugins"],
}

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def closure(folder):
    """All folders that files of this folder may include, itself among them."""
    reached, todo = set(), [folder]
    while todo:
        one = todo.pop()
        if one not in reached:
            reached.add(one)
            todo += BELOW[one]
    return reached


def included(path):
    """The project's own includes of a file, as (line number, path from src)."""
    lines = path.read_text(errors="replace").splitlines()
    return [(number, match[1]) for number, line in enumerate(lines, 1) if (match := INCLUDE.match(line))]


def problem(source, target):
    """What is wrong with `source` including `target` (both paths from src), or None."""
    folder, below = source.split("/")[0], target.split("/")[0]
    if "/" not in target:
        return "name the folder: paths start at src"
    if folder not in BELOW or below not in BELOW:
        return f"{folder if folder not in BELOW else below} is not a folder of the design (tests/lint/include_rules.py)"
    if below not in closure(folder):
        return f"{folder} may not include {below}"
    if folder == below == "plugins":
        return _plugin_problem(source.split("/")[1:], target.split("/")[1:])
    return None


def _plugin_problem(source, target):
    """A plugin knows itself and common; only the registry knows plugins."""
    if len(source) == 1 or len(target) == 1:  # registry.* stand in plugins itself
        return "a plugin may not include the registry" if len(source) > 1 else None
    if source[0] == target[0] or target[0] == "common":
        return None
    return f"plugin {source[0]} may not include {target[0]}"


def check(root):
    """Problems of all sources, as lines."""
    problems = []
    source_root = root / "src"
    for path in sorted(source_root.rglob("*")):
        if path.suffix not in (".h", ".cc"):
            continue
        source = str(path.relative_to(source_root))
        for number, target in included(path):
            if said := problem(source, target):
                problems.append(f"src/{source}:{number}: includes {target}: {said}")
    return problems
