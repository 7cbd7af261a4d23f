"""Every way in which a kubeconfig, flags and the surroundings say where a cluster is and who asks, on a real API server."""

import base64
import json
import os
import pathlib
import shutil
import socket
import subprocess
import time
import unittest

from control_plane import ControlPlane
from live import Live, Relayed, data
from relay import Reply, closed_port, status_reply

ADMIN_TOKEN = "test-token"  # of cluster/up
TOKEN_NAME = "Bearer " + ADMIN_TOKEN


def setUpModule():
    plane = Live.plane = ControlPlane(Live.programs, nodes=1, scheduler_config=None)
    plane.__enter__()
    unittest.addModuleCleanup(plane.stop)
    plane.create(*({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in ("team", "mine", "elsewhere", "from-the-pod")))


class Kubeconfigs(Relayed):
    def test_several_files_are_merged_and_their_paths_are_their_own(self):
        for name in ("ca.crt", "admin.crt", "admin.key"):
            (self.folder / "clusters" / "pki").mkdir(parents=True, exist_ok=True)
            (self.folder / "users").mkdir(exist_ok=True)
            shutil.copy(self.pki / name, self.folder / "clusters" / "pki" / name)
            shutil.copy(self.pki / name, self.folder / "users" / name)
        cluster = {"name": "c", "cluster": {"server": self.server, "certificate-authority": "pki/ca.crt"}}
        user = {"name": "u", "user": {"client-certificate": "admin.crt", "client-key": "./admin.key"}}
        wrong = {"name": "c", "cluster": {"server": "https://127.0.0.1:1"}}
        context = {"name": "x", "context": {"cluster": "c", "user": "u", "namespace": "team"}}
        files = [self.write("clusters/config", {"clusters": [cluster]}), self.folder / "absent",
                 self.write("users/config", {"users": [user], "clusters": [wrong]}),
                 self.write("contexts", {"contexts": [context], "current-context": "x"})]
        report = self.reaches(config=":".join(map(str, files)), cwd="/")
        self.assertEqual(report["pods"][0]["namespace"], "team")

    def test_the_home_folder_has_one(self):
        self.write("home/.kube/config", self.config().read_text())
        self.reaches()

    def test_the_flag_replaces_the_variable(self):
        self.reaches("--kubeconfig", self.config(), config=self.write("broken", "clusters: ["))
        line = self.fails("--kubeconfig", self.folder / "nowhere", config=self.config())
        self.assertIn("nowhere", line)

    def test_flags_choose_context_cluster_user_and_namespace(self):
        config = json.loads(self.config().read_text())
        config["clusters"].append({"name": "other", "cluster": {"server": "https://127.0.0.1:1"}})
        config["users"].append({"name": "other", "user": {"token": "no"}})
        config["contexts"].append({"name": "other", "context": {"cluster": "other", "user": "other", "namespace": "elsewhere"}})
        config["current-context"] = "other"
        path = self.write("config", config)
        for flags, namespace in ((["--context", "x"], "default"), (["--cluster=c", "--user=u"], "elsewhere"),
                                 (["--context", "x", "-n", "mine"], "mine"), (["--context=x", "--namespace=mine"], "mine")):
            with self.subTest(flags):
                self.assertEqual(self.reaches(*flags, config=path)["pods"][0]["namespace"], namespace)
        self.assertIn("refused", self.fails("--user", "u", config=path))
        for flag in ("--context", "--cluster", "--user"):
            with self.subTest(flag):
                self.assertIn("nobody", self.fails(flag, "nobody", config=path))

    def test_certificates_are_files_or_data(self):
        self.reaches(config=self.config({"client-certificate-data": data(self.pki / "admin.crt"), "client-key-data": data(self.pki / "admin.key")},
                                        certificate_authority=None, certificate_authority_data=data(self.pki / "ca.crt")))
        # Both are an error, as for kubectl.
        line = self.fails(config=self.config({**self.admin, "client-certificate-data": data(self.pki / "admin.crt")}))
        self.assertIn("client-cert-data and client-cert are both specified for u", line)

    def test_flags_alone_are_enough(self):
        self.reaches("--server", self.server, "--certificate-authority", self.pki / "ca.crt",
                     "--client-certificate", self.pki / "admin.crt", "--client-key", self.pki / "admin.key")
        self.reaches("-s", self.server, f"--certificate-authority={self.pki}/ca.crt", "--token", ADMIN_TOKEN)
        self.reaches("-s", self.server, "--insecure-skip-tls-verify", "--token", ADMIN_TOKEN)

    def test_tokens(self):
        self.reaches(config=self.config({"token": ADMIN_TOKEN}))
        self.write("token", ADMIN_TOKEN + "\n")
        self.reaches(config=self.config({"tokenFile": "token"}), cwd="/")
        self.reaches("--token", ADMIN_TOKEN, config=self.config({"token": "wrong"}))
        self.reaches(config=self.config({"tokenFile": "token", "token": "wrong"}), cwd="/")

    def test_a_token_file_is_read_again_when_it_changes(self):
        token = self.write("token", ADMIN_TOKEN)
        new = self.write("new-token", "another-token")
        relay = self.relay(lambda one, _nth: new.exists() and new.rename(token) and None if "/pods" in one.path else None)
        config = self.config({"tokenFile": str(token)}, server=relay.url)
        done = self.run_ksched("snapshot", "-o", "-", config=config)
        self.assertEqual(done.returncode, 3)  # the version is asked for last, with the new token, which is not valid
        self.assertEqual([one.headers["Authorization"] for one in relay.seen if "/version" in one.path][:1], ["Bearer another-token"])
        self.assertEqual({one.headers["Authorization"] for one in relay.seen if "/nodes" in one.path}, {TOKEN_NAME})

    def test_a_refused_token_file_is_read_again(self):
        token, new = self.write("token", "old-token"), self.write("new-token", ADMIN_TOKEN)

        def rule(one, _nth):
            if one.headers["Authorization"] != "Bearer old-token":
                return None
            if new.exists():
                new.rename(token)  # at once, as it is done in pods
            return status_reply(401, "Unauthorized", "Unauthorized")
        relay = self.relay(rule)
        self.reaches(config=self.config({"tokenFile": str(token)}, server=relay.url))
        self.assertEqual(self.header(relay, "Authorization"), {"Bearer old-token", TOKEN_NAME})

    def test_basic_authentication_is_sent(self):
        expected = "Basic " + base64.b64encode("käthe:pass:word".encode()).decode()
        for user, flags in (({"username": "käthe", "password": "pass:word"}, []), ({}, ["--username", "käthe", "--password", "pass:word"])):
            with self.subTest(flags=flags):
                relay = self.relay()
                self.reaches(*flags, config=self.config(user, server=relay.url))
                self.assertEqual(self.header(relay, "Authorization"), {expected})

    def test_impersonation(self):
        relay = self.relay()
        config = self.config(server=relay.url)
        self.reaches("--as", "jane", "--as-group", "system:masters", "--as-group", "devs", "--as-uid", "u-1",
                     "--as-user-extra", "Reason=a b", config=config)
        (one, *_) = relay.seen
        self.assertEqual([one.headers.get_all(f"Impersonate-{name}") for name in ("User", "Group", "Uid")],
                         [["jane"], ["system:masters", "devs"], ["u-1"]])
        self.assertEqual([one.headers[name] for name in one.headers if name.lower().startswith("impersonate-extra-")], ["a b"])
        # And the real server takes it so.
        self.reaches("--as", "jane", "--as-group", "system:masters", config=self.config())
        done = self.simulate("--as", "jane", config=self.config())
        self.assertEqual(done.returncode, 3)
        self.assertIn('User "jane" cannot list resource "nodes"', done.stderr)

    def test_a_request_may_take_only_so_long(self):
        relay = self.relay(lambda *_: Reply(hang=True))
        self.assertIn(relay.url, self.fails("--request-timeout", "300ms", config=self.config(server=relay.url)))
        self.reaches("--request-timeout", "1m", config=self.config())
        self.assertIn("Invalid timeout value", self.fails("--request-timeout", "soon", config=self.config()))

    def test_compression(self):
        for flags, field, packed in (([], {}, True), (["--disable-compression"], {}, False), ([], {"disable_compression": True}, False)):
            with self.subTest(flags=flags, field=field):
                relay = self.relay()
                self.reaches(*flags, config=self.config(server=relay.url, **field))
                self.assertEqual({"gzip" in (value or "") for value in self.header(relay, "Accept-Encoding")}, {packed})

    def test_a_path_before_the_api_stays(self):
        relay = self.relay(lambda one, _nth: Reply(path=one.path.removeprefix("/k8s/clusters/c-1")))
        self.reaches(config=self.config(server=relay.url + "/k8s/clusters/c-1/"))
        self.assertEqual({path.startswith("/k8s/clusters/c-1/api") for path in relay.paths()}, {True})


class ServiceAccounts(Relayed):
    FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount"

    def test_a_pod_has_its_own_way_in(self):
        """The folder of the service account is made in a mount namespace of the command, so that the machine's own stays as it is."""
        token = self.write("token", ADMIN_TOKEN)
        namespace = self.write("namespace", "from-the-pod\n")
        script = f"mount -t tmpfs none /run && mkdir -p {self.FOLDER} && cp {self.pki}/ca.crt {token} {namespace} {self.FOLDER}/ && exec \"$@\""
        inside = ["unshare", "-m", "sh", "-ec", script, "sh"]
        if os.geteuid() != 0 or subprocess.run([*inside, "true"], capture_output=True, check=False).returncode != 0:
            self.skipTest("a mount namespace cannot be made here")
        host, port = self.target
        environment = self.surroundings(KUBERNETES_SERVICE_HOST=host, KUBERNETES_SERVICE_PORT=str(port))
        command = [*inside, self.ksched, "simulate", "-f", str(self.manifest()), "-o", "json"]
        done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        (probe,) = json.loads(done.stdout)["pods"]
        self.assertEqual((probe["namespace"], probe["result"]), ("from-the-pod", "Scheduled"))


class Certificates(Relayed):
    def test_a_certificate_of_another_authority(self):
        relay = self.relay(certificate=self.certificate(own_authority=True))
        config = self.config(server=relay.url)
        self.assertIn("certificate signed by unknown authority", self.fails(config=config))
        self.assertEqual(relay.seen, [])
        self.reaches("--insecure-skip-tls-verify", "--token", ADMIN_TOKEN, config=self.config({}, server=relay.url, certificate_authority=None))
        self.reaches("--certificate-authority", self.folder / "server.crt", config=config)
        self.reaches(config=self.config(server=relay.url, certificate_authority=None, insecure_skip_tls_verify=True))

    def test_the_hosts_authorities_count_without_one_in_the_kubeconfig(self):
        config = self.config(certificate_authority=None)
        self.assertIn("certificate", self.fails(config=config))
        self.reaches(config=config, variables={"SSL_CERT_FILE": str(self.pki / "ca.crt")})

    def test_a_certificate_of_another_name(self):
        relay = self.relay(certificate=self.certificate("DNS:api.cluster.example"))
        self.assertIn("127.0.0.1", self.fails(config=self.config(server=relay.url)))
        self.reaches("--tls-server-name", "api.cluster.example", config=self.config(server=relay.url))
        self.reaches(config=self.config(server=relay.url, tls_server_name="api.cluster.example"))
        self.assertEqual({one.server_name for one in relay.seen}, {"api.cluster.example"})
        self.assertIn("other.example", self.fails("--tls-server-name", "other.example", config=self.config(server=relay.url)))

    def test_a_certificate_whose_time_is_over(self):
        relay = self.relay(certificate=self.certificate(days=-1))
        self.assertIn("expired", self.fails(config=self.config(server=relay.url)))

    def test_the_client_certificate_is_presented(self):
        relay = self.relay()
        self.reaches(config=self.config(server=relay.url))
        self.assertEqual({one.peer for one in relay.seen}, {"admin"})

    def test_keys_that_do_not_fit(self):
        mixed = {"client-certificate": str(self.pki / "admin.crt"), "client-key": str(self.pki / "scheduler.key")}
        self.fails(config=self.config(mixed))
        self.assertIn("nowhere", self.fails(config=self.config({"client-certificate": "nowhere.crt", "client-key": "nowhere.key"})))
        self.assertIn("client-key", self.fails(config=self.config({"client-certificate": str(self.pki / "admin.crt")})))
        self.fails(config=self.config(certificate_authority=str(self.write("empty.crt", "no certificate"))))
        # One of an authority that the API server does not know.
        certificate, key = self.certificate(own_authority=True)
        self.fails(config=self.config({"client-certificate": str(certificate), "client-key": str(key)}))


class Proxies(Relayed):
    NAME = "https://api.cluster.example:6443"  # only the proxy knows where that is

    def named(self, **cluster):
        return self.config(server=self.NAME, tls_server_name="localhost", **cluster)

    def test_a_proxy_of_the_kubeconfig_carries_everything_over_one_connection(self):
        for speak, scheme in (("connect", "http"), ("socks5", "socks5")):
            with self.subTest(scheme):
                proxy = self.tunnel(speak)
                self.reaches(config=self.named(proxy_url=f"{scheme}://127.0.0.1:{proxy.port}"))
                self.assertEqual(proxy.connections, 1)
                self.assertIn("api.cluster.example", proxy.heads[0])

    def test_a_proxy_is_told_who_asks(self):
        proxy = self.tunnel("connect")
        self.reaches(config=self.named(proxy_url=f"http://me:p%40ss@127.0.0.1:{proxy.port}"))
        self.assertIn("CONNECT api.cluster.example:6443 HTTP/1.1\r\n", proxy.heads[0])
        self.assertIn("\r\nproxy-authorization: basic " + base64.b64encode(b"me:p@ss").decode().lower(), proxy.heads[0].lower())
        self.assertNotIn("\r\nAuthorization:", proxy.heads[0])

    def test_the_proxy_of_the_environment(self):
        for name in ("HTTPS_PROXY", "https_proxy"):
            with self.subTest(name):
                proxy = self.tunnel("connect")
                self.reaches(config=self.named(), variables={name: f"http://127.0.0.1:{proxy.port}"})
                self.assertEqual(proxy.connections, 1)

    def test_no_proxy(self):
        proxy = self.tunnel("connect")
        variables = {"HTTPS_PROXY": f"http://127.0.0.1:{proxy.port}"}
        self.fails(config=self.named(), variables={**variables, "NO_PROXY": ".cluster.example"})
        self.reaches(config=self.config(), variables=variables)  # loopback never goes over a proxy of the environment
        self.assertEqual(proxy.connections, 0)
        direct = self.tunnel("connect")
        self.reaches(config=self.named(proxy_url=f"http://127.0.0.1:{direct.port}"), variables={**variables, "NO_PROXY": "*"})
        self.assertEqual((direct.connections, proxy.connections), (1, 0))

    def test_a_proxy_that_does_not_help(self):
        refusing = self.tunnel("connect", refuse=407)
        line = self.fails(config=self.named(proxy_url=f"http://me:s3cret@127.0.0.1:{refusing.port}"))
        self.assertIn("407", line)
        self.assertNotIn("s3cret", line)
        self.assertIn("proxy", self.fails(config=self.named(proxy_url=f"http://127.0.0.1:{closed_port()}")))
        self.assertIn("proxy", self.fails(config=self.named(proxy_url="ftp://127.0.0.1:1")))


class Plugins(Relayed):
    """Exec credential plugins: scripts that note how they are run."""
    TOKEN = "printf '{{\"kind\":\"ExecCredential\",\"apiVersion\":\"%s\",\"status\":{status}}}' client.authentication.k8s.io/{version}"

    def plugin(self, lines, name="plugin"):
        path = self.write(name, f"#!/bin/sh\necho run >> {self.folder}/runs\nprintf %s \"$KUBERNETES_EXEC_INFO\" > {self.folder}/info\n{lines}\n")
        path.chmod(0o755)
        return path

    def gives(self, status, version="v1", name="plugin"):
        return self.plugin(self.TOKEN.format(status=json.dumps(status), version=version), name)

    def user(self, path, version="v1", **fields):
        more = {} if version == "v1beta1" else {"interactiveMode": "Never"}
        return {"exec": {"apiVersion": f"client.authentication.k8s.io/{version}", "command": str(path), **more, **fields}}

    def runs(self):
        return len((self.folder / "runs").read_text().split())

    def test_both_versions_run_once(self):
        for version in ("v1", "v1beta1"):
            with self.subTest(version):
                (self.folder / "runs").unlink(missing_ok=True)
                self.reaches(config=self.config(self.user(self.gives({"token": ADMIN_TOKEN}, version), version)))
                self.assertEqual(self.runs(), 1)
                info = json.loads((self.folder / "info").read_text())
                self.assertEqual((info["kind"], info["apiVersion"], info["spec"]),
                                 ("ExecCredential", f"client.authentication.k8s.io/{version}", {"interactive": False}))

    def test_certificates_of_a_plugin(self):
        status = {"clientCertificateData": (self.pki / "admin.crt").read_text(), "clientKeyData": (self.pki / "admin.key").read_text()}
        answer = self.write("answer", {"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1", "status": status})
        self.reaches(config=self.config(self.user(self.plugin(f"cat {answer}"))))

    def test_arguments_variables_and_places(self):
        path = self.plugin(f'[ "$1 $2 $FLAVOUR" = "get token now" ] && {self.TOKEN.format(status=json.dumps({"token": ADMIN_TOKEN}), version="v1")}')
        fields = {"args": ["get", "token"], "env": [{"name": "FLAVOUR", "value": "now"}]}
        self.reaches(config=self.config(self.user("./plugin", **fields)), cwd="/")  # beside its kubeconfig
        self.reaches(config=self.config(self.user("plugin", **fields)), variables={"PATH": f"{path.parent}:{os.environ['PATH']}"})

    def test_the_cluster_is_described_to_it(self):
        extension = [{"name": "client.authentication.k8s.io/exec", "extension": {"audience": "a<b"}}]
        user = self.user(self.gives({"token": ADMIN_TOKEN}), provideClusterInfo=True)
        self.reaches(config=self.config(user, extensions=extension, tls_server_name="localhost"))
        cluster = json.loads((self.folder / "info").read_text())["spec"]["cluster"]
        self.assertEqual(cluster, {"server": self.server, "tls-server-name": "localhost", "config": {"audience": "a<b"},
                                   "certificate-authority-data": data(self.pki / "ca.crt")})

    def test_standard_input_is_not_shared_with_a_manifest(self):
        taking = "cat > /dev/null\n" + self.TOKEN.format(status=json.dumps({"token": ADMIN_TOKEN}), version="v1")
        config = self.config(self.user(self.plugin(taking), interactiveMode="IfAvailable"))
        self.reaches(manifest="-", given=self.manifest().read_text(), config=config)
        always = self.config(self.user(self.plugin(taking), interactiveMode="Always"))
        self.assertIn("standard input is not a terminal", self.fails(config=always))

    def test_it_runs_again_when_what_it_gave_is_refused(self):
        """The first token is stale; the API server says so at once."""
        first = self.TOKEN.format(status=json.dumps({"token": "stale"}), version="v1")
        then = self.TOKEN.format(status=json.dumps({"token": ADMIN_TOKEN}), version="v1")
        path = self.plugin(f"if [ $(wc -l < {self.folder}/runs) = 1 ]; then {first}; else {then}; fi")
        self.reaches(config=self.config(self.user(path)))
        self.assertEqual(self.runs(), 2)

    def test_it_runs_again_when_what_it_gave_is_refused_later(self):
        status = {"token": "stale"}
        first, then = (self.TOKEN.format(status=json.dumps(one), version="v1") for one in (status, {"token": ADMIN_TOKEN}))
        path = self.plugin(f"if [ $(wc -l < {self.folder}/runs) = 1 ]; then {first}; else {then}; fi")

        def rule(one, _nth):
            if one.headers["Authorization"] == TOKEN_NAME:
                return None
            time.sleep(1.5)  # so that the token is not a new one any more
            return status_reply(401, "Unauthorized", "Unauthorized")
        self.reaches(config=self.config(self.user(path), server=self.relay(rule).url))
        self.assertEqual(self.runs(), 2)

    def test_a_refusal_that_stays_ends_soon(self):
        self.assertIn("Unauthorized", self.fails(config=self.config(self.user(self.gives({"token": "stale"})))))
        self.assertLessEqual(self.runs(), 3)

    def test_it_runs_again_when_its_answer_has_expired(self):
        """An answer whose time is over is used for nothing but what was asked at once."""
        path = self.gives({"token": ADMIN_TOKEN, "expirationTimestamp": "2020-01-01T00:00:00Z"})
        self.reaches(config=self.config(self.user(path)))
        self.assertGreater(self.runs(), 1)

    def test_plugins_that_fail(self):
        for name, lines, word in (("fails", "echo because >&2; exit 4", "exit code 4"), ("rubbish", "echo rubbish", "decoding stdout"),
                                  ("other", self.TOKEN.format(status=json.dumps({"token": "t"}), version="v1beta1"), "v1beta1"),
                                  ("nothing", self.TOKEN.format(status="{}", version="v1"), "token")):
            with self.subTest(name):
                done = self.simulate(config=self.config(self.user(self.plugin(lines, name))))
                self.assertEqual((done.returncode, done.stdout), (3, ""))
                (line,) = [one for one in done.stderr.splitlines() if one.startswith("error: ")]
                self.assertIn(word, line)
        self.assertIn("no-such-plugin", self.simulate(config=self.config(self.user("no-such-plugin"))).stderr)
        self.assertIn("apiVersion", self.fails(config=self.config(self.user(self.gives({"token": "t"}), "v1alpha1"))))


class Refusals(Relayed):
    """What a cluster that does not answer, or says no, makes of a run: one line and exit status 3."""

    def answered(self, reply):
        """A run for which every request is answered so; its error, and the relay."""
        relay = self.relay(lambda *_: reply)
        return self.fails(config=self.config(server=relay.url)), relay

    def test_nobody_is_there(self):
        line = self.fails(config=self.config(server=f"https://127.0.0.1:{closed_port()}"))
        self.assertIn("was refused - did you specify the right host or port?", line)
        self.assertIn("no such host", self.fails(config=self.config(server="https://no.such.host.invalid")))

    def test_no_kubeconfig_at_all(self):
        self.assertIn("localhost:8080", self.fails())

    def test_something_else_is_there(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            tunnel = self.tunnel("", on_answer=lambda _carried: True)  # closes before an answer
            self.assertIn("Unable to connect to the server", self.fails(config=self.config(server=f"https://127.0.0.1:{tunnel.port}")))
            line = self.fails("--request-timeout=300ms", config=self.config(server=f"https://127.0.0.1:{listener.getsockname()[1]}"))
            self.assertIn("Unable to connect to the server", line)
        line, _ = self.answered(Reply(200, b"<html>Sign in\nhere</html>", {"Content-Type": "text/html"}))
        self.assertIn("text/html", line)
        line, _ = self.answered(Reply(302, b"", {"Location": "https://login.example/"}))
        self.assertIn("https://login.example/", line)

    def test_tokens_that_are_not_valid(self):
        self.assertIn("You must be logged in to the server", self.fails("--token", "wrong", config=self.config({})))
        line = self.fails("--token", self.signed_token(time.time() - 60), config=self.config({}))
        self.assertIn("You must be logged in to the server", line)
        done = self.simulate("--token", self.signed_token(time.time() + 600), config=self.config({}))
        self.assertIn("system:serviceaccount:default:default", done.stderr, "the same token with time left is known to the server")

    def signed_token(self, expires):
        """A service account's token as the API server makes them, with this end."""
        account = json.loads(self.plane.kubectl("get", "serviceaccount", "default", "-o", "json"))["metadata"]
        issuer = "https://kubernetes.default.svc"
        claims = {"iss": issuer, "aud": [issuer], "sub": "system:serviceaccount:default:default", "exp": int(expires), "iat": int(expires) - 1200,
                  "nbf": int(expires) - 1200, "kubernetes.io": {"namespace": "default", "serviceaccount": {"name": "default", "uid": account["uid"]}}}
        unsigned = ".".join(url_safe(json.dumps(part).encode()) for part in ({"alg": "RS256"}, claims))
        signature = subprocess.run(["openssl", "dgst", "-sha256", "-sign", str(self.pki / "sa.key")], input=unsigned.encode(),
                                   capture_output=True, check=True).stdout
        return f"{unsigned}.{url_safe(signature)}"

    def test_a_server_that_is_busy_is_asked_again_when_it_says(self):
        relay = self.relay(lambda one, nth: status_reply(429, "TooManyRequests", "busy", Retry_After="1") if nth == 0 else None)
        self.reaches(config=self.config(server=relay.url))
        (first, again) = [one.at for one in relay.seen if one.path == relay.seen[0].path][:2]
        self.assertGreaterEqual(again - first, 0.99)

    def test_a_server_that_stays_busy_is_left_alone_in_the_end(self):
        line, relay = self.answered(status_reply(429, "TooManyRequests", "too busy", Retry_After="0"))
        self.assertIn("Error from server (TooManyRequests): too busy", line)
        self.assertLessEqual(max(count_each(relay.paths())), 11)

    def test_a_server_that_fails_is_asked_again_a_few_times(self):
        for code in (500, 502, 503, 504):
            with self.subTest(code):
                relay = self.relay(lambda *_, code=code: status_reply(code, "InternalError", "out of order"))
                done = self.run_ksched("version", config=self.config(server=relay.url))
                self.assertEqual((done.returncode, done.stderr.count("\n")), (3, 1))
                self.assertIn("error: Error from server (InternalError): out of order", done.stderr)
                self.assertEqual(relay.paths(), ["/version"] * 4)
        line, relay = self.answered(status_reply(503, "ServiceUnavailable", "not now"))
        self.assertIn("not now", line)
        self.assertLessEqual(max(count_each(relay.paths())), 4)
        failed = set()
        relay = self.relay(lambda one, _nth: Reply(503) if one.path not in failed and not failed.add(one.path) else None)
        self.reaches(config=self.config(server=relay.url))

    def test_other_answers_of_an_api_server(self):
        line, _ = self.answered(status_reply(400, "BadRequest", "what?"))
        self.assertIn("Error from server (BadRequest): what?", line)
        line, _ = self.answered(Reply(418, b"I am a teapot\n"))
        self.assertIn("I am a teapot", line)

    def test_bodies_that_break_off(self):
        cut = set()
        relay = self.relay(lambda one, _nth: Reply(cut=20) if "/nodes" in one.path and not cut and not cut.add(1) else None)
        self.reaches(config=self.config(server=relay.url))
        self.assertEqual(len(relay.paths("/nodes")), 2)
        always = self.relay(lambda one, _nth: Reply(cut=20) if "/nodes" in one.path else None)
        self.assertIn("/api/v1/nodes", self.fails(config=self.config(server=always.url)))
        self.assertLessEqual(len(always.paths("/nodes")), 5)

    def test_bodies_that_are_whole_but_wrong(self):
        rubbish = Reply(200, b"k8s\x00rubbish", {"Content-Type": "application/vnd.kubernetes.protobuf"})
        relay = self.relay(lambda one, _nth: rubbish if "/nodes" in one.path else None)
        self.assertIn("cannot read the list of nodes", self.fails(config=self.config(server=relay.url)))

    def test_every_command_says_so(self):
        config = self.config(server=f"https://127.0.0.1:{closed_port()}")
        self.one_error(self.run_ksched("snapshot", "-o", "cluster.json", config=config))
        self.assertFalse(pathlib.Path(self.folder / "cluster.json").exists())
        done = self.run_ksched("version", config=config)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (3, 1))
        self.assertEqual(self.run_ksched("version", "--client", config=config).returncode, 0)


def url_safe(content):
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def count_each(values):
    return [values.count(one) for one in set(values)]

