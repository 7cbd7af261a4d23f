"""A mutating webhook on loopback, as small as it can be."""

import base64
import http.server
import json
import ssl
import subprocess
import threading


class Webhook:
    """Serves HTTPS with a certificate of the control plane's authority; `answer` makes the response to an AdmissionReview's request."""

    def __init__(self, folder, answer):
        self.requests = []
        certificate = issue(folder / "pki")
        webhook = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):  # noqa: N802  (http.server's name)
                review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                webhook.requests.append(review["request"])
                body = json.dumps({"apiVersion": review["apiVersion"], "kind": review["kind"],
                                   "response": {"uid": review["request"]["uid"], **answer(review["request"])}}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.authority = base64.b64encode((folder / "pki/ca.crt").read_bytes()).decode()
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def configuration(self, name, namespace):
        """The object that makes the API server ask about the pods of the namespace."""
        return {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingWebhookConfiguration", "metadata": {"name": name},
                "webhooks": [{"name": f"{name}.example.com", "sideEffects": "None", "admissionReviewVersions": ["v1"],
                              "clientConfig": {"url": f"https://127.0.0.1:{self.server.server_port}/", "caBundle": self.authority},
                              "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
                              "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}]}]}

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


def issue(pki, folder=None, name="webhook"):
    """A certificate for 127.0.0.1 and its key, by the authority of `pki`: files in `folder`."""
    key, request, certificate, names = ((folder or pki) / f"{name}.{end}" for end in ("key", "csr", "crt", "ext"))
    names.write_text("subjectAltName=IP:127.0.0.1\n")
    quiet = {"check": True, "stdin": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run(["openssl", "req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}", "-keyout", key, "-out", request], **quiet)
    subprocess.run(["openssl", "x509", "-req", "-in", request, "-CA", pki / "ca.crt", "-CAkey", pki / "ca.key", "-CAcreateserial",
                    "-days", "2", "-extfile", names, "-out", certificate], **quiet)
    return certificate, key


def patch(*operations):
    return {"allowed": True, "patchType": "JSONPatch", "patch": base64.b64encode(json.dumps(operations).encode()).decode()}
