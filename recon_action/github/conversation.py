"""The comments of one issue or pull request, read and written.

Each call is one thing done once; what is to be written, and what is tried again, `comment` decides.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from recon_action.github.client import Client, is_by
from recon_action.github.denied import Denied, Need, Reason, senseless

_HIDE = "mutation ($input: MinimizeCommentInput!) { minimizeComment(input: $input) { clientMutationId } }"


@dataclass(frozen=True, slots=True)
class Posted:
    """A comment as it stands on GitHub.

    Args:
        id: its id; later ones are larger.
        node: its id in GraphQL.
        author: as REST names them, "" if the account is gone.
        body: its Markdown.
        url: its page.
        hidden: whether it is folded away.
    """

    id: int
    node: str
    author: str
    body: str
    url: str
    hidden: bool = False


class Conversation:
    """The comments below issue or pull request `number`."""

    def __init__(self, client: Client, number: int, need: Need) -> None:
        """Name it; nothing is sent yet.

        Args:
            client: GitHub.
            number: of the issue or pull request.
            need: what writing a comment takes.
        """
        self._client = client
        self._list = f"/issues/{number}/comments"
        self._need = need
        self._author = ""

    def all(self) -> list[Posted]:
        """Every comment, oldest first; not only those that a first page holds."""
        return [_posted(one, self._need) for one in self._client.pages(self._list, self._need)]

    def identify(self) -> None:
        """Learn who we are, now and not between a look and the write that follows it."""
        self._author = self._client.login()

    def is_ours(self, posted: Posted) -> bool:
        """Whether we wrote it: anybody can copy a marker, and whoever may write can put one into their own comment."""
        return is_by(posted.author, self._author)

    def write(self, text: str) -> Posted:
        """Write a new comment; after an uncertain end the caller looks whether it is there."""
        posted = _posted(self._client.send("POST", self._list, self._need, {"body": text}), self._need)
        self._author = posted.author  # nothing tells better who we are
        return posted

    def edit(self, posted: Posted, text: str) -> Posted:
        """Put `text` into a comment's place."""
        answer = self._client.send("PATCH", f"/issues/comments/{posted.id}", self._need, {"body": text})
        return _posted(answer, self._need)

    def remove(self, posted: Posted) -> None:
        """Delete a comment, or fold it away if we may not."""
        try:
            self._delete(posted)
        except Denied:
            self._fold(posted)

    def hide(self, posted: Posted) -> None:
        """Fold a comment away as outdated, or delete it: some tokens may not use GraphQL."""
        try:
            self._fold(posted)
        except Denied:
            self._delete(posted)

    def pause(self, denied: Denied, tries: int) -> None:
        """Wait before one looks again what came of a write; raises `denied` if there is no point."""
        self._client.pause(denied, tries)

    def _delete(self, posted: Posted) -> None:
        path = f"/issues/comments/{posted.id}"
        try:
            self._client.insist(lambda: self._client.send("DELETE", path, self._need))
        except Denied as denied:
            if denied.reason is not Reason.ABSENT:  # else it is gone, which is what was wanted
                raise

    def _fold(self, posted: Posted) -> None:
        given = {"input": {"subjectId": posted.node, "classifier": "OUTDATED"}}
        self._client.insist(lambda: self._client.graphql(_HIDE, given, self._need))


def _posted(answer: Any, need: Need) -> Posted:
    if not isinstance(answer, dict) or not isinstance(answer.get("id"), int):
        raise senseless(need)
    user = answer.get("user")
    return Posted(
        id=answer["id"],
        node=_text(answer, "node_id"),
        author=_text(user, "login") if isinstance(user, dict) else "",
        body=_text(answer, "body"),
        url=_text(answer, "html_url"),
        hidden=bool(answer.get("minimized")),
    )


def _text(answer: Mapping[str, Any], key: str) -> str:
    value = answer.get(key)
    return value if isinstance(value, str) else ""
