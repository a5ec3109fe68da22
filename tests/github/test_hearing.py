"""Which comments are orders, and who may give which where."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from fake_github import BOT, FakeGitHub, Fault

from recon_action.github.client import Client
from recon_action.github.event import Comment, EventContext, read_comment
from recon_action.github.hearing import Asked, default_head, hear, order_in
from recon_action.github.marker import DUPLICATE, ISSUE, Marker
from recon_action.github.order import Apply, Diff, Help, Misread
from recon_action.github.permission import Level

HEAD, DIGEST = "a" * 40, "9f86d081884c7d65-a1b2c3d4"
APPLY, SNOOZE, HOLD = f"/recon apply {DIGEST}", "/recon snooze 3d", "/recon hold cm/a 1h x"
ON_PULL, ON_ISSUE, ON_OTHER = 7, 8, 9

Say = Callable[..., EventContext]


@pytest.fixture
def say(fake: FakeGitHub) -> Say:
    """`say(number, text)`: the event of a new comment; 7 is a pull request, 8 the drift issue of shop, 9 an issue."""
    fake.state.add_issue(ON_ISSUE, author=BOT, body=f"{Marker('shop', ISSUE).line}\nDrift.")
    fake.state.add_issue(ON_OTHER, author="octocat")
    fake.state.collaborators["octocat"] = "write"

    def write(number: int, text: str, author: str = "octocat") -> EventContext:
        written = fake.state.add_comment(number, author, text).json(fake.api)
        issue = fake.state.issues[number].json(fake.api, is_pull=number in fake.state.pulls)
        event = EventContext("issue_comment", "created", "acme/shop", default_branch="main", sha="c" * 40)
        return replace(event, comment=read_comment(written, issue))

    return write


def heard(client: Client, event: EventContext, target: str = "shop", least: Level = Level.WRITE) -> Asked | None:
    order = order_in(event)
    return hear(client, event, order, target, least) if order else None


def refused(client: Client, event: EventContext, least: Level = Level.WRITE) -> str:
    asked = heard(client, event, least=least)
    assert asked is not None
    assert asked.refusal is not None
    assert asked.refusal.hint
    assert asked.is_everyones
    return asked.refusal.message


@pytest.mark.parametrize(
    ("number", "text", "order"),
    [
        (ON_ISSUE, "/recon diff", Diff()),
        (ON_ISSUE, APPLY, Apply(DIGEST)),
        (ON_PULL, "/recon diff", Diff()),
        (ON_PULL, f"/recon diff {HEAD}", Diff(HEAD)),
    ],
)
def test_orders_that_may_be_given(client: Client, say: Say, number: int, text: str, order: object) -> None:
    """On the drift issue of the target, and on a pull request, which is read anew."""
    asked = heard(client, say(number, text))
    assert asked is not None
    assert (asked.order, asked.refusal, asked.is_everyones) == (order, None, False)
    assert (asked.pull.head if asked.pull else "") == (HEAD if number == ON_PULL else "")


@pytest.mark.parametrize("number", [ON_ISSUE, ON_PULL])
def test_holds_on_both(client: Client, say: Say, number: int) -> None:
    """A hold changes no manifest."""
    asked = heard(client, say(number, HOLD))
    assert asked is not None
    assert asked.refusal is None


@pytest.mark.parametrize(
    ("number", "text", "why"),
    [
        (ON_PULL, APPLY, "before it is merged"),
        (ON_PULL, f"{APPLY} --allow-destructive", "before it is merged"),
        (ON_PULL, SNOOZE, "nothing to snooze"),
        (ON_PULL, f"/recon diff {'b' * 40}", f"is {HEAD} by now"),
        (ON_ISSUE, f"/recon diff {HEAD}", "the default branch alone"),
        *(
            (ON_OTHER, text, "neither a drift issue nor a pull request")
            for text in (APPLY, SNOOZE, HOLD, "/recon diff")
        ),
    ],
)
def test_orders_in_the_wrong_place(client: Client, say: Say, number: int, text: str, why: str) -> None:
    """Each is refused with its reason."""
    assert why in refused(client, say(number, text))


@pytest.mark.parametrize("gone", [False, True], ids=["fork", "fork that is gone"])
def test_a_fork_is_looked_at_by_commit(client: Client, fake: FakeGitHub, say: Say, gone: bool) -> None:
    """What a stranger may push after the order was given has not been seen by who gave it."""
    fake.state.pulls[ON_PULL].head_repository = None if gone else "mallory/shop"
    assert "from another repository" in refused(client, say(ON_PULL, "/recon diff"))
    asked = heard(client, say(ON_PULL, f"/recon diff {HEAD}"))
    assert asked is not None
    assert asked.refusal is None
    seen = say(ON_PULL, f"/recon diff {HEAD}")
    fake.state.pulls[ON_PULL].head = "f" * 40
    assert "by now" in refused(client, seen)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"action": "edited"}, APPLY),
        ({"action": "deleted"}, APPLY),
        ({"action": ""}, APPLY),
        ({"comment": None}, APPLY),
        ({}, "Thanks!"),
        ({}, f"I would say\n{APPLY}"),
        ({}, f"> {APPLY}"),
        ({}, "/reconcile"),
    ],
    ids=str,
)
def test_silence(client: Client, fake: FakeGitHub, say: Say, change: dict[str, Any], text: str) -> None:
    """What is no order costs no request, whoever wrote it."""
    assert heard(client, replace(say(ON_ISSUE, text), **change)) is None
    assert fake.asked == []


@pytest.mark.parametrize(
    "comment",
    [{"user": None}, {"user": {"login": "x[bot]", "type": "Bot"}}, {"performed_via_github_app": {"id": 1}}],
    ids=["gone", "bot", "app in somebody's name"],
)
def test_only_people(client: Client, fake: FakeGitHub, comment: dict[str, Any]) -> None:
    """Neither an app, nor an account that is gone, orders anything."""
    whole = {"id": 1, "body": APPLY, "user": {"login": "octocat", "type": "User"}} | comment
    event = EventContext("issue_comment", "created", comment=read_comment(whole, {"number": ON_ISSUE}))
    assert heard(client, event) is None
    assert fake.asked == []


def test_no_event_of_a_comment() -> None:
    """Without a comment there is no order."""
    assert order_in(EventContext("issue_comment", "created")) is None


@pytest.mark.parametrize(
    ("role", "least", "allowed"),
    [
        ("none", Level.WRITE, False),
        ("read", Level.WRITE, False),
        ("triage", Level.WRITE, False),
        ("write", Level.WRITE, True),
        ("maintain", Level.WRITE, True),
        ("admin", Level.WRITE, True),
        ("write", Level.MAINTAIN, False),
        ("maintain", Level.MAINTAIN, True),
        ("maintain", Level.ADMIN, False),
        ("admin", Level.ADMIN, True),
    ],
)
def test_permissions(client: Client, fake: FakeGitHub, say: Say, role: str, least: Level, allowed: bool) -> None:
    """What somebody may do is GitHub's to say, and how much it takes the workflow's."""
    fake.state.collaborators["octocat"] = role
    event = say(ON_ISSUE, APPLY)
    if allowed:
        asked = heard(client, event, least=least)
        assert asked is not None
        assert asked.refusal is None
    else:
        why = f"octocat has the permission '{role}' here, and orders take '{least.name.lower()}'"
        assert refused(client, event, least) == why


def test_a_stranger(client: Client, say: Say) -> None:
    """Whoever is not known here is refused, also where everybody may comment."""
    assert "'none'" in refused(client, say(ON_ISSUE, APPLY, author="mallory"))


@pytest.mark.parametrize("path", ["/permission$", "/issues/8$", "/issues/comments/", "graphql$"])
@pytest.mark.parametrize("status", [403, 404, 502])
def test_what_cannot_be_looked_up_is_refused(
    client: Client, fake: FakeGitHub, say: Say, path: str, status: int
) -> None:
    """Unknown is not allowed."""
    event = say(ON_ISSUE, APPLY)
    fake.faults.append(Fault(path=path, status=status, times=99))
    if path == "graphql$":  # it only tells whose token it is
        assert heard(client, event) is not None
    else:
        assert refused(client, event)


def test_what_of_a_pull_request_cannot_be_looked_up(client: Client, fake: FakeGitHub, say: Say) -> None:
    """No head, no preview."""
    event = say(ON_PULL, "/recon diff")
    fake.faults.append(Fault(path="/pulls/7", status=403))
    assert "GitHub did not show the pull request" in refused(client, event)
    fake.faults.append(Fault(path="/pulls/7", status=200, body={"number": 7}))
    assert "not one of GitHub's API" in refused(client, event)


@pytest.mark.parametrize(
    "edit",
    [
        {"body": f"{APPLY} --allow-destructive"},
        {"author": "mallory"},
        {"author": ""},
        {"updated": 99},
    ],
    ids=str,
)
def test_an_edited_comment(client: Client, fake: FakeGitHub, say: Say, edit: dict[str, Any]) -> None:
    """What it says by now, or who it is by, is not what made the run."""
    event = say(ON_ISSUE, APPLY)
    assert event.comment is not None
    for key, value in edit.items():
        setattr(fake.state.comments[event.comment.id], key, value)
    assert "edited since" in refused(client, event)


def test_a_deleted_comment(client: Client, fake: FakeGitHub, say: Say) -> None:
    """Who deletes it takes it back."""
    event = say(ON_ISSUE, APPLY)
    fake.state.comments.clear()
    assert refused(client, event) == "the comment is gone by now"


@pytest.mark.parametrize(
    ("author", "marker"),
    [
        ("octocat", Marker("shop", ISSUE)),
        ("other[bot]", Marker("shop", ISSUE)),
        (BOT, Marker("shop", DUPLICATE)),
        (BOT, Marker("shop")),
    ],
    ids=["copied by a person", "copied by an app", "one too many", "a comment's"],
)
def test_a_marker_alone_makes_no_drift_issue(
    client: Client, fake: FakeGitHub, say: Say, author: str, marker: Marker
) -> None:
    """Anybody can copy the hidden line; who opened the issue counts as well."""
    fake.state.add_issue(10, author=author, body=f"{marker.line}\nDrift.")
    assert "neither a drift issue" in refused(client, say(10, APPLY))


def test_the_issue_of_another_target(client: Client, fake: FakeGitHub, say: Say) -> None:
    """In a matrix, the job of the target answers, and all others are silent."""
    for text in (APPLY, "/recon help", "/recon x"):
        assert heard(client, say(ON_ISSUE, text), target="other") is None
    assert not fake.requests(path="/collaborators/")


@pytest.mark.parametrize(("text", "kind"), [("/recon help", Help), ("/recon x", Misread)])
@pytest.mark.parametrize("number", [ON_PULL, ON_ISSUE, ON_OTHER])
def test_the_usage_is_everybodys(client: Client, say: Say, number: int, text: str, kind: type) -> None:
    """Nothing is done, so nobody needs a permission for it; it is said once, whatever targets there are."""
    asked = heard(client, say(number, text, author="mallory"))
    assert asked is not None
    assert isinstance(asked.order, kind)
    assert asked.refusal is None
    assert asked.is_everyones


def test_the_head_of_the_default_branch(client: Client, fake: FakeGitHub) -> None:
    """It is asked by its name, which may hold a slash."""
    fake.state.branches["release/1"] = "e" * 40
    assert default_head(client, EventContext("", default_branch="main")) == "c" * 40
    assert default_head(client, EventContext("", default_branch="release/1")) == "e" * 40


def test_a_comment_as_it_is() -> None:
    """A payload's comment and the API's are read alike."""
    known = Comment(1, "x", "octocat", is_bot=False, issue=7, on_pull_request=True, updated="now", url="u")
    whole = {"id": 1, "body": "x", "user": {"login": "octocat", "type": "User"}, "updated_at": "now", "html_url": "u"}
    assert read_comment(whole, {"number": 7, "pull_request": {}}) == known
