"""The answer below an order: one, however often its run is run again."""

from dataclasses import replace
from typing import Any

import pytest
from fake_github import BOT, FakeGitHub, Fault

from recon_action.errors import ExitCode
from recon_action.github.client import Client
from recon_action.github.denied import Denied
from recon_action.github.event import Comment
from recon_action.github.hearing import Asked
from recon_action.github.marker import Marker, read
from recon_action.github.order import Diff, Misread
from recon_action.github.reply import Answer, kind_of, publish, react

HEAD = "a" * 40


@pytest.fixture
def asked(fake: FakeGitHub) -> Asked:
    """An order on pull request 7."""
    posted = fake.state.add_comment(7, "octocat", "/recon diff")
    return Asked(Diff(), Comment(posted.id, posted.body, "octocat", is_bot=False, issue=7, on_pull_request=True))


def answer(asked: Asked, text: str = "Nothing differs.", code: ExitCode = ExitCode.OK, **run: Any) -> Answer:
    given = {"run": 1, "sequence": 1} | run
    return Answer(asked, code, text, Marker("shop", kind_of(asked), head=HEAD, **given), "https://x.y/run")


def test_an_answer(client: Client, fake: FakeGitHub, asked: Asked) -> None:
    """Eyes when it begins; then a comment and a thumb."""
    react(client, asked, "eyes")
    told = publish(client, answer(asked))
    assert (told.what, told.url.rpartition("#")[2]) == ("written", f"issuecomment-{asked.comment.id + 1}")
    order, ours = fake.state.comments.values()
    assert order.reactions == ["eyes", "+1"]
    assert ours.author == BOT
    assert ours.body.split("\n", 1)[1].startswith(
        "<code>/recon diff</code> of <code>octocat</code>\n\nNothing differs."
    )


def test_run_again(client: Client, fake: FakeGitHub, asked: Asked) -> None:
    """The run's second attempt writes over the words of its first, and reacts no second time."""
    publish(client, answer(asked))
    told = publish(client, answer(asked, "Something differs.", attempt=2, sequence=2))
    assert told.what == "updated"
    order, ours = fake.state.comments.values()
    assert order.reactions == ["+1"]
    assert "Something differs." in ours.body


def test_each_target_answers(client: Client, fake: FakeGitHub, asked: Asked) -> None:
    """And each order is answered, also if it is the same as the one before."""
    ours = answer(asked)
    publish(client, ours)
    publish(client, replace(ours, marker=replace(ours.marker, target="other")))
    again = replace(asked, comment=replace(asked.comment, id=fake.state.add_comment(7, "octocat", "/recon diff").id))
    publish(client, answer(again))
    marked = [of for one in fake.state.comments.values() if (of := read(one.body))]
    assert [(of.target, of.kind) for of in marked] == [
        ("shop", kind_of(asked)),
        ("other", kind_of(asked)),
        ("shop", kind_of(again)),
    ]


def test_a_copied_answer_is_not_ours(client: Client, fake: FakeGitHub, asked: Asked) -> None:
    """Somebody else's text with our hidden line neither keeps us from answering nor is it written over."""
    forged = fake.state.add_comment(7, "mallory", f"{answer(asked).marker.line}\nAll is well.")
    publish(client, answer(asked, "Nothing is well."))
    assert forged.body.endswith("All is well.")
    assert [one.author for one in fake.state.comments.values()] == ["octocat", "mallory", BOT]


def test_a_lost_answer(client: Client, fake: FakeGitHub, asked: Asked) -> None:
    """What was written before its answer got lost is not written twice."""
    fake.faults.append(Fault("POST", "/issues/7/comments", status=502, after=True))
    fake.faults.append(Fault("POST", "/reactions", status=502))
    publish(client, answer(asked))
    assert fake.state.written == 2
    assert next(iter(fake.state.comments.values())).reactions == ["+1"]


@pytest.mark.parametrize(
    ("code", "order", "content"),
    [
        (ExitCode.OK, Diff(), "+1"),
        (ExitCode.DIFFERENT, Diff(), "+1"),
        (ExitCode.REFUSED, Diff(), "-1"),
        (ExitCode.INCOMPLETE, Diff(), "-1"),
        (ExitCode.BUG, Diff(), "-1"),
        (ExitCode.USAGE, Diff(), "-1"),
        (ExitCode.USAGE, Misread("x"), "confused"),
    ],
)
def test_reactions(
    client: Client, fake: FakeGitHub, asked: Asked, code: ExitCode, order: Diff | Misread, content: str
) -> None:
    """Done, not done, not understood."""
    publish(client, answer(replace(asked, order=order), code=code))
    assert next(iter(fake.state.comments.values())).reactions == [content]


@pytest.mark.parametrize("on_pull", [True, False])
def test_without_permission(client: Client, fake: FakeGitHub, asked: Asked, on_pull: bool) -> None:
    """The line that is missing is the one of the place."""
    fake.permissions.clear()
    asked = replace(asked, comment=replace(asked.comment, on_pull_request=on_pull))
    with pytest.raises(Denied) as denied:
        publish(client, answer(asked))
    assert f"`{'pull-requests' if on_pull else 'issues'}: write`" in denied.value.hint
