"""What is done about the drift issue: every rule of its life, one by one."""

from dataclasses import replace

import pytest

from recon_action.github.upkeep import Act, Found, Gap, News, Scan, Step, decide, gap_of
from recon_action.model import ObjectRef
from recon_action.model.memory import SCANS, Memory
from recon_action.report.drift import Drift, Measure, Moved

HOUR, DAY = 3_600, 86_400
NOW = 1_796_000_000
COMMIT = "9e1c2bf0d4f5a6b7c8d9e0f1a2b3c4d5e6f70819"


def moved(name: str) -> Moved:
    return Moved(ObjectRef("apps", "Deployment", "shop", name), "modified", ("spec.replicas",))


WEB = Drift(Measure.DRIFT, (moved("web"),), remains=True)
API = Drift(Measure.DRIFT, (moved("api"),), remains=True)
CLEAN, CORRECTED, UNKNOWN = (Drift(measure) for measure in (Measure.CLEAN, Measure.CORRECTED, Measure.UNKNOWN))
NOT_DRIFT = [pytest.param(drift, id=drift.measure) for drift in (CLEAN, CORRECTED, UNKNOWN)]
# Of drift on `web` that was found a day ago for the first time, and told of.
KNOWN = Memory(WEB.fingerprint, NOW - DAY, 24, WEB.keys, WEB.fingerprint, last=NOW - HOUR)
OPEN = Found(memory=KNOWN)
HEALED = replace(KNOWN, clean=2, healed=NOW - 2 * HOUR)


def after(drift: Drift, found: Found | None = OPEN, **more: object) -> Step:
    return decide(found, replace(Scan(drift, NOW), **more))  # type: ignore[arg-type]


def closed(memory: Memory | None, ago: int = HOUR, **more: bool) -> Found:
    return Found(is_open=False, memory=memory, closed_at=NOW - ago, **more)


# --- none is there


def test_opened() -> None:
    """On drift; that it was opened needs no comment."""
    step = after(WEB, None, is_scheduled=True, applied=COMMIT)
    memory = Memory(
        drift=WEB.fingerprint,
        since=NOW,
        seen=1,
        objects=WEB.keys,
        told=WEB.fingerprint,
        last=NOW,
        scans=(NOW,),
        applied=COMMIT,
    )
    assert step == Step(Act.OPEN, memory)


@pytest.mark.parametrize("drift", NOT_DRIFT)
def test_not_opened(drift: Drift) -> None:
    """On nothing else: least of all on what could not be read."""
    assert (after(drift, None).act, after(drift, None).news) == (Act.NOTHING, None)


# --- it is open


def test_the_same_drift() -> None:
    """Its age grows, and nobody is told again."""
    step = after(WEB)
    assert (step.act, step.news) == (Act.EDIT, None)
    assert step.memory == replace(KNOWN, seen=25, last=NOW)


def test_the_drift_has_changed() -> None:
    """People are told, and its age begins anew."""
    step = after(API)
    assert (step.act, step.news) == (Act.EDIT, News.CHANGED)
    assert (step.memory.since, step.memory.seen, step.memory.objects) == (NOW, 1, API.keys)
    assert step.memory.told == step.memory.drift == API.fingerprint


def test_drift_that_was_away_for_a_scan() -> None:
    """It was not taken for gone: the same age, nothing to tell, and the count of clean scans ends."""
    step = after(WEB, Found(memory=replace(KNOWN, clean=1)))
    assert (step.act, step.news, step.memory.clean, step.memory.since) == (Act.EDIT, None, 0, NOW - DAY)


@pytest.mark.parametrize(
    ("clean", "close_after", "act", "news"),
    [
        (0, 2, Act.EDIT, None),
        (1, 2, Act.CLOSE, News.HEALED),
        (0, 1, Act.CLOSE, News.HEALED),
        (3, 5, Act.EDIT, None),
        (9, 2, Act.CLOSE, News.HEALED),
    ],
)
def test_clean_scans(clean: int, close_after: int, act: Act, news: News | None) -> None:
    """Enough of them in a row close it."""
    step = after(CLEAN, Found(memory=replace(KNOWN, clean=clean)), close_after=close_after)
    assert (step.act, step.news) == (act, news)
    assert step.memory.clean == clean + 1
    assert step.memory.healed == (NOW if act is Act.CLOSE else 0)


def test_a_run_that_could_not_tell() -> None:
    """It neither counts as clean, nor ends the count, nor closes, nor is a full scan."""
    was = replace(KNOWN, clean=1)
    step = after(UNKNOWN, Found(memory=was))
    assert step == Step(Act.EDIT, was)


def test_drift_that_was_corrected_is_no_clean_scan() -> None:
    """The count begins anew: there was some."""
    step = after(CORRECTED, Found(memory=replace(KNOWN, clean=1)))
    assert (step.act, step.news, step.memory.clean) == (Act.EDIT, None, 0)


def test_reopened_by_hand() -> None:
    """Whoever opens it again wants it open for a while: the count of clean scans begins anew."""
    step = after(CLEAN, Found(memory=HEALED))
    assert (step.act, step.memory.clean, step.memory.healed) == (Act.EDIT, 1, 0)
    assert after(WEB, Found(memory=HEALED)).memory.since == NOW


# --- it was closed by us


def test_drift_returns() -> None:
    """The issue is opened again; nobody wrote scans down while it was closed, so none of them counts."""
    step = after(WEB, closed(replace(HEALED, scans=(1, 2, 3))), is_scheduled=True)
    assert (step.act, step.news) == (Act.REOPEN, News.RETURNED)
    assert (step.memory.since, step.memory.seen, step.memory.healed, step.memory.clean) == (NOW, 1, 0, 0)
    assert step.memory.scans == (NOW,)


@pytest.mark.parametrize(("days", "act"), [(29, Act.REOPEN), (30, Act.REOPEN), (31, Act.OPEN)])
def test_drift_returns_late(days: int, act: Act) -> None:
    """After 30 days it is another story, and another issue."""
    assert after(WEB, closed(HEALED, days * DAY)).act is act


@pytest.mark.parametrize("drift", NOT_DRIFT)
def test_a_closed_issue_is_left_alone(drift: Drift) -> None:
    """Scans without drift don't write on what is closed."""
    assert after(drift, closed(HEALED)).act is Act.NOTHING


# --- it was closed by hand


@pytest.mark.parametrize("ago", [HOUR, 300 * DAY])
def test_closed_by_hand(ago: int) -> None:
    """Somebody knows of this drift and wants no issue, for however long."""
    step = after(WEB, closed(KNOWN, ago))
    assert (step.act, step.why) == (Act.NOTHING, "it was closed by hand, and stays so until the drift changes")


def test_closed_by_hand_and_changed() -> None:
    """Of another drift nobody has said so."""
    assert (after(API, closed(KNOWN)).act, after(API, closed(KNOWN)).news) == (Act.REOPEN, News.CHANGED)
    assert after(API, closed(KNOWN, 31 * DAY)).act is Act.OPEN


def test_closed_by_hand_and_gone() -> None:
    """After enough clean scans the drift is gone; should it come back, it is as new."""
    first = after(CLEAN, closed(KNOWN))
    assert (first.act, first.news, first.memory.clean, first.memory.healed) == (Act.EDIT, None, 1, 0)
    second = after(CLEAN, closed(first.memory))
    assert (second.act, second.news, second.memory.healed) == (Act.EDIT, None, NOW)
    assert after(WEB, closed(second.memory)).act is Act.REOPEN


def test_closed_by_hand_and_not_quite_gone() -> None:
    """A scan in between without it is not enough: the count begins anew."""
    step = after(WEB, closed(replace(KNOWN, clean=1)))
    assert (step.act, step.memory) == (Act.EDIT, KNOWN)


@pytest.mark.parametrize("drift", [CORRECTED, UNKNOWN])
def test_closed_by_hand_and_nothing_to_add(drift: Drift) -> None:
    """Nothing is written."""
    assert after(drift, closed(KNOWN)).act is Act.NOTHING


# --- silence


@pytest.mark.parametrize(
    "found",
    [
        Found(memory=KNOWN, is_snoozed=True),
        Found(memory=replace(KNOWN, snoozed=NOW + 3 * DAY)),
    ],
    ids=["label", "command"],
)
def test_snoozed(found: Found) -> None:
    """Nobody is told, nothing is opened again; the text stays current, and what is over is closed."""
    changed = after(API, found)
    assert (changed.act, changed.news) == (Act.EDIT, None)
    later = replace(found, memory=replace(changed.memory, snoozed=0), is_snoozed=False)
    assert after(API, later).news is News.CHANGED
    clean = after(CLEAN, replace(found, memory=replace(found.memory or KNOWN, clean=1)))
    assert (clean.act, clean.news) == (Act.CLOSE, None)
    for memory in (KNOWN, HEALED):
        shut = replace(found, is_open=False, memory=replace(memory, snoozed=(found.memory or KNOWN).snoozed))
        assert (after(API, shut).act, after(API, shut).why) == (Act.NOTHING, "it is snoozed")


@pytest.mark.parametrize("until", [NOW - 1, NOW, NOW + 40 * DAY], ids=["over", "just over", "for ever"])
def test_not_snoozed(until: int) -> None:
    """Nobody can silence it for longer than the command would, whatever they write into the issue."""
    assert after(API, Found(memory=replace(KNOWN, snoozed=until))).news is News.CHANGED


# --- somebody has damaged what it remembers


def test_without_memory() -> None:
    """It is written anew, and nobody is told what they may know."""
    step = after(WEB, Found(memory=None))
    assert (step.act, step.news, step.memory.seen, step.memory.since) == (Act.EDIT, None, 1, NOW)
    assert after(UNKNOWN, Found(memory=None)).act is Act.EDIT
    assert after(CLEAN, Found(memory=None)).memory.clean == 1


def test_closed_without_memory() -> None:
    """Who closed it is not known: it stays closed, and remembers from now on."""
    step = after(WEB, closed(None))
    assert (step.act, step.memory.drift) == (Act.EDIT, WEB.fingerprint)
    assert after(WEB, closed(step.memory)).act is Act.NOTHING


def test_a_time_to_come() -> None:
    """Some clock was wrong: what is said to be first seen later than now is first seen now."""
    assert after(WEB, Found(memory=replace(KNOWN, since=NOW + DAY))).memory.since == NOW


# --- last good apply


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        pytest.param({}, ("77ab012", 5), id="nothing new"),
        pytest.param({"applied": COMMIT, "is_applied": True}, (COMMIT, NOW), id="this run"),
        pytest.param({"applied": COMMIT}, (COMMIT, 0), id="somebody else"),
        pytest.param({"applied": "77ab012"}, ("77ab012", 5), id="as it was"),
    ],
)
def test_last_good_apply(more: dict[str, object], expected: tuple[str, int]) -> None:
    """The inventory knows the commit, and only who applied it the moment."""
    memory = after(WEB, Found(memory=replace(KNOWN, applied="77ab012", applied_at=5)), **more).memory
    assert (memory.applied, memory.applied_at) == expected


# --- scans that don't come


def hourly(count: int, ago: int) -> tuple[int, ...]:
    """So many scans, an hour apart, the last one so long ago."""
    return tuple(NOW - ago - HOUR * number for number in reversed(range(count)))


@pytest.mark.parametrize(
    ("scans", "gap"),
    [
        pytest.param((), None, id="none"),
        pytest.param(hourly(2, 9 * DAY), None, id="too few to know"),
        pytest.param(hourly(3, 4 * HOUR), None, id="a little late"),
        pytest.param(hourly(3, 4 * HOUR + 1), Gap(NOW - 4 * HOUR - 1, HOUR), id="clearly missing"),
        pytest.param((NOW - 20 * DAY, NOW - 6 * DAY, NOW - 5 * DAY), None, id="a long pause was usual"),
        pytest.param((*hourly(3, 9 * HOUR), NOW + DAY), Gap(NOW - 9 * HOUR, HOUR), id="one is in the future"),
    ],
)
def test_gap(scans: tuple[int, ...], gap: Gap | None) -> None:
    """A scan is missed once it is three times as late as the longest pause that was seen."""
    assert gap_of(Memory(scans=scans), NOW) == gap


@pytest.mark.parametrize("drift", [WEB, API, CLEAN, CORRECTED, UNKNOWN])
def test_any_run_shows_the_gap(drift: Drift) -> None:
    """A push shows that the schedule has stopped, and so does the scan that comes at last."""
    found = Found(memory=replace(KNOWN, scans=hourly(4, DAY)))
    for is_scheduled in (False, True):
        assert after(drift, found, is_scheduled=is_scheduled).gap == Gap(NOW - DAY, HOUR)


@pytest.mark.parametrize("drift", [WEB, UNKNOWN])
def test_scans_are_written_down(drift: Drift) -> None:
    """The last few, whether or not they could tell; pushes are none."""
    found = Found(memory=replace(KNOWN, scans=(*hourly(SCANS - 1, HOUR), NOW + DAY)))
    assert after(drift, found, is_scheduled=True).memory.scans == hourly(SCANS, 0)
    assert after(drift, found).memory.scans == hourly(SCANS - 1, HOUR)
    full = Found(memory=replace(KNOWN, scans=hourly(SCANS, HOUR)))
    assert after(drift, full, is_scheduled=True).memory.scans == hourly(SCANS, 0)


def test_what_is_remembered_is_sound() -> None:
    """Whatever is decided can be read back."""
    many = Drift(Measure.DRIFT, tuple(moved(str(number)) for number in range(500)), remains=True)
    for found in (None, Found(memory=KNOWN), closed(HEALED)):
        assert after(many, found, is_scheduled=True, applied=COMMIT).memory.is_sound
