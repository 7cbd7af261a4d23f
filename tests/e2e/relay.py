"""Servers on loopback that stand between ksched and the API server: they count, record, and answer some things themselves."""

import http.client
import http.server
import random
import socket
import ssl
import threading
import time
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Seen:
    """One request as it arrived."""
    connection: int
    method: str
    path: str
    headers: Any
    at: float
    server_name: str = ""  # asked for in the TLS handshake
    peer: str = ""  # the common name of the client's certificate
    body: bytes = b""


@dataclass
class Reply:
    """What a rule wants: an answer of its own, or (status 0) the API server's, perhaps to another path or cut off."""
    status: int = 0
    body: bytes = b""
    headers: dict = field(default_factory=dict)
    path: str = ""
    cut: int = -1  # that many bytes of the body, then the connection breaks
    hang: bool = False  # no answer at all until the client has gone or the relay stops


def status_reply(code, reason, message, **headers):
    """An answer that says no, as the API server words it."""
    body = '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"%s","reason":"%s","code":%d}' % (message, reason, code)
    return Reply(code, body.encode(), {"Content-Type": "application/json", **{name.replace("_", "-"): value for name, value in headers.items()}})


class Relay:
    """An HTTPS server that gives requests to the API server at `target` and records them; `rule(seen, nth)` may answer instead (a Reply).

    Requests with a bearer token go on as they are, all others as the owner of `identity` (a certificate and its key).
    With `repeats` (a Repeats) watches go through as they come, with events more often than they came. `answered(seen, status)` hears
    what the API server made of each other request (0: it gave no answer)."""

    def __init__(self, target, certificate, ca, identity, rule=None, repeats=None, answered=None):
        self.target, self.rule, self.seen, self.lock = target, rule, [], threading.Lock()
        self.answered = answered or (lambda seen, status: None)
        self.repeats, self.streams = repeats, []
        self.stopped, self.idle = threading.Event(), {True: [], False: []}  # connections to the API server, by who asks
        self.connections = 0
        self.upstream = ssl.create_default_context(cafile=ca)
        self.upstream_as_owner = ssl.create_default_context(cafile=ca)
        self.upstream_as_owner.load_cert_chain(*identity)
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.load_cert_chain(*certificate)
        self.tls.load_verify_locations(ca)
        self.tls.verify_mode = ssl.CERT_OPTIONAL
        self.tls.sni_callback = lambda sock, name, _context: setattr(sock, "asked_for", name or "")
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        self.server.daemon_threads = True
        self.server.handle_error = lambda _request, _address: None  # a client that goes away is what tests are about
        self.port = self.server.server_address[1]
        self.url = f"https://127.0.0.1:{self.port}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stopped.set()
        self.server.shutdown()
        self.server.server_close()
        with self.lock:
            for one in self.idle[True] + self.idle[False]:
                one.close()
            for one in self.streams:
                if sock := one.sock:
                    close(sock)  # whoever reads from it holds on to the rest

    def paths(self, part=""):
        """The paths that were asked for and contain this."""
        with self.lock:
            return [one.path for one in self.seen if part in one.path]

    def handler(self):
        relay = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 60

            def setup(self):
                with relay.lock:
                    self.connection_number = relay.connections
                    relay.connections += 1
                self.request = relay.tls.wrap_socket(self.request, server_side=True)
                super().setup()

            def log_message(self, *_):
                pass

            def do_GET(self):
                try:
                    relay.answer(self)
                except (OSError, http.client.HTTPException):
                    close(self.request)  # else it would stay open as long as Python remembers the failure
                    raise

            do_POST = do_PUT = do_PATCH = do_DELETE = do_GET

        return Handler

    def record(self, handler, body):
        certificate = handler.request.getpeercert() or {}
        names = dict(pair for rdn in certificate.get("subject", ()) for pair in rdn)
        one = Seen(handler.connection_number, handler.command, handler.path, handler.headers, time.monotonic(),
                   getattr(handler.request, "asked_for", ""), names.get("commonName", ""), body)
        with self.lock:
            self.seen.append(one)
            return one, len(self.seen) - 1

    def answer(self, handler):
        body = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        seen, nth = self.record(handler, body)
        reply = (self.rule and self.rule(seen, nth)) or Reply()
        if reply.hang:
            self.stopped.wait(60)
            handler.close_connection = True
            return
        if self.repeats and not reply.status and "watch=" in handler.path:
            return self.stream(handler, reply)
        if reply.status:
            status, headers, text = reply.status, reply.headers, reply.body
        else:
            status, headers, text = self.forward_and_tell(handler, seen, reply, body)
        self.send(handler, status, headers, text, reply.cut)

    def forward_and_tell(self, handler, seen, reply, body):
        try:
            status, headers, text = self.forward(handler, reply, body)
        except Exception:
            self.answered(seen, 0)
            raise
        self.answered(seen, status)
        return status, headers, text

    def onward(self, bearer):
        """A connection to the API server, perhaps one that has been used before."""
        with self.lock:
            if self.idle[bearer]:
                return self.idle[bearer].pop()
        return http.client.HTTPSConnection(*self.target, context=self.upstream if bearer else self.upstream_as_owner, timeout=60)

    def forward(self, handler, reply, body):
        """The API server's answer: status, headers and body."""
        bearer = handler.headers.get("Authorization", "").startswith("Bearer ")
        onward = self.onward(bearer)
        answer = self.ask(onward, handler, reply, body, bearer)
        text = answer.read()
        with self.lock:
            self.idle[bearer].append(onward)
        return answer.status, kept_headers(answer), text

    @staticmethod
    def ask(onward, handler, reply, body, bearer):
        left_out = ("host", "connection", "content-length", *(() if bearer else ("authorization",)))
        onward.putrequest(handler.command, reply.path or handler.path, skip_accept_encoding=True)
        for name, value in handler.headers.items():
            if name.lower() not in left_out:
                onward.putheader(name, value)
        if body:
            onward.putheader("Content-Length", str(len(body)))
        onward.endheaders(body or None)
        return onward.getresponse()

    def stream(self, handler, reply):
        """An answer that has no end yet, event by event."""
        bearer = handler.headers.get("Authorization", "").startswith("Bearer ")
        onward = http.client.HTTPSConnection(*self.target, context=self.upstream if bearer else self.upstream_as_owner)
        with self.lock:
            self.streams.append(onward)
        handler.close_connection = True
        try:
            answer = self.ask(onward, handler, reply, b"", bearer)
            if answer.status != 200:
                return self.send(handler, answer.status, kept_headers(answer), answer.read(), -1)
            return self.send_stream(handler, answer)
        finally:
            onward.close()

    def send_stream(self, handler, answer):
        handler.send_response(200)
        for name, value in {**kept_headers(answer), "Transfer-Encoding": "chunked", "Connection": "close"}.items():
            handler.send_header(name, value)
        handler.end_headers()
        for frame in self.repeats.of(frames(answer)):
            handler.wfile.write(b"%x\r\n%b\r\n" % (len(frame), frame))
        handler.wfile.write(b"0\r\n\r\n")

    @staticmethod
    def send(handler, status, headers, body, cut):
        handler.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(body if cut < 0 else body[:cut])
        handler.wfile.flush()
        if cut >= 0:
            handler.close_connection = True
            handler.request.shutdown(socket.SHUT_RDWR)


def kept_headers(answer):
    return {name: value for name, value in answer.getheaders() if name.lower() in ("content-type", "content-encoding", "retry-after")}


def frames(answer):
    """The events of a watch as they come, with what separates them: lengths in protobuf, ends of lines in JSON."""
    if "protobuf" not in answer.headers["Content-Type"]:
        yield from answer
        return
    while len(length := answer.read(4)) == 4:
        yield length + answer.read(int.from_bytes(length, "big"))


class Repeats:
    """Events come twice now and then, at once or after others."""

    def __init__(self, seed):
        self.random, self.lock, self.count = random.Random(seed), threading.Lock(), 0

    def of(self, events):
        before = []
        for event in events:
            before = [*before[-20:], event]
            yield event
            with self.lock:
                chance, which = self.random.random(), self.random.choice(before)
            if chance < 0.4:
                self.count += 1
                yield event if chance < 0.2 else which


class Tunnel:
    """Carries bytes to `target` and counts connections; speaks "connect" (an HTTP proxy) or "socks5" first, or nothing.

    `refuse` is the status that a proxy answers instead. `on_answer(carried)` hears how many bytes of answers have come so far, before
    they are handed on; True from it breaks the connection."""

    def __init__(self, target, speak="", refuse=0, on_answer=None):
        self.target, self.speak, self.refuse, self.on_answer = target, speak, refuse, on_answer
        self.connections, self.heads, self.lock = 0, [], threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.open = []
        threading.Thread(target=self.accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        with self.lock:
            for one in self.open:
                close(one)

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            with self.lock:
                self.connections += 1
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        try:
            if self.speak == "connect" and not self.greet_connect(client) or self.speak == "socks5" and not self.greet_socks5(client):
                return close(client)
            server = socket.create_connection(self.target)
        except OSError:
            return close(client)
        with self.lock:
            self.open += [client, server]
        threading.Thread(target=self.carry, args=(client, server, None), daemon=True).start()
        return self.carry(server, client, self.on_answer)

    def greet_connect(self, client):
        head = b""
        while b"\r\n\r\n" not in head:
            piece = client.recv(4096)
            if not piece:
                return False
            head += piece
        with self.lock:
            self.heads.append(head.decode())
        client.sendall(f"HTTP/1.1 {self.refuse or 200} {'No' if self.refuse else 'OK'}\r\n\r\n".encode())
        return not self.refuse

    def greet_socks5(self, client):
        _, methods = receive(client, 2)
        receive(client, methods)
        client.sendall(b"\x05\x00")
        _, _, _, kind = receive(client, 4)
        size = receive(client, 1)[0] if kind == 3 else {1: 4, 4: 16}[kind]
        address = receive(client, size)
        receive(client, 2)
        with self.lock:
            self.heads.append(address.decode() if kind == 3 else socket.inet_ntop({1: socket.AF_INET, 4: socket.AF_INET6}[kind], address))
        client.sendall(b"\x05\x00\x00\x01" + bytes(6))
        return True

    @staticmethod
    def carry(source, sink, heard):
        carried = 0
        try:
            while piece := source.recv(65536):
                carried += len(piece)
                if heard and heard(carried):
                    break
                sink.sendall(piece)
        except OSError:
            pass
        close(source)
        close(sink)


def receive(sock, count):
    """Exactly that many bytes."""
    got = b""
    while len(got) < count:
        piece = sock.recv(count - len(got))
        if not piece:
            raise OSError("closed")
        got += piece
    return got


def closed_port():
    """A port on loopback on which nobody listens."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def close(sock):
    try:
        sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass
    sock.close()
