"""The way out, on a real server with controllers: after it nothing of ours is left, and all else is as it was."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from target import CONFIG_MAP, DEPLOYMENT, Target

from recon_action.errors import ExitCode, UsageError
from recon_action.lab import Lab
from recon_action.model import Bucket, Mode, Outcome
from recon_action.release import leave
from recon_action.report.document import Report

_SERVICE = """\
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  selector: {app: web}
  ports: [{port: 80}]
"""
_OURS = ("recon-action", "applyset.kubernetes.io")


@pytest.fixture
def target(controllers_lab: Lab, controllers_namespace: str, tmp_path: Path) -> Target:
    """A target whose inventory has a namespace of its own."""
    options = {"inventory_namespace": f"{controllers_namespace}-inventory"}
    return Target(controllers_lab, controllers_namespace, tmp_path, options)


def _leave(target: Target, mode: Mode, **options: Any) -> Report:
    return leave(target.settings(**options), mode)


def _bare(body: dict[str, Any]) -> dict[str, Any]:
    """An object without what any write moves."""
    moving = {"managedFields", "resourceVersion", "generation"}
    metadata = {key: value for key, value in body["metadata"].items() if key not in moving}
    status = {key: value for key, value in (body.get("status") or {}).items() if key != "observedGeneration"}
    return body | {"metadata": metadata, "status": status}


def _everything(target: Target) -> str:
    """All objects of the namespace, as text."""
    kinds = "configmaps,secrets,services,deployments,replicasets,endpointslices,leases,serviceaccounts"
    return target.kubectl("get", kinds, "-o", "json", "--show-managed-fields")


def _exists(target: Target, *what: str) -> bool:
    return bool(target.kubectl("get", *what, "--ignore-not-found", "-o", "name").strip())


def _wait_gone(target: Target, *what: str) -> None:
    target.kubectl("wait", "--for=delete", "--timeout=60s", *what)


def test_after_a_release_every_object_is_as_it_was(target: Target) -> None:
    """Objects that kubectl had applied differ by nothing but what Git asked; those that we made stay."""
    target.kubectl("apply", "--server-side", "-f", "-", stdin=DEPLOYMENT)
    target.kubectl("create", "configmap", "mine", "--from-literal=a=1")
    before = {name: target.get(*name) for name in (("deployment", "web"), ("configmap", "mine"))}
    target.write("web.yaml", DEPLOYMENT)
    target.write("mine.yaml", CONFIG_MAP.replace("NAME", "mine"))
    target.write("service.yaml", _SERVICE)
    assert target.apply().exit_code is ExitCode.OK
    target.kubectl("annotate", "configmap", "mine", "recon-action.github.io/hold=2099-01-01T00:00:00Z x")
    report = _leave(target, Mode.RELEASE)
    assert report.exit_code is ExitCode.OK
    assert {(entry.ref.kind, entry.outcome) for entry in report.entries} == {
        ("Deployment", Outcome.RELEASED),
        ("ConfigMap", Outcome.RELEASED),
        ("Service", Outcome.RELEASED),
    }
    for name, body in before.items():
        assert _bare(target.get(*name)) == _bare(body)
    assert _exists(target, "service", "web")
    _wait_gone(target, f"namespace/{target.options['inventory_namespace']}")
    left = [entry for mark in _OURS for entry in _everything(target).splitlines() if mark in entry]
    assert left == []


def test_after_a_release_kubectl_goes_on(target: Target) -> None:
    """Its server-side apply of the same manifests meets no conflict, and removes what Git drops."""
    target.write("web.yaml", DEPLOYMENT)
    target.apply()
    _leave(target, Mode.RELEASE)
    dropped = DEPLOYMENT.replace("        ports:\n        - containerPort: 80\n", "")
    target.kubectl("apply", "--server-side", "-f", "-", stdin=dropped)
    assert "ports" not in target.get("deployment", "web")["spec"]["template"]["spec"]["containers"][0]


def test_a_release_that_was_interrupted_goes_on(target: Target) -> None:
    """What is released already is no trouble; the inventory is there until all of it is."""
    for name in ("one", "two"):
        target.write(f"{name}.yaml", CONFIG_MAP.replace("NAME", name))
    target.apply()
    one = target.get("configmap", "one")
    one["metadata"]["labels"].pop("applyset.kubernetes.io/part-of")
    one["metadata"]["managedFields"] = [{}]
    target.kubectl("replace", "-f", "-", stdin=json.dumps(one))
    report = _leave(target, Mode.RELEASE)
    assert report.exit_code is ExitCode.OK
    assert {entry.ref.name: entry.outcome for entry in report.entries} == {"two": Outcome.RELEASED}
    with pytest.raises(UsageError, match="no inventory of target"):
        _leave(target, Mode.RELEASE)


def test_delete_removes_everything(target: Target) -> None:
    """What it manages, in reverse order, then the inventory, its lock and the namespace that we made."""
    target.write("web.yaml", DEPLOYMENT)
    target.write("a.yaml", CONFIG_MAP.replace("NAME", "a"))
    target.kubectl("create", "configmap", "foreign")
    target.apply()
    report = _leave(target, Mode.DELETE, wait=True, timeout=60)
    assert report.exit_code is ExitCode.OK
    assert {entry.outcome for entry in report.entries} == {Outcome.DELETED}
    assert not _exists(target, "deployment", "web")
    assert not _exists(target, "configmap", "a")
    assert _exists(target, "configmap", "foreign")
    _wait_gone(target, f"namespace/{target.options['inventory_namespace']}")


def test_delete_gives_back_what_is_annotated_to_stay(target: Target) -> None:
    """Detached objects stay without a trace of us; what is kept from a prune alone goes."""
    annotated = "metadata:\n  annotations: {KEY: VALUE}\n"
    for name, key, value in (
        ("detached", "client.lifecycle.config.k8s.io/deletion", "detach"),
        ("kept", "argocd.argoproj.io/sync-options", "Prune=false"),
    ):
        text = CONFIG_MAP.replace("metadata:\n", annotated.replace("KEY", key).replace("VALUE", value))
        target.write(f"{name}.yaml", text.replace("NAME", name))
    target.apply()
    report = _leave(target, Mode.DELETE, wait=True, timeout=60)
    assert report.exit_code is ExitCode.OK
    assert {entry.ref.name: entry.outcome for entry in report.entries} == {
        "detached": Outcome.RELEASED,
        "kept": Outcome.DELETED,
    }
    assert not any(mark in json.dumps(target.get("configmap", "detached")) for mark in _OURS)


def test_delete_leaves_a_held_object_and_its_inventory(target: Target) -> None:
    """A hold stands: nothing is done to the object, and the target is there until it ends."""
    target.write("a.yaml", CONFIG_MAP.replace("NAME", "a"))
    target.apply()
    until = datetime.now(UTC) + timedelta(hours=1)
    held = f"recon-action.github.io/hold={until:%Y-%m-%dT%H:%M:%SZ} looking at it"
    target.kubectl("annotate", "configmap", "a", held)
    report = _leave(target, Mode.DELETE)
    assert [entry.bucket for entry in report.entries] == [Bucket.SKIPPED]
    assert _exists(target, "configmap", "a")
    assert "applyset" in json.dumps(target.get("configmap", "a")["metadata"]["labels"])
    assert _exists(target, "configmaps", "-n", target.options["inventory_namespace"], "-l", "applyset.kubernetes.io/id")


def test_delete_of_what_holds_other_things_needs_a_word(target: Target) -> None:
    """A namespace goes only if destructive deletions are allowed; else nothing goes."""
    name = f"{target.namespace}-inner"
    target.write("ns.yaml", f"apiVersion: v1\nkind: Namespace\nmetadata: {{name: {name}}}\n")
    target.write("a.yaml", CONFIG_MAP.replace("NAME", "a").replace("metadata:\n", f"metadata:\n  namespace: {name}\n"))
    target.apply()
    assert _leave(target, Mode.DELETE).exit_code is ExitCode.REFUSED
    assert _exists(target, "namespace", name)
    assert _leave(target, Mode.DELETE, allow_destructive=True, wait=True, timeout=60).exit_code is ExitCode.OK
    assert not _exists(target, "namespace", name)
