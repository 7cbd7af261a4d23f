"""A TCP proxy on loopback that is bad to what goes through it: it cuts, delays, refuses and freezes connections."""

import collections
import random
import socket
import struct
import threading
import time

from relay import close

LEAST_BYTES, MOST_BYTES = 1 << 10, 1 << 20  # of both directions, before a connection is cut; its logarithm is spread evenly
IN_USE_BYTES = 50_000  # of answers: more than it takes to greet each other


class Carried:
    """One connection, and what is to become of it."""

    def __init__(self, client, server, chance, cut_after):
        self.client, self.server, self.chance, self.left = client, server, chance, cut_after
        self.answered = 0  # bytes
        self.frozen = threading.Event()


class ChaosProxy:
    """Carries bytes to `target`, in TLS or not. Calm when it begins.

    While it is stormy a connection is cut (closed or reset) after a random number of bytes in the middle of
    whatever it carries, and pieces are late now and then, in both directions. `refuse` turns connections away for a while.
    `freeze_one` makes one half-open: nothing is delivered any more, and nothing is closed either."""

    def __init__(self, target, seed):
        self.target, self.random, self.stormy = target, random.Random(seed), False
        self.counts, self.lock, self.open = collections.Counter(), threading.Lock(), []
        self.stopped, self.refused_until, self.to_freeze = threading.Event(), 0.0, 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.url = f"https://127.0.0.1:{self.port}"
        threading.Thread(target=self.accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stopped.set()
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        with self.lock:
            left, self.open = self.open, []
        for one in left:
            end(one)

    def storm(self):
        self.stormy = True

    def calm(self):
        """Whatever is frozen stays so: that ends when the client notices."""
        self.stormy, self.refused_until = False, 0.0

    def refuse(self, seconds):
        self.refused_until = time.monotonic() + seconds

    def freeze_one(self):
        """Of the connections that are in use, or that will be next."""
        with self.lock:
            self.to_freeze += 1

    def accept(self):
        while not self.stopped.is_set():
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            if time.monotonic() < self.refused_until:
                self.count("refusals")
                reset(client)
                continue
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        try:
            server = socket.create_connection(self.target, timeout=10)
            server.settimeout(None)
        except OSError:
            return close(client)
        with self.lock:
            budget = LEAST_BYTES * (MOST_BYTES / LEAST_BYTES) ** self.random.random()
            one = Carried(client, server, random.Random(self.random.random()), budget)
            self.open.append(one)
            self.counts["connections"] += 1
        threading.Thread(target=self.carry, args=(one, client, server), daemon=True).start()
        return self.carry(one, server, client)

    def carry(self, one, source, sink):
        try:
            while piece := source.recv(16384):
                if self.stormy:
                    self.delay(one)
                whole = self.counted(one, len(piece), sink is one.client)
                if one.frozen.is_set():
                    break
                sink.sendall(piece[:whole])
                if whole < len(piece):
                    self.count("cuts")
                    break
        except OSError:
            pass
        if one.frozen.is_set():
            self.hold(one)  # also if the server has gone, of which the client hears nothing
        self.forget(one)

    def counted(self, one, size, answer):
        """How much of a piece goes through."""
        with self.lock:
            one.answered += size if answer else 0
            if not self.stormy:
                return size
            if self.to_freeze and one.answered > IN_USE_BYTES and not one.frozen.is_set():
                self.to_freeze -= 1
                self.counts["freezes"] += 1
                one.frozen.set()
            whole = int(min(size, max(one.left, 0)))
            one.left -= size
            return whole

    def delay(self, one):
        if one.chance.random() < 0.05:
            self.count("delays")
            self.stopped.wait(one.chance.choice([0.01, 0.05, 0.2, 1.0]))

    def hold(self, one):
        """Until the client closes; what it still says is swallowed."""
        while not self.stopped.is_set():
            try:
                if not one.client.recv(16384):
                    return
            except OSError:
                return

    def forget(self, one):
        with self.lock:
            if one not in self.open:
                return
            self.open.remove(one)
        end(one)

    def count(self, what):
        with self.lock:
            self.counts[what] += 1

    def summary(self):
        names = ("connections", "cuts", "delays", "refusals", "freezes")
        return ", ".join(f"{self.counts[name]} {name}" for name in names)


def reset(sock):
    """Closes with RST; whoever waits for something from it wakes up."""
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        sock.shutdown(socket.SHUT_RD)
    except OSError:
        pass
    sock.close()


def end(one):
    how = one.chance.choice([close, reset])
    how(one.client)
    how(one.server)
