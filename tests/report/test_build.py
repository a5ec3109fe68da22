"""Which objects a report speaks of, in which order, and where they stand in Git."""

from dataclasses import replace

import pytest
from report_scenarios import (
    DESIRED,
    FACTS,
    REPLICAS,
    REVISION,
    WEB,
    action,
    added,
    extra,
    in_sync,
    manifest,
    missing,
    modified,
    orphan,
    orphaned,
    ref,
    report,
    scaled,
)

from recon_action.errors import ExitCode
from recon_action.model import (
    ABSENT,
    ActionKind,
    Bucket,
    Cause,
    FieldChange,
    FieldPath,
    Manifest,
    Mode,
    ObjectRef,
    Origin,
    Outcome,
    Position,
    Problem,
    Result,
    Revision,
    Severity,
    Stage,
    Trouble,
    Verdict,
)
from recon_action.redact import Secrets
from recon_action.report import build
from recon_action.report.document import Counts, PlannedAction

THING = ref("ConfigMap", "thing")


def test_counts_add_up_to_the_verdicts() -> None:
    """Each object is in one bucket; what cuts across is counted beside."""
    verdicts = [
        scaled(),
        orphan(),
        Verdict(THING, Bucket.FAILED, problem=Problem(Trouble.INVALID, "")),
        Verdict(THING, Bucket.SKIPPED),
        Verdict(THING, Bucket.IGNORED),
        Verdict(THING, Bucket.IN_SYNC, managed=False),
        Verdict(THING, Bucket.IN_SYNC, mend=True),
        added(THING, extra(REPLICAS, 5)),
    ]
    counts = report(*verdicts).counts
    assert counts == Counts(3, 1, 1, 1, 1, 1, unmanaged=1, mended=1, additive=1)
    assert counts.total == len(verdicts)


def test_most_dangerous_first() -> None:
    """By severity, then what is there on one side only, then by name."""
    verdicts = [
        modified(ref("ConfigMap", "b"), severity=Severity.METADATA),
        modified(ref("ConfigMap", "a"), severity=Severity.METADATA),
        scaled(),
        missing(ref("Service", "gone")),
        orphan(),
        modified(ref("Role", "r"), severity=Severity.SECURITY),
        orphaned(ref("Namespace", "n", ""), Severity.DESTRUCTIVE),
        Verdict(THING, Bucket.SKIPPED),
    ]
    names = [entry.ref.name for entry in report(*verdicts).entries]
    assert names == ["n", "r", "old", "gone", "web", "a", "b", "thing"]


@pytest.mark.parametrize(
    ("verdict", "result", "health", "told"),
    [
        (Verdict(THING, Bucket.IN_SYNC), None, None, False),
        (Verdict(THING, Bucket.IN_SYNC, managed=False), None, None, False),
        (Verdict(THING, Bucket.IN_SYNC, managed=False, mend=True), None, None, False),
        (Verdict(THING, Bucket.IN_SYNC, mend=True), None, None, True),
        (Verdict(THING, Bucket.IN_SYNC), Outcome.UNCHANGED, None, False),
        (Verdict(THING, Bucket.IN_SYNC), Outcome.CONFIGURED, None, True),
        (Verdict(THING, Bucket.IN_SYNC), None, ("Current", ""), False),
        (Verdict(THING, Bucket.IN_SYNC), None, ("Failed", "why"), True),
        (Verdict(THING, Bucket.SKIPPED), None, None, True),
        (Verdict(THING, Bucket.IGNORED), None, None, True),
    ],
)
def test_objects_in_sync_are_told_only_for_a_reason(
    verdict: Verdict, result: Outcome | None, health: tuple[str, str] | None, *, told: bool
) -> None:
    """A thousand objects in sync are a number, not a thousand lines."""
    results = {THING: Result(THING, result)} if result else {}
    built = report(verdict, mode=Mode.APPLY, results=results, health={THING: health} if health else {})
    assert bool(built.entries) is told


def test_an_entry_says_what_was_done_and_how_it_fares() -> None:
    """Outcome, problem and health come from the apply; an unchanged object is told if it differed."""
    problem = Problem(Trouble.CONFLICT, "words", verb="apply", status=409)
    failed = report(scaled(), mode=Mode.APPLY, results={WEB: Result(WEB, Outcome.FAILED, problem)}).entries[0]
    assert (failed.outcome, failed.problem, failed.health) == (Outcome.FAILED, problem, "")
    calm = report(
        scaled(),
        mode=Mode.APPLY,
        results={WEB: Result(WEB, Outcome.UNCHANGED)},
        health={WEB: ("InProgress", "1 of 3")},
    ).entries[0]
    assert (calm.outcome, calm.health, calm.health_message) == (Outcome.UNCHANGED, "InProgress", "1 of 3")


def test_what_did_not_become_healthy_has_a_problem_without_secrets() -> None:
    """Whoever reads JSON finds there whether it failed or time ran out; an event may quote what it must not."""
    late = Problem(Trouble.TIMEOUT, "not healthy within 5 s: password s3cr3t-p4ss is wrong")
    built = report(
        Verdict(THING, Bucket.IN_SYNC),
        mode=Mode.APPLY,
        health={THING: ("InProgress", "password s3cr3t-p4ss is wrong")},
        troubles={THING: late},
        secrets=Secrets(frozenset({"s3cr3t-p4ss"})),
    )
    (entry,) = built.entries
    assert built.exit_code is ExitCode.UNHEALTHY
    assert entry.problem == Problem(Trouble.TIMEOUT, "not healthy within 5 s: password *** is wrong")
    assert entry.health_message == "password *** is wrong"


def test_marking_again_is_its_own_reason() -> None:
    """The reader learns why an object in sync is in the report."""
    assert "label" in report(Verdict(THING, Bucket.IN_SYNC, mend=True)).entries[0].reason
    assert report(Verdict(THING, Bucket.SKIPPED, reason="held")).entries[0].reason == "held"


def test_absent_sides_are_kept_apart_from_null() -> None:
    """`null` is a value."""
    path = FieldPath(("spec", "x"))
    change = report(modified(WEB, FieldChange(path, None, ABSENT))).entries[0].changes[0]
    assert (change.has_desired, change.desired, change.has_live) == (True, None, False)
    change = report(modified(WEB, FieldChange(path, ABSENT, None))).entries[0].changes[0]
    assert (change.has_desired, change.has_live, change.live) == (False, True, None)


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("spec", "replicas"), 9),
        (("spec", "replicas", "below"), 9),
        (("spec", "other"), 3),
        (("status",), 1),
    ],
    ids=["itself", "above it", "further above", "the object"],
)
def test_a_field_stands_where_git_has_it_or_what_is_above(path: tuple[str, ...], line: int) -> None:
    """The nearest thing that the file holds."""
    positions = {(WEB, REPLICAS): Position("a.yaml", 9), (WEB, FieldPath(("spec",))): Position("a.yaml", 3)}
    change = FieldChange(FieldPath(path), 1, 2)
    entry = report(modified(WEB, change, file="a.yaml"), positions=positions).entries[0]
    assert entry.changes[0].place is not None
    assert (entry.changes[0].place.file, entry.changes[0].place.line) == ("a.yaml", line)


def test_an_orphan_has_no_place() -> None:
    """Git doesn't have it."""
    verdict = replace(scaled(), manifest=None)
    entry = report(verdict, positions={}).entries[0]
    assert entry.place is None
    assert entry.changes[0].place is None


@pytest.mark.parametrize(
    ("file", "revision", "url"),
    [
        ("k8s/a b#.yaml", REVISION, f"{REVISION.url}/blob/{REVISION.commit}/k8s/a%20b%23.yaml#L7"),
        ("-", REVISION, ""),
        ("/elsewhere/a.yaml", REVISION, ""),
        ("../a.yaml", REVISION, ""),
        ("a.yaml", None, ""),
        ("a.yaml", Revision(commit="", url="https://github.com/a/b"), ""),
        ("a.yaml", Revision(commit="abc"), ""),
    ],
    ids=["odd name", "stdin", "absolute", "above", "no repository", "no commit", "no address"],
)
def test_links_lead_to_the_line_of_the_commit(file: str, revision: Revision | None, url: str) -> None:
    """A link is made where the file is in the repository, and the repository is on the web."""
    verdict = modified(WEB, FieldChange(REPLICAS, 1, 2))
    verdict = replace(verdict, manifest=Manifest(WEB, manifest(WEB).body, Origin(file, 0, 7)))
    built = build(
        mode=Mode.DIFF,
        target="t",
        verdicts=[verdict],
        desired=replace(DESIRED, revision=revision),
        secrets=Secrets.nothing(),
        facts=FACTS,
    )
    place = built.entries[0].place
    assert place is not None
    assert (place.file, place.line, place.url) == (file, 7, url)


def test_a_file_name_that_is_no_text_can_be_reported() -> None:
    """Linux has file names that are no UTF-8; JSON hasn't."""
    verdict = replace(scaled(), manifest=Manifest(WEB, manifest(WEB).body, Origin("a\udcff.yaml")))
    place = report(verdict).entries[0].place
    assert place is not None
    assert place.file == "a?.yaml"


def test_the_plan_is_numbered_by_stage() -> None:
    """In the order in which it would be carried out."""
    old = orphan()
    stages = [Stage("a", (action(ActionKind.CONFIGURE, scaled()),)), Stage("b", (action(ActionKind.DELETE, old),))]
    assert report(scaled(), old, stages=stages).plan == (
        PlannedAction(1, "configure", WEB, fingerprint="000000000001"),
        PlannedAction(2, "delete", old.ref, fingerprint="000000000002"),
    )


def test_facts_and_counts_of_files_are_kept() -> None:
    """The footer's facts; the folder on this machine is not among them."""
    built = report(*in_sync(1), notes=["a note"])
    assert (built.server, built.seconds, built.version) == (FACTS.server, FACTS.seconds, FACTS.version)
    assert (built.files, built.skipped_files, built.notes) == (12, 1, ("a note",))
    assert built.revision == replace(REVISION, root="")


def test_what_belongs_to_no_object_is_redacted_too() -> None:
    """Problems, notes, reasons and health messages may quote a secret."""
    body = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": {"k": "hunter-22"}}
    words = "it is hunter-22"
    built = report(
        Verdict(THING, Bucket.SKIPPED, reason=words),
        Verdict(ObjectRef("", "Pod", "a", "b"), Bucket.IN_SYNC),
        mode=Mode.APPLY,
        secrets=Secrets.of([body]),
        problems=[Problem(Trouble.INVALID, words, words)],
        notes=[words],
        health={ObjectRef("", "Pod", "a", "b"): ("Failed", words)},
    )
    assert "hunter" not in repr(built)
    assert repr(built).count("it is ***") == 5


@pytest.mark.parametrize("cause", list(Cause))
def test_a_change_keeps_who_wrote_it(cause: Cause) -> None:
    """Cause, tool, time and whether Git mentions the field at all."""
    given = FieldChange(REPLICAS, 1, 2, cause, "kubectl", "2026-11-30T14:02:11Z", additive=True)
    change = report(modified(WEB, given)).entries[0].changes[0]
    assert (change.cause, change.tool, change.since, change.additive) == (cause, "kubectl", given.since, True)
    assert change.path == "spec.replicas"
