"""The issues of the repository, read and written: each call is one thing done once.

What is to be written, and what is tried again, `issue` decides.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from recon_action.github.client import Client, is_by
from recon_action.github.conversation import Conversation
from recon_action.github.denied import Denied, Need, Reason, senseless

WRITE: Final = Need("write the drift issue", "issues: write")
LABEL: Final = "recon-drift"  # by it an issue is found once it is closed
SNOOZE: Final = "snooze"
_TITLE = 256  # characters
_ASSIGNEES = 10


@dataclass(frozen=True, slots=True)
class Filed:
    """An issue as it stands on GitHub.

    Args:
        number: its number; later ones are larger.
        author: as REST names them, "" if the account is gone.
        body: its Markdown.
        url: its page.
        is_open: whether it is open.
        closed_at: when it was closed, in seconds since 1970; 0 if it never was.
        labels: that it has.
        assignees: whom it is given to.
        is_pull: whether it is a pull request, which GitHub lists among issues.
    """

    number: int
    author: str
    body: str
    url: str = ""
    is_open: bool = True
    closed_at: int = 0
    labels: frozenset[str] = frozenset()
    assignees: frozenset[str] = frozenset()
    is_pull: bool = False


@dataclass(frozen=True, slots=True)
class Form:
    """What a new issue is given, once: what people change later stays as they have it.

    Args:
        title: a line.
        labels: beside our own.
        assignees: logins.
    """

    title: str
    labels: tuple[str, ...] = ()
    assignees: tuple[str, ...] = ()


class Tracker:
    """The repository's issues."""

    def __init__(self, client: Client) -> None:
        """Name them; nothing is sent yet."""
        self._client = client
        self._author = ""

    def identify(self) -> None:
        """Learn who we are, now and not between a look and the write that follows it."""
        self._author = self._client.login()

    def is_ours(self, filed: Filed) -> bool:
        """Whether we opened it: anybody can copy a marker into an issue of their own."""
        return is_by(filed.author, self._author) and not filed.is_pull

    def open_ones(self) -> list[Filed]:
        """All issues of ours that are open, whatever their labels are by now."""
        listed = self._client.pages("/issues", WRITE, state="open", creator=self._author)
        return [one for one in map(_filed, listed) if self.is_ours(one)]

    def closed_ones(self) -> list[Filed]:
        """All issues of ours that are closed, and have our label."""
        listed = self._client.pages("/issues", WRITE, state="closed", creator=self._author, labels=LABEL)
        return [one for one in map(_filed, listed) if self.is_ours(one)]

    def get(self, number: int) -> Filed | None:
        """Issue `number`; None if there is none."""
        try:
            return _filed(self._client.get(f"/issues/{number}", WRITE))
        except Denied as denied:
            if denied.reason in {Reason.ABSENT, Reason.GONE}:
                return None
            raise

    def open(self, form: Form, body: str) -> tuple[Filed, str]:
        """A new issue, and what it did not get of `form`; after an uncertain end the caller looks whether it is there.

        Args:
            form: what it is given.
            body: its Markdown.
        """
        labels = list(dict.fromkeys((LABEL, *form.labels)))
        made = self._post({"title": form.title[:_TITLE], "body": body}, labels, list(form.assignees[:_ASSIGNEES]))
        self._author = made.author  # nothing tells better who we are
        has = made.labels | self._label(made, [label for label in labels if label not in made.labels])
        lost = [label for label in labels if label not in has]
        lost += [login for login in form.assignees if login.lower() not in {one.lower() for one in made.assignees}]
        return made, f"without {', '.join(lost)}, which GitHub did not take" if lost else ""

    def edit(self, filed: Filed, body: str, state: str = "", reason: str = "") -> Filed:
        """Put `body` into an issue's place; open or close it if `state` says so."""
        given = {"body": body} | ({"state": state} if state else {}) | ({"state_reason": reason} if reason else {})
        return _filed(self._client.send("PATCH", f"/issues/{filed.number}", WRITE, given))

    def talk(self, filed: Filed) -> Conversation:
        """What is said below an issue."""
        return Conversation(self._client, filed.number, Need("comment on the drift issue", WRITE.permission))

    def pause(self, denied: Denied, tries: int) -> None:
        """Wait before one looks again what came of a write; raises `denied` if there is no point."""
        self._client.pause(denied, tries)

    def _post(self, wanted: Mapping[str, Any], labels: list[str], assignees: list[str]) -> Filed:
        """Open it. A refusal is certain, so it may be sent again, without what is the likeliest to be refused."""
        try:
            given = {**wanted, "labels": labels, "assignees": assignees}
            return _filed(self._client.send("POST", "/issues", WRITE, given))
        except Denied as denied:
            if denied.reason is not Reason.INVALID or not (labels or assignees):
                raise
        return self._post(wanted, labels if assignees else [], [])

    def _label(self, filed: Filed, labels: Sequence[str]) -> set[str]:
        """Give it labels that it lacks, one by one; those that it took."""
        taken = set()
        for label in labels:
            with suppress(Denied):
                self._client.send("POST", f"/issues/{filed.number}/labels", WRITE, {"labels": [label]})
                taken.add(label)
        return taken


def _filed(answer: Any) -> Filed:
    if not isinstance(answer, dict) or not isinstance(answer.get("number"), int):
        raise senseless(WRITE)
    return Filed(
        number=answer["number"],
        author=next(_names([answer.get("user")], "login"), ""),
        body=_text(answer.get("body")),
        url=_text(answer.get("html_url")),
        is_open=answer.get("state") != "closed",
        closed_at=_moment(_text(answer.get("closed_at"))),
        labels=frozenset(_names(answer.get("labels"), "name")),
        assignees=frozenset(_names(answer.get("assignees"), "login")),
        is_pull=answer.get("pull_request") is not None,
    )


def _names(things: Any, key: str) -> Iterator[str]:
    for thing in things if isinstance(things, list) else ():
        name = thing.get(key) if isinstance(thing, dict) else thing  # a label may be a bare text
        if isinstance(name, str):
            yield name


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _moment(text: str) -> int:
    try:
        return int(datetime.fromisoformat(text).timestamp())
    except ValueError:
        return 0
