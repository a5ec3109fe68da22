"""From a kubeconfig, or a pod's service account, to a connection; and what is said when that fails."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from kubernetes.config import incluster_config, kube_config
from local_server import Answer, LocalServer

from recon_action.cluster import access as cluster_access
from recon_action.cluster import connect
from recon_action.errors import UsageError
from recon_action.lab.pki import Authority
from recon_action.model import Access

Write = Callable[..., str]
_URL = "https://127.0.0.1:1"


@pytest.fixture(autouse=True)
def _no_cluster_around(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Neither the kubeconfig nor the pod of whoever runs the tests."""
    monkeypatch.setattr(kube_config, "KUBE_CONFIG_DEFAULT_LOCATION", str(tmp_path / "usual"))
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)


def _refusal(access: Access) -> UsageError:
    with pytest.raises(UsageError) as caught:
        connect(access, concurrency=1)
    assert caught.value.hint
    return caught.value


@pytest.mark.parametrize(("context", "namespace"), [("", "shop"), ("lab", "shop"), ("other", "default")])
def test_the_context_decides(kubeconfig: Write, context: str, namespace: str) -> None:
    """Server and namespace are the context's; one that names no namespace means `default`."""
    cluster = connect(Access(kubeconfig(_URL), context), concurrency=1)
    assert (cluster.server, cluster.namespace) == (_URL, namespace)


def test_several_files_of_which_one_is_missing(kubeconfig: Write, tmp_path: Path) -> None:
    """As kubectl does, a missing file of a list is passed over."""
    location = f"{tmp_path / 'missing'}:{kubeconfig(_URL)}"
    assert connect(Access(location), concurrency=1).server == _URL


@pytest.mark.parametrize("context", ["", "lab"], ids=["no-context", "context"])
def test_no_kubeconfig_names_the_place(tmp_path: Path, context: str) -> None:
    """Where it was looked for, and how to name another."""
    assert str(tmp_path / "gone") in _refusal(Access(str(tmp_path / "gone"), context)).message
    assert str(tmp_path / "usual") in _refusal(Access("", context)).message


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("s3cret", id="text"),
        pytest.param("- s3cret\n- b\n", id="list"),
        pytest.param("s3cret: [", id="broken-yaml"),
        pytest.param("s3cret: \x01", id="control-character"),
        pytest.param("users: s3cret\n", id="users-no-list"),
        pytest.param("{}", id="nothing-in-it"),
        pytest.param("kind: Config\ncurrent-context: a\ncontexts: [{name: a, context: s3cret}]\n", id="odd-context"),
        pytest.param("kind: Config\ncurrent-context: a\ncontexts: [{name: a}]\nclusters: []\nusers: []\n", id="bare"),
    ],
)
def test_what_is_no_kubeconfig_is_said_without_quoting_it(tmp_path: Path, text: str) -> None:
    """It may hold tokens, and the parser's words quote it."""
    file = tmp_path / "kubeconfig"
    file.write_text(text, encoding="utf-8")
    message = _refusal(Access(str(file))).message
    assert "kubeconfig" in message
    assert "s3cret" not in message


def test_bytes_that_are_no_text_are_no_kubeconfig(tmp_path: Path) -> None:
    """A certificate in the wrong place, for example."""
    file = tmp_path / "config"
    file.write_bytes(b"\xff\xfe\x00\x81")
    assert "can't be read as a kubeconfig" in _refusal(Access(str(file))).message


def test_an_unknown_context_is_named(kubeconfig: Write) -> None:
    """A misspelt context is the user's to correct."""
    assert "nowhere" in _refusal(Access(kubeconfig(_URL), "nowhere")).message


def test_a_certificate_that_is_missing_is_named(kubeconfig: Write, tmp_path: Path) -> None:
    """A kubeconfig may point at files of another machine."""
    file = kubeconfig(_URL, {"client-certificate": str(tmp_path / "gone.pem"), "client-key": str(tmp_path / "key")})
    assert "gone.pem" in _refusal(Access(file)).message


@pytest.mark.parametrize(
    ("user", "header"),
    [
        pytest.param({"token": "t0ken"}, "Bearer t0ken", id="token"),
        pytest.param({"username": "jane", "password": "pw"}, "Basic amFuZTpwdw==", id="password"),
        pytest.param({}, None, id="nobody"),
    ],
)
def test_the_user_decides_the_header(
    server: LocalServer, kubeconfig: Write, user: dict[str, Any], header: str | None
) -> None:
    """Token or password; without either the request is anonymous."""
    server.answers = [Answer({"gitVersion": "v1"})]
    connect(Access(kubeconfig(server.url, user)), concurrency=1).read("/version")
    assert server.asked[0].headers.get("Authorization") == header


def _plugin(folder: Path, script: str) -> dict[str, Any]:
    """A user whose credentials come from a program."""
    program = folder / "plugin"
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(0o755)
    return {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": str(program)}}


def test_a_plugins_token_is_used_and_asked_for_once(server: LocalServer, kubeconfig: Write, tmp_path: Path) -> None:
    """Plugins are slow, and requests are many."""
    credential = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "kind": "ExecCredential",
        "status": {"token": "fresh", "expirationTimestamp": "2999-01-01T00:00:00Z"},
    }
    user = _plugin(tmp_path, f"echo run >> {tmp_path}/runs; echo '{json.dumps(credential)}'")
    server.answers = [Answer({"gitVersion": "v1"})]
    cluster = connect(Access(kubeconfig(server.url, user)), concurrency=4)
    cluster.each(lambda _: cluster.read("/version"), range(8))
    assert {asked.headers["Authorization"] for asked in server.asked} == {"Bearer fresh"}
    assert (tmp_path / "runs").read_text() == "run\n"


@pytest.mark.parametrize(
    ("script", "said"),
    [
        pytest.param("echo please log in >&2; exit 3", "please log in", id="fails"),
        pytest.param("echo nonsense", "exec: failed to decode", id="no-json"),
        pytest.param('echo \'{"kind": "ExecCredential"}\'', "exec: malformed response", id="no-credentials"),
    ],
)
def test_a_plugin_that_fails_is_said(kubeconfig: Write, tmp_path: Path, script: str, said: str) -> None:
    """Going on without credentials would end in a 401 that misleads."""
    assert said in _refusal(Access(kubeconfig(_URL, _plugin(tmp_path, script)))).message


def test_a_plugin_that_is_missing_is_named(kubeconfig: Write, capfd: pytest.CaptureFixture[str]) -> None:
    """The message says which program, once."""
    user = {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": "no-such-plugin"}}
    assert "no-such-plugin" in _refusal(Access(kubeconfig(_URL, user))).message
    assert capfd.readouterr() == ("", "")


class _Pod:
    """The files that a pod finds."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.token, self.authority, self.namespace = (folder / name for name in ("token", "ca.crt", "namespace"))
        self.token.write_text("pod-token", encoding="utf-8")
        self.authority.write_bytes(Authority(datetime.now(UTC)).certificate)
        self.namespace.write_text("ops\n", encoding="utf-8")
        monkeypatch.setattr(incluster_config, "SERVICE_TOKEN_FILENAME", str(self.token))
        monkeypatch.setattr(incluster_config, "SERVICE_CERT_FILENAME", str(self.authority))
        monkeypatch.setattr(cluster_access, "_SERVICE_ACCOUNT_NAMESPACE", self.namespace)
        monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.96.0.1")
        monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "443")


@pytest.fixture
def pod(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> _Pod:
    """We run in a pod."""
    return _Pod(tmp_path, monkeypatch)


def test_in_a_pod_its_service_account_is_used(pod: _Pod) -> None:
    """Without any kubeconfig; the namespace is the pod's own."""
    cluster = connect(Access(), concurrency=1)
    assert (cluster.server, cluster.namespace) == ("https://10.96.0.1:443", "ops")


@pytest.mark.parametrize("missing", ["token", "authority", "namespace"])
def test_a_pod_without_a_service_account_is_said(pod: _Pod, missing: str) -> None:
    """`automountServiceAccountToken: false` leaves nothing to connect with."""
    getattr(pod, missing).unlink()
    assert _refusal(Access()).message.startswith("in-cluster configuration: ")


@pytest.mark.parametrize("access", [Access("/gone"), Access("", "lab")], ids=["kubeconfig", "context"])
def test_what_was_asked_for_is_not_replaced_by_the_pods(pod: _Pod, access: Access) -> None:
    """A named kubeconfig or context that is missing must not lead into another cluster."""
    assert _refusal(access).message.startswith("no kubeconfig: ")
