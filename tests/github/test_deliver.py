"""What of a report becomes an annotation, how loud, and what an output."""

from dataclasses import replace

import pytest

from recon_action.errors import ExitCode, RefusedError, UsageError
from recon_action.github.commands import Annotation, Level
from recon_action.github.deliver import (
    OUTPUTS,
    annotations,
    error_summary,
    outputs,
    outputs_without_report,
)
from recon_action.model import Bucket, Cause, DriftKind, Mode, ObjectRef, Outcome, Problem, Trouble
from recon_action.report.document import Change, Counts, Entry, Place, Report

WEB = ObjectRef("apps", "Deployment", "shop", "web")
SCALED = Entry(
    WEB,
    Bucket.DRIFTED,
    DriftKind.MODIFIED,
    Cause.MANUAL,
    changes=(
        Change(
            "spec.replicas",
            Cause.MANUAL,
            desired=3,
            live=5,
            tool="kubectl",
            since="2026-12-01T05:00:00Z",
            place=Place("k8s/web.yaml", 9),
        ),
    ),
    place=Place("k8s/web.yaml", 1),
)
PENDING = Entry(WEB, Bucket.PENDING, DriftKind.MISSING, Cause.GIT, place=Place("k8s/web.yaml", 1))
FAILED = Entry(
    WEB,
    Bucket.FAILED,
    problem=Problem(Trouble.FORBIDDEN, "may not patch deployments", hint="grant it"),
    place=Place("k8s/web.yaml", 1),
)


def report(*entries: Entry, mode: Mode = Mode.DIFF, problems: tuple[Problem, ...] = ()) -> Report:
    return Report(mode, "shop", "different", ExitCode.DIFFERENT, entries=entries, problems=problems)


def test_drift_points_at_the_field() -> None:
    """The annotation of drift lies on the field's line, names tool and time, and shows no value."""
    assert list(annotations(report(SCALED))) == [
        Annotation(
            Level.WARNING,
            "The cluster differs in spec.replicas.\nLast written by kubectl at 2026-12-01 05:00:00 UTC.",
            title="Deployment shop/web",
            file="k8s/web.yaml",
            line=9,
        )
    ]


@pytest.mark.parametrize(
    ("entry", "mode", "outcome", "level"),
    [
        pytest.param(SCALED, Mode.DIFF, None, Level.WARNING, id="drift seen"),
        pytest.param(SCALED, Mode.APPLY, Outcome.CONFIGURED, Level.NOTICE, id="drift corrected"),
        pytest.param(SCALED, Mode.APPLY, Outcome.RECREATED, Level.NOTICE, id="drift corrected by a new object"),
        pytest.param(SCALED, Mode.APPLY, None, Level.WARNING, id="drift left"),
        pytest.param(PENDING, Mode.DIFF, None, Level.NOTICE, id="change pending"),
        pytest.param(PENDING, Mode.APPLY, Outcome.CREATED, None, id="change deployed"),
        pytest.param(FAILED, Mode.DIFF, None, Level.ERROR, id="failed"),
        pytest.param(Entry(WEB, Bucket.SKIPPED, reason="held"), Mode.DIFF, None, None, id="skipped"),
        pytest.param(Entry(WEB, Bucket.IN_SYNC), Mode.APPLY, None, None, id="in sync"),
    ],
)
def test_levels(entry: Entry, mode: Mode, outcome: Outcome | None, level: Level | None) -> None:
    """Failures are errors, remaining drift a warning, corrected drift a notice, a plain deployment nothing."""
    found = [annotation.level for annotation in annotations(report(replace(entry, outcome=outcome), mode=mode))]
    assert found == ([] if level is None else [level])


def test_failed_apply_of_drift_is_an_error() -> None:
    """A correction that failed tells both."""
    entry = replace(SCALED, outcome=Outcome.FAILED, problem=FAILED.problem)
    (annotation,) = annotations(report(entry, mode=Mode.APPLY))
    assert annotation.level is Level.ERROR
    assert annotation.message.startswith("may not patch deployments\ngrant it\n")
    assert annotation.message.endswith("This run: failed.")


def test_orphan_and_health() -> None:
    """An object that Git dropped has no place; one that does not get well says why."""
    orphan = Entry(WEB, Bucket.DRIFTED, DriftKind.ORPHANED, Cause.GIT)
    (annotation,) = annotations(report(orphan))
    assert (annotation.message, annotation.file, annotation.line) == (
        "The cluster still has it, and Git no longer does.",
        "",
        0,
    )
    sick = replace(FAILED, health="Failed", health_message="Back-off pulling image")
    (annotation,) = annotations(report(sick, mode=Mode.APPLY))
    assert annotation.message.endswith("grant it\nBack-off pulling image")
    late = Problem(Trouble.TIMEOUT, "not healthy within 5 s: Back-off pulling image")
    slow = Entry(WEB, Bucket.IN_SYNC, problem=late, health="InProgress", health_message="Back-off pulling image")
    (annotation,) = annotations(report(slow, mode=Mode.APPLY))
    assert (annotation.level, annotation.message) == (Level.ERROR, late.message)


def test_general_problems_come_first() -> None:
    """Trouble of no single object has no place in a file."""
    problem = Problem(Trouble.FORBIDDEN, "may not list secrets", hint="grant it")
    first, second = annotations(report(SCALED, problems=(problem,)))
    assert first == Annotation(Level.ERROR, "may not list secrets\ngrant it", title="recon-action")
    assert second.title == "Deployment shop/web"


def test_many_fields_are_counted() -> None:
    """Three fields are named, the rest is a number."""
    changes = tuple(Change(f"data.k{number}", Cause.GIT) for number in range(5))
    entry = Entry(WEB, Bucket.PENDING, DriftKind.MODIFIED, Cause.GIT, changes=changes)
    (annotation,) = annotations(report(entry))
    assert annotation.message == "Git changed data.k0, data.k1, data.k2 and 2 more."
    assert annotation.file == ""


def test_outputs_are_the_contract() -> None:
    """Every declared output is set; what is told on GitHub, and the exit code, are known later."""
    counted = Report(
        Mode.DIFF, "shop", "different", ExitCode.DIFFERENT, Counts(1, 2, 3, 4, 5, 6, unmanaged=7, mended=8)
    )
    files = {"json": "recon-report/shop-diff.json", "sarif": "recon-report/shop-diff.sarif"}
    assert {name: value for name, value in outputs(counted, files).items() if value} == {
        "result": "different",
        "in-sync": "1",
        "pending": "2",
        "drifted": "3",
        "ignored": "4",
        "skipped": "5",
        "failed": "6",
        "report-path": "recon-report/shop-diff.json",
    }
    assert set(outputs(counted, {})) == set(OUTPUTS)


def test_only_a_whole_report_is_for_code_scanning() -> None:
    """What a SARIF file does not name counts as mended there: one of a run that saw less is not offered."""
    files = {"json": "r.json", "sarif": "r.sarif"}
    assert outputs(report(SCALED), files)["sarif-path"] == "r.sarif"
    assert outputs(replace(report(SCALED), counts=Counts(failed=1)), files)["sarif-path"] == ""
    assert outputs(report(SCALED, problems=(Problem(Trouble.FORBIDDEN, "no"),)), files)["sarif-path"] == ""
    assert outputs(report(SCALED, problems=(Problem(Trouble.REFUSED, "no"),)), files)["sarif-path"] == "r.sarif"


def test_what_was_not_applied_has_failed() -> None:
    """Counted once, whether it could not be judged or, in the end, not be written."""
    refused = replace(PENDING, outcome=Outcome.FAILED)
    made = replace(report(refused, FAILED, SCALED, mode=Mode.APPLY), counts=Counts(pending=1, failed=1, drifted=1))
    assert outputs(made, {})["failed"] == "2"
    twice = replace(report(replace(FAILED, outcome=Outcome.FAILED)), counts=Counts(failed=1))
    assert outputs(twice, {})["failed"] == "1"


def test_outputs_without_report_count_nothing() -> None:
    """Zero would be a lie where nothing was counted."""
    found = outputs_without_report("error")
    assert set(found) == set(OUTPUTS)
    assert {name for name, value in found.items() if value} == {"result"}


def test_error_summary_fences_foreign_words() -> None:
    """No message can leave its fence, whatever backticks or control characters it brings."""
    text = error_summary(UsageError("no ```such\x1b[31m path\n# title", hint="look"))
    assert text == ("### ❌ recon-action: stopped\n\n````text\nno ```such\\x1b[31m path\n# title\nlook\n````\n")
    assert error_summary(RefusedError("too many")).startswith("### ⛔ recon-action: refused\n")
