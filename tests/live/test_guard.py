"""The guard on real servers: the wrong cluster, the wrong commit, and what Git still has something in."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import ended, started
from target import Target, config_map

from recon_action.errors import ExitCode, RefusedError
from recon_action.lab import Lab, start
from recon_action.lab.binaries import Binaries
from recon_action.model import Access, Limit, Outcome
from recon_action.report.document import Report

_EVERYTHING = Limit(unlimited=True)


@pytest.fixture
def target(lab: Lab, namespace: str, tmp_path: Path) -> Target:
    """A target with one object in Git."""
    one = Target(lab, namespace, tmp_path / "manifests")
    one.write("a.yaml", config_map("a"))
    return one


@pytest.fixture(scope="module")
def other_lab(binaries: Binaries) -> Iterator[Lab]:
    """A second cluster."""
    with start() as control_plane:
        yield control_plane


def _refusal(report: Report) -> str:
    assert report.exit_code is ExitCode.REFUSED
    assert not [entry for entry in report.entries if entry.outcome]
    return "\n".join(problem.message for problem in report.problems)


def _uid(lab: Lab) -> str:
    done = subprocess.run(
        [lab.kubectl, "get", "namespace", "kube-system", "-o", "jsonpath={.metadata.uid}"],
        env=lab.env(),
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_only_the_cluster_that_was_named_is_written(target: Target, other_lab: Lab) -> None:
    """To the other one nothing but a question for its identity is sent: no manifest, no lock, no namespace."""
    uid = _uid(target.lab)
    elsewhere = Access(str(other_lab.kubeconfig))
    before = len(other_lab.audit())
    with pytest.raises(RefusedError, match=f"only cluster {uid} may be written.*1 manifest would have been") as caught:
        target.apply(cluster_uid=uid, access=elsewhere)
    assert caught.value.exit_code == ExitCode.REFUSED
    assert [event.uri for event in other_lab.audit()[before:]] == ["/api/v1/namespaces/kube-system"]
    notes = target.diff(cluster_uid=uid, access=elsewhere).notes
    assert any(f"would be refused: only cluster {uid} may be written" in note for note in notes)
    assert target.apply(cluster_uid=uid).exit_code is ExitCode.OK


def test_the_repository_names_its_cluster(target: Target, other_lab: Lab, tmp_path: Path) -> None:
    """`clusterUID` of recon.yaml does, as the report shows it."""
    shown = target.diff().cluster_uid
    file = tmp_path / "recon.yaml"
    file.write_text(f"clusterUID: {shown}\n", encoding="utf-8")
    options = ("--no-wait", "--config", str(file))
    with started(target, "apply", *options) as process:
        code, out, _ = ended(process)
    assert code == ExitCode.OK
    assert f"cluster {shown}" in out
    with started(target, "apply", *options, kubeconfig=other_lab.kubeconfig) as process:
        code, out, errors = ended(process)
    assert (code, out) == (ExitCode.REFUSED, "")
    assert f"only cluster {shown} may be written" in errors


def test_an_inventory_that_was_copied_to_another_cluster(target: Target, other_lab: Lab) -> None:
    """It says where it is from: nothing is done by it before somebody says that the cluster has moved."""
    target.apply()
    there = Target(other_lab, target.namespace, target.folder)
    name = f"recon-action-{target.namespace}"
    body = json.loads(target.kubectl("get", "configmap", name, "-n", "recon-system", "-o", "json"))
    for key in ("resourceVersion", "uid", "creationTimestamp", "managedFields"):
        body["metadata"].pop(key, None)
    for namespace in ("recon-system", target.namespace):
        there.kubectl("create", "namespace", namespace, check=False)
    there.kubectl("create", "-f", "-", "-n", "recon-system", stdin=json.dumps(body))
    message = _refusal(there.apply())
    assert f"manages 1 objects in cluster {_uid(target.lab)}; this one is {_uid(other_lab)}" in message
    assert "1 object would have been created" in message
    assert there.apply(take_over_target=True).exit_code is ExitCode.OK
    assert there.apply().exit_code is ExitCode.OK


def _git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    command = ["git", *identity, *arguments]
    environ = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    done = subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def _commit(target: Target, value: str) -> str:
    target.write("a.yaml", config_map("a").replace('"1"', f'"{value}"'))
    _git(target.folder, "add", ".")
    _git(target.folder, "commit", "--quiet", f"--message={value}")
    return _git(target.folder, "rev-parse", "HEAD")


@pytest.fixture
def repository(target: Target) -> Target:
    """The target's folder as a repository with a remote, and nothing committed yet."""
    _git(target.folder, "init", "--quiet", "--initial-branch=main")
    _git(target.folder, "remote", "add", "origin", "https://git.example.com/team/shop.git")
    return target


def _value(target: Target) -> str:
    return str(target.get("configmap", "a")["data"]["a"])


def test_an_older_commit_is_not_applied(repository: Target) -> None:
    """A clone that was left behind undoes nothing; with the flag it goes back, and forward again."""
    old, new = _commit(repository, "1"), _commit(repository, "2")
    assert repository.apply().exit_code is ExitCode.OK
    _git(repository.folder, "checkout", "--quiet", old)
    assert any("would be refused: commit" in note for note in repository.diff().notes)
    assert f"commit {old[:7]} is older than {new[:7]}, which was applied last" in _refusal(repository.apply())
    assert _value(repository) == "2"
    assert repository.apply(allow_rollback=True).exit_code is ExitCode.OK
    assert _value(repository) == "1"
    _git(repository.folder, "checkout", "--quiet", "main")
    assert repository.apply().exit_code is ExitCode.OK


def test_a_shallow_clone_says_that_it_can_not_tell(repository: Target, tmp_path: Path) -> None:
    """The usual checkout of a workflow lacks the commit that was applied last: a note, and the apply goes on."""
    old = _commit(repository, "1")
    repository.apply()
    _commit(repository, "2")
    origin = repository.folder
    clone = tmp_path / "clone"
    _git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{origin}", str(clone))
    _git(clone, "remote", "set-url", "origin", "https://git.example.com/team/shop.git")
    report = Target(repository.lab, repository.namespace, clone).apply()
    assert (report.exit_code, _value(repository)) == (ExitCode.OK, "2")
    assert any(f"older than {old[:7]}, which was applied last, can't be told" in note for note in report.notes)


def test_a_repository_that_was_renamed_asks_once(repository: Target) -> None:
    """Another address is another repository, until somebody says that it has moved; another remote's name isn't."""
    _commit(repository, "1")
    repository.apply()
    _git(repository.folder, "remote", "rename", "origin", "upstream")
    assert repository.apply().exit_code is ExitCode.OK
    _git(repository.folder, "remote", "set-url", "upstream", "git@git.example.com:team/store.git")
    message = _refusal(repository.apply())
    assert "from repository git.example.com/team/shop; this run has git.example.com/team/store" in message
    assert repository.apply(take_over_target=True).exit_code is ExitCode.OK
    assert repository.apply().exit_code is ExitCode.OK


def test_a_namespace_that_git_still_uses_is_never_deleted(target: Target) -> None:
    """Its manifest was left out, and what is in it was not: a mistake, whatever is allowed."""
    name = f"{target.namespace}-shop"
    target.write("namespace.yaml", f"apiVersion: v1\nkind: Namespace\nmetadata: {{name: {name}}}\n")
    target.write("b.yaml", config_map("b").replace("metadata:", f"metadata:\n  namespace: {name}"))
    target.apply()
    target.remove("namespace.yaml")
    message = _refusal(target.apply(allow_destructive=True, max_prune=_EVERYTHING))
    assert f"Namespace {name}, but still has what would be deleted with it: ConfigMap {name}/b" in message
    target.remove("b.yaml")
    assert target.apply(allow_destructive=True, max_prune=_EVERYTHING).exit_code is ExitCode.OK


def test_a_namespace_that_is_going_already_is_left_alone(target: Target) -> None:
    """Somebody else deleted it; it stays a member until it is gone."""
    name = f"{target.namespace}-going"
    target.write("namespace.yaml", f"apiVersion: v1\nkind: Namespace\nmetadata: {{name: {name}}}\n")
    target.apply()
    target.kubectl("delete", "namespace", name, "--wait=false")
    target.remove("namespace.yaml")
    for _ in range(2):
        report = target.apply()
        assert report.exit_code is ExitCode.OK
        assert [(str(entry.ref), entry.reason) for entry in report.entries] == [
            (f"Namespace {name}", "it is being deleted")
        ]


def test_another_default_namespace_moves_nothing(target: Target) -> None:
    """Manifests without a namespace would all be new ones in another: that many deletions are refused."""
    target.write("b.yaml", config_map("b"))
    target.apply()
    elsewhere = f"{target.namespace}-other"
    target.kubectl("create", "namespace", elsewhere)
    message = _refusal(target.apply(namespace=elsewhere))
    assert "2 of 2 objects would be deleted" in message
    assert target.kubectl("get", "configmaps", "-n", elsewhere, "-o", "name") == ""


def test_a_deletion_that_is_refused_is_not_forgotten(target: Target) -> None:
    """Someone who may not delete leaves the object a member; whoever may, deletes it later."""
    for name in ("b", "c"):
        target.write(f"{name}.yaml", config_map(name))
    target.apply()
    target.remove("c.yaml")
    access = target.user(
        '{apiGroups: ["", admissionregistration.k8s.io, coordination.k8s.io], resources: ["*"], '
        "verbs: [get, list, watch, create, patch, update]}",
        "{apiGroups: [coordination.k8s.io], resources: [leases], verbs: [delete]}",
    )
    report = target.apply(access=access)
    assert report.exit_code is ExitCode.INCOMPLETE
    assert [entry.outcome for entry in report.entries if entry.ref.name == "c"] == [Outcome.FAILED]
    assert target.diff().counts.pending == 1
    assert target.apply().exit_code is ExitCode.OK
    assert not target.kubectl("get", "configmap", "c", "--ignore-not-found", "-o", "name")
