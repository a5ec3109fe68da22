"""Real applications on a real API server: applied, in sync, changed by hand, found, corrected.

What the server accepts of each stands in `corpus/accepted.json`; `--rewrite-golden` writes it anew.
"""

import json
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from corpus_app import App, contents, payloads, read_app, settle, versions
from fidelity import change_all
from proving import is_refused

from recon_action.errors import ExitCode
from recon_action.lab import Lab
from recon_action.model import Bucket, FieldPath, Manifest, Mode, ObjectRef
from recon_action.report.document import Change, Report

_TABLE = Path(__file__).parent / "corpus" / "accepted.json"
_SEED = 20261201
_EACH = 3  # mutations of each sort an app

# README.md of the corpus calls these "plain" or "plain+kustomize"; of the latter only the plain files are read.
_APPS = tuple(json.loads(_TABLE.read_text(encoding="utf-8")))
_MOST_DISCARDED = 0.1  # of the changes of every object; the server refuses some wherever they are tried
# Changed so that the server refuses Git's object: told with the server's words; no apply can correct it.
_CONTRADICTED = {
    # A renamed listener stays beside Git's, and two may not have one port.
    "gateway-api": {"Gateway default/default-match-gw"},
}
# By app, how many objects changed, and which would not.
_CHANGED: dict[str, tuple[int, list[str]]] = {}
_LEAST = 1000  # objects that the server accepts, in all
_UNTOUCHED_KINDS = frozenset({"Namespace", "CustomResourceDefinition"})
_FINALIZED = frozenset({"PersistentVolume", "PersistentVolumeClaim"})
_SCALABLE = frozenset({"Deployment", "StatefulSet", "ReplicaSet", "ReplicationController"})
_WITH_IMAGES = frozenset({"Deployment", "StatefulSet", "DaemonSet", "ReplicationController"})


def test_the_table_holds_enough(corpus: Path) -> None:
    """The server accepts at least 1,000 objects of the apps that the corpus calls plain."""
    rows = [line.split("|") for line in (corpus / "README.md").read_text(encoding="utf-8").splitlines()]
    plain = {row[1].strip() for row in rows if len(row) > 4 and row[2].strip().startswith("plain")}
    table = json.loads(_TABLE.read_text(encoding="utf-8"))
    assert set(table) == plain
    assert sum(row["accepted"] for row in table.values()) >= _LEAST


@pytest.mark.parametrize("name", _APPS)
def test_app(
    name: str,
    corpus: Path,
    own_lab: Callable[..., Lab],
    tmp_path: Path,
    rewrite_golden: bool,
) -> None:
    """An app is applied, in sync by our verdict and by kubectl's, and every change by hand is found and undone."""
    app = read_app(corpus / name, own_lab(), tmp_path)
    settle(app)
    _check_table(app, rewrite=rewrite_golden)
    assert app.manifests

    again = app.run(Mode.DIFF)
    assert (again.exit_code, again.counts.in_sync) == (ExitCode.OK, len(app.manifests)), again.entries
    _check_oracle(app)

    before = versions(app)
    mutated = _mutate(app)
    assert mutated or {manifest.ref.kind for manifest in app.manifests} <= _UNTOUCHED_KINDS
    found = app.run(Mode.DIFF)
    assert found.exit_code is (ExitCode.DIFFERENT if mutated else ExitCode.OK)
    assert _told(found) == mutated
    assert found.counts.drifted == len(mutated)

    corrected = app.run(Mode.APPLY)
    assert corrected.exit_code is ExitCode.OK
    clean = app.run(Mode.DIFF)
    assert (clean.exit_code, clean.counts.in_sync) == (ExitCode.OK, len(app.manifests)), clean.entries
    after = versions(app)
    assert {ref for ref in before if after[ref] != before[ref]} == set(mutated)
    _check_fidelity(app)


def _check_fidelity(app: App) -> None:
    """Every object changed once: all of it found with the right paths, corrected, and nothing else touched."""
    before = versions(app)
    changes = change_all(app, _SEED)
    _CHANGED[app.name] = len(changes.paths), changes.discarded
    found = app.run(Mode.DIFF)
    told = {
        entry.ref: {change.path for change in entry.changes if _counts(change)} or {str(entry.drift)}
        for entry in found.entries
        if entry.drift is not None and not is_refused(entry)
    }
    refused = {entry.ref for entry in found.entries if is_refused(entry)}
    assert {str(ref) for ref in refused} == _CONTRADICTED.get(app.name, set())
    assert told == {ref: paths for ref, paths in changes.paths.items() if ref not in refused}
    for ref in refused:
        resource = app.resources[ref]
        app.kubectl("delete", f"{resource.plural}.{resource.group}/{ref.name}", "-n", ref.namespace)
    corrected = app.run(Mode.APPLY)
    assert corrected.exit_code is ExitCode.OK, [entry for entry in corrected.entries if entry.problem]
    clean = app.run(Mode.DIFF)
    assert (clean.exit_code, clean.counts.in_sync) == (ExitCode.OK, len(app.manifests)), clean.entries
    after = versions(app)
    assert {ref for ref in before if after[ref] != before[ref]} == set(changes.paths)


def _counts(change: Change) -> bool:
    """Whether a change is one that was made: a null of Git's that a write of another's drops with it is not."""
    return not change.additive and (change.has_live or change.redacted or change.desired is not None)


def test_few_changes_were_discarded(capsys: pytest.CaptureFixture[str]) -> None:
    """Of all the changes that the apps above were tried with, nearly all took."""
    changed = sum(count for count, _ in _CHANGED.values())
    discarded = [name for _, names in _CHANGED.values() for name in names]
    with capsys.disabled():
        sys.stdout.write(f" {changed} objects changed and found, {len(discarded)} would not change ")
    assert len(discarded) <= _MOST_DISCARDED * (changed + len(discarded)), discarded


def _check_table(app: App, *, rewrite: bool) -> None:
    table: dict[str, Any] = json.loads(_TABLE.read_text(encoding="utf-8"))
    if rewrite:
        table[app.name] = app.row
        _TABLE.write_text(json.dumps(table, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    assert app.row == table[app.name]


def _check_oracle(app: App) -> None:
    """The oracle: kubectl's own apply of the same payloads changes no object."""
    document = json.dumps({"apiVersion": "v1", "kind": "List", "items": payloads(app)}).encode()
    before = contents(app)
    arguments = ("--server-side", "--force-conflicts", "--field-manager=recon-action", "--validate=ignore", "-f", "-")
    app.kubectl("apply", *arguments, stdin=document)
    assert contents(app) == before


def _told(report: Report) -> dict[ObjectRef, str]:
    """The objects that a report says differ, with the one path that says how, or `missing`."""
    return {
        entry.ref: entry.drift.value if not entry.changes else " ".join(change.path for change in entry.changes)
        for entry in report.entries
        if entry.drift is not None and entry.bucket is Bucket.DRIFTED
    }


def _mutate(app: App) -> dict[ObjectRef, str]:
    """Change some objects as people do; gives each changed object and how a report must say it."""
    done: dict[ObjectRef, str] = {}
    for change in (_scale, _set_image, _relabel, _delete):
        able = {
            manifest.ref: mutation
            for manifest in app.manifests
            if manifest.ref not in done and manifest.ref.kind not in _UNTOUCHED_KINDS and (mutation := change(manifest))
        }
        for ref in random.Random(f"{app.name}/{_SEED}").sample(sorted(able), min(_EACH, len(able))):
            verb, arguments, done[ref] = able[ref]
            resource = app.resources[ref]
            kind = f"{resource.plural}.{resource.version}.{resource.group}" if resource.group else resource.plural
            scope = ("-n", ref.namespace) if ref.namespace else ()
            app.kubectl(*verb, f"{kind}/{ref.name}", *arguments, *scope)
    return done


# kubectl's verb, its arguments, and how a report must name the change.
_Mutation = tuple[tuple[str, ...], tuple[str, ...], str]


def _scale(manifest: Manifest) -> _Mutation | None:
    replicas = (manifest.body.get("spec") or {}).get("replicas")
    if manifest.ref.kind not in _SCALABLE or replicas is None:
        return None
    return ("scale",), (f"--replicas={replicas + 2}",), "spec.replicas"


def _set_image(manifest: Manifest) -> _Mutation | None:
    if manifest.ref.kind not in _WITH_IMAGES:
        return None
    container = manifest.body["spec"]["template"]["spec"]["containers"][0]["name"]
    path = f"spec.template.spec.containers[name={container}].image"
    return ("set", "image"), (f"{container}=registry.example/changed:1",), path


def _relabel(manifest: Manifest) -> _Mutation | None:
    labels = manifest.body["metadata"].get("labels")
    if not labels:
        return None
    key = min(labels)
    return ("label", "--overwrite"), (f"{key}=changed",), str(FieldPath(("metadata", "labels", key)))


def _delete(manifest: Manifest) -> _Mutation | None:
    # Without controllers a finalizer is never taken off, so what has one would stay for ever.
    if manifest.ref.kind in _FINALIZED or manifest.body["metadata"].get("finalizers"):
        return None
    return ("delete", "--wait=false"), (), "missing"
