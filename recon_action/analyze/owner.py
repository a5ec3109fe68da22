"""Another tool that manages an object right now, told by the marks that it leaves on what it tracks."""

from collections.abc import Mapping
from dataclasses import dataclass

from recon_action.analyze.fieldset import node_at
from recon_action.analyze.value import value_at
from recon_action.model import ABSENT, Body, FieldPath, LiveObject
from recon_action.model.settings import LIVING_OWNERS

_LABELS, _ANNOTATIONS = ("metadata", "labels"), ("metadata", "annotations")
_HELM_LABEL = FieldPath((*_LABELS, "app.kubernetes.io/managed-by"))
_HELM_RELEASE = FieldPath((*_ANNOTATIONS, "meta.helm.sh/release-name"))
_INSTANCE = FieldPath((*_LABELS, "app.kubernetes.io/instance"))
_ARGO_ID = FieldPath((*_ANNOTATIONS, "argocd.argoproj.io/tracking-id"))
_ARGO = frozenset({"argocd-controller", "argocd-application-controller"})
_KUSTOMIZE, _FLUX_HELM = "kustomize.toolkit.fluxcd.io/", "helm.toolkit.fluxcd.io/"
_HELM = (_HELM_LABEL, _HELM_RELEASE, FieldPath((*_ANNOTATIONS, "meta.helm.sh/release-namespace")))
_FLUX = tuple(
    FieldPath((*_LABELS, prefix + name)) for prefix in (_KUSTOMIZE, _FLUX_HELM) for name in ("name", "namespace")
)
# What each leaves on an object to track it.
_TRACKING: Mapping[str, tuple[FieldPath, ...]] = {
    "argocd": (_ARGO_ID, _INSTANCE, FieldPath((*_ANNOTATIONS, "argocd.argoproj.io/installation-id"))),
    "flux": (*_FLUX, *_HELM),
    "helm": _HELM,
}
_MARKED_LABELS = frozenset({_KUSTOMIZE + "name", _FLUX_HELM + "name", _INSTANCE.items[-1]})
_MARKED_ANNOTATIONS = frozenset({_ARGO_ID.items[-1], _HELM_RELEASE.items[-1]})
# By mark, in the order in which they count: what Flux installs with Helm is Flux's.
_MARKS: tuple[tuple[FieldPath, str], ...] = (
    (_ARGO_ID, "argocd"),
    (FieldPath((*_LABELS, _KUSTOMIZE + "name")), "flux"),
    (FieldPath((*_LABELS, _FLUX_HELM + "name")), "flux"),
    (_HELM_RELEASE, "helm"),
)


@dataclass(frozen=True, slots=True)
class Owner:
    """A tool that manages an object.

    Args:
        name: as `--take-over` has it.
        unit: the application, Kustomization or release that the object is part of.
    """

    name: str
    unit: str

    @property
    def title(self) -> str:
        """As people write it."""
        return LIVING_OWNERS[self.name]

    @property
    def tracking(self) -> tuple[FieldPath, ...]:
        """The fields by which it tracks the object."""
        return _TRACKING[self.name]


def living_owner(live: LiveObject, payload: Body | None = None) -> Owner | None:
    """The tool that manages `live`; None if there is none besides us.

    A mark that Git declares, or that we applied, is no other tool's.
    """
    metadata = live.body["metadata"]
    if _MARKED_LABELS.isdisjoint(metadata.get("labels") or ()) and _MARKED_ANNOTATIONS.isdisjoint(
        metadata.get("annotations") or ()
    ):
        return None  # as of most objects, and of them there may be thousands
    for mark, name in _MARKS:
        value = value_at(live.body, mark)
        if value is ABSENT or _is_ours(mark, live, payload):
            continue
        if name == "helm" and value_at(live.body, _HELM_LABEL) != "Helm":
            continue
        return Owner(name, str(value))
    if _is_labelled_by_argo(live) and not _is_ours(_INSTANCE, live, payload):
        return Owner("argocd", str(value_at(live.body, _INSTANCE)))
    return None


def _is_labelled_by_argo(live: LiveObject) -> bool:
    return value_at(live.body, _INSTANCE) is not ABSENT and any(
        entry.manager in _ARGO and node_at(entry.fields, _INSTANCE) is not None for entry in live.entries
    )


def _is_ours(mark: FieldPath, live: LiveObject, payload: Body | None) -> bool:
    own = live.own_entry
    if own is not None and node_at(own.fields, mark) is not None:
        return True
    return payload is not None and value_at(payload, mark) == value_at(live.body, mark)
