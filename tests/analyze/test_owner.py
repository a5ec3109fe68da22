"""Other tools that manage an object, by the marks that they leave on it."""

from typing import Any

import pytest
from objects import body_of, entry_of, live_of

from recon_action.analyze.owner import living_owner
from recon_action.model import Body

_ARGO = {"argocd.argoproj.io/tracking-id": "shop:/ConfigMap:shop/web"}
_HELM = {"meta.helm.sh/release-name": "shop", "meta.helm.sh/release-namespace": "default"}
_HELM_LABEL = {"app.kubernetes.io/managed-by": "Helm"}
_FLUX = {"kustomize.toolkit.fluxcd.io/name": "apps"}
_FLUX_HELM = {"helm.toolkit.fluxcd.io/name": "release"}
_INSTANCE = {"app.kubernetes.io/instance": "shop"}


def _body(labels: dict[str, str] | None = None, annotations: dict[str, str] | None = None) -> Body:
    metadata: Body = {"name": "web"} | ({"labels": labels} if labels else {})
    return body_of(metadata=metadata | ({"annotations": annotations} if annotations else {}))


def _owns(kind: str, name: str, manager: str, operation: str = "Apply") -> Body:
    return entry_of({"f:metadata": {f"f:{kind}": {f"f:{name}": {}}}}, manager, operation)


@pytest.mark.parametrize(
    ("body", "entries", "owner"),
    [
        pytest.param(_body(), (), None, id="unmarked"),
        pytest.param(_body({"app": "web"}, {"x": "1"}), (), None, id="other-labels"),
        pytest.param(_body(None, _ARGO), (), ("argocd", "Argo CD", "shop:/ConfigMap:shop/web"), id="argocd"),
        pytest.param(_body(_FLUX), (), ("flux", "Flux", "apps"), id="kustomization"),
        pytest.param(_body(_FLUX_HELM | _HELM_LABEL, _HELM), (), ("flux", "Flux", "release"), id="helm-by-flux"),
        pytest.param(_body(_HELM_LABEL, _HELM), (), ("helm", "Helm", "shop"), id="helm"),
        pytest.param(_body(_HELM_LABEL), (), None, id="rendered-from-a-chart"),
        pytest.param(_body(None, _HELM), (), None, id="helm-without-its-label"),
        pytest.param(_body(_INSTANCE), (), None, id="an-instance-label"),
        pytest.param(
            _body(_INSTANCE),
            (_owns("labels", "app.kubernetes.io/instance", "argocd-controller"),),
            ("argocd", "Argo CD", "shop"),
            id="an-instance-label-of-argocd",
        ),
        pytest.param(
            _body(_HELM_LABEL, _HELM),
            (_owns("annotations", "meta.helm.sh/release-name", "recon-action"),),
            None,
            id="applied-by-us",
        ),
        pytest.param(
            _body(_INSTANCE),
            (
                _owns("labels", "app.kubernetes.io/instance", "argocd-controller"),
                _owns("labels", "app.kubernetes.io/instance", "recon-action"),
            ),
            None,
            id="an-instance-label-that-we-applied-too",
        ),
    ],
)
def test_an_owner_is_known_by_its_marks(body: Body, entries: tuple[Body, ...], owner: tuple[Any, ...] | None) -> None:
    """Unless the mark is ours, or no more than what a chart renders."""
    found = living_owner(live_of(body, *entries))
    assert ((found.name, found.title, found.unit) if found else None) == owner


def test_a_mark_that_git_declares_is_no_owner_s() -> None:
    """With the same value; with another one it is."""
    live = live_of(_body(_HELM_LABEL, _HELM))
    assert living_owner(live, _body(_HELM_LABEL, _HELM)) is None
    other = living_owner(live, _body(_HELM_LABEL, _HELM | {"meta.helm.sh/release-name": "other"}))
    assert other is not None
    assert {str(path) for path in other.tracking} == {
        'metadata.labels["app.kubernetes.io/managed-by"]',
        'metadata.annotations["meta.helm.sh/release-name"]',
        'metadata.annotations["meta.helm.sh/release-namespace"]',
    }
