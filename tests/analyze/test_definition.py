"""What CRDs of the set bring: kinds by version; what is wrong with a CRD brings nothing."""

from typing import Any

import pytest
from objects import body_of, manifest_of

from recon_action.analyze.definition import definitions
from recon_action.model import Body

_V1 = {"name": "v1", "served": True, "storage": True, "subresources": {"status": {}, "scale": {}}}


def _crd(*versions: Any, **spec: Any) -> Body:
    known = {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"kind": "Widget", "plural": "widgets"},
        "versions": list(versions),
    }
    return body_of("CustomResourceDefinition", "widgets.example.com", api="apiextensions.k8s.io/v1", spec=known | spec)


def test_each_served_version_is_a_kind() -> None:
    """With its schema, its scope and its subresources; the server doesn't serve it as yet."""
    schema = {"type": "object"}
    second = {"name": "v2", "served": True, "schema": {"openAPIV3Schema": schema}}
    crd = _crd(_V1, second, {"name": "v3", "served": False}, conversion={"strategy": "Webhook"})
    found = definitions([manifest_of(crd), manifest_of(body_of())])
    assert set(found) == {("example.com", "Widget", "v1"), ("example.com", "Widget", "v2")}
    first, other = found.values()
    assert (first.resource.plural, first.resource.namespaced, first.resource.served) == ("widgets", True, False)
    assert first.resource.subresources == {"status", "scale"}
    assert (first.schema, other.schema) == ({}, schema)
    assert str(first.ref) == "CustomResourceDefinition widgets.example.com"
    assert not first.is_convertible


def test_without_a_webhook_versions_differ_in_name_only() -> None:
    """No conversion, or the one that is none."""
    for conversion in ({}, {"conversion": {"strategy": "None"}}, {"conversion": None}):
        (one,) = definitions([manifest_of(_crd(_V1, **conversion))]).values()
        assert one.is_convertible


@pytest.mark.parametrize(
    "crd",
    [
        pytest.param(_crd(_V1, names="widgets"), id="names"),
        pytest.param(_crd(_V1, names={}), id="no-names"),
        pytest.param(_crd("v1", 2, None), id="versions"),
        pytest.param(_crd() | {"spec": None}, id="no-spec"),
        pytest.param(_crd(versions={"v1": _V1}), id="versions-by-name"),
    ],
)
def test_a_crd_that_is_wrong(crd: Body) -> None:
    """The server says what is wrong with it; until then it brings nothing."""
    assert definitions([manifest_of(crd)]) == {}
