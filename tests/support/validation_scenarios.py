"""Reports of validations, as golden cases."""

from collections.abc import Callable, Mapping

from recon_action.model import (
    Amendment,
    AmendmentKind,
    Desired,
    FieldPath,
    ItemKey,
    Manifest,
    ObjectRef,
    Origin,
    Position,
    Revision,
)
from recon_action.redact import Secrets
from recon_action.report.build import Facts
from recon_action.report.document import Report
from recon_action.report.unverified import Known, unverified
from recon_action.report.validation import Checked, validation

PAGE = "https://github.com/acme/shop"
HEAD = Revision("9e1c2bf0d4f5a6b7c8d9e0f1a2b3c4d5e6f70819", url=PAGE, root="/work")
BASE = Revision("77ab0120c4d5e6f708192a3b4c5d6e7f8091a2b3", url=PAGE)
FACTS = Facts(
    started="2026-11-30T14:05:00Z",
    seconds=0.125,
    run_url=f"{PAGE}/actions/runs/123",
    version="0.1.0",
)
_IMAGE = FieldPath(("spec", "template", "spec", "containers", ItemKey((("name", "web"),)), "image"))
_NOTE = "k8s/web.yaml:4: Deployment shop/web: recon-action.github.io/timeout: 'soon' is no duration, as 90s or 5m."


def _manifest(kind: str, name: str, line: int = 1) -> Manifest:
    body = {"apiVersion": "v1", "kind": kind, "metadata": {"name": name, "namespace": "shop"}}
    return Manifest(ObjectRef("", kind, "shop", name), body, Origin(f"k8s/{name}.yaml", 0, line))


def _report(checked: Checked) -> Report:
    return validation("shop", checked, Secrets.nothing(), FACTS)


def validated() -> Report:
    """Nothing is wrong, and a change adds, changes and removes."""
    desired = Desired(tuple(_manifest("ConfigMap", f"c{number}") for number in range(12)), files=5, revision=HEAD)
    amendments = (
        Amendment(AmendmentKind.REMOVED, _manifest("Secret", "db", 7)),
        Amendment(AmendmentKind.CHANGED, _manifest("Deployment", "web"), (_IMAGE, FieldPath(("spec", "replicas")))),
        Amendment(AmendmentKind.ADDED, _manifest("ConfigMap", "settings")),
    )
    return _report(Checked(desired, BASE, amendments=amendments, notes=(_NOTE,)))


def unreadable() -> Report:
    """Files that are no manifests, with text that would like to be markup."""
    faults = (
        (Position("k8s/web.yaml", 4, 3), "did not find expected key", "check quotes and indentation here and above"),
        (Position("k8s/web.yaml", 19), "the key '</code>@team' is repeated, first in line 12", "keep one of the two"),
        (Position("-", 1), "the object has no apiVersion", "add one, such as apiVersion: apps/v1"),
    )
    return _report(Checked(Desired((), revision=HEAD), BASE, faults))


def of_a_stranger() -> Report:
    """The same, as it is shown when somebody else's run has found it."""
    return unverified(validated(), Known("shop", HEAD.commit, BASE.commit, PAGE, f"{PAGE}/actions/runs/122"))


VALIDATIONS: Mapping[str, Callable[[], Report]] = {
    "validation": validated,
    "validation-of-nonsense": unreadable,
    "validation-of-a-stranger": of_a_stranger,
}
