"""What of a kubeconfig counts, and what is said of what is missing in it."""

import base64
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from local_server import Answer, LocalServer, status

from recon_action.cluster import RequestError, connect
from recon_action.cluster.remedies import auth_provider, plugin
from recon_action.errors import UsageError
from recon_action.lab.pki import Authority
from recon_action.model import Access

Write = Callable[..., str]
_URL = "https://127.0.0.1:1"


def _refusal(file: str, context: str = "") -> UsageError:
    with pytest.raises(UsageError) as caught:
        connect(Access(file, context), concurrency=1)
    assert caught.value.message.startswith("kubeconfig: ")
    assert "\n" not in caught.value.hint
    return caught.value


# --- Context, cluster and user -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "message", "hint"),
    [
        pytest.param({"current-context": ""}, "no context is the current one", "lab, other", id="no-current"),
        pytest.param(
            {"current-context": "", "contexts": []}, "no context is the current", "--flatten", id="no-context"
        ),
        pytest.param({"current-context": "x"}, "there is no context 'x'", "there is: lab, other", id="context"),
        pytest.param(
            {"clusters": []}, "there is no cluster 'lab', which context 'lab' names", "there is: none", id="cluster"
        ),
        pytest.param(
            {"contexts": [{"name": "lab", "context": {}}]},
            "there is no cluster '', which context 'lab' names",
            "there is: lab",
            id="no-cluster",
        ),
        pytest.param(
            {"users": [{"name": "you", "user": {}}]},
            "there is no user 'me', which context 'lab' names",
            "there is: you",
            id="user",
        ),
        pytest.param(
            {"clusters": [{"name": "lab", "cluster": {"server": "10.0.0.1:6443"}}]},
            "'10.0.0.1:6443', which is no URL",
            "https://HOST:PORT",
            id="server",
        ),
        pytest.param({"clusters": [{"name": "lab", "cluster": {}}]}, "'', which is no URL", "https://", id="no-server"),
        pytest.param(
            {"users": [{"name": "me", "user": {"client-key-data": "%%"}}]},
            "client-key-data is no base64",
            "mangled",
            id="base64",
        ),
        pytest.param(
            {"users": [{"name": "me", "user": {"token": "s3cret\nx"}}]},
            "the token of user 'me' is no token",
            "white space",
            id="token",
        ),
    ],
)
def test_what_is_missing_is_named(kubeconfig: Write, more: dict[str, Any], message: str, hint: str) -> None:
    """With what there is in its place, on one line."""
    error = _refusal(kubeconfig(_URL, **more))
    assert message in error.message
    assert hint in error.hint
    assert "s3cret" not in error.message


@pytest.mark.parametrize(
    ("entry", "key", "name"),
    [("cluster", "certificate-authority", "lab"), ("user", "client-key", "me"), ("user", "tokenFile", "me")],
)
def test_a_file_of_another_machine(kubeconfig: Write, tmp_path: Path, entry: str, key: str, name: str) -> None:
    """The action's container lacks what the job has; a kubeconfig that holds it all needs none of it."""
    held = {key: "/home/runner/.minikube/x"} | ({"server": _URL} if entry == "cluster" else {})
    error = _refusal(kubeconfig(_URL, **{f"{entry}s": [{"name": name, entry: held}]}))
    assert error.message == f"kubeconfig: the {key} of {entry} {name!r} is not here: /home/runner/.minikube/x"
    assert "kubectl config view --raw --flatten" in error.hint


# --- Several files -------------------------------------------------------------------------------------


def _file(folder: Path, **config: Any) -> str:
    folder.mkdir(exist_ok=True)
    file = folder / "config"
    file.write_text(yaml.safe_dump({"apiVersion": "v1", "kind": "Config"} | config))
    return str(file)


def _cluster(name: str, url: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "cluster": {"server": url} | more}


def _context(name: str, cluster: str, user: str) -> dict[str, Any]:
    return {"name": name, "context": {"cluster": cluster, "user": user}}


def test_the_first_of_several_files_counts(tmp_path: Path) -> None:
    """Its current context and its entries come before those of the same name; a later file adds the others."""
    one = _file(
        tmp_path / "one",
        clusters=[_cluster("a", "https://one-a")],
        contexts=[_context("a", "a", "u"), _context("b", "b", "u")],
        **{"current-context": "a"},
    )
    two = _file(
        tmp_path / "two",
        clusters=[_cluster("a", "https://two-a"), _cluster("b", "https://two-b")],
        contexts=[_context("c", "b", "u")],
        users=[{"name": "u", "user": {"token": "t"}}],
        **{"current-context": "c"},
    )
    assert connect(Access(f"{one}:{two}"), concurrency=1).server == "https://one-a"
    assert connect(Access(f"{one}:{two}", "b"), concurrency=1).server == "https://two-b"
    assert connect(Access(f"{two}:{one}"), concurrency=1).server == "https://two-b"


def test_the_first_file_that_names_a_current_context(tmp_path: Path) -> None:
    """One that names none, or "", leaves it to the next."""
    one = _file(tmp_path / "one", clusters=[_cluster("a", "https://a")], **{"current-context": ""})
    two = _file(tmp_path / "two", contexts=[_context("a", "a", "")], **{"current-context": "a"})
    assert connect(Access(f"{one}:{two}"), concurrency=1).server == "https://a"


def test_paths_are_relative_to_the_file_that_holds_them(tmp_path: Path) -> None:
    """Of the cluster's entry to the one, of the user's to the other."""
    authority = Authority(datetime.now(UTC))
    pair = authority.client("me")
    one = _file(
        tmp_path / "one",
        clusters=[_cluster("a", _URL, **{"certificate-authority": "ca.pem"})],
        contexts=[_context("a", "a", "u")],
        **{"current-context": "a"},
    )
    user = {"client-certificate": "pki/me.crt", "client-key": "pki/me.key"}
    two = _file(tmp_path / "two", users=[{"name": "u", "user": user}])
    (tmp_path / "one/ca.pem").write_bytes(authority.certificate)
    (tmp_path / "two/pki").mkdir()
    (tmp_path / "two/pki/me.crt").write_bytes(pair.certificate)
    (tmp_path / "two/pki/me.key").write_bytes(pair.key)
    assert connect(Access(f"{one}:{two}"), concurrency=1).server == _URL


def test_files_that_were_passed_over_are_named(kubeconfig: Write) -> None:
    """They may be where the missing entry is: only the first of a list is a path of the container's."""
    error = _refusal(f"{kubeconfig(_URL)}:/home/runner/work/_temp/b", "b")
    assert "there is no context 'b' (not found: /home/runner/work/_temp/b)" in error.message


# --- Credentials ---------------------------------------------------------------------------------------


def test_a_token_file_is_read_again(server: LocalServer, kubeconfig: Write, tmp_path: Path) -> None:
    """When its token is refused, and it comes before a token; surrounding white space is none of it."""
    file = tmp_path / "token"
    file.write_text("old\n")
    server.answers = [status(401, "Unauthorized", "Unauthorized"), Answer({"gitVersion": "v1"})]
    cluster = connect(Access(kubeconfig(server.url, {"tokenFile": "token", "token": "other"})), concurrency=1)
    assert server.asked == []
    cluster._credentials.header()
    file.write_text("new\n")
    cluster.read("/version")
    assert [one.headers["Authorization"] for one in server.asked] == ["Bearer old", "Bearer new"]


@pytest.mark.parametrize(
    ("exec_", "hint"),
    [
        ({"command": "aws"}, '"me" --token="$(aws eks get-token'),
        ({"command": "gke-gcloud-auth-plugin"}, "gcloud auth print-access-token"),
        ({"command": "kubelogin"}, "az account get-access-token"),
        ({"command": "doctl"}, "doctl kubernetes cluster kubeconfig show"),
        ({"command": "kubectl-oidc_login"}, "auth: github-oidc"),
        ({"command": "/opt/tools/mint"}, "COMMAND THAT PRINTS IT"),
        ({"command": "./mint"}, "COMMAND THAT PRINTS IT"),
    ],
    ids=lambda value: value["command"] if isinstance(value, dict) else "",
)
def test_a_plugin_that_is_not_here(
    kubeconfig: Write, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, exec_: dict[str, Any], hint: str
) -> None:
    """The container has none; each gets a line that says what to do in the step before."""
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    error = _refusal(kubeconfig(_URL, {"exec": {"apiVersion": "client.authentication.k8s.io/v1"} | exec_}))
    assert "needs the credential plugin" in error.message
    assert hint in error.hint


def test_a_plugin_that_fails_says_the_same(kubeconfig: Write, tmp_path: Path) -> None:
    """It is there, but not logged in."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "aws").write_text("#!/bin/sh\necho no credentials >&2; exit 1\n")
    (folder / "aws").chmod(0o755)
    user = {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": "bin/aws"}}
    error = _refusal(kubeconfig(_URL, user))
    assert "no credentials" in error.message
    assert "aws eks get-token" in error.hint


def test_a_plugins_own_path(kubeconfig: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be told where it is found."""
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    credential = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "kind": "ExecCredential",
        "status": {"token": "t"},
    }
    (tmp_path / "mint").write_text(f"#!/bin/sh\necho '{json.dumps(credential)}'\n")
    (tmp_path / "mint").chmod(0o755)
    env = [{"name": "PATH", "value": str(tmp_path)}]
    user = {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": "mint", "env": env}}
    assert connect(Access(kubeconfig(_URL, user)), concurrency=1)._credentials.header() == "Bearer t"


@pytest.mark.parametrize("name", ["gcp", "azure"])
def test_an_auth_provider_that_was_given_up(kubeconfig: Write, name: str) -> None:
    """It is refused with what has taken its place, and does no harm beside a token."""
    provider = {"auth-provider": {"name": name, "config": {}}}
    error = _refusal(kubeconfig(_URL, provider))
    assert f"needs the auth provider {name}" in error.message
    assert "kubectl config set-credentials" in error.hint
    cluster = connect(Access(kubeconfig(_URL, provider | {"token": "t"})), concurrency=1)
    assert cluster._credentials.header() == "Bearer t"


def test_remedies_are_one_line() -> None:
    """Whatever the plugin is called."""
    for command in ("aws", "C:\\x\\aws.exe", "gcloud", "oci", "yc", "tsh", "kubectl", "", "new\nline"):
        assert plugin(command, "me").count("\n") == 0
    assert auth_provider("oidc", "me") == ""


# --- A 401, by what it comes from ----------------------------------------------------------------------


def _jwt(**claims: Any) -> str:
    return f"x.{base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip('=')}.y"


@pytest.mark.parametrize(
    ("user", "hint"),
    [
        pytest.param({"token": _jwt(exp=1_600_000_000)}, "the token expired at 2020-09-13 12:26 UTC", id="expired"),
        pytest.param({"token": _jwt(exp=9_999_999_999)}, "wrong, withdrawn or another cluster's", id="wrong"),
        pytest.param({"token": _jwt(exp=1e300)}, "wrong, withdrawn or another cluster's", id="absurd"),
        pytest.param({"token": "opaque"}, "wrong, withdrawn or another cluster's", id="opaque"),
        pytest.param({}, "neither token nor client certificate", id="nobody"),
    ],
)
def test_why_the_server_does_not_know_us(
    server: LocalServer, kubeconfig: Write, user: dict[str, Any], hint: str
) -> None:
    """As far as the credentials themselves tell."""
    server.answers = [status(401, "Unauthorized", "Unauthorized")]
    with pytest.raises(RequestError) as caught:
        connect(Access(kubeconfig(server.url, user)), concurrency=1).read("/version")
    assert hint in caught.value.hint
    assert len(server.asked) == 1


def test_a_server_that_quotes_our_token(server: LocalServer, kubeconfig: Write) -> None:
    """A proxy's error page may: it does not come out."""
    server.answers = [Answer(b"you sent Authorization: Bearer t0ken", 400)]
    with pytest.raises(RequestError) as caught:
        connect(Access(kubeconfig(server.url)), concurrency=1).read("/version")
    assert caught.value.message == "you sent Authorization: Bearer ***"
