"""What GitHub does not do, told apart by status and by its own words, with what to do about it.

Pure: nothing here sends anything (`client` does), or decides what a refusal means for a run (`ledger` does). A
repository's workflow can lack a permission in four ways that look alike, and a limit looks like one of them.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from recon_action.errors import PublishError

_MAX_MESSAGE = 400  # characters of GitHub's own words
_SECONDARY = 60.0  # seconds: how long GitHub asks to wait after a secondary limit if it names no time
_LIMITED = re.compile(
    r"^api rate limit exceeded|secondary rate limit|abuse detection|retry your request again later"
    r"|wait a few minutes before you try again",
    re.IGNORECASE,
)
_CERTIFICATE = re.compile(r"SSLError|certificate verify failed|CA certificate bundle", re.IGNORECASE)
# What a 403 says that no line of `permissions:` would change.
_OTHERWISE = (
    (re.compile(r"is locked", re.IGNORECASE), "the conversation is locked; unlock it to have it written to"),
    (re.compile(r"archived", re.IGNORECASE), "the repository is archived: nothing can be written in it"),
    (re.compile(r"saml|single sign-on", re.IGNORECASE), "authorise the token for the organisation's single sign-on"),
    (re.compile(r"ip allow list", re.IGNORECASE), "let the runner's address into the organisation's IP allow list"),
)
_PERSONAL = re.compile(r"personal access token", re.IGNORECASE)


class Reason(StrEnum):
    """Why it was not done."""

    UNAUTHORISED = "unauthorised"
    FORBIDDEN = "forbidden"
    ABSENT = "not found"
    GONE = "gone"
    INVALID = "invalid"
    LIMITED = "rate limited"
    UNREACHABLE = "unreachable"
    BROKEN = "broken"  # a 5xx, or an answer that is none
    UNCHANGED = "unchanged"  # answered as if it were done


# What is missing is a permission, or the thing itself: nothing is wrong, and nothing will change until somebody acts.
DENIALS = frozenset({Reason.FORBIDDEN, Reason.ABSENT, Reason.GONE})


@dataclass(frozen=True, slots=True)
class Need:
    """What a request is for, and what it takes.

    Args:
        what: in words, as in "GitHub did not ...".
        permission: the line of `permissions:` that allows it, `pull-requests: write`; "" if none is needed.
        read_only: whether the event's token only reads, whatever the workflow says.
    """

    what: str
    permission: str = ""
    read_only: bool = False


@dataclass(frozen=True, slots=True)
class Passing:
    """Why the same request may succeed later.

    Args:
        pause: seconds that GitHub asks to wait; None if it doesn't say.
        uncertain: whether the request may have been carried out all the same.
    """

    pause: float | None = None
    uncertain: bool = False


class Denied(PublishError):  # noqa: N818 - not always an error: a channel may be closed on purpose
    """Something that GitHub did not do.

    Attributes:
        reason: the class.
        status: of its answer, 0 without one.
        need: what was asked for.
        passing: set iff the same request may succeed later.
    """

    def __init__(
        self,
        reason: Reason,
        need: Need,
        said: str,
        *,
        status: int = 0,
        hint: str = "",
        passing: Passing | None = None,
    ) -> None:
        self.reason = reason
        self.status = status
        self.need = need
        self.passing = passing
        code = f" ({status})" if status else ""
        super().__init__(f"GitHub did not {need.what}{code}: {_cut(said)}", hint=hint)

    @property
    def is_denial(self) -> bool:
        """Whether it lacks a permission or the thing itself: a warning, and no failure."""
        return self.reason in DENIALS


def refused(need: Need, status: int, answer: Any, headers: Mapping[str, str], now: float) -> Denied:
    """What an answer of `status` (400 and above) means.

    Args:
        need: what was asked for.
        status: the HTTP code.
        answer: its body, decoded; anything.
        headers: its headers, names in small letters.
        now: seconds since 1970, which limits are told in.
    """
    said = " ".join(_said(answer)) or f"it answered {status}"
    if status == 429 or (status in {400, 403} and _is_limit(said, headers)):  # 400: GraphQL's errors, by PyGithub
        hint = "GitHub counts requests per hour and repository; run again later"
        passing = Passing(_pause(headers, now))
        return Denied(Reason.LIMITED, need, said, status=status, hint=hint, passing=passing)
    if status >= 500 or status == 408:
        hint = "run again, or see https://www.githubstatus.com"
        return Denied(Reason.BROKEN, need, said, status=status, hint=hint, passing=Passing(uncertain=True))
    reason = {
        401: Reason.UNAUTHORISED,
        403: Reason.FORBIDDEN,
        404: Reason.ABSENT,
        410: Reason.GONE,
    }.get(status, Reason.INVALID)
    return Denied(reason, need, said, status=status, hint=_hint(reason, need, said))


def unreachable(need: Need, error: Exception) -> Denied:
    """What a request without an answer means, or one with an answer that can't be read."""
    said = str(error) or type(error).__name__
    if _CERTIFICATE.search(said):
        hint = "input ssl-verify: name the file with the certificate authority of your GitHub Enterprise Server"
        return Denied(Reason.UNREACHABLE, need, said, hint=hint)
    hint = "check GITHUB_API_URL, the proxy and what the runner's network lets out"
    return Denied(Reason.UNREACHABLE, need, said, hint=hint, passing=Passing(uncertain=True))


def senseless(need: Need) -> Denied:
    """What an answer means that is not of the shape that GitHub describes: often a proxy's page."""
    return Denied(
        Reason.BROKEN, need, "its answer is not one of GitHub's API", hint="check GITHUB_API_URL and the proxy"
    )


def unchanged(need: Need, size: int) -> Denied:
    """What it means that GitHub accepted a text and shows another one."""
    said = f"it took the text of {size:,} bytes, and shows another one"
    return Denied(Reason.UNCHANGED, need, said, hint="run again; the full report is in the job summary")


def _is_limit(said: str, headers: Mapping[str, str]) -> bool:
    return "retry-after" in headers or headers.get("x-ratelimit-remaining") == "0" or bool(_LIMITED.search(said))


def _pause(headers: Mapping[str, str], now: float) -> float:
    asked = _number(headers.get("retry-after", ""))
    if asked is not None:
        return asked
    reset = _number(headers.get("x-ratelimit-reset", ""))
    if headers.get("x-ratelimit-remaining") == "0" and reset is not None:
        return max(reset - now, 0) + 1  # it is not told when in that second
    return _SECONDARY


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\d{1,12}(\.\d+)?", text) else None


def _said(answer: Any) -> Iterator[str]:
    """GitHub's words, and what it names as wrong."""
    if not isinstance(answer, dict):
        return
    if isinstance(answer.get("message"), str):
        yield answer["message"]
    errors = answer.get("errors")
    for error in errors if isinstance(errors, list) else ():
        if isinstance(error, dict):
            yield " ".join(str(error[key]) for key in ("field", "code", "message") if error.get(key))
        else:
            yield str(error)


def _hint(reason: Reason, need: Need, said: str) -> str:
    match reason:
        case Reason.UNAUTHORISED:
            return (
                "input github-token: it is no token of this server, or has expired; without the input it is the job's"
            )
        case Reason.FORBIDDEN:
            return next((hint for words, hint in _OTHERWISE if words.search(said)), _permission(need, said))
        case Reason.ABSENT:
            return f"{_permission(need, said)}; without it GitHub may say that nothing is there"
        case Reason.GONE:
            return "it was deleted, or its feature is switched off in the repository's settings"
        case _:
            return "please report this, with the message"


def _permission(need: Need, said: str) -> str:
    if need.read_only:
        return (
            "GitHub gives runs of forks and of Dependabot a token that only reads, whatever the workflow says; "
            "the report is in the job summary"
        )
    if not need.permission:
        return "the token may not"
    if _PERSONAL.search(said):
        return f"input github-token: give the token the permission `{need.permission}`"
    return f"add `{need.permission}` to the job's `permissions:`, which replace those of the workflow"


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _MAX_MESSAGE else f"{text[: _MAX_MESSAGE - 1]}…"
