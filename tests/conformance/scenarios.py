"""Makes scenarios and runs the oracle and ksched on them."""

import dataclasses
import json
import pathlib
import shlex
import subprocess

import configs

# The kinds that the plugins that are there can be compared on.
KINDS = ["resources", "scoring", "nodeaffinity", "taints", "ports", "images", "gates", "profiles", "large",
         "interpodaffinity"]
TIMEOUT_SECONDS = 180


class RunFailed(Exception):
    """A program did not do what it was asked to; the message says what it printed."""


@dataclasses.dataclass(frozen=True)
class Scenario:
    """One scenario to generate, or (without a kind) a folder that exists."""

    kind: str
    seed: int = 0
    events: int = 0
    user_form: bool = False
    folder: str = ""

    @property
    def name(self):
        if self.folder:
            return pathlib.Path(self.folder).name
        extra = (f"-e{self.events}" if self.events else "") + ("-user" if self.user_form else "")
        return f"{self.kind}-{self.seed}{extra}"


def run_program(command, stdout_path, accepted):
    """Runs a command into a file; a status that is not accepted raises RunFailed."""
    errors = stdout_path.with_suffix(".err")
    with open(stdout_path, "wb") as out, open(errors, "wb") as err:
        try:
            status = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, timeout=TIMEOUT_SECONDS).returncode
        except subprocess.TimeoutExpired:
            raise RunFailed(f"no end after {TIMEOUT_SECONDS} s: {shlex.join(map(str, command))}") from None
        except OSError as error:
            raise RunFailed(f"cannot run {command[0]}: {error.strerror}") from None
    if status not in accepted:
        said = errors.read_text(errors="replace").strip()[-2000:]
        raise RunFailed(f"exit status {status}: {shlex.join(map(str, command))}\n{said}")


def generate(scenario, program, folder, sizes=()):
    """Writes cluster.yaml, pods.yaml and perhaps events.yaml into the folder, and the config.yaml to run with.

    What the generator wrote as the configuration stays beside it as config.generated.yaml.
    """
    folder.mkdir(parents=True, exist_ok=True)
    command = [program, "--kind", scenario.kind, "--seed", str(scenario.seed), "--out", str(folder), *sizes]
    if scenario.events:
        command += ["--events", str(scenario.events)]
    if scenario.user_form:
        command.append("--user-form")
    run_program(command, folder / "generate.out", {0})
    generated = folder / "config.yaml"
    if generated.exists():
        generated.rename(folder / "config.generated.yaml")
    configs.write_without_absent(folder / "config.generated.yaml", folder / "config.yaml")


def copy_folder(source, folder):
    """Takes the files of a scenario that somebody wrote, with the configuration made ready as by generate()."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("cluster.yaml", "pods.yaml", "events.yaml", "args"):
        if (source / name).exists():
            (folder / name).write_bytes((source / name).read_bytes())
    configs.write_without_absent(source / "config.yaml", folder / "config.yaml")


def _shared_arguments(folder):
    """What both programs get: configuration, events and the scenario's own arguments."""
    arguments = ["--config", folder / "config.yaml", "--explain"]
    if (folder / "events.yaml").exists():
        arguments += ["--events", folder / "events.yaml"]
    if (folder / "args").exists():
        arguments += shlex.split((folder / "args").read_text())
    return arguments


def run_oracle(program, folder):
    """The oracle's report on the folder, also kept there as oracle.json."""
    target = folder / "oracle.json"
    run_program([program, "run", *_shared_arguments(folder), folder / "cluster.yaml", folder / "pods.yaml"], target, {0})
    return json.loads(target.read_text())


def run_ksched(program, folder, out, pods_flag="-f", extra=()):
    """ksched's report on the folder, also kept as `out`. `pods_flag` is how pods.yaml is given: -f or --snapshot."""
    command = [program, "simulate", "--snapshot", folder / "cluster.yaml", pods_flag, folder / "pods.yaml",
               "--admission", "none", *_shared_arguments(folder), *extra, "-o", "json"]
    run_program(command, out, {0, 1})
    try:
        return json.loads(out.read_text())
    except ValueError as error:
        raise RunFailed(f"{out}: {error}") from None
