"""The exit code and the word of a run."""

from dataclasses import replace

import pytest
from report_scenarios import in_sync, missing, orphan, ref, scaled

from recon_action.errors import ExitCode
from recon_action.model import Bucket, Mode, Outcome, Problem, Result, Trouble, Verdict
from recon_action.report.outcome import exit_code, is_healthy, result_word

THING = ref("ConfigMap", "thing")


def failed(trouble: Trouble, verb: str) -> Verdict:
    return Verdict(THING, Bucket.FAILED, problem=Problem(trouble, "words", verb=verb))


@pytest.mark.parametrize(
    ("mode", "trouble", "verb", "expected"),
    [
        (Mode.DIFF, Trouble.INVALID, "dry-run", ExitCode.DESIRED),
        (Mode.DIFF, Trouble.DENIED, "dry-run", ExitCode.DESIRED),
        (Mode.DIFF, Trouble.UNKNOWN_KIND, "resolve", ExitCode.DESIRED),
        (Mode.DIFF, Trouble.FORBIDDEN, "dry-run", ExitCode.CLUSTER),
        (Mode.DIFF, Trouble.FORBIDDEN, "list", ExitCode.CLUSTER),
        (Mode.DIFF, Trouble.UNREACHABLE, "list", ExitCode.CLUSTER),
        (Mode.DIFF, Trouble.UNAVAILABLE, "get", ExitCode.CLUSTER),
        (Mode.APPLY, Trouble.INVALID, "dry-run", ExitCode.INCOMPLETE),
        (Mode.APPLY, Trouble.FORBIDDEN, "dry-run", ExitCode.INCOMPLETE),
        (Mode.APPLY, Trouble.FORBIDDEN, "apply", ExitCode.INCOMPLETE),
        (Mode.APPLY, Trouble.FORBIDDEN, "list", ExitCode.CLUSTER),
        (Mode.APPLY, Trouble.UNREACHABLE, "get", ExitCode.CLUSTER),
        (Mode.APPLY, Trouble.UNKNOWN_KIND, "resolve", ExitCode.DESIRED),
        (Mode.APPLY, Trouble.INVALID, "resolve", ExitCode.DESIRED),
        (Mode.APPLY, Trouble.TIMEOUT, "wait", ExitCode.UNHEALTHY),
        (Mode.APPLY, Trouble.UNHEALTHY, "wait", ExitCode.UNHEALTHY),
        (Mode.APPLY, Trouble.REFUSED, "", ExitCode.REFUSED),
        (Mode.APPLY, Trouble.LOCKED, "", ExitCode.LOCKED),
        (Mode.APPLY, Trouble.INTERRUPTED, "apply", ExitCode.INTERRUPTED),
        (Mode.DIFF, Trouble.FOREIGN, "", ExitCode.REFUSED),
    ],
)
def test_trouble_has_its_code_wherever_it_occurs(mode: Mode, trouble: Trouble, verb: str, expected: ExitCode) -> None:
    """In a diff and in an apply; of an object or of none."""
    verdict = failed(trouble, verb)
    assert verdict.problem is not None
    assert exit_code(mode, [verdict], {}, {}, []) is expected
    assert exit_code(mode, in_sync(1), {}, {}, [verdict.problem]) is expected


@pytest.mark.parametrize(
    ("verdict", "expected"),
    [
        (scaled(), ExitCode.DIFFERENT),
        (orphan(), ExitCode.DIFFERENT),
        (Verdict(THING, Bucket.SKIPPED), ExitCode.OK),
        (Verdict(THING, Bucket.IGNORED), ExitCode.OK),
        (Verdict(THING, Bucket.IN_SYNC, managed=False, mend=True), ExitCode.OK),
        (Verdict(THING, Bucket.IN_SYNC, is_reverted=True, owner="argocd"), ExitCode.DIFFERENT),
    ],
    ids=["drifted", "pending", "skipped", "ignored", "in sync", "added under another tool"],
)
def test_differences_give_one(verdict: Verdict, expected: ExitCode) -> None:
    """Drifted and pending differ, and what should go and stays; held, ignored and unmarked objects don't."""
    assert exit_code(Mode.DIFF, [verdict, *in_sync(2)], {}, {}, []) is expected


@pytest.mark.parametrize(
    ("outcome", "problem", "expected"),
    [
        (Outcome.CONFIGURED, None, ExitCode.OK),
        (Outcome.UNCHANGED, None, ExitCode.OK),
        (Outcome.SKIPPED, None, ExitCode.DIFFERENT),
        (Outcome.SKIPPED, Problem(Trouble.PREREQUISITE, ""), ExitCode.INCOMPLETE),
        (Outcome.FAILED, Problem(Trouble.FORBIDDEN, "", verb="apply"), ExitCode.INCOMPLETE),
        (Outcome.FAILED, Problem(Trouble.INVALID, "", verb="apply"), ExitCode.INCOMPLETE),
        (Outcome.FAILED, Problem(Trouble.UNREACHABLE, "", verb="delete"), ExitCode.INCOMPLETE),
        (Outcome.FAILED, None, ExitCode.INCOMPLETE),
        (Outcome.CONFIGURED, Problem(Trouble.TIMEOUT, ""), ExitCode.UNHEALTHY),
    ],
)
def test_an_apply_settles_a_difference_or_says_why_not(
    outcome: Outcome, problem: Problem | None, expected: ExitCode
) -> None:
    """What was corrected is no difference any more."""
    verdict = scaled()
    results = {verdict.ref: Result(verdict.ref, outcome, problem)}
    assert exit_code(Mode.APPLY, [verdict], results, {}, []) is expected


def test_what_admission_overrides_remains() -> None:
    """Whatever an apply did to the object besides."""
    verdict = replace(scaled(), is_overridden=True)
    results = {verdict.ref: Result(verdict.ref, Outcome.CONFIGURED)}
    assert exit_code(Mode.APPLY, [verdict], results, {}, []) is ExitCode.DIFFERENT


def test_orphans_that_are_not_pruned_remain_a_difference() -> None:
    """With --no-prune an apply ends with 1 as long as there are any."""
    gone, old = missing(ref("Service", "api")), orphan()
    results = {gone.ref: Result(gone.ref, Outcome.CREATED)}
    assert exit_code(Mode.APPLY, [gone, old], results, {}, []) is ExitCode.DIFFERENT
    results[old.ref] = Result(old.ref, Outcome.DELETED)
    assert exit_code(Mode.APPLY, [gone, old], results, {}, []) is ExitCode.OK


def test_unhealthy_objects_give_six() -> None:
    """Applied, but not Current in time."""
    health = {THING: ("InProgress", "")}
    assert exit_code(Mode.APPLY, in_sync(1), {}, health, []) is ExitCode.UNHEALTHY
    assert exit_code(Mode.APPLY, in_sync(1), {}, {THING: ("Current", "")}, []) is ExitCode.OK


def test_a_deleted_object_is_healthy_when_it_is_gone() -> None:
    """NotFound is what a deletion waits for, and nothing else does."""
    deleted = Result(THING, Outcome.DELETED)
    assert is_healthy("NotFound", deleted)
    assert not is_healthy("Terminating", deleted)
    assert not is_healthy("NotFound", None)


@pytest.mark.parametrize(
    ("code", "outcome", "expected"),
    [
        (ExitCode.OK, None, "in-sync"),
        (ExitCode.OK, Outcome.UNCHANGED, "in-sync"),
        (ExitCode.OK, Outcome.DELETED, "applied"),
        (ExitCode.DIFFERENT, Outcome.CREATED, "different"),
        (ExitCode.INCOMPLETE, None, "incomplete"),
        (ExitCode.UNHEALTHY, None, "unhealthy"),
        (ExitCode.REFUSED, None, "refused"),
        (ExitCode.LOCKED, None, "locked"),
        (ExitCode.INTERRUPTED, Outcome.CREATED, "interrupted"),
        (ExitCode.CLUSTER, None, "error"),
        (ExitCode.DESIRED, None, "error"),
    ],
)
def test_the_word_for_scripts(code: ExitCode, outcome: Outcome | None, expected: str) -> None:
    """One word, from the exit code and from whether anything was done."""
    results = {THING: Result(THING, outcome)} if outcome else {}
    assert result_word(code, results) == expected


@pytest.mark.parametrize("outcome", [None, Outcome.CONFIGURED, Outcome.UNCHANGED])
def test_a_contested_field_remains_whatever_else_is_done(outcome: Outcome | None) -> None:
    """No apply corrects it."""
    verdict = scaled()
    assert verdict.drift is not None
    contested = replace(verdict, contested=(verdict.drift.changes[0].path,))
    results = {verdict.ref: Result(verdict.ref, outcome)} if outcome else {}
    assert exit_code(Mode.APPLY, [contested], results, {}, []) is ExitCode.DIFFERENT
