"""What became of each channel, and what that costs."""

import pytest
from markdown_it import MarkdownIt

from recon_action.errors import ExitCode, PublishError
from recon_action.github.commands import Annotation, Level
from recon_action.github.comment import Told
from recon_action.github.denied import Need, refused
from recon_action.github.ledger import ROOM, Line, Outcome, annotations, codes, enter, summary

NEED = Need("write the comment", "pull-requests: write")
HOSTILE = "@team <b>x</b> | ` \n# title ![x](http://evil.example)"


def failing(status: int, message: str = "Resource not accessible by integration") -> Line:
    def serve() -> Told:
        raise refused(NEED, status, {"message": message}, {}, 0)

    return enter("comment", serve)


def test_delivered() -> None:
    """What was written, and where it stands."""
    line = enter("check run", lambda: Told("neutral", "https://github.com/acme/shop/runs/1", 3))
    assert line == Line("check run", Outcome.DELIVERED, "neutral", url="https://github.com/acme/shop/runs/1", count=3)
    assert codes([line]) == []
    assert annotations([line], "t") == []


@pytest.mark.parametrize(
    ("status", "outcome", "level"),
    [
        (403, Outcome.DENIED, Level.WARNING),
        (404, Outcome.DENIED, Level.WARNING),
        (410, Outcome.DENIED, Level.WARNING),
        (401, Outcome.FAILED, Level.ERROR),
        (422, Outcome.FAILED, Level.ERROR),
        (429, Outcome.FAILED, Level.ERROR),
        (502, Outcome.FAILED, Level.ERROR),
    ],
)
def test_denied_is_a_warning_and_failed_an_error(status: int, outcome: Outcome, level: Level) -> None:
    """A missing permission fails no step; GitHub's own failure is exit 8."""
    line = failing(status)
    assert line.outcome is outcome
    assert codes([line]) == ([ExitCode.PUBLISH] if outcome is Outcome.FAILED else [])
    (annotation,) = annotations([line], "recon-action")
    assert annotation == Annotation(level, f"{line.what}\n{line.hint}", title="recon-action")


def test_other_trouble() -> None:
    """Whatever keeps a channel from being served keeps no other one."""

    def serve() -> Told:
        raise PublishError("GITHUB_API_URL: 'x' is no web address", hint="don't set it")

    assert enter("comment", serve).outcome is Outcome.FAILED


def test_summary() -> None:
    """A table at the end of the job summary, with the line to copy."""
    lines = [
        Line("comment", Outcome.DELIVERED, "updated", url="https://github.com/acme/shop/issues/7#issuecomment-1"),
        failing(403),
        Line("drift issue", Outcome.OFF, "by its input"),
    ]
    assert summary(lines) == (
        "\n**On GitHub**\n\n| | Channel | |\n|---|---|---|\n"
        "| ✅ delivered | [comment](https://github.com/acme/shop/issues/7#issuecomment-1) | updated |\n"
        "| ⚠️ denied | comment | GitHub did not write the comment (403): Resource not accessible by integration<br>"
        "add <code>pull-requests: write</code> to the job's <code>permissions:</code>, which replace those of the "
        "workflow |\n"
        "| – off | drift issue | by its input |\n"
    )
    assert summary([]) == ""


def test_foreign_words_are_harmless() -> None:
    """GitHub's words may quote anybody's; the table stays a table, within its room."""
    text = summary([failing(422, HOSTILE), failing(422, "`" * 900)])
    assert len(text.encode()) <= ROOM
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    assert html.count("<tr>") == 3
    assert "<b>" not in html
    assert "<img" not in html
    assert "@team" not in text
