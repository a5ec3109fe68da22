"""Refusals and faults, each classified once, each with what to do about it."""

import json
import ssl
from pathlib import Path
from typing import Any

import orjson
import pytest
from urllib3.connection import HTTPConnection
from urllib3.exceptions import NewConnectionError, ProtocolError, SSLError

from recon_action.cluster.failure import refused, unreachable
from recon_action.model import Trouble

_RBAC = 'configmaps is forbidden: User "jane" cannot list resource "configmaps" in API group "" at the cluster scope'
_REFUSALS = json.loads(Path(__file__).with_name("refusals.json").read_text(encoding="utf-8"))


def _status(message: str, reason: str = "") -> bytes:
    return orjson.dumps({"kind": "Status", "message": message, "reason": reason})


@pytest.mark.parametrize("said", [pytest.param(each, id=each["id"]) for each in _REFUSALS])
def test_what_a_real_server_says(said: dict[str, Any]) -> None:
    """Verbatim: its class, what is told of it, and whether it passes by itself."""
    body = said["body"] if isinstance(said["body"], str) else json.dumps(said["body"])
    error = refused("apply", said["status"], body.encode())
    problem = error.problem
    assert (problem.trouble.name, problem.message) == (said["trouble"], said["message"])
    assert (problem.verb, problem.status) == ("apply", said["status"])
    assert (error.passing.source if error.passing else None) == said.get("source")
    assert problem.hint or problem.trouble is Trouble.MISSING


@pytest.mark.parametrize(
    ("code", "reason", "trouble", "passes"),
    [
        pytest.param(404, "NotFound", Trouble.MISSING, False, id="missing"),
        pytest.param(410, "Expired", Trouble.UNAVAILABLE, False, id="expired"),
        pytest.param(418, "", Trouble.UNAVAILABLE, False, id="unheard-of"),
        pytest.param(418, "NotFound", Trouble.MISSING, False, id="by-its-reason"),
        pytest.param(422, "Invalid", Trouble.INVALID, False, id="invalid-without-causes"),
        pytest.param(500, "InternalError", Trouble.UNAVAILABLE, True, id="internal"),
        pytest.param(502, "", Trouble.UNAVAILABLE, True, id="proxy"),
    ],
)
def test_what_has_no_words_is_told_by_its_status(code: int, reason: str, trouble: Trouble, *, passes: bool) -> None:
    """Or by the reason, where the status says nothing."""
    error = refused("apply", code, _status("no", reason))
    assert (error.problem.trouble, bool(error.passing)) == (trouble, passes)


def test_a_conflict_between_managers_that_something_quotes_is_no_quota() -> None:
    """Words count where the server puts them."""
    quoting = _status('configmaps "exceeded quota: x" already exists', "AlreadyExists")
    assert refused("create", 409, quoting).problem.trouble is Trouble.CONFLICT


@pytest.mark.parametrize(
    ("message", "rule"),
    [
        pytest.param(_RBAC, 'verbs: ["list"], resources: ["configmaps"], apiGroups: [""]', id="core"),
        pytest.param(
            'deployments.apps "web" is forbidden: User "a" cannot patch resource "deployments" in API group "apps" '
            'in the namespace "shop"',
            'verbs: ["patch"], resources: ["deployments"], apiGroups: ["apps"]',
            id="named-group",
        ),
        pytest.param("nope", "grant the permission that the message names", id="other-words"),
        pytest.param("you cannot do this", "grant the permission that the message names", id="other-grammar"),
    ],
)
def test_a_missing_permission_names_the_rule(message: str, rule: str) -> None:
    """What to add to the role, ready to copy."""
    assert refused("list", 403, _status(message)).hint.endswith(rule)


def test_an_expired_token_is_no_missing_permission() -> None:
    """Its remedy is another one."""
    assert "credentials" in refused("list", 401, _status("Unauthorized")).hint


@pytest.mark.parametrize(
    ("body", "message"),
    [
        pytest.param(b"", "the API server answered 502", id="empty"),
        pytest.param(b"bad\n  gateway\n", "bad gateway", id="text-on-one-line"),
        pytest.param(b"[1]", "the API server answered 502", id="no-mapping"),
        pytest.param(b'{"message": null}', "the API server answered 502", id="no-message"),
        pytest.param(b"\xff\xfe", "\ufffd\ufffd", id="no-text"),
        pytest.param(b"x" * 5000, "x" * 1000, id="cut"),
    ],
)
def test_any_body_makes_a_message(body: bytes, message: str) -> None:
    """Proxies answer too, with whatever they like."""
    assert refused("get", 502, body).problem.message == message


_CONNECTION = HTTPConnection("127.0.0.1")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        pytest.param(OSError("network is down"), "network is down", id="os"),
        pytest.param(ProtocolError("Connection aborted."), "Connection aborted.", id="broken-off"),
        pytest.param(NewConnectionError(_CONNECTION, "refused"), "refused", id="refused"),
        pytest.param(SSLError(ssl.SSLError("self-signed")), "certificate", id="tls"),
    ],
)
def test_no_answer_says_why(error: OSError, said: str) -> None:
    """The server and the innermost reason, without the library's own objects."""
    caught = unreachable("list", "https://lab", error)
    assert caught.problem.trouble is Trouble.UNREACHABLE
    assert caught.message.startswith("no answer from https://lab: ")
    assert said in caught.message
    assert "object at" not in caught.message
    assert caught.problem.verb == "list"
    assert caught.hint
