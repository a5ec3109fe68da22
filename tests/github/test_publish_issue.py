"""A scan told in the drift issue: from a report to what people read, and to the ledger."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fake_github import BOT, FakeGitHub, Issue
from report_scenarios import applied, clean, drift_of_a_person, forbidden, hostile, many, pending, secret_changed

from recon_action.errors import ClusterError, FailOn, Interrupted, ReconError
from recon_action.github.event import EventContext
from recon_action.github.found import Found, Wishes
from recon_action.github.issue import read_memory
from recon_action.github.ledger import Line, Outcome
from recon_action.github.marker import ISSUE, Marker, read
from recon_action.github.publish import Channel, Publisher
from recon_action.model import Mode
from recon_action.model.memory import Memory
from recon_action.model.settings import IssueOn
from recon_action.report.document import Partial, Report
from recon_action.report.drift import drift_of

HEAD = "a" * 40
RUN = "https://github.com/acme/shop/actions/runs"
BEGAN = datetime(2026, 11, 30, 14, 5, tzinfo=UTC)
WISHES = Wishes("token", check_run=False, labels=("ops",), assignees=("octocat",))
Scan = Callable[..., Line]


@pytest.fixture
def scan(fake: FakeGitHub) -> Scan:
    """`scan(outcome)`: tell the fake of one more scan, an hour later each time."""
    count = 0

    def tell(
        outcome: Report | ReconError,
        wishes: Wishes = WISHES,
        name: str = "schedule",
        later: timedelta | None = None,
        **event: Any,
    ) -> Line:
        nonlocal count
        count += 1
        began = BEGAN + (timedelta(hours=count - 1) if later is None else later)
        of = EventContext(name, repository="acme/shop", head=HEAD, run=100 + count, run_url=f"{RUN}/{100 + count}")
        publisher = Publisher({"GITHUB_API_URL": fake.api}, replace(of, **event), wishes, write_pause=0)
        lines = publisher.publish(Found("shop", outcome, FailOn.ERROR, began), Mode.APPLY).lines
        return next(line for line in lines if line.channel == Channel.ISSUE)

    return tell


def the(fake: FakeGitHub) -> Issue:
    (issue,) = [one for one in fake.state.issues.values() if one.number not in fake.state.pulls]
    return issue


def news(fake: FakeGitHub) -> list[str]:
    return [one.body.partition("\n")[2] for one in fake.state.comments.values()]


def test_opened(fake: FakeGitHub, scan: Scan) -> None:
    """What a scan has found, with all that later ones need."""
    of = drift_of_a_person()
    line = scan(of)
    assert line == Line("drift issue", Outcome.DELIVERED, "opened", url="https://github.com/acme/shop/issues/8")
    issue = the(fake)
    body = issue.body or ""
    assert (issue.title, issue.labels, issue.assignees) == (
        "Drift in the cluster: shop",
        ["recon-drift", "ops"],
        ["octocat"],
    )
    assert read(body) == Marker(
        "shop",
        ISSUE,
        cluster=of.cluster_uid,
        head=HEAD,
        digest=of.digest,
        run=101,
        sequence=int(BEGAN.timestamp() * 1000),
        drift=True,
    )
    at, drift = int(BEGAN.timestamp()), drift_of(of)
    assert read_memory(body) == Memory(
        drift.fingerprint, at, 1, drift.keys, drift.fingerprint, last=at, scans=(at,), applied=of.applied
    )
    assert body.split("\n")[2] == "**New drift**, first seen 2026-11-30 14:05 UTC."
    assert "Last good apply: <code>77ab012</code>.\n" in body
    assert f"/recon apply {of.digest}" in body


def test_its_life(fake: FakeGitHub, scan: Scan) -> None:
    """Drift that grows old, is set back, and is over: what stands there, and what people were told."""
    scan(drift_of_a_person())
    assert scan(drift_of_a_person()).what == "updated"
    assert "**Day 1, same drift**: first seen 2026-11-30 14:05 UTC, in 2 scans so far." in (the(fake).body or "")
    set_back = replace(applied(), cluster_uid=drift_of_a_person().cluster_uid)
    scan(set_back, name="push", head="b" * 40)
    body = the(fake).body or ""
    assert "**Set back**: <code>Service shop/api</code>, <code>Deployment shop/web</code> had been changed" in body
    assert "Last good apply: <code>9e1c2bf</code>, 2026-11-30 16:05 UTC." in body
    scan(clean(), head="b" * 40)
    assert "**In sync** in the last full scan" in (the(fake).body or "")
    assert scan(clean(), head="b" * 40).what == "closed"
    assert "**In sync** in 2 full scans in a row: closed." in (the(fake).body or "")
    assert the(fake).state == "closed"
    assert scan(drift_of_a_person(), head="b" * 40).what == "opened again"
    drifted = "<code>Service shop/api</code>, <code>Deployment shop/web</code>"
    assert news(fake) == [
        "⚠️ The drift has changed: new: <code>Service shop/api</code>; 1 object no longer as before.",
        "✅ In sync in 2 full scans in a row: closed.",
        f"⚠️ Drift is back: {drifted}.",
    ]


@pytest.mark.parametrize(
    "outcome",
    [
        pytest.param(clean(), id="in sync"),
        pytest.param(pending(), id="Git moved"),
        pytest.param(forbidden(), id="not all could be read"),
        pytest.param(secret_changed(), id="one could not be predicted"),
        pytest.param(ClusterError("unreachable"), id="stopped"),
    ],
)
def test_not_opened(fake: FakeGitHub, scan: Scan, outcome: Report | ReconError) -> None:
    """Without drift, or without knowing."""
    line = scan(outcome)
    assert (line.outcome, line.what) == (Outcome.DELIVERED, "there is none, and no drift that needs one")
    assert fake.requests("POST", "/issues") == []


@pytest.mark.parametrize("outcome", [forbidden(), ClusterError("the API server can't be reached @team")])
def test_a_run_that_could_not_tell(fake: FakeGitHub, scan: Scan, outcome: Report | ReconError) -> None:
    """It says so, keeps what the last one saw, and counts for nothing."""
    scan(drift_of_a_person())
    below = (the(fake).body or "").partition("<!-- recon:report -->")[2]
    scan(clean())
    scan(drift_of_a_person())
    for _ in range(5):
        scan(outcome)
    body = the(fake).body or ""
    assert body.partition("<!-- recon:report -->")[2].replace("(main)", "") == below.replace("(main)", "")
    assert "⚠️ **The run of 2026-11-30 21:05 UTC could not tell**:" in body
    assert "Below is what the last full scan saw, at 2026-11-30 16:05 UTC." in body
    assert (f"[run]({RUN}/108)" in body, "@team" in body) == (True, False)
    assert (the(fake).state, news(fake)) == ("open", [])


def test_what_is_wanted(fake: FakeGitHub, scan: Scan) -> None:
    """Off, nothing is sent; by default what was set back is worth an issue, too."""
    assert scan(applied(), replace(WISHES, issue=IssueOn.OFF)) == Line(Channel.ISSUE, Outcome.OFF, "by its input")
    assert fake.asked == []
    assert scan(applied(), replace(WISHES, issue=IssueOn.REMAINING)).url == ""
    assert scan(applied()).what == "opened"


def test_closed_when_asked(fake: FakeGitHub, scan: Scan) -> None:
    """After as many clean scans as the workflow says."""
    scan(drift_of_a_person())
    one = replace(WISHES, close_after=1)
    assert scan(clean(), one).what == "closed"
    assert news(fake) == ["✅ In sync in the last full scan: closed."]


def test_scans_that_stopped(fake: FakeGitHub, scan: Scan) -> None:
    """The next push says so, in the issue and in the ledger."""
    for _ in range(3):
        scan(drift_of_a_person())
    line = scan(drift_of_a_person(), name="push", later=timedelta(days=2))
    assert line.what == "updated; no scheduled scan since 2026-11-30 16:05 UTC"
    assert "no scheduled scan since 2026-11-30 16:05 UTC, 1 day ago" in (the(fake).body or "")


@pytest.mark.parametrize("outcome", [clean(), drift_of_a_person()], ids=["clean", "drift"])
def test_a_part_of_the_target_is_no_scan(fake: FakeGitHub, scan: Scan, outcome: Report) -> None:
    """It neither opens the issue nor counts for closing it: what lies outside of it was not looked at."""
    assert scan(replace(outcome, partial=Partial(1, 3, "include Deployment"))).outcome is Outcome.OFF
    assert fake.asked == []


def test_an_interrupted_run_says_nothing(fake: FakeGitHub, scan: Scan) -> None:
    """A job that is cancelled has no time for it."""
    assert scan(Interrupted("by SIGTERM")).what == "the run was interrupted"
    assert fake.asked == []


@pytest.mark.parametrize("is_disabled", [True, False], ids=["switched off", "no permission"])
def test_denied(fake: FakeGitHub, scan: Scan, is_disabled: bool) -> None:
    """A warning, and no failure: the summary has the report."""
    fake.state.has_issues = not is_disabled
    fake.permissions["issues"] = "read"
    line = scan(drift_of_a_person())
    assert line.outcome is Outcome.DENIED
    assert ("issues: write" in line.hint, "switched off" in line.hint) == (not is_disabled, is_disabled)


@pytest.mark.parametrize("of", [many(), hostile()], ids=["large", "hostile"])
def test_any_report_is_taken(fake: FakeGitHub, scan: Scan, of: Report) -> None:
    """Within GitHub's limits, and without a mention, whatever its objects are called."""
    known = replace(drift_of_a_person(), entries=of.entries * 20, notes=("🔥" * 20_000,))
    assert scan(known).what == "opened"
    assert len((the(fake).body or "").encode()) <= 65_536


def test_nothing_leaks(fake: FakeGitHub, scan: Scan) -> None:
    """What is remembered are hashes of names, and no values."""
    scan(drift_of_a_person())
    hidden = (the(fake).body or "").split("\n")[1]
    assert not any(word in hidden for word in ("web", "shop", "replicas", "nginx"))
    assert the(fake).author == BOT
