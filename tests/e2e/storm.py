"""A storm: many seeded changes of everything that scheduling reads, over several connections to a real API server that may go away."""

import collections
import http.client
import random
import threading
import time

from rest import Api, Refused
from storm_objects import KINDS, NAMESPACES, relabel

# What is done with an object that is there, as far as anybody knows, and with one that is not; and how often of all.
DEEDS = {True: [("update", 68), ("delete", 18), ("recreate", 12), ("create", 2)], False: [("create", 90), ("update", 7), ("delete", 3)]}
AWAY = (OSError, http.client.HTTPException, ValueError)  # ValueError: half an answer
PAUSE_SECONDS, GIVE_UP_SECONDS = 0.1, 120


class Storm:
    """`operations` requests in all, by `workers` with a connection each. What the server refuses counts as done and is counted;
    what it could not be asked, since it was away, is tried again."""

    def __init__(self, folder, operations, seed, workers=4, per_second=None):
        self.folder, self.operations, self.per_second = folder, operations, per_second
        self.counts, self.there, self.lock = collections.Counter(), set(), threading.Lock()
        self.stopping = threading.Event()
        self.started = time.monotonic()
        self.threads = [threading.Thread(target=self.work, args=(f"{seed}-{number}",), daemon=True) for number in range(workers)]

    def __enter__(self):
        api = Api(self.folder)
        for name in NAMESPACES:
            if not api.find(f"/api/v1/namespaces/{name}"):
                api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        api.close()
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.stopping.set()
        self.join()

    def join(self):
        for thread in self.threads:
            thread.join()

    @property
    def running(self):
        return any(thread.is_alive() for thread in self.threads)

    @property
    def done(self):
        return self.counts["operations"]

    def take(self):
        """Whether there is one more to do; at the pace, if one is given."""
        with self.lock:
            if self.stopping.is_set() or self.done >= self.operations:
                return False
            self.counts["operations"] += 1
            late = self.started + self.done / self.per_second - time.monotonic() if self.per_second else 0
        if late > 0:
            self.stopping.wait(late)
        return True

    def work(self, seed):
        chance, api = random.Random(seed), Api(self.folder, timeout=10)
        for request in self.requests(chance):
            if not self.take():
                break
            self.ask(api, request)
        api.close()

    def requests(self, chance):
        """Without end."""
        kinds, of_kinds = zip(*KINDS)
        while True:
            if chance.random() < 0.01:
                yield relabel(chance, f"/api/v1/namespaces/{chance.choice(NAMESPACES)}")
                continue
            (kind,) = chance.choices(kinds, of_kinds)
            collection, name = kind.place(chance)
            deeds, of_deeds = zip(*DEEDS[f"{collection}/{name}" in self.there])
            (deed,) = chance.choices(deeds, of_deeds)
            yield from getattr(kind, deed)(chance, collection, name)

    def ask(self, api, request):
        method, path, body, kind = request
        end = time.monotonic() + GIVE_UP_SECONDS
        while True:
            try:
                api.call(method, path, body, kind or "application/json")
                return self.learn(method, path, body, 200)
            except Refused as refused:
                if refused.status < 500 and refused.status != 429:
                    return self.learn(method, path, body, refused.status)
            except AWAY:
                pass
            if self.stopping.is_set() or time.monotonic() > end:
                return self.count("skipped")
            self.count("tried again")
            time.sleep(PAUSE_SECONDS)

    def learn(self, method, path, body, status):
        """Notes which objects are there now."""
        creates = method == "POST" and not path.endswith("/binding")
        one = f"{path}/{body['metadata']['name']}" if creates else path
        if creates and status in (200, 409):
            self.there.add(one)
        elif status == 404 or method == "DELETE" and status == 200:
            self.there.discard(one)
        self.count("accepted" if status == 200 else f"refused {status}")

    def count(self, what):
        with self.lock:
            self.counts[what] += 1

    def summary(self):
        refused = sum(count for name, count in self.counts.items() if name.startswith("refused"))
        return f"{self.done} operations ({refused} refused, {self.counts['tried again']} tried again, {self.counts['skipped']} skipped)"
