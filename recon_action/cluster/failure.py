"""The API server's refusals and the network's faults, each classified once.

Nothing here retries or decides what a failure means for a run.
"""

import re
from typing import Any

import orjson
from urllib3.exceptions import HTTPError, MaxRetryError, SSLError

from recon_action.errors import ClusterError
from recon_action.model import Problem, Trouble

_MAX_MESSAGE = 1000  # a server may quote a whole object; the first lines say what is wrong

_BY_STATUS = {
    400: Trouble.INVALID,
    401: Trouble.FORBIDDEN,
    403: Trouble.FORBIDDEN,
    404: Trouble.MISSING,
    409: Trouble.CONFLICT,
    413: Trouble.INVALID,
    415: Trouble.INVALID,
    422: Trouble.INVALID,
}

_ADMISSION = ("admission webhook", "ValidatingAdmissionPolicy '", "exceeded quota")
_SCHEMA = ("failed to create typed patch object", "unable to convert unstructured object")
_RBAC = re.compile(r' is forbidden: user "', re.IGNORECASE)

_HINTS = {
    Trouble.INVALID: "correct the manifest as the server's message says",
    Trouble.CONFLICT: "something else changed the object at the same time; run again",
    Trouble.DENIED: "admission refuses the object: change it, or the policy, webhook or quota that refuses it",
    Trouble.UNREACHABLE: "check the server's address in the kubeconfig, the network and the certificate",
    Trouble.UNAVAILABLE: "the API server is overloaded or failing; run again later",
}


class RequestError(ClusterError):
    """A request that failed, with the reason as data."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message, hint=problem.hint)
        self.problem = problem


def refused(verb: str, status: int, body: bytes) -> RequestError:
    """What an answer of `status` (400 and above) means; `body` is a Kubernetes Status or anything else."""
    answer = _status_of(body)
    message = answer.get("message") or f"the API server answered {status}"
    trouble = _classify(status, answer.get("reason", ""), message)
    message = " ".join(message.split())
    return RequestError(Problem(trouble, message[:_MAX_MESSAGE], _hint(trouble, status, message), verb, status))


def unreachable(verb: str, server: str, error: HTTPError | OSError) -> RequestError:
    """What a request without an answer means."""
    cause: object = error
    if isinstance(error, MaxRetryError) and error.reason is not None:
        cause = error.reason
    certificate = isinstance(cause, SSLError)
    what = "its certificate is not trusted or not valid for this name" if certificate else _plain(cause)
    hint = _HINTS[Trouble.UNREACHABLE]
    return RequestError(Problem(Trouble.UNREACHABLE, f"no answer from {server}: {what}", hint, verb))


def _classify(status: int, reason: str, message: str) -> Trouble:
    if any(words in message for words in _ADMISSION):
        return Trouble.DENIED
    if status == 403 and " is forbidden: " in message and not _RBAC.search(message):
        return Trouble.DENIED  # LimitRanger, PodSecurity and their like answer 403 as well
    if any(words in message for words in _SCHEMA):
        return Trouble.INVALID  # the server says 500, but it is the manifest that doesn't fit the schema
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    return Trouble.MISSING if reason == "NotFound" else Trouble.UNAVAILABLE


def _hint(trouble: Trouble, status: int, message: str) -> str:
    if status == 401:
        return "the token or client certificate is missing, wrong or expired; renew the kubeconfig's credentials"
    if trouble is Trouble.FORBIDDEN:
        return f"grant the permission that the message names{_rule(message)}"
    return _HINTS.get(trouble, "")


def _rule(message: str) -> str:
    """The RBAC rule that a "forbidden" message says is missing."""
    _, found, rest = message.partition("cannot ")
    words = rest.split('"')
    if not found or len(words) < 5:
        return ""
    verb, resource, group = rest.split(" ", 1)[0], words[1], words[3]
    return f': verbs: ["{verb}"], resources: ["{resource}"], apiGroups: ["{group}"]'


def _status_of(body: bytes) -> dict[str, Any]:
    try:
        answer = orjson.loads(body)
    except orjson.JSONDecodeError:
        return {"message": body.decode(errors="replace").strip()}
    return answer if isinstance(answer, dict) else {}


def _plain(cause: object) -> str:
    """The last part of a urllib3 message, without the connection's repr."""
    return str(cause).rpartition("object at ")[2].partition(": ")[2] or str(cause)
