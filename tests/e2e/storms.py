"""A watched cluster stays true, whatever the API server and what is before it do."""

import json

from chaos_proxy import ChaosProxy
from control_plane import ControlPlane
from live import Relayed
from objects import pod
from probe import Probe, replay
from relay import Repeats
from storm import Storm

SEED = 6
OPERATIONS, RESTARTS = 10_000, 20
PER_SECOND = 90
FREEZES = (2, 18)  # before these restarts: it is blind for 45 seconds, in the middle and at the end
# One after the other: what is killed, and whether etcd forgets the past before anybody can go on from where he was.
KILLED = [(("etcd",), False), (("etcd", "kube-apiserver"), True), (("etcd",), True), (("etcd", "kube-apiserver"), False)]


class InAStorm(Relayed):
    """A control plane on which nobody changes anything but the storm."""

    @classmethod
    def setUpClass(cls):
        cls.plane = ControlPlane.of_class(cls, nodes=0, scheduler_config=None, controllers=False)

    def probe(self, server, *flags, user=None, name="config"):
        made = Probe(self.ksched, *flags, environment=self.surroundings(self.config(user, server=server, name=name)))
        self.addCleanup(made.__exit__)
        made.ask("synced")
        return made

    def true(self, probe):
        """What it knows is what the API server has, and it told everything once; its last numbers are returned."""
        checked, stats = probe.ask("check"), probe.ask("stats")
        self.assertEqual((checked["differences"], checked["first"]), (0, []))
        self.assertEqual((stats["faults"], stats["firstFaults"]), (0, []))
        self.assertGreater(checked["objects"], 0)
        return checked, stats

    def test_events_that_come_twice(self):
        repeats = Repeats(SEED)
        probe = self.probe(self.relay(repeats=repeats).url)
        with Storm(self.plane.folder, 600, SEED) as storm:
            storm.join()
        self.true(probe)
        self.assertGreater(repeats.count, 100)
        self.assertGreater(probe.repeats(), 0)
        probe.stop()

    def test_servers_are_killed_and_connections_break(self):
        recording = self.folder / "storm.json.gz"
        proxy = ChaosProxy(self.target, SEED)
        self.addCleanup(proxy.__exit__)
        probe = self.probe(proxy.url, "--record", recording)
        proxy.storm()
        with Storm(self.plane.folder, OPERATIONS, SEED, per_second=PER_SECOND) as storm:
            compactions = self.torment(storm, proxy)
            storm.join()
        proxy.calm()
        self.assertEqual(proxy.counts["freezes"], len(FREEZES))
        self.plane.wait("the frozen connections to be given up", lambda: self.noticed(probe) >= len(FREEZES))
        checked, stats = self.true(probe)
        print(f"\n  {storm.summary()}, {RESTARTS} restarts, {compactions} compactions; {proxy.summary()};\n"
              f"  {stats['drops']} connections and {stats['stalls']} watches given up, "
              f"{stats['events']} events, {stats['lists']} lists, {stats['relists']} made again, {stats['watches']} watches, "
              f"{checked['objects']} objects compared, {checked['differences']} differences, {stats['faults']} told twice", flush=True)
        self.assertEqual(storm.done, OPERATIONS)
        self.assertGreater(stats["events"], 0, "how many it sees as events, and not in lists, depends on the machine")
        self.assertGreater(stats["relists"], 0)
        for what in ("cuts", "delays", "refusals"):
            self.assertGreater(proxy.counts[what], 0, what)
        digest = probe.ask("digest")["digest"]
        probe.stop()
        self.assertEqual(replay(self.ksched, recording)["digest"], digest)

    @staticmethod
    def noticed(probe):
        """How often it gave up a connection or a watch on which nothing came."""
        stats = probe.ask("stats")
        return stats["drops"] + stats["stalls"]

    def torment(self, storm, proxy):
        """Spreads restarts over the storm; each begins when the servers have been back for some operations. Returns how often etcd was compacted."""
        compactions = 0
        for number in range(RESTARTS):
            self.plane.wait("the storm", lambda n=number: storm.done >= OPERATIONS * (n + 1) / (RESTARTS + 2) or not storm.running, pause=0.05)
            self.assertTrue(storm.running)
            if number in FREEZES:
                proxy.freeze_one()
            elif number % 3 == 0:
                proxy.refuse(1.5)
            compactions += self.restart(*KILLED[number % len(KILLED)])
        return compactions

    def restart(self, names, compact):
        commands = {name: self.plane.kill(name) for name in reversed(names)}
        for name in names:
            self.plane.start_again(name, commands[name])
            if name == "etcd":
                self.plane.wait("etcd", lambda: self.etcd_answers(compact), seconds=60)
        return compact

    def etcd_answers(self, compact):
        try:
            self.plane.compact() if compact else self.plane.revision()
            return True
        except OSError:
            return False

    def test_tokens_that_expire(self):
        """A token file and an exec plugin, whose tokens are not valid any more when the API server comes back."""
        token, tokens = self.write("token", "first"), self.pki / "tokens.csv"
        plugin = self.write("plugin", "#!/bin/sh\nprintf '{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1\",\"status\":"
                                      f"{{\"token\":\"%s\"}}}}' \"$(cat {token})\"\n")
        plugin.chmod(0o755)
        before = tokens.read_text()
        self.addCleanup(tokens.write_text, before)
        self.restart_with(tokens, before + 'first,storm,storm,"system:masters"\n')
        users = [{"tokenFile": str(token)},
                 {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": str(plugin), "interactiveMode": "Never"}}]
        probes = [self.probe(None, user=user, name=f"config-{number}") for number, user in enumerate(users)]
        self.write("new-token", "second").rename(token)
        self.restart_with(tokens, before + 'second,storm,storm,"system:masters"\n')
        with self.assertRaisesRegex(RuntimeError, "Unauthorized|must be logged in"):
            self.plane.kubectl("--kubeconfig", str(self.config({"token": "first"}, name="old")), "get", "--raw", "/api")
        known = [probe.ask("stats")["pods"] for probe in probes]
        self.plane.create(*(pod(f"with-the-second-token-{number}") for number in range(3)))
        for probe, count in zip(probes, known):
            self.plane.wait("the new pods", lambda p=probe, c=count: p.ask("stats")["pods"] == c + 3, seconds=60)
            self.true(probe)
            probe.stop()

    def restart_with(self, tokens, text):
        command = self.plane.kill("kube-apiserver")
        tokens.write_text(text)
        self.plane.start_again("kube-apiserver", command)
        self.plane.wait_until_ready()
