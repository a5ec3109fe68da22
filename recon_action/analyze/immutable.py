"""What is done about an object of which a field can't be changed: it is told, or deleted and created anew."""

from dataclasses import replace

from recon_action.analyze.severity import is_destructive
from recon_action.model import Bucket, Cause, DriftKind, ObjectDrift, ObjectRef, Problem, Severity, Verdict

_CLAIM = ("", "PersistentVolumeClaim")  # its deletion loses data as well, but takes no other object along


def unchangeable(verdict: Verdict, refusal: Problem, *, recreate: bool, allow_destructive: bool) -> Verdict:
    """`verdict` on an object of which the server refuses to change a field.

    Args:
        verdict: what a comparison says of it.
        refusal: what the server says; it names the fields.
        recreate: whether such an object may be deleted and created anew; an annotation of its own may allow it, too.
        allow_destructive: whether that holds for a claim on a volume as well.
    """
    if verdict.bucket in {Bucket.FAILED, Bucket.SKIPPED}:
        return verdict
    # The server sees a change, so there is one, even where a comparison finds none.
    drift = verdict.drift or ObjectDrift(verdict.ref, DriftKind.MODIFIED, Cause.UNKNOWN, Severity.SPEC)
    allowed = verdict.directives.recreate or ("--recreate" if recreate else "")
    obstacle = _obstacle(verdict.ref, allow_destructive=allow_destructive)
    will = bool(allowed) and not obstacle and not verdict.owner
    if verdict.owner:
        what = ""  # it is that tool's to do
    elif obstacle:
        what = obstacle
    elif will:
        what = f"an apply deletes the object and creates it anew ({allowed})"
    else:
        what = "--recreate lets an apply delete the object and create it anew"
    return replace(
        verdict,
        bucket=verdict.bucket if verdict.drift else Bucket.DRIFTED,
        drift=replace(drift, severity=Severity.DESTRUCTIVE) if will else drift,
        reason="; ".join(filter(None, (refusal.message, what, verdict.reason))),
        mend=False,
        memo="",
        immutable=replace(refusal, hint=obstacle or refusal.hint),
        recreate=will,
    )


def _obstacle(ref: ObjectRef, *, allow_destructive: bool) -> str:
    """Why `ref` may not be deleted and created anew, whatever was allowed; "" if it may."""
    if not is_destructive(ref):
        return ""
    if (ref.group, ref.kind) != _CLAIM:
        return f"a {ref.kind} is never deleted to be created anew: put the old value back"
    if allow_destructive:
        return ""
    return "created anew, it would have lost its data: that takes --allow-destructive beside --recreate"
