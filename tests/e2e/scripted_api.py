"""An API server that is made up: plain HTTP and JSON, with what a test puts into it, and with answers that no real one would give."""

import http.server
import json
import queue
import threading
import urllib.parse

KINDS = {plural: (version, kind) for version, plural, kind in (line.split() for line in """\
v1 namespaces Namespace
v1 limitranges LimitRange
v1 resourcequotas ResourceQuota
v1 nodes Node
v1 persistentvolumes PersistentVolume
v1 persistentvolumeclaims PersistentVolumeClaim
v1 services Service
v1 replicationcontrollers ReplicationController
v1 pods Pod
apps/v1 replicasets ReplicaSet
apps/v1 statefulsets StatefulSet
apps/v1 daemonsets DaemonSet
apps/v1 deployments Deployment
batch/v1 jobs Job
batch/v1 cronjobs CronJob
autoscaling/v2 horizontalpodautoscalers HorizontalPodAutoscaler
policy/v1 poddisruptionbudgets PodDisruptionBudget
scheduling.k8s.io/v1 priorityclasses PriorityClass
node.k8s.io/v1 runtimeclasses RuntimeClass
storage.k8s.io/v1 storageclasses StorageClass
storage.k8s.io/v1 csidrivers CSIDriver
storage.k8s.io/v1 csinodes CSINode
storage.k8s.io/v1 csistoragecapacities CSIStorageCapacity
storage.k8s.io/v1 volumeattachments VolumeAttachment""".splitlines())}


def an_object(plural, name, version, namespace=None, **fields):
    api_version, kind = KINDS[plural]
    metadata = {"name": name, "uid": f"{plural}-{name}", "resourceVersion": str(version), **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **fields}


def a_node(name, version, cpu="4"):
    return an_object("nodes", name, version, status={"allocatable": {"cpu": cpu, "memory": "8Gi", "pods": "110"}})


def a_pod(name, version, cpu="1"):
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}
    return an_object("pods", name, version, "default", spec={"schedulerName": "default-scheduler", "containers": [container]},
                     status={"phase": "Pending"})


class ScriptedApi:
    """One node and one pod that waits. `rule(handler, path, query)` answers instead if it returns something true: then it has."""

    def __init__(self):
        self.objects = {plural: [] for plural in KINDS}
        self.objects["namespaces"] = [an_object("namespaces", "default", 1)]
        self.objects["nodes"], self.objects["pods"] = [a_node("n", 10)], [a_pod("waits", 11)]
        self.version, self.rule, self.seen = 100, None, []
        self.streams, self.lock, self.stopped = {plural: [] for plural in KINDS}, threading.Lock(), threading.Event()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        self.server.daemon_threads = True
        self.server.handle_error = lambda _request, _address: None
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def __exit__(self, *_):
        self.stopped.set()
        self.server.shutdown()
        self.server.server_close()

    def handler(self):
        api = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                self.given = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                url = urllib.parse.urlparse(self.path)
                query = dict(urllib.parse.parse_qsl(url.query, keep_blank_values=True))
                with api.lock:
                    api.seen.append(self.path)
                if not (api.rule and api.rule(self, url.path, query)):
                    api.answer(self, url.path, query)

            do_POST = do_GET

        return Handler

    def answer(self, handler, path, query):
        parts = path.strip("/").split("/")
        if path == "/version":
            return self.send(handler, 200, {"major": "1", "minor": "37", "gitVersion": "v1.37.2"})
        if parts[-1] in KINDS:
            return (self.watch if query.get("watch") else self.list)(handler, parts[-1], query)
        for one in self.objects.get(parts[-2] if len(parts) > 1 else "", []):
            if one["metadata"]["name"] == parts[-1]:
                return self.send(handler, 200, one)
        return self.refuse(handler, 404, "NotFound", "not found")

    def list(self, handler, plural, _query):
        version, kind = KINDS[plural]
        with self.lock:
            whole = {"kind": f"{kind}List", "apiVersion": version, "metadata": {"resourceVersion": str(self.version)}, "items": list(self.objects[plural])}
        self.send(handler, 200, whole)

    def watch(self, handler, plural, query):
        """No streamed lists: they are for a rule. Events follow as `say` has them."""
        if "sendInitialEvents" in query:
            return self.refuse(handler, 422, "Invalid", "sendInitialEvents is forbidden")
        self.begin(handler)
        events = queue.Queue()
        with self.lock:
            self.streams[plural].append(events)
        while not self.stopped.is_set():
            try:
                event = events.get(timeout=0.5)
            except queue.Empty:
                continue
            if event is None:
                return self.piece(handler, b"")
            self.piece(handler, event)
        return None

    def begin(self, handler):
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()

    def piece(self, handler, content):
        """Of what has begun; nothing is its end."""
        text = content if isinstance(content, bytes) else json.dumps(content).encode() + b"\n"
        handler.wfile.write(b"%x\r\n%s\r\n" % (len(text), text))
        handler.wfile.flush()

    def send(self, handler, status, content, kind="application/json"):
        text = content if isinstance(content, bytes) else json.dumps(content).encode()
        handler.send_response(status)
        handler.send_header("Content-Type", kind)
        handler.send_header("Content-Length", str(len(text)))
        handler.end_headers()
        handler.wfile.write(text)
        return True

    def refuse(self, handler, status, reason, message):
        return self.send(handler, status, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": message, "reason": reason, "code": status})

    def hang(self):
        """No answer at all."""
        self.stopped.wait(60)
        return True

    def say(self, plural, kind, one):
        """An event in the watches of a kind."""
        self.tell(plural, {"type": kind, "object": one})

    def put_node(self, cpu):
        """The node changes, and so does the answer, if it is about CPUs."""
        self.version += 1
        self.objects["nodes"] = [a_node("n", self.version, cpu)]
        self.say("nodes", "MODIFIED", self.objects["nodes"][0])

    def end_watches(self, *plurals):
        for plural in plurals:
            with self.lock:
                ended, self.streams[plural] = self.streams[plural], []
            for events in ended:
                events.put(None)

    def tell(self, plural, event):
        with self.lock:
            for events in self.streams[plural]:
                events.put(event)
