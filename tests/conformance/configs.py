"""Takes the plugins that ksched does not have yet out of a KubeSchedulerConfiguration."""

import copy
import pathlib

import yaml

HERE = pathlib.Path(__file__).resolve().parent


def absent_plugins():
    """The names in absent_plugins.txt, in its order."""
    lines = (HERE / "absent_plugins.txt").read_text().splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def without_absent(config, absent=None):
    """The same configuration (a parsed document, or None for the default one) without the absent plugins.

    In every profile: what enables one is removed, each is disabled at multiPoint, and its arguments go.
    Everything else stays as it is, and in its order.
    """
    absent = absent_plugins() if absent is None else absent
    config = copy.deepcopy(config) if config else {}
    config.setdefault("apiVersion", "kubescheduler.config.k8s.io/v1")
    config.setdefault("kind", "KubeSchedulerConfiguration")
    profiles = config.get("profiles") or [{"schedulerName": "default-scheduler"}]
    config["profiles"] = [_profile_without(profile, absent) for profile in profiles]
    return config


def _profile_without(profile, absent):
    plugins = profile.get("plugins") or {}
    for plugin_set in plugins.values():
        _remove_enabled(plugin_set, absent)
    multi_point = plugins.setdefault("multiPoint", {})
    disabled = multi_point.get("disabled") or []
    names = {entry["name"] for entry in disabled}
    if "*" not in names:
        disabled = disabled + [{"name": name} for name in absent if name not in names]
    multi_point["disabled"] = disabled
    profile["plugins"] = plugins
    args = [entry for entry in profile.pop("pluginConfig", None) or [] if entry["name"] not in absent]
    if args:
        profile["pluginConfig"] = args
    return profile


def _remove_enabled(plugin_set, absent):
    """Removes what enables an absent plugin from one extension point."""
    if not plugin_set or not plugin_set.get("enabled"):
        return
    enabled = [entry for entry in plugin_set["enabled"] if entry["name"] not in absent]
    if enabled:
        plugin_set["enabled"] = enabled
    else:
        del plugin_set["enabled"]


def write_without_absent(source, target):
    """Writes `target` from the configuration in the file `source`, or from the default one if there is no such file."""
    config = yaml.safe_load(source.read_text()) if source and source.exists() else None
    target.write_text(yaml.safe_dump(without_absent(config), sort_keys=False))
