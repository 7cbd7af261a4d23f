"""Compares two SchedulingReports field by field."""

import json

ABSENT = "(absent)"


def differences(expected, actual, limit=10):
    """The first `limit` differences as (path, expected value, actual value); the top-level `ksched` object is left out."""
    expected = {key: value for key, value in expected.items() if key != "ksched"}
    actual = {key: value for key, value in actual.items() if key != "ksched"}
    if _canonical(expected) == _canonical(actual):
        return []
    found = []
    _compare("", expected, actual, found, limit)
    return found


def _canonical(value):
    return json.dumps(value, sort_keys=True)


def _compare(path, expected, actual, found, limit):
    if len(found) >= limit:
        return
    if type(expected) is not type(actual):
        found.append((path or ".", expected, actual))
    elif isinstance(expected, dict):
        _compare_objects(path, expected, actual, found, limit)
    elif isinstance(expected, list):
        _compare_lists(path, expected, actual, found, limit)
    elif expected != actual:
        found.append((path, expected, actual))


def _compare_objects(path, expected, actual, found, limit):
    for key in list(expected) + [key for key in actual if key not in expected]:
        inner = f"{path}.{key}" if path else key
        _compare(inner, expected.get(key, ABSENT), actual.get(key, ABSENT), found, limit)


def _compare_lists(path, expected, actual, found, limit):
    names = [_names(expected), _names(actual)]
    if all(names) and names[0] != names[1]:
        found.append((f"{path}[*]", _only(names[0], names[1]), _only(names[1], names[0])))
        if path.endswith("nodes"):  # those that both have are worth comparing all the same
            theirs = dict(zip(names[1], actual))
            pairs = [(one, theirs[name]) for name, one in zip(names[0], expected) if name in theirs]
            expected, actual = [one for one, _ in pairs], [other for _, other in pairs]
    elif len(expected) != len(actual):
        found.append((f"{path}.length", len(expected), len(actual)))
    for index, (one, other) in enumerate(zip(expected, actual)):
        _compare(f"{path}[{_label(index, one)}]", one, other, found, limit)


def _names(items):
    """What identifies each item of a list of pods, cycles or nodes; empty if they are something else."""
    names = [_identity(item) for item in items]
    return names if all(names) and len(set(names)) == len(names) else []


def _identity(item):
    if not isinstance(item, dict):
        return None
    if "pod" in item:
        return f"{item['pod']}#{item.get('attempt', '')}"
    return "/".join(item[key] for key in ("namespace", "name") if key in item) or item.get("node")


def _only(names, others):
    """Says how one list of names differs from the other: what only it has, or where the order departs."""
    missing = [name for name in names if name not in set(others)]
    if missing:
        return f"{len(names)} items, only here: " + ", ".join(missing[:5])
    at = next((i for i, (one, other) in enumerate(zip(names, others)) if one != other), None)
    return f"{len(names)} items" if at is None else f"{len(names)} items, at {at}: {names[at]}"


def _label(index, item):
    identity = _identity(item)
    return f"{index}: {identity}" if identity else str(index)


def describe(found):
    """Lines that tell a person what differs."""
    lines = []
    for path, expected, actual in found:
        lines.append(f"    {path}")
        lines.append(f"      expected {_short(expected)}")
        lines.append(f"      actual   {_short(actual)}")
    return lines


def _short(value, length=400):
    text = value if value is ABSENT else json.dumps(value)
    return text if len(text) <= length else text[:length] + "..."
