"""The inventory on a real server: what it holds, what it survives, and how objects change hands."""

import hashlib
import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from target import Target, config_map

from recon_action.act import store
from recon_action.cluster import connect
from recon_action.errors import ExitCode
from recon_action.lab import Lab
from recon_action.model import Access, Bucket, Inventory, Limit, Member, Mode, ObjectRef, Outcome, Trouble
from recon_action.model.inventory import PART_OF
from recon_action.observe import read_inventory
from recon_action.reconcile import reconcile
from recon_action.report.document import Report

_EVERYTHING = Limit(unlimited=True)
_ANNOTATIONS = "applyset.kubernetes.io/"


@pytest.fixture
def target(lab: Lab, namespace: str, tmp_path: Path) -> Target:
    """An empty target."""
    return Target(lab, namespace, tmp_path / "manifests")


def _parent(target: Target) -> dict[str, Any]:
    name = f"recon-action-{target.namespace}"
    parent: dict[str, Any] = json.loads(target.kubectl("get", "configmap", name, "-n", "recon-system", "-o", "json"))
    return parent


def _uid(target: Target, name: str) -> str:
    return str(target.get("configmap", name)["metadata"]["uid"])


def _members(target: Target, name: str = "") -> set[str]:
    cluster = connect(Access(str(target.lab.kubeconfig)), concurrency=4)
    inventory = read_inventory(cluster, name or target.namespace, "recon-system")
    return {str(ref) for ref in inventory.members}


def _names(target: Target) -> set[str]:
    return set(target.kubectl("get", "configmaps", "-o", "name").split())


def test_the_rules_of_the_kep(target: Target) -> None:
    """KEP-3659, sentence by sentence: of the parent, and of its members."""
    where = f"{target.namespace}-x"
    target.kubectl("create", "namespace", where)
    target.write("a.yaml", config_map("a"))
    target.write("b.yaml", config_map("b").replace("metadata:", f"metadata:\n  namespace: {where}"))
    target.write("p.yaml", "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: p}\nspec: {}\n")
    target.apply()
    metadata = _parent(target)["metadata"]
    labels, annotations = metadata["labels"], metadata["annotations"]
    # The id is the URL-safe base64 of the hash of the parent's own name, namespace, kind and group.
    assert labels["applyset.kubernetes.io/id"] == Inventory(target.namespace, "recon-system").id
    # A parent is no member of its own set; a label's value has at most 63 characters.
    assert PART_OF not in labels
    assert len(labels["applyset.kubernetes.io/id"]) <= 63
    # The tool is named as <toolname>/<semver>, so that no other changes the set.
    tool, _, version = annotations[f"{_ANNOTATIONS}tooling"].partition("/")
    assert (tool, version[:1], version[1:].count(".")) == ("recon-action", "v", 2)
    # Kinds as <kind>.<group>, parted by commas, sorted; a superset of what is there.
    assert annotations[f"{_ANNOTATIONS}contains-group-kinds"] == "ConfigMap,PodDisruptionBudget.policy"
    # The namespaces of members, but for the parent's own.
    assert annotations[f"{_ANNOTATIONS}additional-namespaces"] == ",".join(sorted([target.namespace, where]))
    # Every member is labelled with the set's id.
    for kind, name, namespace in (("configmap", "a", target.namespace), ("configmap", "b", where)):
        body = json.loads(target.kubectl("get", kind, name, "-n", namespace, "-o", "json"))
        assert body["metadata"]["labels"][PART_OF] == labels["applyset.kubernetes.io/id"]


def _kubectl_prune(target: Target) -> "subprocess.CompletedProcess[str]":
    """Kubectl's own apply of one object to our set, as a dry run."""
    parent = f"configmap/recon-action-{target.namespace}"
    arguments = ["--prune", f"--applyset={parent}", "--dry-run=server", "--server-side", "--force-conflicts"]
    return subprocess.run(
        [target.lab.kubectl, "-n", "recon-system", "apply", *arguments, "-f", "-"],
        env=target.lab.env(dict(os.environ) | {"KUBECTL_APPLYSET": "true"}),
        input=config_map("kubectl-s"),
        text=True,
        capture_output=True,
        check=False,
    )


def test_kubectl_reads_the_set(target: Target) -> None:
    """It refuses another tool's set; were the tool its own, it would find exactly our members."""
    for name in ("a", "b"):
        target.write(f"{name}.yaml", config_map(name))
    target.apply()
    refused = _kubectl_prune(target)
    assert refused.returncode
    assert 'managed by tooling "recon-action" instead of "kubectl"' in refused.stderr
    tooling = {"metadata": {"annotations": {f"{_ANNOTATIONS}tooling": "kubectl/v1.37.2"}}}
    parent = f"recon-action-{target.namespace}"
    target.kubectl("patch", "configmap", parent, "-n", "recon-system", "-p", json.dumps(tooling))
    done = _kubectl_prune(target)
    assert done.returncode == 0, done.stderr
    assert [line for line in done.stdout.splitlines() if "pruned" in line] == [
        f"configmap/{name} pruned (server dry run)" for name in ("a", "b")
    ]
    assert target.apply().counts.in_sync == 2


def test_the_namespace_that_we_make_is_marked(target: Target) -> None:
    """One that was there isn't."""
    target.write("a.yaml", config_map("a"))
    made, found = f"{target.namespace}-made", f"{target.namespace}-found"
    target.kubectl("create", "namespace", found)
    for name in (made, found):
        assert target.apply(inventory_namespace=name, target=name[:50]).exit_code in {ExitCode.OK, ExitCode.REFUSED}
    annotations = [
        json.loads(target.kubectl("get", "namespace", name, "-o", "json"))["metadata"].get("annotations") or {}
        for name in (made, found)
    ]
    assert [one.get("recon-action.github.io/created") for one in annotations] == ["true", None]


def _many(number: int) -> dict[ObjectRef, Member]:
    refs = [ObjectRef("", "ConfigMap", f"team-{index % 97}", f"config-{index}") for index in range(number)]
    return {
        one: Member(one, hashlib.md5(one.name.encode()).hexdigest(), hashlib.sha256(one.name.encode()).hexdigest())
        for one in refs
    }


def test_as_many_members_as_there_may_be(target: Target) -> None:
    """10,000 need one ConfigMap; 40,000 several, which the server takes; and none but the parent stays behind."""
    cluster = connect(Access(str(target.lab.kubeconfig)), concurrency=4)
    inventory = Inventory(f"{target.namespace}-many", "recon-system", _many(10_000))
    one = store(cluster, inventory)
    assert one.parts == ()
    several = store(cluster, replace(one, members=_many(40_000)))
    assert len(several.parts) > 1
    assert read_inventory(cluster, inventory.target, "recon-system") == several
    again = store(cluster, replace(several, members=_many(10)))
    assert read_inventory(cluster, inventory.target, "recon-system") == again
    left = target.kubectl("get", "configmaps", "-n", "recon-system", "-o", "name").split()
    assert [name for name in left if inventory.name in name] == [f"configmap/{inventory.name}"]


@pytest.fixture
def pair(target: Target, tmp_path: Path) -> tuple[Target, Target]:
    """Two targets in one namespace, called after it with -old and -new; the old one has three objects."""
    old = replace(target, folder=tmp_path / "old", options={"target": f"{target.namespace}-old"})
    new = replace(target, folder=tmp_path / "new", options={"target": f"{target.namespace}-new"})
    for name in ("a", "b", "c"):
        old.write(f"{name}.yaml", config_map(name))
    new.write("own.yaml", config_map("own"))
    old.apply()
    new.apply()
    return old, new


def _move(old: Target, new: Target, name: str, text: str = "") -> None:
    old.remove(f"{name}.yaml")
    new.write(f"{name}.yaml", text or config_map(name))


def test_objects_change_hands(pair: tuple[Target, Target]) -> None:
    """The new target takes them, when it is told from whom; the old one lets go and forgets; nothing is deleted."""
    old, new = pair
    uids = {name: _uid(old, name) for name in "abc"}
    _move(old, new, "a")
    _move(old, new, "b", config_map("b").replace('"1"', '"2"'))
    refused = new.apply()
    assert refused.exit_code is ExitCode.REFUSED
    assert [entry.problem.trouble for entry in refused.entries if entry.problem] == [Trouble.FOREIGN] * 2
    assert new.apply(adopt_from=frozenset({"somebody-else"})).exit_code is ExitCode.REFUSED
    found = new.diff(adopt_from=frozenset({old.options["target"]}))
    assert {entry.ref.name: entry.bucket for entry in found.entries} == {"a": Bucket.IN_SYNC, "b": Bucket.PENDING}
    assert {entry.reason for entry in found.entries} == {f"it moves here from target {old.options['target']}"}
    assert new.apply(adopt_from=frozenset({old.options["target"]})).exit_code is ExitCode.OK
    assert new.diff().counts.in_sync == 3
    left = old.apply(max_prune=_EVERYTHING)
    assert left.exit_code is ExitCode.OK
    assert [entry.bucket for entry in left.entries] == [Bucket.SKIPPED] * 2
    assert old.diff().counts.total == 1
    assert _members(old, old.options["target"]) == {f"ConfigMap {old.namespace}/c"}
    assert {name: _uid(old, name) for name in "abc"} == uids
    assert old.get("configmap", "b")["data"] == {"a": "2"}


def test_an_old_target_that_comes_first_says_what_would_be_lost(pair: tuple[Target, Target]) -> None:
    """Its diff announces the deletion, and the way around it; its apply tells of every object that it deleted."""
    old, new = pair
    _move(old, new, "a")
    found = old.diff()
    assert [(entry.ref.name, entry.drift) for entry in found.entries] == [("a", "orphaned")]
    assert any("--adopt-from" in note for note in found.notes)
    done = old.apply()
    assert [(entry.ref.name, entry.outcome) for entry in done.entries] == [("a", Outcome.DELETED)]
    assert new.apply().exit_code is ExitCode.OK
    assert "configmap/a" in _names(new)


class _Meanwhile:
    """Does something at the moment when a run begins to delete."""

    def __init__(self, what: Callable[[], object]) -> None:
        self._what = what

    def step(self, title: str, total: int | None = None) -> None:
        if title.startswith("prune") and total:
            self._what()

    def advance(self, count: int = 1) -> None:
        pass

    def note(self, text: str) -> None:
        pass


def test_an_object_that_changes_hands_at_the_last_moment(pair: tuple[Target, Target]) -> None:
    """It has been judged an orphan, and moves before it is deleted: it stays, and the next run lets go of it."""
    old, new = pair
    _move(old, new, "a")
    meanwhile = _Meanwhile(lambda: new.apply(adopt_from=frozenset({old.options["target"]})))
    report = reconcile(old.settings(), Mode.APPLY, progress=meanwhile)
    assert report.exit_code is ExitCode.INCOMPLETE
    (entry,) = report.entries
    assert entry.problem is not None
    assert "changed after it had been judged" in entry.problem.message
    assert new.diff().counts.in_sync == 2
    assert old.apply().exit_code is ExitCode.OK
    assert old.diff().counts.total == 2


def test_a_renamed_target_takes_everything_along(pair: tuple[Target, Target]) -> None:
    """A new name, and the old one named: the same objects, and the old inventory has nothing to delete any more."""
    old, _ = pair
    uids = {name: _uid(old, name) for name in "abc"}
    name = f"{old.namespace}-renamed"
    report = old.apply(target=name, adopt_from=frozenset({old.options["target"]}))
    assert (report.exit_code, report.counts.mended) == (ExitCode.OK, 3)
    assert old.diff(target=name).counts.in_sync == 3
    assert {name: _uid(old, name) for name in "abc"} == uids
    old.write("z.yaml", config_map("z"))
    for one in "abc":
        old.remove(f"{one}.yaml")
    assert old.apply(max_prune=_EVERYTHING).exit_code is ExitCode.OK
    assert {f"configmap/{one}" for one in "abcz"} <= _names(old)


def test_what_a_controller_owns_is_not_pruned(target: Target) -> None:
    """An object of ours that something has taken under its wing goes with it, and not with Git."""
    for name in ("a", "b", "c"):
        target.write(f"{name}.yaml", config_map(name))
    target.apply()
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "a", "uid": _uid(target, "a"), "controller": True}
    target.kubectl("patch", "configmap", "c", "-p", json.dumps({"metadata": {"ownerReferences": [owner]}}))
    target.remove("c.yaml")
    report = target.apply(max_prune=_EVERYTHING)
    assert [(entry.bucket, entry.reason) for entry in report.entries] == [
        (Bucket.SKIPPED, "a controller owns it; left alone")
    ]
    assert "configmap/c" in _names(target)


@pytest.fixture
def lost(target: Target) -> Target:
    """A target whose inventory is gone, while Git has dropped a ConfigMap and a Secret."""
    for name in ("a", "b", "c", "d", "old"):
        target.write(f"{name}.yaml", config_map(name))
    target.write("secret.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: hidden}\n")
    target.apply()
    target.remove("old.yaml")
    target.remove("secret.yaml")
    target.kubectl("delete", "configmap", "-n", "recon-system", f"recon-action-{target.namespace}")
    return target


def _deleted(report: Report) -> list[str]:
    return sorted(entry.ref.name for entry in report.entries if entry.outcome is Outcome.DELETED)


def test_a_lost_inventory_is_not_taken_for_a_new_one(lost: Target) -> None:
    """What is ours by its marks and not in Git would be forgotten: refused, with the flag that helps."""
    assert any("--rebuild-inventory" in note for note in lost.diff().notes)
    report = lost.apply()
    assert report.exit_code is ExitCode.REFUSED
    assert "has no inventory, but 1 objects carry its label" in report.problems[0].message
    assert "--rebuild-inventory" in report.problems[0].hint
    missing = lost.kubectl("get", "configmap", "-n", "recon-system", f"recon-action-{lost.namespace}", check=False)
    assert missing == ""


def test_a_lost_inventory_is_rebuilt(lost: Target) -> None:
    """Of every kind, also of those that Git has no more; then they are orphans like any other, under the limit."""
    lost.kubectl("create", "configmap", "copied")
    label = f"{PART_OF}={Inventory(lost.namespace, 'recon-system').id}"
    lost.kubectl("label", "configmap", "copied", label)
    found = lost.diff(rebuild_inventory=True)
    assert {entry.ref.name: entry.drift for entry in found.entries} == {"old": "orphaned", "hidden": "orphaned"}
    assert any("6 objects were taken up again" in note for note in found.notes)
    assert lost.apply(rebuild_inventory=True, max_prune=Limit(count=1)).exit_code is ExitCode.REFUSED
    kept = lost.apply(rebuild_inventory=True, prune=False)
    assert (kept.exit_code, _deleted(kept)) == (ExitCode.DIFFERENT, [])
    assert f"Secret {lost.namespace}/hidden" in _members(lost)
    done = lost.apply()
    assert (done.exit_code, _deleted(done)) == (ExitCode.OK, ["hidden", "old"])
    assert "configmap/copied" in _names(lost)


def test_a_lost_inventory_of_what_git_still_has_is_a_note(target: Target) -> None:
    """Everything that is known of is taken up again; what else there was is worth a look."""
    target.write("a.yaml", config_map("a"))
    target.apply()
    target.kubectl("delete", "configmap", "-n", "recon-system", f"recon-action-{target.namespace}")
    report = target.apply()
    assert (report.exit_code, report.counts.in_sync) == (ExitCode.OK, 1)
    assert any("inventory is gone" in note for note in report.notes)
    assert target.apply().notes == ()
    assert _members(target) == {f"ConfigMap {target.namespace}/a"}


def test_rebuilding_tells_what_it_may_not_see(lost: Target) -> None:
    """Kinds that may not be listed are named: members of theirs are missing."""
    access = lost.user('{apiGroups: [""], resources: [configmaps, namespaces], verbs: [get, list, patch]}')
    report = lost.diff(rebuild_inventory=True, access=access)
    assert [entry.ref.name for entry in report.entries if entry.drift == "orphaned"] == ["old"]
    assert any("Secret (v1)" in note for note in report.notes)
