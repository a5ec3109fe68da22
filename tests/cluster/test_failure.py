"""Refusals and faults, each classified once, each with what to do about it."""

import ssl

import orjson
import pytest
from urllib3.connection import HTTPConnection
from urllib3.exceptions import NewConnectionError, ProtocolError, SSLError

from recon_action.cluster.failure import refused, unreachable
from recon_action.model import Trouble

_RBAC = 'configmaps is forbidden: User "jane" cannot list resource "configmaps" in API group "" at the cluster scope'
_QUOTA = 'pods "web" is forbidden: exceeded quota: small, requested: pods=1, used: pods=1, limited: pods=1'
_SECURITY = 'pods "web" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true'
_WEBHOOK = 'admission webhook "deny.example.com" denied the request: not today'
_POLICY = "widgets \"a\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no"
_BAD_POLICY = 'ValidatingAdmissionPolicy.admissionregistration.k8s.io "p" is invalid: spec: Required value'
_UNCALLED = 'Internal error occurred: failed calling webhook "x": Post "https://x": connection refused'
_SCHEMA = "failed to create typed patch object (shop/web; apps/v1): .spec.replica: field not declared in schema"
_TERMINATING = 'configmaps "a" is forbidden: unable to create new content in namespace x because it is being terminated'


def _status(message: str, reason: str = "") -> bytes:
    return orjson.dumps({"kind": "Status", "message": message, "reason": reason})


@pytest.mark.parametrize(
    ("code", "message", "reason", "trouble"),
    [
        pytest.param(400, "bad", "BadRequest", Trouble.INVALID, id="bad-request"),
        pytest.param(401, "Unauthorized", "Unauthorized", Trouble.FORBIDDEN, id="expired-token"),
        pytest.param(403, _RBAC, "Forbidden", Trouble.FORBIDDEN, id="missing-permission"),
        pytest.param(403, _QUOTA, "Forbidden", Trouble.DENIED, id="quota"),
        pytest.param(403, _SECURITY, "Forbidden", Trouble.DENIED, id="pod-security"),
        pytest.param(403, _TERMINATING, "Forbidden", Trouble.DENIED, id="terminating-namespace"),
        pytest.param(403, _WEBHOOK, "Forbidden", Trouble.DENIED, id="webhook-403"),
        pytest.param(400, _WEBHOOK, "", Trouble.DENIED, id="webhook-400"),
        pytest.param(422, _POLICY, "Invalid", Trouble.DENIED, id="admission-policy"),
        pytest.param(422, _BAD_POLICY, "Invalid", Trouble.INVALID, id="a-policy-that-is-invalid-itself"),
        pytest.param(500, _UNCALLED, "InternalError", Trouble.UNAVAILABLE, id="webhook-down"),
        pytest.param(500, _SCHEMA, "", Trouble.INVALID, id="unknown-field-is-told-as-500"),
        pytest.param(404, "not found", "NotFound", Trouble.MISSING, id="missing"),
        pytest.param(409, "conflict", "Conflict", Trouble.CONFLICT, id="conflict"),
        pytest.param(410, "too old", "Expired", Trouble.UNAVAILABLE, id="expired"),
        pytest.param(413, "too large", "", Trouble.INVALID, id="too-large"),
        pytest.param(415, "what is this", "", Trouble.INVALID, id="media-type"),
        pytest.param(422, "invalid", "Invalid", Trouble.INVALID, id="invalid"),
        pytest.param(429, "slow down", "", Trouble.UNAVAILABLE, id="overload"),
        pytest.param(500, "oops", "InternalError", Trouble.UNAVAILABLE, id="internal"),
        pytest.param(503, "restarting", "", Trouble.UNAVAILABLE, id="restart"),
    ],
)
def test_each_refusal_has_its_class(code: int, message: str, reason: str, trouble: Trouble) -> None:
    """By status where it is plain, by the server's words where one status means several things."""
    problem = refused("apply", code, _status(message, reason)).problem
    assert (problem.trouble, problem.message, problem.verb, problem.status) == (trouble, message, "apply", code)
    assert problem.hint or trouble is Trouble.MISSING


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
