"""The report for people: the verdict first, direction always labelled, nothing that acts on a terminal."""

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from report_scenarios import HOSTILE, SCENARIOS, WIDTH, added, clean, extra, in_sync, ref, report, scaled
from report_strategies import reports

from recon_action.errors import ExitCode
from recon_action.model import (
    ActionKind,
    Bucket,
    Cause,
    DriftKind,
    FieldPath,
    Mode,
    ObjectRef,
    Outcome,
    Output,
    Problem,
    Result,
    Severity,
    Trouble,
    Verdict,
)
from recon_action.report import render
from recon_action.report.document import Counts, Entry, Partial, PlannedAction, Report
from recon_action.report.words import state, title

ANSI = re.compile(r"\x1b\[[0-9;]*m")


def text(of: Report, *, width: int = WIDTH, color: bool = False) -> str:
    return render(of, Output.TEXT, width=width, color=color)


@settings(deadline=None, max_examples=50)
@given(reports)
def test_no_foreign_control_character_reaches_the_terminal(of: Report) -> None:
    """Plain text has none at all; coloured text has our colours, and is the plain text otherwise."""
    plain, colored = text(of), text(of, color=True)
    assert re.fullmatch(r"[^\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]*", plain)
    assert re.sub(r" +$", "", ANSI.sub("", colored), flags=re.MULTILINE) == plain
    assert not re.search(r" $", plain, re.MULTILINE)


@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize("width", [1, 60, 100, 400])
def test_lines_keep_to_the_width(name: str, width: int) -> None:
    """Nothing runs over the edge, down to a terminal that is too narrow to be of use."""
    assert max(map(len, text(SCENARIOS[name](), width=width).splitlines())) <= max(width, 40)


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("in-sync", "shop: in sync — 43 objects"),
        ("drift-of-a-person", "shop: drift — 2 drifted, 41 in sync (2 with added fields, 1 by local verdict)"),
        ("pending", "shop: pending — 3 pending, 2 in sync (1 not yet managed)"),
        ("forbidden", "shop: not everything could be read — 1 drifted, 2 failed, 1 skipped, 1 ignored, 5 in sync"),
        ("apply-incomplete", "shop: apply incomplete — found 2 drifted, 4 in sync; 1 not done, 1 failed"),
    ],
)
def test_the_first_line_is_the_verdict(name: str, first: str) -> None:
    """In words and with all counts."""
    assert text(SCENARIOS[name]()).splitlines()[0] == first


def test_a_part_of_the_target_is_told() -> None:
    """Nobody may take "in sync" for more than was looked at: it stands in the headline, and below how much it was."""
    lines = text(replace(clean(), partial=Partial(2, 43, "include Deployment/web-*"))).splitlines()
    assert lines[0].startswith("shop: in sync — ")
    assert lines[0].endswith(" (partial)")
    assert " ".join(lines[1:3]) == (
        "partial: 2 of 43 objects, selected by include Deployment/web-*; "
        "nothing else was looked at, and nothing is pruned"
    )


def test_what_the_problem_says_is_not_said_twice() -> None:
    """Why an object was left as it is: the reason in a diff, the failure's own words after an apply."""
    refusal = Problem(Trouble.IMMUTABLE, "spec.selector: field is immutable", "put it back", "dry-run", 422)
    stuck = replace(scaled(), reason=f"{refusal.message}; --recreate would do it", immutable=refusal)
    assert text(report(stuck)).count("field is immutable; --recreate would do it") == 1
    failed = {stuck.ref: Result(stuck.ref, Outcome.FAILED, refusal)}
    shown = text(report(stuck, mode=Mode.APPLY, results=failed))
    assert shown.count("field is immutable") == 1
    assert "immutable (422) on dry-run: spec.selector" in shown
    assert "hint: put it back" in shown


def test_every_value_is_labelled_with_its_side() -> None:
    """Which is Git's and which is live never rests on colour or order."""
    shown = text(report(scaled()))
    assert re.search(r"^ +git +3\n +live +5$", shown, re.MULTILINE)


def test_the_environment_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The caller decides on colour and width."""
    before = text(report(scaled()), color=True)
    for name, value in {"NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "20", "FORCE_COLOR": "1"}.items():
        monkeypatch.setenv(name, value)
    assert text(report(scaled()), color=True) == before
    assert "\x1b" not in text(report(scaled()))


def test_long_lists_end_with_a_count() -> None:
    """Thousands of objects that were only marked as ours are no reading matter; the plan names a few."""
    verdicts = [Verdict(ObjectRef("", "ConfigMap", "a", f"c{n}"), Bucket.SKIPPED, reason="a hook") for n in range(60)]
    plan = tuple(PlannedAction(2, "create", verdict.ref) for verdict in verdicts)
    shown = text(replace(report(*verdicts), plan=plan))
    assert "… and 10 more" in shown
    assert "2. create 60: ConfigMap a/c0, " in shown
    assert "and 55 more" in " ".join(shown.split())


def test_a_report_without_facts_is_shown_too() -> None:
    """A refused run knows neither server nor revision."""
    bare = Report(Mode.DIFF, "t", "refused", ExitCode.REFUSED)
    assert text(bare) == "t: refused — 0 objects\n\nread    0 objects, 0 files in 0.0 s; none needed the server\n"


def test_hostile_text_stays_readable() -> None:
    """It is spelled out, not dropped."""
    shown = re.sub(r"\s+", " ", text(SCENARIOS["hostile-text"](), width=1000))
    assert "\\x1b[31mred\\x1b[0m \\u202etxet\\u202c" in shown
    assert HOSTILE not in shown


@pytest.mark.parametrize("code", list(ExitCode))
def test_every_exit_code_has_a_title(code: ExitCode) -> None:
    """Never an empty verdict, and never `in sync` for anything but success."""
    shown = title(replace(clean(), exit_code=code, result="error"))
    assert shown
    assert (shown == "In sync") is (code is ExitCode.OK)


def test_the_title_tells_drift_from_pending() -> None:
    """Who moved is the first thing that people ask."""
    different = replace(clean(), exit_code=ExitCode.DIFFERENT, result="different")
    assert title(replace(different, counts=Counts(drifted=1, pending=1))) == "Drift"
    assert title(replace(different, counts=Counts(pending=1))) == "Pending"
    assert title(replace(different, exit_code=ExitCode.OK, result="applied")) == "Applied"


@pytest.mark.parametrize(
    ("drift", "bucket", "expected"),
    [
        (DriftKind.MISSING, Bucket.PENDING, "new in Git"),
        (DriftKind.MISSING, Bucket.DRIFTED, "missing, deleted from the cluster"),
        (DriftKind.ORPHANED, Bucket.PENDING, "orphaned, no longer in Git"),
        (DriftKind.MODIFIED, Bucket.DRIFTED, "0 fields"),
    ],
)
def test_how_an_object_differs(drift: DriftKind, bucket: Bucket, expected: str) -> None:
    """A missing object is new in Git or deleted by hand: the bucket tells."""
    entry = Entry(ObjectRef("", "ConfigMap", "a", "b"), bucket, drift, Cause.GIT, Severity.SPEC)
    assert state(entry) == expected


def test_the_plan_of_an_apply_was_carried_out() -> None:
    """A diff says what would happen, an apply what did."""
    plan = (PlannedAction(1, ActionKind.CREATE.value, ObjectRef("", "ConfigMap", "a", "b")),)
    planned = replace(report(*in_sync(1)), plan=plan)
    assert "An apply would" in text(planned)
    assert "Plan that was carried out" in text(replace(planned, mode=Mode.APPLY))
    refused = replace(planned, mode=Mode.APPLY, problems=(Problem(Trouble.REFUSED, "too many"),))
    assert "Plan that was refused" in text(refused)
    ended = replace(planned, mode=Mode.APPLY, exit_code=ExitCode.INTERRUPTED)
    assert "Plan that was carried out in part" in text(ended)


def test_the_whole_plan_is_shown_on_request() -> None:
    """Every action of every stage, with what it waits for; a long list of that is cut."""
    one, other, third = (ObjectRef("", "ConfigMap", "a", name) for name in ("x", "y", "z"))
    home = ObjectRef("", "Namespace", "", "a")
    many = tuple(ObjectRef("", "Secret", "a", str(number)) for number in range(9))
    plan = (
        PlannedAction(1, "create", one, (home, other), (home,)),
        PlannedAction(1, "delete", other, many),
        PlannedAction(2, "create", third, (), (one, other), wave=2),
    )
    planned = replace(report(*in_sync(1)), plan=plan)
    assert "after" not in text(planned)
    shown = text(replace(planned, show_plan=True))
    assert (
        """\
An apply would
1. create 1, delete 1 (wave 0)
   create ConfigMap a/x  after ConfigMap a/y; once Namespace a is ready
   delete ConfigMap a/y  after Secret a/0, Secret a/1, Secret a/2, Secret a/3, Secret a/4 and 4 more
2. create 1 (wave 2)
   create ConfigMap a/z  once ConfigMap a/x, ConfigMap a/y are ready
"""
        in shown
    )
    assert "wave" not in text(replace(planned, plan=plan[:2], show_plan=True))


def test_the_digest_is_shown_with_the_whole_plan() -> None:
    """Whoever looks at a plan to approve it sees what to approve, also if that is nothing."""
    digest = "Digest of the plan: 9f86d081884c7d65-a1b2c3d4"
    assert digest not in text(clean())
    assert f"An apply would\nNothing is to be done. {digest}\n" in text(replace(clean(), show_plan=True))
    plan = (PlannedAction(1, ActionKind.CREATE.value, ObjectRef("", "ConfigMap", "a", "b")),)
    assert f"   create ConfigMap a/b\n{digest}\n" in text(replace(clean(), show_plan=True, plan=plan))


def test_what_was_added_is_told_apart() -> None:
    """An object in sync with added fields has a section of its own, and is the title where nothing else differs."""
    thing = added(ref("ConfigMap", "thing"), extra(FieldPath(("data", "z")), "1"))
    assert text(report(thing, *in_sync(2))).splitlines()[0] == "shop: in sync — 3 objects (1 with added fields)"
    reverted = replace(thing, is_reverted=True)
    left = report(reverted, *in_sync(2))
    assert left.exit_code is ExitCode.DIFFERENT
    lines = text(left).splitlines()
    assert lines[0] == "shop: fields were added — 3 objects (1 with added fields)"
    assert "In sync, but something was added" in lines
    assert "* ConfigMap shop/thing  in sync: 1 field added  k8s/web.yaml:1" in lines
    done = report(reverted, mode=Mode.APPLY, results={thing.ref: Result(thing.ref, Outcome.CONFIGURED)})
    assert (done.exit_code, done.result) == (ExitCode.OK, "applied")
