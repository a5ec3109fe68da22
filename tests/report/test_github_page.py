"""Every text as GitHub would show it: what strangers wrote links nothing, fetches nothing and breaks nothing."""

import json
from collections.abc import Callable, Mapping
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_scenarios import HOSTILE, SCENARIOS
from report_strategies import reports

from recon_action.errors import DesiredError
from recon_action.github import deliver, ledger
from recon_action.model import ObjectRef, Output
from recon_action.model.memory import Memory
from recon_action.report import comment, issue, render, reply, to_json
from recon_action.report.document import Report
from recon_action.report.drift import drift_of
from recon_action.report.escape import address
from scripts import script

github = script("github_page")
RUN = "https://github.com/acme/shop/actions/runs/123"


def issue_body(of: Report) -> str:
    return issue.body(of, issue.State(Memory(since=1, seen=2, last=3), drift_of(of), 4, 2, gap=(1, 2), url=RUN))


# Everything that is written in Markdown anywhere, made of a report.
TEXTS: Mapping[str, Callable[[Report], str]] = {
    "report": lambda of: render(of, Output.MARKDOWN),
    "comment": lambda of: comment.body(of, comment.Beside("a" * 40, "b" * 40, RUN, of.digest)),
    "news": lambda of: comment.news(of, [entry.ref for entry in of.entries], RUN, drift=True),
    "issue": issue_body,
    "issue without a verdict": lambda of: issue.unsure(
        HOSTILE, issue.State(Memory(), drift_of(of), 4, 2, url=RUN), issue_body(of)
    ),
    "issue's news": lambda of: issue.returned(drift_of(of)),
    "reply": lambda of: reply.body(reply.found(of), reply.Beside(of.digest, of.version, RUN, RUN)),
    "reply to a hold": lambda of: "".join(reply.held(entry.ref, "noon", entry.reason) for entry in of.entries),
    "push that failed": lambda of: comment.pushed(of.base, of.target, is_applied=False),
}


class Shown(HTMLParser):
    """What a page is made of."""

    def __init__(self, markdown: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.links: set[str] = set()
        self.found: set[str] = set()
        self.text = ""
        self.feed(github.rendered(markdown))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element, a link, and what GitHub would have linked by itself."""
        self.tags.add(tag)
        given = dict(attrs)
        if tag == "a":
            kind = given.get("class") or ""
            (self.found if kind else self.links).add(kind or given.get("href") or "")

    def handle_data(self, data: str) -> None:
        """Note what is read."""
        self.text += data


OURS = frozenset(
    {"h3", "p", "code", "strong", "blockquote", "details", "summary", "pre", "ul", "ol", "li", "a", "br", "wbr", "sub"}
    | {"table", "thead", "tbody", "tr", "th", "td", "span", "div"}
)


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("name", SCENARIOS)
def test_scenarios(name: str, kind: str) -> None:
    """Only our own elements, only our own links, no mention, no issue."""
    shown = Shown(TEXTS[kind](SCENARIOS[name]()))
    assert shown.tags <= OURS
    assert shown.found == set()
    assert all(link.startswith("https://github.com/acme/shop/") for link in shown.links)


@pytest.mark.parametrize("kind", TEXTS)
@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_whatever_the_text(kind: str, data: st.DataObject) -> None:
    """The same for any report at all; links lead where the report's own addresses do."""
    of = data.draw(reports)
    shown = Shown(TEXTS[kind](of))
    assert shown.tags <= OURS
    assert shown.found == set()
    assert shown.links <= {*addresses(of), RUN, ""}  # "": one that no browser takes for an address


def addresses(of: Report) -> set[str]:
    """Where a report's own links lead."""
    found: set[str] = set()

    def look(at: Any) -> None:
        if isinstance(at, dict):
            found.update(address(at[key]) for key in ("url", "runUrl") if isinstance(at.get(key), str))
        for inner in at.values() if isinstance(at, dict) else at if isinstance(at, list) else ():
            look(inner)

    look(json.loads(to_json(of)))
    return found


def test_errors_and_ledger() -> None:
    """A run without a report, and the end of the job summary, hold the words of strangers, too."""
    lines = [ledger.Line("comment", ledger.Outcome.DENIED, HOSTILE, HOSTILE, RUN)]
    for text in (deliver.error_summary(DesiredError(HOSTILE, hint=HOSTILE)), ledger.summary(lines)):
        shown = Shown(text)
        assert shown.tags <= OURS
        assert shown.found == set()
        assert shown.links <= {RUN}


def test_names_are_read_as_they_are() -> None:
    """What is escaped looks like what it was, but for what nobody could see."""
    ref = ObjectRef("", "ConfigMap", "shop", "a`b|c*_d_</details>&amp;@team#1")
    shown = Shown(comment.news(SCENARIOS["in-sync"](), [ref], RUN, drift=False))
    assert str(ref) in shown.text


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("@team", '<a class="mention"'),
        ("see #1", '<a class="issue"'),
        ("GH-2", '<a class="issue"'),
        ("www.evil.example", '<a href="http://www.evil.example"'),
        ("a@b.example", '<a href="mailto:a@b.example"'),
        ("![x](http://a.example/x.png)", "<img"),
    ],
)
def test_the_page_would_show_it(markdown: str, expected: str) -> None:
    """What must not come of strangers' text does come of the same text unescaped."""
    assert expected in github.rendered(markdown)


def test_what_github_strips() -> None:
    """Scripts, styles and handlers never reach a reader."""
    shown = github.rendered('<script>x()</script><p style="x" onclick="y" class="z">a</p><iframe src="b"></iframe>')
    assert shown.strip() == '&lt;script&gt;x()&lt;/script&gt;<p>a</p>&lt;iframe src="b"&gt;&lt;/iframe&gt;'
