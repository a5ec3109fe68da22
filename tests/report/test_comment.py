"""A report as a comment: cut to its limit, with what a pull request's reader needs beside it."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_scenarios import SCENARIOS, clean, destructive, drift_of_a_person, many, ref
from report_strategies import reports

from recon_action.model import Output
from recon_action.report import render
from recon_action.report.comment import ROOM, Beside, body, news, stopped
from recon_action.report.document import Report

BESIDE = Beside("a" * 40, "b" * 40, "https://github.com/acme/shop/actions/runs/123", "9f86d081884c7d65-a1b2c3d4")
FOOT = (
    "<sub>head <code>aaaaaaa</code> · base <code>bbbbbbb</code> · plan <code>9f86d081884c7d65-a1b2c3d4</code> · "
    "[full report in the job summary](https://github.com/acme/shop/actions/runs/123) · "
    "this comment is updated in place</sub>"
)


def test_body_is_the_report_and_its_circumstances() -> None:
    """The same Markdown as everywhere, and below it commits, plan and the way to the full report."""
    of = drift_of_a_person()
    assert body(of, BESIDE) == f"{render(of, Output.MARKDOWN)}\n{FOOT}"


def test_nothing_known_beside_it() -> None:
    """Outside of a workflow there is nothing to link."""
    assert body(clean(), Beside()).endswith("\n\n<sub>this comment is updated in place</sub>")


@settings(max_examples=30)
@given(of=reports, url=st.text(max_size=200))
def test_it_fits(of: Report, url: str) -> None:
    """Whatever the report: within what GitHub takes, and ended by its foot."""
    text = body(of, replace(BESIDE, url=url))
    assert len(text.encode()) <= ROOM
    assert text.endswith("this comment is updated in place</sub>")


def test_a_large_report_says_what_is_missing() -> None:
    """Cut between objects, counted exactly, and linked."""
    of = replace(many(), entries=many().entries * 20)
    text = body(of, BESIDE)
    assert len(text.encode()) <= ROOM
    assert "not shown**, to keep the text within its limit." in text
    assert text.endswith(FOOT)


def test_stopped() -> None:
    """A run without a report has its words in the same place."""
    assert stopped("### ❌ stopped\n", BESIDE) == f"### ❌ stopped\n\n{FOOT}"


@pytest.mark.parametrize(
    ("drift", "objects", "expected"),
    [
        (True, 0, "⚠️ <code>shop</code>: the cluster has drifted: 2 drifted, 41 in sync."),
        (False, 1, "⛔ <code>shop</code>: an apply would now destroy <code>Namespace n0</code>."),
        (False, 7, "<code>Namespace n4</code> and 2 more."),
    ],
    ids=["drift", "one", "many"],
)
def test_news(drift: bool, objects: int, expected: str) -> None:
    """What is new, in a line or two, and the way to the rest."""
    named = [ref("Namespace", f"n{number}", "") for number in range(objects)]
    text = news(drift_of_a_person(), named, "https://github.com/x", drift=drift)
    assert expected in text
    assert text.endswith("\n\n[The report](https://github.com/x) has all of it.")


def test_news_of_both() -> None:
    """Two lines."""
    assert news(destructive(), [ref("Namespace", "n", "")], "", drift=True).count("\n\n") == 2


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_scenario_begins_with_its_verdict(name: str) -> None:
    """Importance first: the first line is the verdict."""
    assert body(SCENARIOS[name](), BESIDE).startswith("### ")
