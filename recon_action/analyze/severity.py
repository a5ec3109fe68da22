"""How dangerous a difference is; reports show the worst first."""

from collections.abc import Sequence

from recon_action.model import DriftKind, FieldChange, LiveObject, ObjectRef, Severity

# Deleting one takes other people's data or objects with it; `--allow-destructive` guards them.
DESTRUCTIVE_KINDS = frozenset(
    {
        ("", "Namespace"),
        ("", "PersistentVolume"),
        ("", "PersistentVolumeClaim"),
        ("apiextensions.k8s.io", "CustomResourceDefinition"),
    }
)
_SECURITY_GROUPS = frozenset({"rbac.authorization.k8s.io", "admissionregistration.k8s.io", "certificates.k8s.io"})
_SECURITY_KINDS = frozenset({"Secret", "ServiceAccount", "NetworkPolicy", "PodSecurityPolicy", "AuthorizationPolicy"})
_SECURITY_FIELDS = frozenset(
    {
        "automountServiceAccountToken",
        "capabilities",
        "hostIPC",
        "hostNetwork",
        "hostPID",
        "hostPath",
        "securityContext",
        "serviceAccount",
        "serviceAccountName",
    }
)


def is_destructive(ref: ObjectRef) -> bool:
    """Whether deleting `ref` needs `--allow-destructive`."""
    return (ref.group, ref.kind) in DESTRUCTIVE_KINDS


def is_inside(ref: ObjectRef, home: LiveObject) -> bool:
    """Whether `ref` goes with `home`, a namespace or the definition of its kind."""
    match home.ref.group, home.ref.kind:
        case "", "Namespace":
            return ref.namespace == home.ref.name
        case "apiextensions.k8s.io", "CustomResourceDefinition":
            spec = home.body["spec"]
            return (ref.group, ref.kind) == (spec["group"], spec["names"]["kind"])
        case _:
            return False


def severity_of(ref: ObjectRef, kind: DriftKind, changes: Sequence[FieldChange]) -> Severity:
    """The severity of an object's difference."""
    if kind is DriftKind.ORPHANED and is_destructive(ref):
        return Severity.DESTRUCTIVE
    if ref.group in _SECURITY_GROUPS or ref.kind in _SECURITY_KINDS:
        return Severity.SECURITY
    if any(item in _SECURITY_FIELDS for change in changes for item in change.path.items if isinstance(item, str)):
        return Severity.SECURITY
    if kind is DriftKind.MODIFIED and all(change.path.items[:1] == ("metadata",) for change in changes):
        return Severity.METADATA
    return Severity.SPEC
