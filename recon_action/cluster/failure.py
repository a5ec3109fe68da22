"""The API server's refusals and the network's faults, each classified once.

By the status where it is plain, by the server's own words where one status means several things: they stand verbatim
in the tests, as a real server said them. Nothing here sends anything again (`retry` does) or decides what a failure
means for a run.
"""

import json
import re
from dataclasses import dataclass, replace
from typing import Any

import orjson
from urllib3 import Retry
from urllib3.exceptions import (
    ConnectTimeoutError,
    HTTPError,
    InvalidHeader,
    NewConnectionError,
    ProtocolError,
    ProxyError,
    ReadTimeoutError,
    SSLError,
)

from recon_action.cluster.meanings import BY_HANDSHAKE, BY_STATUS, BY_WORDS, HINTS, IMMUTABLE, THROUGH_PROXY, Meaning
from recon_action.errors import ClusterError
from recon_action.model import Problem, Trouble

_MAX_MESSAGE = 1000  # a server may quote a whole object; the first lines say what is wrong
_SERVER = "server"  # the source of every fault that is no webhook's, quota's or kind's
_KIND = "kind"
_BUSY = frozenset({408, 429})
_RBAC = re.compile(r' is forbidden: user "', re.IGNORECASE)
_UNSERVED = ("404 page not found", "the server could not find the requested resource")
_VALUED = re.compile(r"(?:Invalid|Unsupported|Duplicate) value: ")
# No answer came, and the next attempt may get one: unlike a certificate, or an address, that is wrong.
_PASSING = (
    NewConnectionError,
    ConnectTimeoutError,
    ReadTimeoutError,
    ProtocolError,
    ProxyError,
    ConnectionError,
    TimeoutError,
)


@dataclass(frozen=True, slots=True)
class Passing:
    """Why the same request may succeed later.

    Args:
        source: what fails, for all requests alike that it makes fail: the server, a webhook, a quota, a new kind.
        pause: seconds that the server asks to wait; None if it doesn't say.
    """

    source: str
    pause: float | None = None


class RequestError(ClusterError):
    """A request that failed, with the reason as data.

    Attributes:
        problem: the reason.
        passing: set iff nothing is wrong with the request itself.
        tries: how often it was sent.
    """

    def __init__(self, problem: Problem, passing: Passing | None = None, tries: int = 1) -> None:
        super().__init__(problem.message, hint=problem.hint)
        self.problem = problem
        self.passing = passing
        self.tries = tries


class NotSent(RequestError):  # noqa: N818 - nothing went wrong with it
    """A request that was not sent, as the run is to end."""


def unsent(why: Problem) -> NotSent:
    """What a request means that is not sent because of `why`."""
    return NotSent(why)


def unanswered(verb: str, why: Problem) -> RequestError:
    """What a request means that was sent, and cut off because of `why` before an answer came."""
    message = f"no answer yet when {why.message}; it may have been done all the same"
    return RequestError(replace(why, message=message, verb=verb))


def without_token(verb: str, why: ClusterError) -> RequestError:
    """What a request means that could not be sent for want of a token."""
    return RequestError(Problem(Trouble.UNREACHABLE, why.message, why.hint, verb))


def refused(
    verb: str, status: int, body: bytes, *, after: str = "", is_new: bool = False, remedy: str = ""
) -> RequestError:
    """What an answer of `status` (400 and above) means.

    Args:
        verb: what was tried.
        status: the HTTP code.
        body: a Kubernetes Status, or anything else.
        after: the Retry-After header.
        is_new: whether the kind has only just been defined, so that it may not be served yet.
        remedy: what to do about it, if whoever asked knows that.
    """
    answer = _status_of(body)
    message = answer.message or f"the API server answered {status}"
    meaning = _meaning(status, answer, message)
    if is_new and status == 404 and message.startswith(_UNSERVED):
        meaning = replace(meaning, source=_KIND)
    message = " ".join((answer.causes_told(meaning.trouble) or message).split())[:_MAX_MESSAGE]
    if status == 401:  # the server says but "Unauthorized"
        message = f"the API server does not take our credentials: {message}"
    hint = remedy or meaning.hint or _hint(meaning.trouble, message)
    passing = Passing(meaning.source, _pause(after, answer)) if meaning.source else None
    return RequestError(Problem(meaning.trouble, message, hint, verb, status), passing)


def unreachable(verb: str, server: str, error: HTTPError | OSError) -> RequestError:
    """What a request without an answer means."""
    what, hint = _plain(error), HINTS[Trouble.UNREACHABLE]
    if isinstance(error, SSLError):
        what, hint = next(told for words, told in BY_HANDSHAKE if words.search(str(error)))
    elif isinstance(error, ProxyError):
        why = error.original_error
        what = f"the proxy does not lead there: {_plain(why) if isinstance(why, HTTPError) else why}"
        hint = THROUGH_PROXY
    problem = Problem(Trouble.UNREACHABLE, f"no answer from {server}: {what}", hint, verb)
    return RequestError(problem, Passing(_SERVER) if isinstance(error, _PASSING) else None)


@dataclass(frozen=True, slots=True)
class _Cause:
    """One field, and the server's reason."""

    field: str
    type: str
    message: str

    @property
    def reason(self) -> str:
        """The reason; without the value, where that is a whole object, and without what is printed below it."""
        text = self.message.partition("\n")[0]
        return self.detail if _VALUED.sub("", text, count=1)[:1] in {"{", "["} else text

    @property
    def detail(self) -> str:
        """The reason without the value."""
        text = self.message.partition("\n")[0].removeprefix("Forbidden: ")
        valued = _VALUED.match(text)
        if valued is None:
            return text
        try:
            _, end = json.JSONDecoder().raw_decode(text, valued.end())
        except ValueError:  # Go's own way of writing it down, or none
            return text[valued.end() :].rpartition(": ")[2]
        return text[end:].removeprefix(": ")

    @property
    def is_immutable(self) -> bool:
        """Whether this says that the field can't be changed."""
        pattern = IMMUTABLE.get(self.type)
        is_identity = self.field.startswith("metadata.")  # another name or UID is another object
        return pattern is not None and not is_identity and pattern.search(self.detail) is not None


@dataclass(frozen=True, slots=True)
class _Status:
    """What a refusal says."""

    message: str = ""
    reason: str = ""
    causes: tuple[_Cause, ...] = ()
    pause: float | None = None

    @property
    def is_immutable(self) -> bool:
        """Whether fields that can't be changed are all that is wrong: else a creation would fail as well."""
        return bool(self.causes) and all(cause.is_immutable for cause in self.causes)

    def causes_told(self, trouble: Trouble) -> str:
        """Each field with the reason; "" where the message says more than its causes do."""
        if trouble is Trouble.IMMUTABLE:
            return "; ".join(dict.fromkeys(f"{cause.field}: {cause.detail}" for cause in self.causes))
        if trouble is not Trouble.INVALID or self.reason != "Invalid" or not self.causes:
            return ""
        told = "; ".join(dict.fromkeys(f"{cause.field}: {cause.reason or cause.message}" for cause in self.causes))
        return f"{self.message.partition(' is invalid: ')[0]} is invalid: {told}"


def _meaning(status: int, answer: _Status, message: str) -> Meaning:
    for words, meaning in BY_WORDS:
        found = words.search(message)
        if found:
            return meaning.of(found)
    if status == 403 and " is forbidden: " in message and not _RBAC.search(message):
        return Meaning(Trouble.DENIED)  # LimitRanger and its like answer 403 as well
    if status == 422 and answer.is_immutable:
        return Meaning(Trouble.IMMUTABLE)
    if status in BY_STATUS:
        return BY_STATUS[status]
    if answer.reason == "NotFound":
        return Meaning(Trouble.MISSING)
    return Meaning(Trouble.UNAVAILABLE, source=_SERVER if status >= 500 or status in _BUSY else "")


def _hint(trouble: Trouble, message: str) -> str:
    if trouble is Trouble.FORBIDDEN:
        return f"grant the permission that the message names{_rule(message)}"
    return HINTS.get(trouble, "")


def _rule(message: str) -> str:
    """The RBAC rule that a "forbidden" message says is missing."""
    _, found, rest = message.partition("cannot ")
    words = rest.split('"')
    if not found or len(words) < 5:
        return ""
    verb, resource, group = rest.split(" ", 1)[0], words[1], words[3]
    return f': verbs: ["{verb}"], resources: ["{resource}"], apiGroups: ["{group}"]'


def _pause(after: str, answer: _Status) -> float | None:
    """Seconds that the server asks to wait, in its header or its answer."""
    try:
        return Retry().parse_retry_after(after) if after else answer.pause
    except InvalidHeader:
        return answer.pause


def _status_of(body: bytes) -> _Status:
    try:
        answer = orjson.loads(body)
    except orjson.JSONDecodeError:
        return _Status(body.decode(errors="replace").strip())
    if not isinstance(answer, dict):
        return _Status()
    details: dict[str, Any] = answer.get("details") or {}
    causes = (
        _Cause(str(cause.get("field") or ""), str(cause.get("reason") or ""), str(cause.get("message") or ""))
        for cause in details.get("causes") or ()
    )
    return _Status(
        str(answer.get("message") or ""),
        str(answer.get("reason") or ""),
        tuple(causes),
        details.get("retryAfterSeconds") or None,
    )


def _plain(cause: object) -> str:
    """The last part of a urllib3 message, without the connection's repr."""
    return str(cause).rpartition("object at ")[2].partition(": ")[2] or str(cause)
