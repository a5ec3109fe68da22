"""Answers to orders, as Markdown."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from report_scenarios import clean, destructive, drift_of_a_person, many, previewed, ref
from report_strategies import reports

from recon_action.errors import ExitCode
from recon_action.model import Mode
from recon_action.report import markdown, reply
from recon_action.report.document import PlannedAction, Report
from recon_action.report.reply import ROOM, Beside

DIGEST = "9f86d081884c7d65-a1b2c3d4"
PLAN = (PlannedAction(1, "configure", ref("ConfigMap", "a")),)


def planned(of: Report, mode: Mode = Mode.DIFF) -> Report:
    return replace(of, mode=mode, digest=DIGEST, plan=PLAN)


def test_what_an_answer_is_about() -> None:
    """Order, author, where the order stands and the run; none of it can be markup or a mention."""
    beside = Beside(
        "/recon diff", "octo-cat", "https://github.com/acme/shop/issues/8#issuecomment-1", "https://x.y/run"
    )
    assert reply.body("Text.\n\n", beside) == (
        "[<code>/recon diff</code>](https://github.com/acme/shop/issues/8#issuecomment-1) of <code>octo-cat</code>\n\n"
        "Text.\n\n<sub>[the run](https://x.y/run)</sub>\n"
    )
    odd = reply.body("Text.", Beside("/recon diff", "x`<b>", "javascript:x"))
    assert odd == "<code>/recon diff</code> of <code>x&#96;&#60;b&#62;</code>\n\nText.\n"


@pytest.mark.parametrize(
    ("of", "order"),
    [
        (planned(drift_of_a_person()), f"<code>/recon apply {DIGEST}</code>"),
        (planned(destructive()), f"<code>/recon apply {DIGEST} --allow-destructive</code>"),
        (replace(planned(clean(), Mode.APPLY), exit_code=ExitCode.REFUSED), f"<code>/recon apply {DIGEST}</code>"),
    ],
    ids=["plain", "destructive", "refused"],
)
def test_a_plan_says_how_to_go_on(of: Report, order: str) -> None:
    """What was compared, or refused, can be ordered next."""
    assert reply.found(of) == f"{markdown.render(of, budget=ROOM)}\nThe order for this plan, and no other: {order}"


@pytest.mark.parametrize(
    "of",
    [
        clean(),
        previewed(),
        planned(drift_of_a_person(), Mode.APPLY),
        planned(previewed(), Mode.PREVIEW),
        replace(planned(previewed(), Mode.PREVIEW), exit_code=ExitCode.REFUSED),
        replace(planned(drift_of_a_person()), digest=""),
    ],
    ids=["in sync", "preview", "applied", "plan of a preview", "preview refused", "no digest"],
)
def test_where_nothing_can_be_ordered(of: Report) -> None:
    """A report without a plan for the default branch is itself, and no more."""
    assert reply.found(of) == markdown.render(of, budget=ROOM)


@settings(max_examples=30)
@given(of=reports)
def test_it_fits(of: Report) -> None:
    """Whatever the report: short enough for a conversation."""
    assert len(reply.found(planned(of)).encode()) <= ROOM + 200


def test_a_large_report_is_cut() -> None:
    """Between objects, and counted."""
    assert "not shown**, to keep the text within its limit." in reply.found(many())


def test_words() -> None:
    """What was done where there is no report; a reason is anybody's words."""
    held = reply.held(ref("ConfigMap", "a"), "2026-12-01 07:00 UTC", "@team: <b>x</b>")
    assert held.startswith("✅ <code>ConfigMap shop/a</code> is held until 2026-12-01 07:00 UTC: ")
    assert "@team" not in held
    assert "<b>" not in held
    assert "until 2026-12-04 05:00 UTC, and a closed issue stays closed" in reply.snoozed("2026-12-04 05:00 UTC")


def test_usage() -> None:
    """Every command has a row, also where one was not understood."""
    rows = reply.usage().split("\n")[2:]
    assert [row.split("/recon ")[1].split()[0].removesuffix("</code>") for row in rows] == [
        "diff",
        "diff",
        "apply",
        "hold",
        "snooze",
    ]
    assert reply.misread("no such thing") == f"That was not understood: no such thing.\n\n{reply.usage()}"
