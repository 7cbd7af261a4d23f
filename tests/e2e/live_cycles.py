"""Every decision of a live scheduler is the reference's: `run --record-cycles` on a real API server, and the oracle on each cycle."""

import collections
import copy
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import time

import yaml

from control_plane import ControlPlane
from live import Live
from live_scheduler import Runner
from scenario_player import Others, Player, generate, wait_until_quiet

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/conformance"))
from compare import differences  # noqa: E402
from configs import write_without_absent  # noqa: E402
from scenarios import KINDS  # noqa: E402

# kube-scheduler counts on how many nodes an image is when a node changes, and not in between: a state that is made out of objects has the counts
# of now. Only scores may differ by that, and are counted.
IMAGES = re.compile(r"^nodes\[[^\]]*\]\.(scores\.ImageLocality|total)$")
EVENTS, GATES = 12, "SchedulingGates"
# Numbers of a run, or what is drawn.
NOT_COMPARED = ("attempt", "atMs")


def decision(report):
    """The first cycle, without what differs from run to run; where a node was drawn, those that it was drawn from remain."""
    cycle = {key: value for key, value in report["cycles"][0].items() if key not in NOT_COMPARED}
    if cycle["result"] == "Scheduled":
        node = cycle.pop("node")
        cycle["node is one of the tied"] = node in cycle["tied"]
    return cycle


def with_gates(config):
    """The same configuration, in which gates hold pods back: those that are there for their nominations have one."""
    config = copy.deepcopy(config)
    for profile in config["profiles"]:
        plugins = profile.setdefault("plugins", {})
        point = plugins.setdefault("preEnqueue", {})
        point["enabled"] = [one for one in point.get("enabled") or [] if one["name"] != GATES] + [{"name": GATES}]
        for of_point in (point, plugins.get("multiPoint", {})):
            of_point["disabled"] = [one for one in of_point.get("disabled") or [] if one["name"] != GATES]
    return config


class Cycles(Live):
    """Streams of scenarios, one after the other, each with a scheduler of its own."""
    tools = None
    long, older_images = False, 0

    @classmethod
    def setUpClass(cls):
        cls.plane = ControlPlane.of_class(cls, nodes=0, scheduler_config=None, controllers=False)
        cls.others = Others(cls.plane.folder)
        cls.others.start()
        cls.addClassCleanup(cls.others.stop)

    def test_every_cycle_is_the_references(self):
        counts, found, scenarios = collections.Counter(), [], [(kind, seed) for kind in KINDS for seed in range(1, 5 if self.long else 2)]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for kind, seed in scenarios:
                folder = self.folder / f"{kind}-{seed}"
                self.play(kind, seed, folder, counts)
                cycles = sorted((folder / "cycles").glob("*.report.json"))
                checks = [pool.submit(self.check, folder, one) for one in cycles]
                found += [f"{one}: {difference}" for one, check in zip(cycles, checks) for difference in check.result()]
                counts.update(json.loads(one.read_text())["cycles"][0]["result"] for one in cycles)
                counts["cycles"] += len(cycles)
        counts["with older counts of images"] = self.older_images
        print(", ".join(f"{count} {what}" for what, count in counts.items()), f"{len(found)} differences", end=" ... ")
        if found:
            self.plane.keep_logs = True
            self.fail(f"{len(found)} differences, the first:\n" + "\n".join(found[:20]))
        self.assertGreater(counts["cycles"], 10 * len(scenarios))

    def play(self, kind, seed, folder, counts):
        folder.mkdir()
        generate(self.tools / "scenario", folder, kind, seed, EVENTS)
        generated = folder / "config.yaml"
        if generated.exists():
            generated.rename(folder / "generated.yaml")
        write_without_absent(folder / "generated.yaml", folder / "config.yaml")
        config = {**yaml.safe_load((folder / "config.yaml").read_text()), "clientConnection": {"qps": -1}}
        if kind == "large":  # which nodes are looked at depends on the cycles before
            config["percentageOfNodesToScore"] = 100
        (folder / "config.yaml").write_text(yaml.safe_dump(config))
        (folder / "oracle.yaml").write_text(yaml.safe_dump(with_gates(yaml.safe_load((folder / "config.yaml").read_text()))))
        player = Player(folder, self.plane.folder)
        try:
            player.set_up()
            runner = Runner(self, "--leader-elect=false", "--config", folder / "config.yaml", "--record-cycles", folder / "cycles",
                            name=f"{kind}-{seed}").wait_for("the cluster is known")
            player.add_pods()
            wait_until_quiet(folder / "cycles", 0.7, most=20)
            for event in player.events:
                player.play(event)
                time.sleep(0.1)
            wait_until_quiet(folder / "cycles", 1.5, most=20)
            self.assertEqual(runner.stop(), 0, runner.said())
            counts["left out"] += int(runner.said().rsplit("are written, ", 1)[1].split()[0])
            player.clear()
            counts["objects refused"] += len(player.refused)
            (folder / "refused").write_text("\n".join(player.refused))
        finally:
            player.close()

    def check(self, folder, decided):
        """The differences of one cycle."""
        state = decided.with_name(decided.name.replace(".report.json", ".json.gz"))
        plain = state.with_suffix("")
        with open(plain, "wb") as out:
            subprocess.run(["gzip", "-dc", state], stdout=out, check=True)
        done = subprocess.run([self.tools / "oracle", "run", "--explain", "--config", folder / "oracle.yaml", plain],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
        plain.unlink()
        if done.returncode != 0:
            return [f"the oracle fails: {done.stderr.strip()[-500:]}"]
        reference = json.loads(done.stdout)
        if not reference.get("cycles"):
            return ["the oracle has no cycle"]
        found = differences(decision(reference), decision(json.loads(decided.read_text())), limit=1000)
        if found and all(IMAGES.search(str(difference[0])) for difference in found):
            self.older_images += 1
            return []
        return found[:10]
