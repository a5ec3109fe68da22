"""How dangerous a difference is."""

import pytest
from objects import ref

from recon_action.analyze.severity import severity_of
from recon_action.model import DriftKind, FieldChange, FieldPath, Item, ItemKey, ObjectRef, Severity

_DEPLOYMENT = ref("Deployment", group="apps")
_WEB = ItemKey((("name", "web"),))


@pytest.mark.parametrize(
    ("one", "kind", "severity"),
    [
        pytest.param(ref("Namespace"), DriftKind.ORPHANED, Severity.DESTRUCTIVE, id="namespace-to-delete"),
        pytest.param(ref("Namespace"), DriftKind.MISSING, Severity.SPEC, id="namespace-to-create"),
        pytest.param(ref("Secret"), DriftKind.ORPHANED, Severity.SECURITY, id="secret"),
        pytest.param(ref("Role", group="rbac.authorization.k8s.io"), DriftKind.MISSING, Severity.SECURITY, id="rbac"),
        pytest.param(_DEPLOYMENT, DriftKind.MISSING, Severity.SPEC, id="missing"),
        pytest.param(_DEPLOYMENT, DriftKind.ORPHANED, Severity.SPEC, id="orphaned"),
    ],
)
def test_the_kind_of_object_and_of_drift_count(one: ObjectRef, kind: DriftKind, severity: Severity) -> None:
    """Lost data first, then who may do what, then how it runs."""
    assert severity_of(one, kind, ()) is severity


@pytest.mark.parametrize(
    ("paths", "severity"),
    [
        pytest.param([("metadata", "labels", "app")], Severity.METADATA, id="label"),
        pytest.param([("metadata", "labels", "app"), ("spec", "replicas")], Severity.SPEC, id="label-and-spec"),
        pytest.param([("spec", "template", "metadata", "labels", "a")], Severity.SPEC, id="label-of-the-pods"),
        pytest.param([("spec", "containers", _WEB, "securityContext", "privileged")], Severity.SECURITY, id="security"),
        pytest.param([("spec", "replicas"), ("spec", "hostNetwork")], Severity.SECURITY, id="the-worst-counts"),
        pytest.param(
            [("spec", "containers", ItemKey((("name", "hostPID"),)), "image")], Severity.SPEC, id="only-a-name"
        ),
    ],
)
def test_the_fields_that_changed_count(paths: list[tuple[Item, ...]], severity: Severity) -> None:
    """The most dangerous of them decides."""
    changes = [FieldChange(FieldPath(path), 1, 2) for path in paths]
    assert severity_of(_DEPLOYMENT, DriftKind.MODIFIED, changes) is severity
