"""The digest of a plan: the same as long as an apply would do the same to the same objects.

It may be published, so no guess at a secret can be checked against it. The hash of an object that is there
covers its UID, which no report shows; of a Secret that isn't there yet only the name counts.
"""

import hashlib
from collections.abc import Sequence
from typing import Any

import orjson

from recon_action.analyze.memo import standing
from recon_action.analyze.payload import payload_hash
from recon_action.model import Action, Approved, Desired, Digest, ObjectRef, RedactRule, Settings, Stage

PARTS = ("the cluster", "Git", "the options", "the objects")
_WHOLE = 16  # hex digits of all
_SHORT = 12  # of one action


def digest(desired: Desired, stages: Sequence[Stage], settings: Settings, target: str, cluster_uid: str) -> Digest:
    """The digest of the plan `stages`.

    Args:
        desired: what Git says.
        stages: the plan.
        settings: of which only what changes the requests counts, and no permission.
        target: the target's name.
        cluster_uid: UID of kube-system.
    """
    actions = sorted((action for stage in stages for action in stage.actions), key=lambda action: action.ref)
    hashes = {action.ref: _hash(_content(action, settings.redact)) for action in actions}
    parts = [
        _hash(cluster_uid),
        _hash(_source(desired, settings.redact)),
        _hash(_options(settings, target)),
        _hash(list(hashes.values())),
    ]
    text = f"{_hash(parts)[:_WHOLE]}-{''.join(part[:2] for part in parts)}"
    return Digest(text, {ref: short[:_SHORT] for ref, short in hashes.items()})


def is_approved(approved: Approved, digest: Digest) -> bool:
    """Whether `digest` is the approved plan's."""
    return approved.digest in {digest.text, digest.text[:_WHOLE]}


def moved(approved: Approved, digest: Digest) -> tuple[str, ...]:
    """Which of `PARTS` have changed since; () if that can't be told."""
    old, new = approved.digest[_WHOLE + 1 :], digest.text[_WHOLE + 1 :]
    pairs = zip(PARTS, range(0, len(old), 2), strict=False)
    return tuple(name for name, at in pairs if old[at : at + 2] != new[at : at + 2])


def changes(approved: Approved, digest: Digest, stages: Sequence[Stage]) -> tuple[str, ...]:
    """Object by object what is another than in the approved plan; () if only its digest is known."""
    if approved.actions is None:
        return ()
    now = {action.ref: action.kind.value for stage in stages for action in stage.actions}
    told = [f"gone: {kind} {ref}" for ref, (kind, _) in approved.actions.items() if ref not in now]
    for ref, kind in now.items():
        was, fingerprint = approved.actions.get(ref, ("", ""))
        if not was:
            told.append(f"new: {kind} {ref}")
        elif was != kind:
            told.append(f"other: {kind} {ref}, not {was}")
        elif fingerprint != digest.fingerprints[ref]:
            told.append(f"other: {kind} {ref}, which has changed in Git or in the cluster")
    return tuple(told)


def _content(action: Action, rules: Sequence[RedactRule]) -> list[Any]:
    """What one action does: the object as it is, and what Git makes of it."""
    ref, live, manifest = action.ref, action.verdict.live, action.verdict.manifest
    now: list[Any] = []
    if live is not None:
        # A Secret's version says as much, and the hash of what it holds is for nobody.
        now = [live.uid, live.resource_version if _is_secret(ref) else standing(live)]
    told = manifest is not None and (live is not None or not _is_hidden(ref, rules))
    source = payload_hash(manifest, action.resource) if manifest is not None and told else ""
    return [*_row(ref), action.kind.value, now, source]


def _source(desired: Desired, rules: Sequence[RedactRule]) -> Any:
    """What stands for Git: the commit; where not all that was read is as a commit has it, what was read."""
    revision = desired.revision
    outside = any(path == "-" or path.startswith("/") for path in desired.identity)
    if revision is not None and not revision.dirty and not outside:
        return revision.commit
    return [_row(one.ref) if _is_hidden(one.ref, rules) else one.body for one in desired.manifests]


def _options(settings: Settings, target: str) -> list[Any]:
    return [
        target,
        settings.inventory_namespace,
        settings.namespace,
        settings.prune,
        settings.additive,
        sorted(settings.take_over),
        sorted(settings.adopt_from),
        repr(settings.ignore),
        *([] if settings.selection.is_all else [settings.selection.text]),
    ]


def _is_secret(ref: ObjectRef) -> bool:
    return (ref.group, ref.kind) == ("", "Secret")


def _is_hidden(ref: ObjectRef, rules: Sequence[RedactRule]) -> bool:
    """Whether the object holds what must not be told; a rule of recon.yaml may say so."""
    return _is_secret(ref) or any(rule.match.has(ref) for rule in rules)


def _row(ref: ObjectRef) -> list[str]:
    return [ref.group, ref.kind, ref.namespace, ref.name]


def _hash(value: Any) -> str:
    return hashlib.sha256(orjson.dumps(value, option=orjson.OPT_SORT_KEYS)).hexdigest()
