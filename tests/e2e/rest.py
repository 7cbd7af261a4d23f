"""A client of the API server that is quicker than a kubectl for every call."""

import http.client
import json
import ssl
import urllib.parse

import yaml


class Refused(Exception):
    """The API server's answer is an error."""

    def __init__(self, status, message):
        super().__init__(f"{status}: {message}")
        self.status = status


class Api:
    """One connection that stays open; `folder` is a ControlPlane's, with its kubeconfig and keys."""

    def __init__(self, folder, timeout=120):
        self.timeout = timeout
        config = yaml.safe_load((folder / "kubeconfig").read_text())
        self.address = urllib.parse.urlsplit(config["clusters"][0]["cluster"]["server"]).netloc
        self.tls = ssl.create_default_context(cafile=folder / "pki/ca.crt")
        self.tls.load_cert_chain(folder / "pki/admin.crt", folder / "pki/admin.key")
        self.connection = self.connect()

    def connect(self):
        return http.client.HTTPSConnection(self.address, context=self.tls, timeout=self.timeout)

    def close(self):
        self.connection.close()

    def call(self, method, path, given=None, kind="application/json"):
        """The answer's object. A connection that the server has closed meanwhile is opened anew by http.client."""
        body = None if given is None else json.dumps(given)
        try:
            self.connection.request(method, path, body, {"Content-Type": kind, "Accept": "application/json"})
            answer = self.connection.getresponse()
            text = answer.read()
        except BaseException:
            self.connection.close()  # half an answer may be left in it
            raise
        if answer.status >= 300:
            raise Refused(answer.status, text.decode(errors="replace"))
        return json.loads(text)

    def get(self, path):
        return self.call("GET", path)

    def find(self, path):
        """None if there is no such object."""
        try:
            return self.get(path)
        except Refused as refused:
            if refused.status != 404:
                raise
            return None

    def create(self, *objects):
        """Creates them one after the other; quicker than kubectl, which holds itself back after some hundreds."""
        for one in objects:
            group = "apis" if "/" in one["apiVersion"] else "api"
            namespace = one["metadata"].get("namespace")
            where = f"/namespaces/{namespace}" if namespace else ""
            kind = one["kind"].lower()
            self.call("POST", f"/{group}/{one['apiVersion']}{where}/{kind}{'es' if kind.endswith('s') else 's'}", one)

    def merge(self, path, change):
        return self.call("PATCH", path, change, "application/merge-patch+json")

    def events(self, path, since, is_last):
        """The watch events after the resource version `since` up to the one that `is_last` accepts, which is left out."""
        connection = self.connect()
        try:
            connection.request("GET", f"{path}?watch=1&timeoutSeconds=25&resourceVersion={since}", headers={"Accept": "application/json"})
            for line in connection.getresponse():
                event = json.loads(line)
                if event["type"] == "ERROR":
                    raise Refused(event["object"].get("code"), event["object"].get("message"))
                if is_last(event):
                    return
                yield event
            raise RuntimeError(f"the watch of {path} ended before the event that was waited for")
        finally:
            connection.close()
