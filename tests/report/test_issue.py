"""The drift issue in words: what is so, since when, and what can be done about it."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_scenarios import FACTS, WEB, applied, clean, destructive, drift_of_a_person, hostile, many, ref
from report_strategies import reports

from recon_action.errors import ExitCode
from recon_action.model import Correction, Mode, ObjectRef, Output
from recon_action.model.memory import OBJECTS, Memory
from recon_action.report import render
from recon_action.report.document import Report
from recon_action.report.drift import Drift, Measure, Moved, drift_of
from recon_action.report.issue import ROOM, State, body, changed, duplicate, healed, missed, returned, title, unsure

GOLDEN = Path(__file__).parent / "issues"
NOW = 1_796_047_500  # FACTS.started
HOUR, DAY = 3_600, 86_400
RUN = FACTS.run_url
KNOWN = Memory(
    since=NOW - 3 * DAY - HOUR,
    seen=71,
    last=NOW,
    applied="77ab012c3d4e5f60718293a4b5c6d7e8f9012345",
    applied_at=NOW - 4 * DAY,
)


def state(of: Report, memory: Memory = KNOWN, **more: object) -> State:
    return replace(State(memory, drift_of(of), NOW, 2, url=RUN), **more)  # type: ignore[arg-type]


def closed() -> str:
    return body(clean(), state(clean(), replace(KNOWN, clean=2, healed=NOW), is_closed=True))


def could_not_tell() -> str:
    """A cluster that could not be reached, in the middle of known drift, with scans missing."""
    of = drift_of_a_person()
    now = state(of, replace(KNOWN, snoozed=NOW + DAY), drift=Drift(Measure.UNKNOWN), gap=(NOW - 9 * HOUR, HOUR))
    return unsure("the API server https://127.0.0.1:6443 can't be reached", now, body(of, state(of)))


CASES = {
    "drift": lambda: body(drift_of_a_person(), state(drift_of_a_person())),
    "destructive": lambda: body(destructive(), state(destructive(), Memory(since=NOW, seen=1, last=NOW))),
    "set-back": lambda: body(applied(), state(applied(), replace(KNOWN, applied_at=NOW))),
    "in-sync": lambda: body(clean(), state(clean(), replace(KNOWN, clean=1))),
    "closed": closed,
    "could-not-tell": could_not_tell,
}


@pytest.mark.parametrize("name", CASES)
def test_it_reads_as_reviewed(name: str, *, rewrite_golden: bool) -> None:
    """The whole text, as people get to see it; but for the report's own Markdown, which has golden cases of its own."""
    file, text = GOLDEN / f"{name}.md", CASES[name]()
    for of in (drift_of_a_person(), destructive(), applied(), clean()):
        text = text.replace(render(of, Output.MARKDOWN), "(the report)\n")
    if rewrite_golden:
        GOLDEN.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="")
    assert text == file.read_bytes().decode()


def test_every_golden_text_is_a_case() -> None:
    """One that went away leaves nothing behind that nobody compares."""
    assert sorted(file.stem for file in GOLDEN.iterdir()) == sorted(CASES)


@pytest.mark.parametrize(
    ("memory", "expected"),
    [
        (Memory(since=NOW, seen=1), "**New drift**, first seen 2026-11-30 14:05 UTC."),
        (Memory(since=NOW - DAY + 1, seen=2), "**Day 1, same drift**: first seen 2026-11-29 14:05 UTC, in 2 scans"),
        (Memory(since=NOW - 3 * DAY, seen=9), "**Day 4, same drift**: first seen 2026-11-27 14:05 UTC, in 9 scans"),
    ],
)
def test_age(memory: Memory, expected: str) -> None:
    """How long the same fields have been different."""
    assert body(drift_of_a_person(), state(drift_of_a_person(), memory)).startswith(expected)


@pytest.mark.parametrize(
    ("measure", "clean_scans", "expected"),
    [
        (Measure.CLEAN, 1, "**In sync** in the last full scan. The issue is closed after 1 more full scan"),
        (Measure.CORRECTED, 0, "**Set back** by this run. The issue is closed after 2 more full scans"),
    ],
)
def test_on_the_way_to_its_end(measure: Measure, clean_scans: int, expected: str) -> None:
    """What is still missing."""
    now = state(clean(), replace(KNOWN, clean=clean_scans), drift=Drift(measure))
    assert body(clean(), now).startswith(f"{expected} without drift.\n\n")


def test_what_an_apply_leaves() -> None:
    """After an apply there is no plan that anybody could carry out."""
    of = replace(drift_of_a_person(), mode=Mode.APPLY, exit_code=ExitCode.DIFFERENT)
    text = body(of, state(of))
    assert "/recon apply" not in text
    assert "an apply leaves these as they are" in text


def test_an_apply_that_destroys_says_so() -> None:
    """The order names the permission that it takes."""
    text = body(destructive(), state(destructive()))
    assert "<code>/recon apply 9f86d081884c7d65-a1b2c3d4 --allow-destructive</code>" in text


def test_an_object_without_namespace_or_group() -> None:
    """It is named as the command takes it."""
    drift = Drift(Measure.DRIFT, (Moved(ref("Namespace", "shop", ""), "modified"),), remains=True)
    assert "<code>/recon hold Namespace/shop 2h REASON</code>" in body(clean(), state(clean(), drift=drift))


def test_what_is_gone_can_not_be_held() -> None:
    """Only what is there."""
    drift = Drift(Measure.DRIFT, (Moved(ref("Service", "api"), "missing"), *OLD.moved), remains=True)
    assert "/recon hold Service/api -n shop" in body(clean(), state(clean(), drift=replace(drift, remains=False)))
    assert "/recon hold Service/api -n shop" in body(clean(), state(clean(), drift=drift))
    assert "/recon hold" not in body(clean(), state(clean(), drift=replace(drift, moved=drift.moved[:1])))


def test_corrections_are_counted() -> None:
    """A field that was set back again and again is one row, with its last time; the rest is counted."""
    often = [Correction(f"2026-11-30T0{hour}:00:00Z", WEB, "spec.replicas", "kubectl") for hour in range(3)]
    others = [Correction("2026-11-29T20:00:00Z", ref("Service", f"s{number}")) for number in range(24)]
    of = replace(clean(), corrections=(*others, *often))
    text = body(of, state(of))
    row = (
        "| <code>Deployment shop/web</code> | <code>spec.<wbr>replicas</code><br><sub>3 times, last "
        "2026-11-30 02&#58;00&#58;00 UTC; written with <code>kubectl</code></sub>"
    )
    assert text.count("<code>Deployment shop/web</code>") == 1
    assert f"{row} |\n" in text
    assert "| it had been deleted<br><sub>2026-11-29 20&#58;00&#58;00 UTC</sub> |\n\n5 more." in text


def test_could_not_tell_before_anything_was_known() -> None:
    """Somebody has emptied the issue: it says no more than is known."""
    now = State(Memory(), Drift(Measure.UNKNOWN), NOW, 2)
    assert unsure("x", now, "") == (
        "⚠️ **The run of 2026-11-30 14:05 UTC could not tell**: x. Below is what the last full scan saw, at a time that "
        "is not known.\n\n<!-- recon:report -->"
    )


def test_could_not_tell_twice() -> None:
    """The second run takes the first one's place, and the report below both stays."""
    once = could_not_tell()
    now = State(KNOWN, Drift(Measure.UNKNOWN), NOW + HOUR, 2, url=RUN)
    twice = unsure("locked", now, once)
    assert twice.partition("<!-- recon:report -->")[2] == once.partition("<!-- recon:report -->")[2]
    assert "can't be reached" not in twice


def test_what_somebody_made_too_long_is_left_out() -> None:
    """It would not be taken."""
    text = unsure("x", State(KNOWN, Drift(Measure.UNKNOWN), NOW, 2), f"<!-- recon:report -->{'a' * ROOM}")
    assert text.endswith("<!-- recon:report -->\n")


OLD = drift_of(drift_of_a_person())
FIRST, SECOND = OLD.moved


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        pytest.param((FIRST,), f"new: <code>{SECOND.ref}</code>", id="one more"),
        pytest.param(
            (FIRST, replace(SECOND, how="")),
            f"new: <code>{SECOND.ref}</code>; 1 object no longer as before",
            id="another",
        ),
        pytest.param(
            (FIRST, SECOND, replace(SECOND, how=""), replace(FIRST, how="")),
            "2 objects no longer as before",
            id="fewer",
        ),
        pytest.param((), f"<code>{FIRST.ref}</code>, <code>{SECOND.ref}</code>", id="nothing known"),
    ],
)
def test_changed(before: tuple[Moved, ...], expected: str) -> None:
    """What is new by name, what is gone by number."""
    memory = Memory(objects=tuple(one.key for one in before))
    assert changed(OLD, memory) == f"⚠️ The drift has changed: {expected}."


def test_changed_beyond_what_can_be_remembered() -> None:
    """Where not all keys are kept, none is called new."""
    many_keys = tuple(f"{number:08x}" for number in range(OBJECTS))
    assert "new:" not in changed(OLD, Memory(objects=many_keys))
    crowd = replace(OLD, moved=tuple(replace(FIRST, paths=(str(number),)) for number in range(OBJECTS)))
    assert "new:" not in changed(crowd, Memory(objects=("01234567",)))


def test_short_comments() -> None:
    """One line each."""
    assert returned(OLD) == f"⚠️ Drift is back: <code>{FIRST.ref}</code>, <code>{SECOND.ref}</code>."
    assert healed(Memory(clean=2)) == "✅ In sync in 2 full scans in a row: closed."
    assert duplicate(7).startswith("Opened twice at the same moment. #7 is")
    assert missed(NOW) == "no scheduled scan since 2026-11-30 14:05 UTC"


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(30, "30 seconds"), (60, "1 minute"), (7_300, "2 hours"), (3 * DAY, "3 days")],
)
def test_a_gap(seconds: int, expected: str) -> None:
    """How long it has been, and how this is known."""
    text = body(clean(), state(clean(), gap=(NOW - DAY, seconds)))
    assert f"1 day ago; before that the longest pause was {expected}. Only this issue remembers them." in text


def test_title() -> None:
    """Nothing in it that can't be seen."""
    assert title("shop\x1b") == "Drift in the cluster: shop\\x1b"


@settings(max_examples=30)
@given(of=reports, url=st.text(max_size=200), memory=st.sampled_from([KNOWN, Memory()]), former=st.text())
def test_it_fits(of: Report, url: str, memory: Memory, former: str) -> None:
    """Whatever the report: within what GitHub takes."""
    now = replace(state(of, memory), url=url)
    assert len(body(of, now).encode()) <= ROOM
    assert len(unsure(url, now, former).encode()) <= ROOM


@pytest.mark.parametrize("of", [many(), hostile()], ids=["large", "hostile"])
def test_large_and_hostile(of: Report) -> None:
    """Cut before what can be done about it; nothing of a stranger's is markup."""
    of = replace(of, entries=of.entries * 20, corrections=tuple(_hostile_corrections()))
    text = body(of, state(of, drift=Drift(Measure.DRIFT, OLD.moved, remains=True)))
    rows = text.partition("**Set back in the last 24 hours**")[2]
    assert ("@team" in rows, "<img" in rows, " #1 " in rows) == (False, False, False)
    assert len(text.encode()) <= ROOM
    assert text.index("to keep the text within its limit") < text.index("**What can be done**")


def _hostile_corrections() -> list[Correction]:
    text = "@team #1 | <img src=x> \x1b[2J" * 40
    return [Correction(text, ObjectRef("", text, "a", f"{text}{number}"), text, text) for number in range(30)]
