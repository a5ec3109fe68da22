"""What annotations ask for, of each tool whose annotations people already have: one table.

They are read from the manifest, and of an object that Git no longer has from the live one. What comes of them is
decided where it is done: `verdict`, `claims`, `plan`, `guard`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from recon_action.analyze.patience import TIMEOUT
from recon_action.model import NO_DIRECTIVES, Body, Directives, FieldPath, ObjectRef

OURS = "recon-action.github.io/"
_ARGO = "argocd.argoproj.io/"
_FLUX = "kustomize.toolkit.fluxcd.io/"
_KAPP = "kapp.k14s.io/"
_LIFECYCLE = "client.lifecycle.config.k8s.io/"

_ANY = "*"
_KEEP = ("keep", "detach")
# By key, and by value in lower case, the fields of `Directives` that are decided; () is known, and of no effect
# here. "name=" is an option with any other value, `_ANY` any other value. Of several the first one counts.
_ASKED: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    OURS + "reconcile": {"disabled": ("skip",), "enabled": ()},
    OURS + "prune": {"disabled": _KEEP, "enabled": ()},
    OURS + "create-once": {"true": ("create_once",), "false": ()},
    OURS + "recreate": {"enabled": ("recreate",), "disabled": ()},
    _ARGO + "hook": {_ANY: ("skip",)},
    _ARGO + "sync-options": {
        "prune=false": ("keep",),
        "prune=confirm": ("confirm",),
        "prune=true": (),
        "delete=false": ("detach",),
        "delete=confirm": ("confirm",),
        "delete=true": (),
        "replace=true": ("recreate",),
        "replace=false": (),
        "force=true": ("recreate",),
        "force=false": (),
        # How Argo CD goes about it: an apply here is server-side, validated, only of what differs, and prunes last.
        "applyoutofsynconly=": (),
        "clientsideapplymigration=": (),
        "createnamespace=": (),
        "failonsharedresource=": (),
        "prunelast=": (),
        "prunepropagationpolicy=": (),
        "respectignoredifferences=": (),
        "serversideapply=": (),
        "skipdryrunonmissingresource=": (),
        "validate=": (),
    },
    _ARGO + "compare-options": {"ignoreextraneous": ("keep",), "serversidediff=": (), "includemutationwebhook=": ()},
    _FLUX + "reconcile": {"disabled": ("skip",), "enabled": ()},
    _FLUX + "prune": {"disabled": _KEEP, "enabled": ()},
    _FLUX + "ssa": {"ignore": ("skip",), "ifnotpresent": ("create_once",), "merge": ("merge",), "override": ()},
    _FLUX + "force": {"enabled": ("recreate",), "disabled": ()},
    _KAPP + "noop": {_ANY: ("skip",)},
    _KAPP + "exists": {_ANY: ("skip",)},
    _KAPP + "delete-strategy": {"orphan": _KEEP, "": ()},
    _KAPP + "update-strategy": {
        "skip": ("create_once",),
        "fallback-on-replace": ("recreate",),
        "always-replace": ("recreate",),
        "": (),
    },
    # An apply here updates what it finds, whoever made it.
    _KAPP + "create-strategy": {"fallback-on-update": (), "fallback-on-update-or-noop": (), "": ()},
    _LIFECYCLE + "deletion": {"detach": _KEEP},
    _LIFECYCLE + "mutation": {"ignore": ("create_once",)},
    "cli-utils.sigs.k8s.io/on-remove": {"keep": _KEEP},
    "helm.sh/resource-policy": {"keep": _KEEP},
    "helm.sh/hook": {"crd-install": (), _ANY: ("skip",)},
}
_WAVES = (OURS + "wave", _ARGO + "sync-wave")
_DEPENDS_ON = (OURS + "depends-on", "config.kubernetes.io/depends-on")
_KNOWN = frozenset({*_ASKED, *_WAVES, *_DEPENDS_ON, TIMEOUT})
_IN_LABELS = frozenset(key for key in _ASKED if key.startswith(_FLUX))  # Flux reads either
_RANK = {key: rank for rank, key in enumerate(_ASKED)}

_NUMBER = re.compile(r"[+-]?\d{1,9}")
_MOST = 80  # characters of a value that are shown
_SHOWN = 3  # objects that a note names
_NOTES = 10
_MALFORMED = (
    "each part of {} must name an object: group/namespaces/NAMESPACE/KIND/NAME, or group/KIND/NAME of one without a "
    "namespace; of the core group, the group is empty"
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What the annotations of one object ask for.

    Args:
        directives: what is understood.
        unread: annotations, as `key: value`, that mean nothing here, though they should.
        faults: fields that can't stay as they are, each with the reason.
    """

    directives: Directives = NO_DIRECTIVES
    unread: tuple[str, ...] = ()
    faults: tuple[tuple[FieldPath, str], ...] = ()


NOTHING = Asked()


def directives_of(body: Body) -> Directives:
    """What the annotations of `body`, a manifest or a live object, ask for."""
    return asked_of(body).directives


def asked_of(body: Body) -> Asked:
    """The same, with what is wrong with them; `NOTHING`, and quickly, where none is meant for us."""
    metadata = body["metadata"]
    annotations, labels = metadata.get("annotations"), metadata.get("labels")
    stated = []
    if annotations:
        stated = [(key, value) for key, value in annotations.items() if key in _KNOWN or key.startswith(OURS)]
    if labels and not _IN_LABELS.isdisjoint(labels):
        stated += [(key, labels[key]) for key in _RANK if key in _IN_LABELS and key in labels]
    if not stated:
        return NOTHING  # as of most objects, and of them there may be thousands
    return _read(tuple((key, value) for key, value in stated if isinstance(value, str)))


def faults(asked: Mapping[ObjectRef, Asked]) -> Iterator[tuple[ObjectRef, FieldPath, str]]:
    """All that can't stay as it is."""
    for ref, one in asked.items():
        for path, message in one.faults:
            yield ref, path, message


def notes_of_annotations(asked: Mapping[ObjectRef, Asked]) -> list[str]:
    """What a report says of annotations that decide, or mean, nothing that its entries would tell."""
    unread: dict[str, list[ObjectRef]] = {}
    merged: dict[str, list[ObjectRef]] = {}
    for ref, one in asked.items():
        for text in one.unread:
            unread.setdefault(text, []).append(ref)
        if one.directives.merge:
            merged.setdefault(one.directives.merge, []).append(ref)
    told = [
        f"Annotation {text} means nothing to recon-action; it is on {_named(refs)}." for text, refs in unread.items()
    ]
    told += [
        f"Fields that Git does not mention are not looked at, as annotated ({text}): {_named(refs)}."
        for text, refs in merged.items()
    ]
    more = len(told) - _NOTES
    return told if more <= 0 else [*told[:_NOTES], f"The same holds of {more} more kinds of annotations."]


@lru_cache(maxsize=1024)
def _read(stated: tuple[tuple[str, str], ...]) -> Asked:
    """What annotations ask for: many objects have the same."""
    found: dict[str, str] = {}
    unread: list[str] = []
    for key, value in sorted(stated, key=lambda pair: _RANK.get(pair[0], 0)):
        if key not in _ASKED:
            unread += [key] if key not in _KNOWN else []
            continue
        for part in value.split(","):
            word = " ".join(part.split())
            fields = _decided(_ASKED[key], word.lower())
            text = f"{key}: {word[:_MOST]}"
            if fields is None:
                unread.append(text)
            for name in fields or ():
                found.setdefault(name, text)
    annotations = dict(stated)
    wave, waves_unread = _wave(annotations)
    refs, broken = _depends_on(annotations)
    return Asked(Directives(**found, wave=wave, depends_on=refs), (*unread, *waves_unread), broken)


def _decided(table: Mapping[str, tuple[str, ...]], word: str) -> tuple[str, ...] | None:
    """The fields that a value decides; None if it is not known."""
    for key in (word, f"{word.partition('=')[0]}=", _ANY):
        if key in table:
            return table[key]
    return None if word else ()


def _wave(annotations: Mapping[str, str]) -> tuple[int, list[str]]:
    unread: list[str] = []
    for key in _WAVES:
        text = annotations.get(key, "").strip()
        if _NUMBER.fullmatch(text):
            return int(text), unread
        if text:
            unread.append(f"{key}: {text[:_MOST]}")
    return 0, unread


def _depends_on(
    annotations: Mapping[str, str],
) -> tuple[tuple[ObjectRef, ...], tuple[tuple[FieldPath, str], ...]]:
    refs: dict[ObjectRef, None] = {}
    broken = []
    for key in _DEPENDS_ON:
        if not (value := annotations.get(key)):
            continue
        named = [_ref(part.strip()) for part in value.split(",")]
        refs |= dict.fromkeys(ref for ref in named if ref is not None)
        if None in named:
            broken.append((FieldPath(("metadata", "annotations", key)), _MALFORMED.format(key)))
    return tuple(refs), tuple(broken)


def _ref(text: str) -> ObjectRef | None:
    """The object that one part of a depends-on annotation names; None if it names none."""
    match text.split("/"):
        case [group, "namespaces", namespace, kind, name] if namespace and kind and name:
            return ObjectRef(group, kind, namespace, name)
        case [group, kind, name] if kind and name:
            return ObjectRef(group, kind, "", name)
        case _:
            return None


def _named(refs: Iterable[ObjectRef]) -> str:
    every = [str(ref) for ref in refs]
    more = len(every) - _SHOWN
    return ", ".join(every[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
