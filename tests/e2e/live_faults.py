"""Two replicas of `kubectl ksched run` while everything around them fails, and a checker that sees every change of the cluster."""

import base64
import collections
import http.client
import json
import pathlib
import random
import re
import signal
import threading
import time
import urllib.request

from control_plane import ControlPlane
from live import Relayed
from live_scheduler import Runner
from objects import node, pod
from own_space import PRIORITIES
from relay import Relay, Reply, status_reply
from rest import Api, Refused
from scenario_player import path_of

QUICK = ("--leader-elect-lease-duration", "4s", "--leader-elect-renew-deadline", "3s", "--leader-elect-retry-period", "500ms")
NODES, CPUS, ROOM = 20, 8, 30  # nodes, CPUs and pods of each
BINDING = re.compile(r"/pods/([^/]+)/binding")
AWAY = (OSError, http.client.HTTPException, ValueError)


class Follower(threading.Thread):
    """Sees every revision of the objects below a key of etcd, also over restarts: an API server that starts forgets the past.

    `told(revision, key, object)` is called in order; an object that is gone is None. The API server has to store JSON."""

    def __init__(self, plane, key, told):
        super().__init__(daemon=True)
        self.address, self.key, self.told, self.stopping, self.failure = plane.etcd_address(), key.encode(), told, threading.Event(), None
        self.next = int(plane.revision()) + 1

    def run(self):
        while not self.stopping.is_set():
            try:
                self.watch()
            except AWAY:
                time.sleep(0.05)

    def watch(self):
        request = {"create_request": {"key": encoded(self.key), "range_end": encoded(self.key[:-1] + bytes([self.key[-1] + 1])), "start_revision": self.next}}
        with urllib.request.urlopen(urllib.request.Request(f"{self.address}/v3/watch", json.dumps(request).encode()), timeout=20) as answer:
            for line in answer:
                result = json.loads(line).get("result")
                if result is None:  # etcd ends
                    return None
                if "compact_revision" in result:
                    self.failure = f"{self.key}: etcd has forgotten what was before"
                    return self.stop()
                for event in result.get("events", ()):
                    self.take(event)
        return None

    def take(self, event):
        revision, key = int(event["kv"]["mod_revision"]), base64.b64decode(event["kv"]["key"]).decode()
        value = None if event.get("type") == "DELETE" else json.loads(base64.b64decode(event["kv"]["value"]))
        self.told(revision, key, value)
        self.next = revision + 1  # no transaction of an API server changes two objects

    def stop(self):
        self.stopping.set()


def encoded(text):
    return base64.b64encode(text).decode()


class Cluster:
    """What the checker knows: who is where, at every revision."""

    def __init__(self):
        self.lock, self.on, self.faults, self.bound_at, self.revisions, self.uids = threading.Lock(), {}, [], {}, 0, {}
        self.leaving, self.pending = collections.deque(), {}

    def pod(self, revision, key, one):
        with self.lock:
            self.revisions += 1
            before = self.uids.pop(key, None)
            self.on.pop(before, None)
            self.pending.pop(before, None)
            if one is not None:
                self.put(revision, key, one)
            for name, (cpu, count) in self.used().items():
                if cpu > CPUS * 1000 or count > ROOM:
                    bound = sorted(self.bound_at[uid] for uid, (where, _) in self.on.items() if where == name)
                    self.faults.append(f"revision {revision}: node {name} has {count} pods with {cpu}m CPU, bound at {bound}")

    def put(self, revision, key, one):
        uid, where = one["metadata"]["uid"], one["spec"].get("nodeName")
        self.uids[key] = uid
        if where:
            self.on[uid] = (where, request_of(one))
            self.bound_at.setdefault(uid, revision)
        else:
            self.pending[uid] = one
        if "deletionTimestamp" in one["metadata"]:
            self.leaving.append(one)

    def used(self):
        sums = collections.defaultdict(lambda: (0, 0))
        for where, cpu in self.on.values():
            sums[where] = (sums[where][0] + cpu, sums[where][1] + 1)
        return sums

    def fitting(self):
        """Pods that wait although a node has room for them."""
        with self.lock:
            used = self.used()
            free = [(CPUS * 1000 - used[f"node-{n}"][0], ROOM - used[f"node-{n}"][1]) for n in range(NODES)]
            return [one["metadata"]["name"] for one in self.pending.values()
                    if any(cpu >= request_of(one) and count > 0 for cpu, count in free)]

    def placed(self):
        with self.lock:
            return len(self.bound_at)


def request_of(one):
    """Thousandths of a CPU; the API server writes whole ones without m."""
    cpu = one["spec"]["containers"][0]["resources"]["requests"]["cpu"]
    return int(cpu.removesuffix("m")) if cpu.endswith("m") else 1000 * int(cpu)


class Replica:
    """A process with a relay of its own, which is bad to it and counts what it writes. Started again whenever it ends."""

    def __init__(self, test, name, offset):
        self.test, self.name, self.offset = test, name, offset
        self.chance, self.calm = random.Random(name), False
        self.lock, self.identities, self.bindings, self.unsure, self.injected = threading.Lock(), set(), [], set(), collections.Counter()
        self.relay = Relay(test.target, test.certificate("IP:127.0.0.1,DNS:localhost"), test.pki / "ca.crt",
                           (test.pki / "admin.crt", test.pki / "admin.key"), self.rule, Cuts(self), self.answered)
        test.addCleanup(self.relay.__exit__)
        self.config = test.config(server=self.relay.url, name=f"config-{name}")
        self.starts, self.runner = 0, None
        self.start()

    def start(self):
        self.starts += 1
        # Not by the program faketime: what it starts is its child, and would not hear of signals.
        clock = {"LD_PRELOAD": self.test.faketime, "FAKETIME": self.offset, "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
        self.runner = Runner(self.test, *QUICK, "-v", "1", "--kube-api-qps", "-1", config=self.config, name=f"{self.name}-{self.starts}", variables=clock)

    def keep_alive(self):
        if self.runner.process.poll() is not None:
            self.start()

    def lately(self, seconds):
        """Of which kinds its requests were."""
        since = time.monotonic() - seconds
        with self.relay.lock:
            seen = [one for one in self.relay.seen if one.at >= since]
        return collections.Counter(f"{one.method} {'/'.join(one.path.split('?')[0].split('/')[-1:])}" for one in seen).most_common(12)

    def leads(self, holder):
        with self.lock:
            return holder in self.identities

    def rule(self, seen, _nth):
        if "/leases/" in seen.path and seen.body:
            holder = json.loads(seen.body)["spec"].get("holderIdentity")
            with self.lock:
                self.identities.update([holder] if holder else [])
        if self.calm or seen.method == "GET":
            return None
        chance = self.chance.random()
        for share, what in ((0.03, "conflict"), (0.06, "busy"), (0.09, "failed"), (0.11, "late"), (0.15, "lost")):
            if chance < share:
                with self.lock:
                    self.injected[what] += 1
                return getattr(self, what)(seen)
        return None

    @staticmethod
    def conflict(_seen):
        return status_reply(409, "Conflict", "injected")

    @staticmethod
    def busy(_seen):
        return status_reply(429, "TooManyRequests", "injected", Retry_After="1")

    @staticmethod
    def failed(_seen):
        return status_reply(500, "InternalError", "injected")

    @staticmethod
    def late(_seen):
        time.sleep(2)
        return status_reply(504, "Timeout", "injected")

    def lost(self, _seen):
        return Reply(cut=0)  # it is done, and the answer is lost

    def answered(self, seen, status):
        found = BINDING.search(seen.path) if seen.method == "POST" else None
        if not found:
            return
        uid = json.loads(seen.body)["metadata"]["uid"]
        with self.lock:
            if status == 201:
                self.bindings.append(uid)
            elif status == 0:
                self.unsure.add(uid)


class Cuts:
    """Watches that end in the middle of an event now and then."""

    def __init__(self, replica):
        self.replica = replica

    def of(self, events):
        for event in events:
            if not self.replica.calm and self.replica.chance.random() < self.replica.test.cut_chance:
                with self.replica.lock:
                    self.replica.injected["cut"] += 1
                yield event[:self.replica.chance.randrange(1, len(event) + 1)]
                raise OSError("cut")
            yield event


class Faults(Relayed):
    """A stream of pods through all of it."""
    long = False

    @classmethod
    def setUpClass(cls):
        cls.plane = ControlPlane.of_class(cls, nodes=0, scheduler_config=None, controllers=False, apiserver_flags="--storage-media-type=application/json")
        cls.plane.create(*PRIORITIES)
        api = Api(cls.plane.folder)
        for number in range(NODES):
            one = node(f"node-{number}", str(CPUS), "64Gi")
            one["status"]["allocatable"] = {**one["status"]["allocatable"], "pods": str(ROOM)}
            api.call("POST", "/api/v1/nodes", one)
            api.merge(f"/api/v1/nodes/node-{number}", {"spec": {"taints": None}})
        api.close()

    def setUp(self):
        super().setUp()
        self.faketime = next(map(str, pathlib.Path("/usr/lib").glob("*/faketime/libfaketime.so.1")), None)
        self.assertTrue(self.faketime, "Debian's faketime is not installed")
        self.cluster, self.holders, self.stopping = Cluster(), [], threading.Event()
        self.followers = [Follower(self.plane, "/registry/pods/", self.cluster.pod),
                          Follower(self.plane, "/registry/leases/kube-system/ksched", self.lease)]
        for one in self.followers:
            one.start()
            self.addCleanup(one.stop)
        self.addCleanup(self.stopping.set)
        threading.Thread(target=self.reap, daemon=True).start()

    def lease(self, revision, _key, one):
        self.holders.append((revision, one["spec"].get("holderIdentity", "")))

    def reap(self):
        """The kubelets: pods that are asked to go do so."""
        api = Api(self.plane.folder)
        while not self.stopping.wait(0.02):
            while self.cluster.leaving:
                one = self.cluster.leaving.popleft()
                try:
                    api.call("DELETE", path_of({**one, "apiVersion": "v1", "kind": "Pod"}),
                             {"gracePeriodSeconds": 0, "preconditions": {"uid": one["metadata"]["uid"]}})
                except Refused:
                    pass
                except AWAY:
                    self.cluster.leaving.append(one)
                    time.sleep(0.2)

    def stream(self, count):
        """Makes pods, and deletes some that run so that there is room now and then."""
        api, chance, made = Api(self.plane.folder, timeout=10), random.Random(7), 0
        while made < count and not self.stopping.is_set():
            try:
                name = f"pod-{made:05}"
                more = {"priorityClassName": "high"} if chance.random() < 0.1 else {"priorityClassName": "low"} if chance.random() < 0.3 else {}
                one = pod(name, f"{chance.choice([100, 250, 500, 1000, 2000])}m", "64Mi", schedulerName="ksched", terminationGracePeriodSeconds=0, **more)
                api.call("POST", "/api/v1/namespaces/default/pods", one)
                made += 1
                if made > 120:
                    gone = f"pod-{chance.randrange(made):05}"
                    api.call("DELETE", f"/api/v1/namespaces/default/pods/{gone}", {"gracePeriodSeconds": 0})
            except Refused as refused:
                made += refused.status == 409
            except AWAY:
                time.sleep(0.2)
            time.sleep(self.pause)

    def leader(self):
        holder = self.holders[-1][1] if self.holders else ""
        return next((one for one in self.replicas if one.leads(holder)), None)

    def test_a_stream_of_pods_through_all_faults(self):
        count, restarts, kills, pauses = (2000, 20, 10, 3) if self.long else (300, 3, 2, 1)
        self.pause = 0.05 if self.long else 0.06
        self.cut_chance = 0.0004 if self.long else 0.004  # of each event: a list of all pods has to come through now and then
        # The clocks are hours apart; none is before the certificates begin.
        self.replicas = [Replica(self, "a", "+2h"), Replica(self, "b", "+9h")]
        stream = threading.Thread(target=self.stream, args=(count,), daemon=True)
        self.plane.wait("a leader", self.leader)
        stream.start()
        actions = [self.restart_servers] * restarts + [self.kill] * kills + [self.pause_leader] * pauses
        random.Random(3).shuffle(actions)
        for number, action in enumerate(actions):
            self.settle(2)
            action(number)
        while stream.is_alive():
            self.settle(1)
        for one in self.replicas:
            one.calm = True
        self.until("everything that fits to be placed", self.rests, seconds=120)
        self.check(count, restarts, kills, pauses)

    def until(self, what, condition, seconds):
        try:
            return self.plane.wait(what, condition, seconds)
        except RuntimeError as late:
            self.plane.keep_logs = True
            said = "".join(f"\n== {one.runner.log}\n{one.runner.said()[-2000:]}\nits requests of the last 20 s: {one.lately(20)}" for one in self.replicas)
            return self.fail(f"{late}: fit and wait: {self.cluster.fitting()[:20]}, {len(self.cluster.pending)} pending; "
                             f"Leases: {self.holders[-3:]}, identities {[one.identities for one in self.replicas]}{said}")

    def settle(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for one in self.replicas:
                one.keep_alive()
            time.sleep(0.1)

    def rests(self):
        for one in self.replicas:
            one.keep_alive()
        if self.cluster.fitting():
            self.quiet_since = time.monotonic()
        return time.monotonic() - getattr(self, "quiet_since", 0) > 3

    def restart_servers(self, number):
        self.plane.restart(*(("etcd", "kube-apiserver") if number % 4 == 3 else ("kube-apiserver",)))

    def kill(self, _number):
        one = self.until("a leader", self.leader, 60)
        one.runner.process.kill()
        one.runner.process.wait()

    def pause_leader(self, _number):
        """For longer than its lease: when it comes back another one leads, and it has to notice that before it writes."""
        one = self.until("a leader", self.leader, 60)
        process = one.runner.process
        process.send_signal(signal.SIGSTOP)
        try:
            self.until("another leader", lambda: self.another_leads(one), seconds=60)
        finally:
            process.send_signal(signal.SIGCONT)

    def another_leads(self, paused):
        for one in self.replicas:
            if one is not paused:
                one.keep_alive()
        return self.leader() not in (None, paused)

    def holder_at(self, revision):
        holder = ""
        for at, who in self.holders:
            if at > revision:
                break
            holder = who
        return holder

    def check(self, count, restarts, kills, pauses):
        self.assertEqual([one.failure for one in self.followers], [None, None])
        self.assertTrue(all(one.is_alive() for one in self.followers))
        bindings = collections.Counter(uid for one in self.replicas for uid in one.bindings)
        twice = [uid for uid, times in bindings.items() if times > 1]
        usurped = []
        for uid, revision in self.cluster.bound_at.items():
            writers = [one for one in self.replicas if uid in one.bindings or uid in one.unsure]
            if not any(one.leads(self.holder_at(revision)) for one in writers):
                usurped.append((uid, revision))
        injected = sum((one.injected for one in self.replicas), collections.Counter())
        leaders = len({who for _, who in self.holders if who})
        print(f"\n  {count} pods, {self.cluster.placed()} bound, {self.cluster.revisions} revisions; {restarts} restarts of servers, {kills} leaders killed, "
              f"{pauses} paused, {leaders} leaders, {sum(one.starts for one in self.replicas)} starts; injected: {dict(injected)};\n  "
              f"{len(self.cluster.faults)} times overcommitted, {len(twice)} bound twice, {len(usurped)} by one that did not lead, "
              f"{len(self.cluster.fitting())} fit and wait", flush=True)
        began = [(at, who) for (at, who), (_, before) in zip(self.holders, [(0, ""), *self.holders]) if who != before]
        self.assertEqual((self.cluster.faults[:3], twice, usurped, self.cluster.fitting()), ([], [], [], []), f"the Lease was taken at {began}")
        self.assertGreater(self.cluster.placed(), count // 3)
        self.assertGreaterEqual(leaders, kills + pauses)
        for what in ("conflict", "busy", "failed", "lost"):
            self.assertGreater(injected[what], 0, what)
