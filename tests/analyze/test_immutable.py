"""Objects of which a field can't be changed: when they are deleted and created anew, and what people read."""

from typing import Any

import pytest
from objects import body_of, verdict_of

from recon_action.analyze.immutable import unchangeable
from recon_action.model import Bucket, Cause, Directives, DriftKind, Problem, Severity, Trouble, Verdict

_REFUSAL = Problem(Trouble.IMMUTABLE, "spec.selector: field is immutable", "put the old value back", "dry-run", 422)
_APIS = {"CustomResourceDefinition": "apiextensions.k8s.io/v1", "Deployment": "apps/v1"}
_ANNOTATION = "argocd.argoproj.io/sync-options: Replace=true"


def _judged(kind: str = "Deployment", drift: DriftKind | None = DriftKind.MODIFIED, **more: Any) -> Verdict:
    options = {name: more.pop(name, False) for name in ("recreate", "allow_destructive")}
    body = body_of(kind, api=_APIS.get(kind, "v1"))
    return unchangeable(verdict_of(body, drift, **more), _REFUSAL, **options)


def test_without_leave_it_is_only_told() -> None:
    """The fields, the server's reason, and which option would do it; the difference is what it was."""
    verdict = _judged()
    assert verdict.reason == (
        "spec.selector: field is immutable; --recreate lets an apply delete the object and create it anew"
    )
    assert (verdict.bucket, verdict.recreate, verdict.immutable) == (Bucket.PENDING, False, _REFUSAL)
    assert verdict.drift
    assert verdict.drift.severity is Severity.SPEC


@pytest.mark.parametrize(
    ("options", "by"),
    [
        pytest.param({"recreate": True}, "--recreate", id="option"),
        pytest.param({"directives": Directives(recreate=_ANNOTATION)}, _ANNOTATION, id="annotation"),
        pytest.param({"recreate": True, "directives": Directives(recreate=_ANNOTATION)}, _ANNOTATION, id="both"),
    ],
)
def test_with_leave_it_is_created_anew(options: dict[str, Any], by: str) -> None:
    """That is dangerous, and says what allows it."""
    verdict = _judged(**options)
    assert verdict.recreate
    assert verdict.drift
    assert verdict.drift.severity is Severity.DESTRUCTIVE
    assert verdict.reason == (
        f"spec.selector: field is immutable; an apply deletes the object and creates it anew ({by})"
    )


@pytest.mark.parametrize("kind", ["Namespace", "CustomResourceDefinition", "PersistentVolume"])
def test_some_kinds_never_are(kind: str) -> None:
    """They take others' objects or data along, whatever is allowed."""
    verdict = _judged(kind, recreate=True, allow_destructive=True)
    assert not verdict.recreate
    assert f"a {kind} is never deleted to be created anew" in verdict.reason
    assert verdict.immutable
    assert verdict.immutable.hint in verdict.reason


@pytest.mark.parametrize(("allowed", "recreated"), [(False, False), (True, True)])
def test_a_claim_takes_two_flags(*, allowed: bool, recreated: bool) -> None:
    """Its data goes with it."""
    verdict = _judged("PersistentVolumeClaim", recreate=True, allow_destructive=allowed)
    assert verdict.recreate is recreated
    assert ("--allow-destructive" in verdict.reason) is not recreated


def test_what_another_tool_manages_is_left_to_it() -> None:
    """Beside a controller we are a second pair of eyes."""
    verdict = _judged(recreate=True, owner="Argo CD", reason="Argo CD manages it")
    assert not verdict.recreate
    assert verdict.reason == "spec.selector: field is immutable; Argo CD manages it"


def test_a_difference_that_only_the_server_sees_is_one() -> None:
    """It refuses a change, so there is one; never in sync, and nothing to remember."""
    verdict = _judged(drift=None, mend=True, memo="abc")
    assert (verdict.bucket, verdict.mend, verdict.memo) == (Bucket.DRIFTED, False, "")
    assert verdict.drift
    assert (verdict.drift.kind, verdict.drift.cause, verdict.drift.changes) == (
        DriftKind.MODIFIED,
        Cause.UNKNOWN,
        (),
    )


@pytest.mark.parametrize("bucket", [Bucket.FAILED, Bucket.SKIPPED])
def test_what_is_not_compared_stays_so(bucket: Bucket) -> None:
    """Held, skipped, or another set's."""
    verdict = verdict_of(body_of(), bucket=bucket)
    assert unchangeable(verdict, _REFUSAL, recreate=True, allow_destructive=True) is verdict
