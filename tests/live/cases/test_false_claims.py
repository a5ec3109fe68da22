"""Manifests that claim what is another target's: its label, its inventory, its lock."""

import json
from collections.abc import Callable

import pytest
from target import Target, config_map

from recon_action.errors import ExitCode
from recon_action.model import Inventory, Outcome, Trouble
from recon_action.model.inventory import PART_OF

_LEASE = "apiVersion: coordination.k8s.io/v1\nkind: Lease\nmetadata: {name: NAME, namespace: recon-system}\n"


def _id_of(target: Target) -> str:
    return Inventory(target.namespace, "recon-system").id


def test_a_manifest_with_another_target_s_label(target: Target, new_target: Callable[[], Target]) -> None:
    """It is ours all the same, and carries our label; the other target neither sees nor loses anything."""
    other = new_target()
    other.write("a.yaml", config_map("a"))
    other.apply()
    body = json.loads(target.kubectl("create", "configmap", "b", "--dry-run=client", "-o", "json"))
    body["metadata"]["labels"] = {PART_OF: _id_of(other)}
    target.write("b.json", json.dumps(body))
    assert target.apply().exit_code is ExitCode.OK
    assert target.get("configmap", "b")["metadata"]["labels"] == {PART_OF: _id_of(target)}
    assert target.diff().entries == ()
    seen = other.apply()
    assert (seen.exit_code, seen.entries, seen.counts.total) == (ExitCode.OK, (), 1)
    assert not any("label" in note for note in seen.notes)
    assert target.get("configmap", "b")


@pytest.mark.parametrize("kind", ["inventory", "lock"])
def test_a_manifest_in_the_place_of_another_target_s_inventory(
    kind: str, target: Target, new_target: Callable[[], Target]
) -> None:
    """Refused by name, before anything is asked of it; the other objects are applied, and the inventory stays."""
    other = new_target()
    other.write("a.yaml", config_map("a"))
    other.apply()
    name = f"recon-action-{other.namespace}"
    manifest = config_map(name).replace("metadata:", "metadata:\n  namespace: recon-system")
    target.write("claim.yaml", manifest if kind == "inventory" else _LEASE.replace("NAME", name))
    target.write("b.yaml", config_map("b"))
    for report in (target.diff(), target.apply()):
        assert report.exit_code is ExitCode.REFUSED
        (entry,) = [entry for entry in report.entries if entry.problem]
        assert entry.problem
        assert (entry.ref.name, entry.problem.trouble) == (name, Trouble.REFUSED)
    assert [entry.outcome for entry in report.entries if entry.ref.name == "b"] == [Outcome.CREATED]
    after = other.diff()
    assert (after.exit_code, after.counts.in_sync, after.counts.unmanaged) == (ExitCode.OK, 1, 0)
