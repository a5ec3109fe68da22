"""The slimmed import of the `kubernetes` package: what it leaves out, and that nothing is missing for it."""

import base64
import json
import subprocess
import sys
from collections.abc import Callable

import pytest
from local_server import Answer, LocalServer

from recon_action.cluster import connect
from recon_action.model import Access


def _fresh(script: str, *arguments: str) -> str:
    """What `script` prints in an interpreter that has imported nothing yet."""
    command = [sys.executable, "-c", script, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_is_never_used_is_not_imported() -> None:
    """Each of these costs every run; the stand-ins that kept them out are gone as well."""
    script = "import sys, recon_action.cluster; print(*sys.modules)"
    imported = set(_fresh(script).split())
    assert "kubernetes.config.kube_config" in imported
    unused = {"pydantic", "requests", "requests_oauthlib", "oauthlib.oauth2", "websocket", "dateutil"}
    unused |= {"kubernetes.client.api_client", "kubernetes.dynamic", "kubernetes.stream", "kubernetes.watch"}
    assert not imported & unused


def test_the_package_is_whole_for_everyone_else() -> None:
    """Whoever imports more of it in the same process finds the real thing."""
    script = """
import recon_action.cluster
import kubernetes.watch
from kubernetes import client, dynamic, stream, watch
from kubernetes.client import ApiClient
from requests_oauthlib import OAuth2Session
import oauthlib.oauth2
assert isinstance(watch.Watch, type) and watch is kubernetes.watch
assert isinstance(dynamic.DynamicClient, type) and isinstance(client.CoreV1Api, type)
assert ApiClient is client.ApiClient and isinstance(ApiClient, type)
assert isinstance(OAuth2Session, type) and isinstance(oauthlib.oauth2.WebApplicationClient, type)
client.CoreV1Api(ApiClient())
print("whole")
"""
    assert _fresh(script) == "whole\n"


def test_a_package_that_is_there_already_is_left_as_it_is() -> None:
    """Tests and embedders may have imported it before us."""
    script = """
import kubernetes
from kubernetes.client import ApiClient
import recon_action.cluster
assert kubernetes.client.ApiClient is ApiClient and isinstance(kubernetes.watch.Watch, type)
print("whole")
"""
    assert _fresh(script) == "whole\n"


def _token(expires: int) -> str:
    """A JWT that nobody verifies."""
    parts = [json.dumps(part).encode() for part in ({"alg": "none"}, {"exp": expires})]
    return ".".join([*(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts), "c2ln"])


def _provider(server: LocalServer, token: str) -> dict[str, object]:
    """A user who logs in by OIDC."""
    settings = {
        "idp-issuer-url": server.url,
        "client-id": "me",
        "client-secret": "s3cret",
        "id-token": token,
        "refresh-token": "again",
    }
    return {"auth-provider": {"name": "oidc", "config": settings}}


_LATER = 32503680000  # the year 3000


def test_an_oidc_token_is_used(server: LocalServer, kubeconfig: Callable[..., str]) -> None:
    """One that has not expired costs no request."""
    server.answers = [Answer({"gitVersion": "v1"})]
    token = _token(_LATER)
    connect(Access(kubeconfig(server.url, _provider(server, token))), concurrency=1).read("/version")
    assert [(asked.path, asked.headers["Authorization"]) for asked in server.asked] == [("/version", f"Bearer {token}")]


@pytest.mark.parametrize("order", ["", "import kubernetes.client.api_client, requests_oauthlib; "], ids=["us", "them"])
def test_an_expired_oidc_token_is_renewed(server: LocalServer, kubeconfig: Callable[..., str], order: str) -> None:
    """The one case that needs what was left out, whoever imports first."""
    token = _token(_LATER)
    server.answers = [
        Answer({"token_endpoint": f"{server.url}/token"}, headers={"Content-Type": "application/json"}),
        Answer({"id_token": token, "refresh_token": "new", "access_token": "a", "token_type": "Bearer"}),
        Answer({"gitVersion": "v1"}),
    ]
    script = f"""
import os, sys
os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"  # the local server speaks no TLS
{order}from recon_action.cluster import connect
from recon_action.model import Access
connect(Access(sys.argv[1]), concurrency=1).read("/version")
"""
    _fresh(script, kubeconfig(server.url, _provider(server, _token(1))))
    assert [asked.path for asked in server.asked] == ["/.well-known/openid-configuration", "/token", "/version"]
    assert server.asked[-1].headers["Authorization"] == f"Bearer {token}"


def test_a_refused_renewal_goes_on_with_the_old_token(server: LocalServer, kubeconfig: Callable[..., str]) -> None:
    """An unknown client is an exception of oauthlib's, which must be found although its module came late."""
    server.answers = [
        Answer({"token_endpoint": f"{server.url}/token"}),
        Answer({"error": "invalid_request"}, status=400),
        Answer({"gitVersion": "v1"}),
    ]
    script = """
import os, sys
os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"
from recon_action.cluster import connect
from recon_action.model import Access
connect(Access(sys.argv[1]), concurrency=1).read("/version")
"""
    old = _token(1)
    _fresh(script, kubeconfig(server.url, _provider(server, old)))
    assert server.asked[-1].headers["Authorization"] == f"Bearer {old}"
