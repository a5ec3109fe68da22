"""The one drift issue of a target: opened once, kept current, closed, and nobody else's touched."""

from dataclasses import replace
from typing import Any

import pytest
from fake_github import BOT, FakeGitHub, Fault, Issue

from recon_action.github.client import Client
from recon_action.github.comment import Told
from recon_action.github.denied import Denied, Reason
from recon_action.github.issue import Draft, drift_issue, publish, read_memory, snooze
from recon_action.github.marker import DUPLICATE, ISSUE, ISSUE_NEWS, Marker, read
from recon_action.github.tracker import LABEL, Filed, Form, Tracker
from recon_action.github.upkeep import Scan, Step
from recon_action.model import ObjectRef
from recon_action.model.memory import Memory
from recon_action.report.drift import Drift, Measure, Moved

A, B = "a" * 40, "b" * 40
FIRST = Marker("shop", ISSUE, cluster="uid-1", head=A, digest="d1", run=100, sequence=1_000)
LATER = replace(FIRST, head=B, digest="d2", run=200, sequence=2_000)
LAST = replace(FIRST, head=B, digest="d3", run=300, sequence=3_000)
WEB, API = (
    Drift(Measure.DRIFT, (Moved(ObjectRef("", "Service", "shop", name), "missing"),), remains=True)
    for name in ("web", "api")
)
CLEAN, UNKNOWN = Drift(Measure.CLEAN), Drift(Measure.UNKNOWN)
WHO = "POST /graphql"
ME = f"creator={BOT.replace('[', '%5B').replace(']', '%5D')}"
OPEN = f"GET /issues?{ME}&page=1&per_page=100&state=open"
CLOSED = f"GET /issues?{ME}&labels={LABEL}&page=1&per_page=100&state=closed"
POST, EDIT, TALK = "POST /issues", "PATCH /issues/8", "GET /issues/8/comments?page=1&per_page=100"
URL = "https://github.com/acme/shop/issues/8"


@pytest.fixture
def tracker(client: Client) -> Tracker:
    return Tracker(client)


def draft(marker: Marker, drift: Drift = WEB, **more: Any) -> Draft:
    """What a run would write; the text says by whom."""
    form = more.pop("form", Form("Drift: shop"))
    scan = Scan(drift, 1_796_000_000 + marker.sequence, **more)

    def write(step: Step, former: str) -> str:
        return f"{step.act} by run {marker.run}, seen {step.memory.seen}; after {former[:4]!r}"

    def news(step: Step, _before: Memory) -> str:
        return f"{step.news} by run {marker.run}"

    return Draft(marker, scan, form, write, news)


def asked(fake: FakeGitHub) -> list[str]:
    return [f"{one.method} {one.path.removeprefix('/repos/acme/shop')}" for one in fake.asked]


def said(issue: Issue) -> str:
    """The text below the hidden lines."""
    return (issue.body or "").split("\n")[2]


def issues(fake: FakeGitHub) -> list[Issue]:
    return [one for one in fake.state.issues.values() if one.number not in fake.state.pulls]


def news(fake: FakeGitHub) -> list[str]:
    return [one.body.partition("\n")[2] for one in fake.state.comments.values()]


def test_opened(fake: FakeGitHub, tracker: Tracker) -> None:
    """Drift, and no issue: five requests, no comment."""
    told = publish(tracker, draft(FIRST))
    (issue,) = issues(fake)
    assert (issue.title, issue.labels, issue.author, issue.state) == ("Drift: shop", [LABEL], BOT, "open")
    assert (issue.body or "").split("\n")[0] == FIRST.line
    assert read_memory(issue.body or "") == Memory(
        WEB.fingerprint, 1_796_001_000, 1, WEB.keys, WEB.fingerprint, last=1_796_001_000
    )
    assert told == Told("opened", URL)
    assert asked(fake) == [WHO, OPEN, CLOSED, POST, OPEN]
    assert fake.state.comments == {}


@pytest.mark.parametrize("drift", [CLEAN, UNKNOWN])
def test_nothing_to_open(fake: FakeGitHub, tracker: Tracker, drift: Drift) -> None:
    """The ordinary case: two short lists are read, and nothing is written."""
    assert publish(tracker, draft(FIRST, drift)) == Told("there is none, and no drift that needs one")
    assert asked(fake) == [WHO, OPEN, CLOSED]


def test_kept_current(fake: FakeGitHub, tracker: Tracker) -> None:
    """The same drift: the body alone says how old it is."""
    publish(tracker, draft(FIRST))
    fake.asked.clear()
    assert publish(tracker, draft(LATER)) == Told("updated", URL)
    assert said(issues(fake)[0]) == "edit by run 200, seen 2; after 'open'"
    assert asked(fake) == [OPEN, EDIT, OPEN]
    assert fake.state.comments == {}


def test_changed(fake: FakeGitHub, tracker: Tracker) -> None:
    """Another drift is worth a comment, once."""
    publish(tracker, draft(FIRST))
    fake.asked.clear()
    publish(tracker, draft(LATER, API))
    assert asked(fake) == [OPEN, TALK, "POST /issues/8/comments", TALK, OPEN, EDIT, OPEN]
    publish(tracker, draft(LAST, API))
    assert news(fake) == ["changed by run 200"]


def test_a_whole_life(fake: FakeGitHub, tracker: Tracker) -> None:
    """Opened, healed, closed, opened again: one issue, and a comment each time that somebody has to know."""
    for number, drift in enumerate((WEB, CLEAN, CLEAN, CLEAN, WEB, UNKNOWN, CLEAN, CLEAN), 1):
        publish(tracker, draft(replace(FIRST, run=number, sequence=number), drift))
    (issue,) = issues(fake)
    assert (issue.state, issue.state_reason) == ("closed", "completed")
    assert news(fake) == ["healed by run 3", "returned by run 5", "healed by run 8"]
    assert said(issue) == "close by run 8, seen 1; after 'edit'"


def test_reopened(fake: FakeGitHub, tracker: Tracker) -> None:
    """As GitHub shows it."""
    for number, drift in enumerate((WEB, CLEAN, CLEAN), 1):
        publish(tracker, draft(replace(FIRST, run=number, sequence=number), drift))
    assert publish(tracker, draft(LATER)) == Told("opened again", URL)
    assert (issues(fake)[0].state, issues(fake)[0].state_reason) == ("open", "reopened")


def test_closed_by_hand(fake: FakeGitHub, tracker: Tracker) -> None:
    """It stays closed, and is not written to, until the drift changes."""
    publish(tracker, draft(FIRST))
    issue = issues(fake)[0]
    issue.state, issue.closed = "closed", "2026-12-01T05:00:00Z"
    fake.asked.clear()
    why = "it was closed by hand, and stays so until the drift changes"
    assert publish(tracker, draft(LATER)) == Told(why, URL)
    assert asked(fake) == [OPEN, CLOSED]
    assert publish(tracker, draft(LAST, API)).what == "opened again"
    assert len(issues(fake)) == 1


def test_snoozed_by_label(fake: FakeGitHub, tracker: Tracker) -> None:
    """The text stays current; nobody hears of it."""
    publish(tracker, draft(FIRST))
    issues(fake)[0].labels.append("snooze")
    assert publish(tracker, draft(LATER, API)).what == "updated"
    assert news(fake) == []


def test_a_body_as_the_web_page_saves_it(fake: FakeGitHub, tracker: Tracker) -> None:
    """Whatever somebody does to the rest of it, and to its line ends, the issue is known by its first line."""
    publish(tracker, draft(FIRST))
    issue = issues(fake)[0]
    issue.body = (issue.body or "").replace("\n", "\r\n") + "\r\nmy own words"
    publish(tracker, draft(LATER))
    assert said(issue) == "edit by run 200, seen 2; after 'open'"
    issue.body = "\r\n".join([(issue.body or "").split("\n")[0], "no memory", "x"])
    publish(tracker, draft(LAST))
    assert read_memory(issue.body or "") is not None
    assert (len(issues(fake)), news(fake)) == (1, [])


# --- whose it is


@pytest.mark.parametrize(
    ("author", "marker"),
    [
        pytest.param("mallory", LATER, id="marker copied"),
        pytest.param("github-actions", LATER, id="called like the app"),
        pytest.param(BOT, replace(LATER, target="shop-eu"), id="another target"),
        pytest.param(BOT, replace(LATER, cluster="uid-2"), id="another cluster"),
        pytest.param(BOT, replace(LATER, kind="report"), id="another kind"),
        pytest.param(BOT, None, id="another tool's"),
    ],
)
@pytest.mark.parametrize("state", ["open", "closed"])
def test_what_is_not_ours_is_left_alone(
    fake: FakeGitHub, tracker: Tracker, author: str, marker: Marker | None, state: str
) -> None:
    """Neither edited nor closed nor taken for our own."""
    body = f"{marker.line if marker else 'x'}\nwords"
    other = fake.state.add_issue(5, author=author, body=body, labels=[LABEL], state=state, title="Drift: shop")
    assert publish(tracker, draft(FIRST)).what == "opened"
    assert (other.body, other.state) == (body, state)


def test_a_pull_request_is_none(fake: FakeGitHub, tracker: Tracker) -> None:
    """GitHub lists them among issues, and a bot opens many."""
    fake.state.issues[7] = Issue(7, body=f"{LATER.line}\nx", author=BOT, labels=[LABEL])
    assert publish(tracker, draft(FIRST)).what == "opened"


@pytest.mark.parametrize("state", ["open", "closed"])
def test_all_pages_are_read(fake: FakeGitHub, tracker: Tracker, state: str) -> None:
    """However many issues a bot has opened."""
    publish(tracker, draft(FIRST))
    issues(fake)[0].state, issues(fake)[0].closed = state, "2026-12-01T05:00:00Z"
    for number in range(1000, 1230):
        fake.state.add_issue(number, author=BOT, body="x", labels=[LABEL], state=state)
    assert publish(tracker, draft(LATER, API)).what in {"updated", "opened again"}
    assert len(fake.state.issues) == 232


def test_a_label_that_was_taken_off(fake: FakeGitHub, tracker: Tracker) -> None:
    """An open issue is found without it, and labels that people changed stay as they have them."""
    publish(tracker, draft(FIRST))
    issues(fake)[0].labels[:] = ["bug"]
    assert publish(tracker, draft(LATER)).what == "updated"
    assert issues(fake)[0].labels == ["bug"]


def test_a_run_that_came_to_no_cluster(fake: FakeGitHub, tracker: Tracker) -> None:
    """The issue keeps cluster, digest and what it knows of drift."""
    publish(tracker, draft(replace(FIRST, drift=True)))
    publish(tracker, draft(replace(LATER, cluster="", digest=""), UNKNOWN))
    marker = read(issues(fake)[0].body or "")
    assert marker == replace(LATER, digest="d1", drift=True)


def test_of_two_clusters_neither_is_guessed(fake: FakeGitHub, tracker: Tracker) -> None:
    """A run that came to no cluster may be about either."""
    for cluster in ("uid-1", "uid-2"):
        publish(tracker, draft(replace(FIRST, cluster=cluster)))
    before = [one.body for one in issues(fake)]
    publish(tracker, draft(replace(LATER, cluster=""), UNKNOWN))
    assert [one.body for one in issues(fake)] == before


# --- what it is given


def test_labels_and_assignees(fake: FakeGitHub, tracker: Tracker) -> None:
    """Once, when it is opened."""
    form = Form("Drift: shop", ("ops", LABEL), ("OctoCat",))
    assert publish(tracker, draft(FIRST, form=form)).what == "opened"
    issue = issues(fake)[0]
    assert (issue.labels, issue.assignees) == ([LABEL, "ops"], ["octocat"])


def test_an_assignee_that_is_none(fake: FakeGitHub, tracker: Tracker) -> None:
    """The issue is opened without, and the ledger says so."""
    told = publish(tracker, draft(FIRST, form=Form("Drift: shop", ("ops",), ("octocat", "nobody"))))
    assert told.what == "opened; without octocat, nobody, which GitHub did not take"
    assert (issues(fake)[0].labels, issues(fake)[0].assignees) == ([LABEL, "ops"], [])


def test_a_label_that_is_none(fake: FakeGitHub, tracker: Tracker) -> None:
    """What can be given is given afterwards; one that is too long is told."""
    long = "x" * 51
    told = publish(tracker, draft(FIRST, form=Form("Drift: shop", (long,))))
    assert told.what == f"opened; without {long}, which GitHub did not take"
    assert issues(fake)[0].labels == [LABEL]


def test_labels_that_are_dropped_in_silence(fake: FakeGitHub, tracker: Tracker) -> None:
    """GitHub does so where a token may open issues and no more; they are tried once by themselves."""
    fake.state.drops_labels = True
    assert publish(tracker, draft(FIRST, form=Form("t", ("ops",)))).what == "opened"
    assert issues(fake)[0].labels == [LABEL, "ops"]


@pytest.mark.parametrize("status", [410, 404])
def test_issues_switched_off(fake: FakeGitHub, tracker: Tracker, status: int) -> None:
    """Nothing is wrong: the repository wants none."""
    if status == 410:
        fake.state.has_issues = False
    else:
        fake.faults.append(Fault("GET", "/issues", status=404, message="Not Found"))
    with pytest.raises(Denied) as caught:
        publish(tracker, draft(FIRST))
    assert caught.value.is_denial


def test_no_permission(fake: FakeGitHub, tracker: Tracker) -> None:
    """The line that is missing is named."""
    fake.permissions["issues"] = "read"
    with pytest.raises(Denied) as caught:
        publish(tracker, draft(FIRST))
    assert (caught.value.is_denial, "issues: write" in caught.value.hint) == (True, True)


# --- several at once


def test_an_older_run_is_late(fake: FakeGitHub, tracker: Tracker) -> None:
    """It leaves the newer one's words, tells nobody, and closes nothing."""
    publish(tracker, draft(LATER))
    before = issues(fake)[0].body
    assert publish(tracker, draft(FIRST, API)) == Told("left to a newer run", URL)
    assert publish(tracker, draft(FIRST, CLEAN, close_after=1)) == Told("left to a newer run", URL)
    assert (issues(fake)[0].body, issues(fake)[0].state, news(fake)) == (before, "open", [])


@pytest.mark.parametrize(("inner", "outer"), [(FIRST, LATER), (LATER, FIRST)], ids=["older first", "newer first"])
def test_opened_at_the_same_moment(fake: FakeGitHub, tracker: Tracker, inner: Marker, outer: Marker) -> None:
    """The older issue stays, with the newer run's words; the other is closed, and says where to look."""

    def meanwhile(request: object) -> None:
        if getattr(request, "method", "") == "POST" and getattr(request, "path", "").endswith("/issues"):
            fake.before = lambda _: None
            publish(tracker, draft(inner))

    fake.before = meanwhile
    publish(tracker, draft(outer))
    first, second = issues(fake)
    assert (first.state, second.state, second.state_reason) == ("open", "closed", "not_planned")
    assert read(first.body or "") == LATER
    assert (second.body or "").split("\n")[1].startswith(f"Opened twice at the same moment. #{first.number} is")
    assert getattr(read(second.body or ""), "kind", "") == DUPLICATE
    publish(tracker, draft(LAST))
    assert (first.state, second.state) == ("open", "closed")


def test_listed_late(fake: FakeGitHub, tracker: Tracker) -> None:
    """What has just been opened is not opened again because a list does not have it yet."""

    def late(request: object) -> None:
        if getattr(request, "method", "") == "POST":
            fake.faults.append(Fault("GET", "state=", status=200, body=[], times=2))

    fake.before = late
    assert publish(tracker, draft(FIRST)) == Told("opened", URL)
    assert len(fake.requests("POST", "/issues")) == 1


def test_opened_although_one_was_there(fake: FakeGitHub, tracker: Tracker) -> None:
    """A list did not have it: it stays, with what it remembers, and the new one is closed."""
    publish(tracker, draft(FIRST))
    fake.faults.append(Fault("GET", "state=", status=200, body=[], times=2))
    publish(tracker, draft(LATER))
    first, second = issues(fake)
    assert (said(first), first.state, second.state) == ("edit by run 200, seen 2; after 'open'", "open", "closed")


@pytest.mark.parametrize(
    "line",
    ["", "<!-- recon:memory {} -->x", '<!-- recon:memory {"clean":9999999} -->', '<!-- recon:memory {"clean":"1"} -->'],
)
def test_memory_that_is_none(line: str) -> None:
    """What no run of ours would have left is not believed."""
    assert read_memory(f"{FIRST.line}\n{line}\nx") is None
    assert read_memory(FIRST.line) is None


def test_a_double_of_long_ago(fake: FakeGitHub, tracker: Tracker) -> None:
    """Two that are open, however they came to be: one stays, and a run that is late closes the other, too."""
    for number, marker in ((20, FIRST), (21, LATER)):
        fake.state.add_issue(number, author=BOT, body=f"{marker.line}\nx\nby run {marker.run}")
    assert publish(tracker, draft(replace(FIRST, sequence=1))).what == "left to a newer run"
    kept, double = fake.state.issues[20], fake.state.issues[21]
    assert (kept.state, said(kept), double.state) == ("open", "by run 200", "closed")


@pytest.mark.parametrize(
    "fault",
    [
        Fault("POST", "/issues", status=502),
        Fault("POST", "/issues", status=502, after=True),
        Fault("POST", "/issues", reset=True, after=True),
        Fault("GET", "/issues", status=502),
    ],
    ids=["not done", "done", "cut off", "unread"],
)
def test_opened_once_whatever_happens(fake: FakeGitHub, tracker: Tracker, fault: Fault) -> None:
    """After an end that is not certain it is looked for before it is opened again."""
    fake.faults.append(fault)
    publish(tracker, draft(FIRST))
    assert len(issues(fake)) == 1


@pytest.mark.parametrize(
    "fault",
    [
        Fault("PATCH", status=502),
        Fault("PATCH", status=502, after=True),
        Fault("PATCH", unchanged=True),
        Fault("POST", "/comments", status=502),
        Fault("POST", "/comments", status=502, after=True),
    ],
    ids=["not done", "done", "not taken", "comment not done", "comment done"],
)
def test_written_and_told_once(fake: FakeGitHub, tracker: Tracker, fault: Fault) -> None:
    """The issue says the new thing, and one comment does."""
    publish(tracker, draft(FIRST))
    fake.faults.append(fault)
    publish(tracker, draft(LATER, API))
    assert said(issues(fake)[0]).startswith("edit by run 200")
    assert (news(fake), fake.state.written) == (["changed by run 200"], 1)


def test_not_taken_again_and_again(fake: FakeGitHub, tracker: Tracker) -> None:
    """GitHub answers as if it had, and shows the old text: that is no success."""
    publish(tracker, draft(FIRST))
    fake.faults.append(Fault("PATCH", unchanged=True, times=99))
    with pytest.raises(Denied) as caught:
        publish(tracker, draft(LATER))
    assert caught.value.reason is Reason.UNCHANGED
    assert len(fake.requests("PATCH")) == 2


def test_a_locked_conversation(fake: FakeGitHub, tracker: Tracker) -> None:
    """The comment can't be written; the issue is kept current all the same, and the ledger says what is missing."""
    publish(tracker, draft(FIRST))
    issues(fake)[0].locked = True
    with pytest.raises(Denied) as caught:
        publish(tracker, draft(LATER, API))
    assert (caught.value.is_denial, "unlock it" in caught.value.hint) == (True, True)
    assert said(issues(fake)[0]).startswith("edit by run 200")


def test_deleted_while_it_is_written(fake: FakeGitHub, tracker: Tracker) -> None:
    """A new one is opened."""
    publish(tracker, draft(FIRST))

    def delete(request: object) -> None:
        if getattr(request, "method", "") == "PATCH":
            fake.before = lambda _: None
            fake.state.issues.pop(8)

    fake.before = delete
    assert publish(tracker, draft(LATER)).what == "opened"


def test_told_twice_at_the_same_moment(fake: FakeGitHub, tracker: Tracker) -> None:
    """Two runs that find the same change: one comment stays."""
    publish(tracker, draft(FIRST))

    def meanwhile(request: object) -> None:
        if getattr(request, "method", "") == "POST":
            fake.before = lambda _: None
            publish(tracker, draft(LAST, API))

    fake.before = meanwhile
    publish(tracker, draft(LATER, API))
    assert news(fake) == ["changed by run 300"]
    assert said(issues(fake)[0]).startswith("edit by run 300")


def test_scans_that_did_not_come(fake: FakeGitHub, tracker: Tracker) -> None:
    """The ledger says so, too."""
    for number in (1, 2, 3):
        publish(tracker, draft(replace(FIRST, sequence=number), is_scheduled=True))
    told = publish(tracker, draft(replace(FIRST, sequence=5_000)))
    assert told.what == "updated; no scheduled scan since 2026-11-30 00:53 UTC"


# --- what commands need


def test_whether_it_is_the_drift_issue(fake: FakeGitHub, client: Client) -> None:
    """By marker and author, also once it is closed."""
    publish(Tracker(client), draft(FIRST))
    fake.state.add_issue(20, author="mallory", body=issues(fake)[0].body)
    issues(fake)[0].state = "closed"
    found = drift_issue(client, 8, "shop")
    assert found is not None
    assert (found.marker, found.filed.is_open) == (FIRST, False)
    others = (("shop-eu", 8), ("shop", 20), ("shop", 7), ("shop", 99))
    assert [drift_issue(client, number, target) for target, number in others] == [None] * 4


def test_whether_it_is_can_be_unknown(fake: FakeGitHub, client: Client) -> None:
    """What can't be read is not taken for no drift issue."""
    fake.faults.append(Fault("GET", "/issues/8", status=403, message="Resource not accessible by integration"))
    with pytest.raises(Denied):
        drift_issue(client, 8, "shop")


@pytest.mark.parametrize("body", [[], {}, {"number": "8"}], ids=str)
def test_an_answer_that_makes_no_sense(fake: FakeGitHub, client: Client, body: object) -> None:
    """A proxy's page is no issue, and no proof that there is none."""
    fake.faults.append(Fault("GET", "/issues/8", status=200, body=body))
    with pytest.raises(Denied) as caught:
        drift_issue(client, 8, "shop")
    assert caught.value.reason is Reason.BROKEN


def test_an_issue_with_gaps(fake: FakeGitHub, client: Client) -> None:
    """Whatever GitHub leaves out, or has in an old form, is empty."""
    body = {"number": 8, "user": None, "body": None, "labels": ["ops", {"name": None}, 7], "closed_at": "soon"}
    fake.faults.append(Fault("GET", "/issues/8", status=200, body=body))
    assert Tracker(client).get(8) == Filed(8, author="", body="", labels=frozenset({"ops"}))


def test_snooze(fake: FakeGitHub, client: Client) -> None:
    """The rest of it stays as it is, and a run after it is silent."""
    publish(Tracker(client), draft(FIRST))
    before = issues(fake)[0].body or ""
    until = 1_796_000_000 + 86_400
    assert snooze(client, 8, "shop", until)
    after = issues(fake)[0].body or ""
    assert (after.split("\n")[0], after.split("\n")[2:]) == (before.split("\n")[0], before.split("\n")[2:])
    assert read_memory(after) == replace(read_memory(before) or Memory(), snoozed=until)
    publish(Tracker(client), draft(LATER, API))
    assert news(fake) == []
    assert not snooze(client, 7, "shop", until)


@pytest.mark.parametrize("fault", [Fault("PATCH", status=502), Fault("PATCH", unchanged=True)])
def test_snooze_insists(fake: FakeGitHub, client: Client, fault: Fault) -> None:
    """What did not get through is written again, after another look."""
    publish(Tracker(client), draft(FIRST))
    fake.faults.append(fault)
    assert snooze(client, 8, "shop", 5)
    assert getattr(read_memory(issues(fake)[0].body or ""), "snoozed", 0) == 5


def test_snooze_that_is_not_taken(fake: FakeGitHub, client: Client) -> None:
    """No success is claimed."""
    publish(Tracker(client), draft(FIRST))
    fake.faults.append(Fault("PATCH", unchanged=True, times=99))
    with pytest.raises(Denied):
        snooze(client, 8, "shop", 5)


def test_news_has_a_marker_of_its_own(fake: FakeGitHub, tracker: Tracker) -> None:
    """So that it is not taken for the report of a pull request, nor told twice."""
    publish(tracker, draft(FIRST))
    publish(tracker, draft(LATER, API))
    (comment,) = fake.state.comments.values()
    assert read(comment.body) == replace(LATER, kind=ISSUE_NEWS, digest=f"changed:{API.fingerprint}")
