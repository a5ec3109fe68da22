"""The loop on a real API server: what a diff says, what an apply does, and what it leaves alone."""

import base64
import json
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from target import DEPLOYMENT, Target, config_map, definition, told

from recon_action.errors import ClusterError, DesiredError, ExitCode
from recon_action.lab import Lab
from recon_action.model import Bucket, Cause, DriftKind, Inventory, Limit, Outcome, Trouble

_DEFINITION = definition("Widget", "widgets", "{size: {type: integer}}")
_SECOND_VERSION = """\
  - name: v2
    served: true
    storage: false
    schema:
      openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
"""
_WIDGET = """\
apiVersion: example.com/v1
kind: Widget
metadata: {name: one, namespace: fresh}
spec: {size: 3}
"""
_NAMESPACE = """\
apiVersion: v1
kind: Namespace
metadata: {name: fresh}
"""


@pytest.fixture
def target(lab: Lab, namespace: str, tmp_path: Path) -> Target:
    """An empty target in a namespace of its own."""
    return Target(lab, namespace, tmp_path)


def _versions(target: Target, kinds: str = "configmaps,deployments") -> dict[str, str]:
    items = json.loads(target.kubectl("get", kinds, "-o", "json"))["items"]
    return {item["metadata"]["name"]: item["metadata"]["resourceVersion"] for item in items}


def test_first_apply_then_in_sync(target: Target) -> None:
    """What Git has and the cluster lacks is pending; applied, it is in sync and nothing is left to do."""
    target.write("a.yaml", config_map("a"))
    target.write("web.yaml", DEPLOYMENT)
    first = target.diff()
    assert (first.exit_code, first.counts.pending, first.counts.unmanaged) == (ExitCode.DIFFERENT, 2, 2)
    assert all(entry.predicted and entry.drift is DriftKind.MISSING for entry in first.entries)
    done = target.apply()
    assert done.exit_code is ExitCode.OK
    assert {entry.outcome for entry in done.entries} == {Outcome.CREATED}
    before = _versions(target)
    again = target.apply()
    assert (again.exit_code, again.counts.in_sync, again.entries) == (ExitCode.OK, 2, ())
    assert _versions(target) == before


def test_a_change_by_hand_is_explained_and_undone(target: Target) -> None:
    """A scale and a new image are drift of a person's tool, with Git's line; an apply undoes just them."""
    target.write("a.yaml", config_map("a"))
    target.write("web.yaml", DEPLOYMENT)
    target.apply()
    untouched = _versions(target)["a"]
    target.kubectl("scale", "deployment/web", "--replicas=5")
    target.kubectl("set", "image", "deployment/web", "web=registry.example/web:hacked")
    found = target.diff()
    assert found.exit_code is ExitCode.DIFFERENT
    (entry,) = found.entries
    assert (entry.bucket, entry.cause) == (Bucket.DRIFTED, Cause.MANUAL)
    changes = {change.path: change for change in entry.changes}
    replicas = changes["spec.replicas"]
    assert (replicas.desired, replicas.live, replicas.tool) == (3, 5, "kubectl scale")
    assert not replicas.since  # the server records no time for a write to the scale subresource
    assert replicas.place
    assert (replicas.place.file, replicas.place.line) == (str(target.folder / "web.yaml"), 7)
    image = changes["spec.template.spec.containers[name=web].image"]
    assert image.since
    assert (image.live, image.tool) == ("registry.example/web:hacked", "kubectl-set")
    assert image.place
    assert image.place.line == 16
    assert target.apply().exit_code is ExitCode.OK
    assert target.diff().exit_code is ExitCode.OK
    assert _versions(target)["a"] == untouched
    assert target.get("deployment", "web")["spec"]["replicas"] == 3


def test_git_moved_is_pending_not_drift(target: Target) -> None:
    """A change in Git is pending, even of a field beside one that a person changed."""
    target.write("web.yaml", DEPLOYMENT)
    target.apply()
    target.write("web.yaml", DEPLOYMENT.replace("replicas: 3", "replicas: 4"))
    (entry,) = target.diff().entries
    assert (entry.bucket, entry.cause) == (Bucket.PENDING, Cause.GIT)
    target.kubectl("set", "image", "deployment/web", "web=registry.example/web:hacked")
    (entry,) = target.diff().entries
    assert entry.bucket is Bucket.DRIFTED
    assert {change.path: change.cause for change in entry.changes} == {
        "spec.replicas": Cause.GIT,
        "spec.template.spec.containers[name=web].image": Cause.MANUAL,
    }


def test_a_field_dropped_in_git_goes(target: Target) -> None:
    """A field that Git no longer has is removed by an apply, and the diff says so beforehand."""
    target.write("a.yaml", config_map("a") + '  b: "2"\n')
    target.apply()
    target.write("a.yaml", config_map("a"))
    (change,) = target.diff().entries[0].changes
    assert (change.path, change.has_desired, change.live, change.cause) == ("data.b", False, "2", Cause.GIT)
    target.apply()
    assert target.get("configmap", "a")["data"] == {"a": "1"}


def test_deleted_by_hand(target: Target) -> None:
    """A member that is gone was deleted: drift, made anew by an apply."""
    target.write("a.yaml", config_map("a"))
    target.write("b.yaml", config_map("b"))
    target.apply()
    target.kubectl("delete", "configmap", "a")
    assert told(target.diff()) == {f"ConfigMap {target.namespace}/a": "drifted missing"}
    assert target.apply().entries[0].outcome is Outcome.CREATED
    assert target.diff().exit_code is ExitCode.OK


def test_objects_that_kubectl_applied_are_compared_like_any_other(target: Target) -> None:
    """Our missing label is no drift; the object is counted as not yet managed and adopted by an apply."""
    target.write("a.yaml", config_map("a"))
    target.write("web.yaml", DEPLOYMENT)
    target.kubectl("apply", "-f", str(target.folder))
    report = target.diff()
    assert (report.exit_code, report.counts.in_sync, report.counts.unmanaged) == (ExitCode.OK, 2, 2)
    target.kubectl("scale", "deployment/web", "--replicas=7")
    assert told(target.diff()) == {f"Deployment {target.namespace}/web": "pending modified spec.replicas"}
    target.apply()
    after = target.diff()
    assert (after.exit_code, after.counts.unmanaged) == (ExitCode.OK, 0)
    assert target.get("deployment", "web")["spec"]["replicas"] == 3


def test_a_stripped_label_is_mended(target: Target) -> None:
    """Someone who takes our label off hides nothing: the object is found, in sync, and mended."""
    target.write("a.yaml", config_map("a"))
    target.apply()
    target.kubectl("label", "configmap", "a", "applyset.kubernetes.io/part-of-")
    report = target.diff()
    assert (report.exit_code, report.counts.in_sync, report.counts.mended) == (ExitCode.OK, 1, 1)
    target.apply()
    assert target.diff().counts.mended == 0
    labels = target.get("configmap", "a")["metadata"]["labels"]
    assert labels["applyset.kubernetes.io/part-of"] == Inventory(target.namespace, "recon-system").id


def test_removed_from_git_is_pruned(target: Target) -> None:
    """An object that left Git is deleted; a stray one that Git never had is left alone."""
    for name in ("a", "b", "c"):
        target.write(f"{name}.yaml", config_map(name))
    target.apply()
    target.kubectl("create", "configmap", "stray")
    target.remove("b.yaml")
    found = target.diff()
    assert told(found) == {f"ConfigMap {target.namespace}/b": "pending orphaned"}
    kept = target.apply(prune=False)
    assert kept.exit_code is ExitCode.DIFFERENT
    assert "b" in _versions(target)
    done = target.apply()
    assert (done.exit_code, done.entries[0].outcome) == (ExitCode.OK, Outcome.DELETED)
    assert {"a", "c", "stray"} <= _versions(target).keys()
    assert "b" not in _versions(target)
    assert target.diff().counts.total == 2


def test_an_object_made_anew_by_someone_is_not_ours_to_delete(target: Target) -> None:
    """Another UID under the same name is another object: reported, never pruned."""
    target.write("a.yaml", config_map("a"))
    target.write("b.yaml", config_map("b"))
    target.apply()
    target.kubectl("delete", "configmap", "b")
    target.kubectl("create", "configmap", "b")
    target.remove("b.yaml")
    report = target.apply()
    assert report.exit_code is ExitCode.OK
    (entry,) = report.entries
    assert (entry.bucket, entry.outcome) == (Bucket.SKIPPED, None)
    assert "anew" in entry.reason
    assert "b" in _versions(target)


def test_no_prune_after_a_failure(target: Target) -> None:
    """While one object can't be applied, nothing is deleted."""
    target.write("a.yaml", config_map("a"))
    target.write("b.yaml", config_map("b"))
    target.apply()
    target.remove("b.yaml")
    target.write("bad.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: bad}\nspec: {ports: [{port: 99999}]}\n")
    report = target.apply()
    assert report.exit_code is ExitCode.INCOMPLETE
    assert "b" in _versions(target)
    target.remove("bad.yaml")
    assert target.apply().exit_code is ExitCode.OK
    assert "b" not in _versions(target)


def test_too_many_deletions_are_refused(target: Target) -> None:
    """Beyond the limit nothing at all is done, and the refusal names the objects and the flag."""
    for name in "abcdefgh":
        target.write(f"{name}.yaml", config_map(name))
    target.apply()
    for name in "abcd":
        target.remove(f"{name}.yaml")
    target.write("e.yaml", config_map("e").replace('"1"', '"2"'))
    assert any("would be refused" in note for note in target.diff().notes)
    before = _versions(target)
    report = target.apply()
    assert (report.exit_code, report.result) == (ExitCode.REFUSED, "refused")
    (problem,) = report.problems
    assert "4 of 8" in problem.message
    assert "--max-prune 4" in problem.hint
    assert _versions(target) == before
    assert target.apply(max_prune=Limit(count=4)).exit_code is ExitCode.OK


def test_deleting_a_namespace_needs_a_flag(target: Target) -> None:
    """A Namespace that left Git is not deleted without --allow-destructive."""
    name = f"{target.namespace}-extra"
    for other in "abc":
        target.write(f"{other}.yaml", config_map(other))
    target.write("ns.yaml", f"apiVersion: v1\nkind: Namespace\nmetadata: {{name: {name}}}\n")
    target.apply()
    target.remove("ns.yaml")
    report = target.apply()
    assert report.exit_code is ExitCode.REFUSED
    assert name in report.problems[0].message
    assert target.apply(allow_destructive=True).exit_code is ExitCode.OK


def test_other_paths_are_refused(target: Target, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A target whose manifests come from elsewhere than last time is refused, unless taken over."""
    target.write("a.yaml", config_map("a"))
    target.apply()
    elsewhere = Target(target.lab, target.namespace, tmp_path_factory.mktemp("elsewhere"))
    elsewhere.write("b.yaml", config_map("b"))
    report = elsewhere.apply()
    assert report.exit_code is ExitCode.REFUSED
    assert "--take-over-target" in report.problems[0].hint
    assert "b" not in _versions(target)
    assert elsewhere.apply(take_over_target=True, max_prune=Limit(unlimited=True)).exit_code is ExitCode.OK


def test_an_empty_folder_never_empties_a_cluster(target: Target) -> None:
    """Zero manifests is an error before anything is asked or done."""
    target.write("a.yaml", config_map("a"))
    target.apply()
    target.remove("a.yaml")
    with pytest.raises(DesiredError, match="no manifests"):
        target.apply(max_prune=Limit(unlimited=True))
    assert "a" in _versions(target)


def test_another_set_s_object_is_refused(target: Target) -> None:
    """An object that carries another ApplySet's label is left as it is, and the set is named."""
    target.write("a.yaml", config_map("a"))
    target.kubectl("create", "configmap", "a")
    target.kubectl("label", "configmap", "a", "applyset.kubernetes.io/part-of=applyset-other-v1")
    report = target.apply()
    assert report.exit_code is ExitCode.REFUSED
    (entry,) = report.entries
    assert entry.problem
    assert entry.problem.trouble is Trouble.FOREIGN
    assert "applyset-other-v1" in entry.problem.message
    assert "data" not in target.get("configmap", "a")


def test_the_inventory_is_an_applyset(target: Target) -> None:
    """The parent follows the KEP, and its record holds members, paths and format."""
    target.write("a.yaml", config_map("a"))
    target.apply()
    parent = json.loads(
        target.kubectl("get", "configmap", "-n", "recon-system", f"recon-action-{target.namespace}", "-o", "json")
    )
    metadata = parent["metadata"]
    expected = Inventory(target.namespace, "recon-system").id
    assert metadata["labels"]["applyset.kubernetes.io/id"] == expected
    assert metadata["annotations"]["applyset.kubernetes.io/contains-group-kinds"] == "ConfigMap"
    assert metadata["annotations"]["applyset.kubernetes.io/additional-namespaces"] == target.namespace
    assert metadata["annotations"]["applyset.kubernetes.io/tooling"].startswith("recon-action/v")
    record = json.loads(zlib.decompress(base64.b64decode(parent["binaryData"]["inventory.json.z"])))
    assert record["format"] == 1
    assert record["paths"] == [str(target.folder)]
    ((group, kind, namespace, name, uid, digest, memo),) = record["members"]
    assert (group, kind, namespace, name) == ("", "ConfigMap", target.namespace, "a")
    assert uid == target.get("configmap", "a")["metadata"]["uid"]
    assert (len(digest), memo) == (64, "")


def test_a_newer_inventory_is_refused(target: Target) -> None:
    """An inventory of a format that we don't know stops the run: nothing is read into it."""
    target.write("a.yaml", config_map("a"))
    target.apply()
    data = base64.b64encode(zlib.compress(json.dumps({"format": 99}).encode())).decode()
    patch = json.dumps({"binaryData": {"inventory.json.z": data}})
    target.kubectl("patch", "configmap", "-n", "recon-system", f"recon-action-{target.namespace}", "-p", patch)
    with pytest.raises(ClusterError, match="format 99"):
        target.diff()


def test_new_namespace_kind_and_object_in_one_change(own_lab: Callable[..., Lab], tmp_path: Path) -> None:
    """A CRD, a Namespace, and an object that needs both: told as missing, applied in order in one run."""
    target = Target(own_lab(), "default", tmp_path)
    for name, manifest in (("1.yaml", _WIDGET), ("2.yaml", _NAMESPACE), ("3.yaml", _DEFINITION)):
        target.write(name, manifest)
    target.write("4.yaml", config_map("a").replace("name: a", "name: a\n  namespace: fresh"))
    found = target.diff()
    assert (found.exit_code, found.counts.pending) == (ExitCode.DIFFERENT, 4)
    assert [str(entry.ref) for entry in found.entries if not entry.predicted] == ["Widget fresh/one"]
    assert any("1 objects were checked by the schema" in note for note in found.notes)
    done = target.apply()
    assert done.exit_code is ExitCode.OK, [entry.problem for entry in done.entries]
    assert target.diff().counts.in_sync == 4


def test_what_a_failed_prerequisite_leaves(own_lab: Callable[..., Lab], tmp_path: Path) -> None:
    """Objects of a CRD that the server refuses are skipped with the reason; the rest is applied."""
    target = Target(own_lab(), "default", tmp_path)
    target.write("1.yaml", _WIDGET.replace("fresh", "default"))
    target.write("2.yaml", _DEFINITION.replace("storage: true", "storage: false"))
    target.write("3.yaml", config_map("a"))
    report = target.apply()
    assert report.exit_code is ExitCode.INCOMPLETE
    outcomes = {entry.ref.kind: entry.outcome for entry in report.entries}
    assert outcomes == {
        "CustomResourceDefinition": Outcome.FAILED,
        "Widget": Outcome.SKIPPED,
        "ConfigMap": Outcome.CREATED,
    }


def test_one_kind_in_two_versions(own_lab: Callable[..., Lab], tmp_path: Path) -> None:
    """Git may have a kind in two versions: each object is compared in its own."""
    target = Target(own_lab(), "default", tmp_path)
    target.write("crd.yaml", _DEFINITION + _SECOND_VERSION)
    target.write("1.yaml", _WIDGET.replace("fresh", "default"))
    target.write("2.yaml", _WIDGET.replace("fresh", "default").replace("one", "two").replace("/v1", "/v2"))
    assert target.apply().exit_code is ExitCode.OK
    report = target.diff()
    assert (report.exit_code, report.counts.in_sync) == (ExitCode.OK, 3), report.entries
