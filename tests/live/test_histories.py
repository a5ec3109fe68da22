"""What happened to an object, and what a report makes of it: kind, cause, tool and bucket.

Every history has a ConfigMap (or what it needs) of its own in one namespace, so that one apply and one diff serve
them all; those that lose the inventory, or never had it, have a target of their own.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from target import DEPLOYMENT, Target

from recon_action.lab import Lab
from recon_action.report.document import Entry, Report

_ENV = "        env:\n        - {name: A, value: x}\n        - {name: B, value: x}\n"
_SWAPPED = "        env:\n        - {name: B, value: x}\n        - {name: A, value: x}\n"


_SWAP = json.dumps(
    [
        {
            "op": "move",
            "from": "/spec/template/spec/containers/0/env/0",
            "path": "/spec/template/spec/containers/0/env/1",
        }
    ]
)


@dataclass(frozen=True)
class History:
    """What was, what happened, and what is to be told.

    Args:
        happened: kubectl's arguments, one call each; NAME is the object.
        told: bucket, kind, cause, tool; None if the object has no entry.
        before: the manifest's data at the first apply; None if Git did not have it.
        after: the manifest's data now; None if Git no longer has it.
        deployment: text that is put into a Deployment instead, before and after.
    """

    told: tuple[str, str, str, str] | None
    happened: tuple[tuple[str, ...], ...] = ()
    before: str | None = '{a: "1", b: "1"}'
    after: str | None = '{a: "1", b: "1"}'
    deployment: tuple[str, str] | None = None


def _patch(data: str, tool: str = "kubectl-patch") -> tuple[str, ...]:
    return ("patch", "configmap", "NAME", "--type=merge", f"--field-manager={tool}", "-p", f'{{"data":{data}}}')


_DELETE = ("delete", "configmap", "NAME")
_RESTORE = ("create", "configmap", "NAME", "--from-literal=a=1", "--from-literal=b=1")
_SCALE = ("scale", "deployment", "NAME", "--replicas=7")
_UNLABEL = ("label", "configmap", "NAME", "applyset.kubernetes.io/part-of-")
_FOREIGN = ("label", "--overwrite", "configmap", "NAME", "applyset.kubernetes.io/part-of=applyset-other-v1")

_HISTORIES = {
    "nothing-happened": History(None),
    "new-in-git": History(("pending", "missing", "git", ""), before=None),
    "git-changed-a-value": History(("pending", "modified", "git", ""), after='{a: "2", b: "1"}'),
    "git-added-a-field": History(("pending", "modified", "git", ""), after='{a: "1", b: "1", c: "1"}'),
    "git-dropped-a-field": History(("pending", "modified", "git", ""), after='{a: "1"}'),
    "git-emptied-it": History(("pending", "modified", "git", ""), after="{}"),
    "person-changed": History(("drifted", "modified", "manual", "kubectl-patch"), (_patch('{"a":"9"}'),)),
    "person-edited": History(("drifted", "modified", "manual", "kubectl-edit"), (_patch('{"a":"9"}', "kubectl-edit"),)),
    "person-used-k9s": History(("drifted", "modified", "manual", "k9s"), (_patch('{"a":"9"}', "k9s"),)),
    "person-used-lens": History(("drifted", "modified", "manual", "Lens"), (_patch('{"a":"9"}', "Lens"),)),
    "controller-changed": History(
        ("drifted", "modified", "controller", "cainjector"), (_patch('{"a":"9"}', "cainjector"),)
    ),
    "operator-changed": History(
        ("drifted", "modified", "controller", "shop-operator"), (_patch('{"a":"9"}', "shop-operator"),)
    ),
    "unknown-tool-changed": History(
        ("drifted", "modified", "unknown", "my-script"), (_patch('{"a":"9"}', "my-script"),)
    ),
    "terraform-changed": History(("drifted", "modified", "unknown", "Terraform"), (_patch('{"a":"9"}', "Terraform"),)),
    "both-same-field": History(
        ("drifted", "modified", "manual", "kubectl-patch"), (_patch('{"a":"9"}'),), after='{a: "2", b: "1"}'
    ),
    "both-different-fields": History(
        ("drifted", "modified", "manual", "kubectl-patch"), (_patch('{"a":"9"}'),), after='{a: "1", b: "2"}'
    ),
    "both-agree": History(("in sync", "", "", ""), (_patch('{"a":"2"}'),), after='{a: "2", b: "1"}'),
    "person-deleted-a-field": History(("drifted", "modified", "unknown", ""), (_patch('{"a":null}'),)),
    "person-deleted-what-git-changed": History(
        ("pending", "modified", "git", ""), (_patch('{"a":null}'),), after='{a: "2", b: "1"}'
    ),
    "two-tools-changed": History(
        ("drifted", "modified", "manual", "kubectl-edit"),
        (_patch('{"b":"9"}', "cainjector"), _patch('{"a":"9"}', "kubectl-edit")),
    ),
    "person-deleted": History(("drifted", "missing", "unknown", ""), (_DELETE,)),
    "removed-from-git": History(("pending", "orphaned", "git", ""), after=None),
    "removed-from-git-and-deleted": History(None, (_DELETE,), after=None),
    "removed-from-git-and-changed": History(("pending", "orphaned", "git", ""), (_patch('{"a":"9"}'),), after=None),
    "removed-from-git-and-made-anew": History(("skipped", "", "", ""), (_DELETE, _RESTORE), after=None),
    "label-stripped": History(("in sync", "", "", ""), (_UNLABEL,)),
    "another-set-took-it": History(("failed", "", "", ""), (_FOREIGN,)),
    "made-anew-the-same": History(("in sync", "", "", ""), (_DELETE, _RESTORE)),
    "made-anew-otherwise": History(
        ("drifted", "modified", "manual", "kubectl-create"),
        (_DELETE, ("create", "configmap", "NAME", "--from-literal=a=9", "--from-literal=b=1")),
    ),
    "scaled": History(("drifted", "modified", "manual", "kubectl scale"), (_SCALE,), deployment=("", "")),
    "scaled-and-git-moved": History(
        ("drifted", "modified", "manual", "kubectl scale"), (_SCALE,), deployment=(_ENV, _ENV.replace("x", "z"))
    ),
    "image-set": History(
        ("drifted", "modified", "manual", "kubectl-set"),
        (("set", "image", "deployment/NAME", "web=registry.example/web:9"),),
        deployment=("", ""),
    ),
    "status-written": History(
        None,
        (("patch", "deployment", "NAME", "--subresource=status", "--type=merge", "-p", '{"status":{"replicas":1}}'),),
        deployment=("", ""),
    ),
    "git-reordered-a-list": History(("pending", "modified", "git", ""), deployment=(_ENV, _SWAPPED)),
    "person-reordered-a-list": History(
        ("drifted", "modified", "unknown", ""),
        (
            (
                "patch",
                "deployment",
                "NAME",
                "--type=json",
                "-p",
                _SWAP,
            ),
        ),
        deployment=(_ENV, _ENV),
    ),
}
_AT_LEAST = 30


def _manifest(name: str, history: History, *, now: bool) -> str | None:
    if history.deployment is not None:
        text = DEPLOYMENT.replace("name: web\n  labels", f"name: {name}\n  labels")
        return text + history.deployment[now]
    data = history.after if now else history.before
    if data is None:
        return None
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\ndata: {data}\n"


def _write(target: Target, *, now: bool) -> None:
    for name, history in _HISTORIES.items():
        manifest = _manifest(name, history, now=now)
        path = target.folder / f"{name}.yaml"
        if manifest is not None:
            target.write(path.name, manifest)
        elif path.exists():
            path.unlink()


@pytest.fixture(scope="module")
def report(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Report:
    """The diff after all of it has happened."""
    target = Target(lab, "histories", tmp_path_factory.mktemp("histories"))
    target.kubectl("create", "namespace", "histories")
    _write(target, now=False)
    assert target.apply().exit_code == 0
    for name, history in _HISTORIES.items():
        for arguments in history.happened:
            target.kubectl(*(argument.replace("NAME", name) for argument in arguments))
    _write(target, now=True)
    return target.diff()


def test_there_are_enough() -> None:
    """The table has at least thirty histories."""
    assert len(_HISTORIES) >= _AT_LEAST


@pytest.mark.parametrize("name", _HISTORIES)
def test_history(name: str, report: Report) -> None:
    """Kind, cause, tool and bucket are those of the history."""
    told = [entry for entry in report.entries if entry.ref.name == name]
    assert [_told(entry) for entry in told] == ([] if _HISTORIES[name].told is None else [_HISTORIES[name].told])


def _told(entry: Entry) -> tuple[str, str, str, str]:
    tools = [change.tool for change in entry.changes if change.tool and change.cause is entry.cause]
    return (entry.bucket.value, entry.drift or "", entry.cause or "", tools[0] if tools else "")


def _lose_inventory(target: Target) -> None:
    target.kubectl("delete", "configmap", "-n", "recon-system", f"recon-action-{target.namespace}")


def _change(target: Target) -> None:
    target.kubectl("patch", "configmap", "a", "-p", '{"data":{"a":"9"}}')


def _move_git(target: Target) -> None:
    target.write("a.yaml", _config_map('{a: "2"}'))


def _config_map(data: str) -> str:
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata: {data}\n"


@pytest.mark.parametrize(
    ("happened", "told"),
    [
        pytest.param((_lose_inventory,), None, id="in-sync"),
        pytest.param((_lose_inventory, _move_git), ("pending", "modified", "git", ""), id="git-moved"),
        pytest.param(
            (_lose_inventory, _change), ("drifted", "modified", "manual", "kubectl-patch"), id="person-changed"
        ),
    ],
)
def test_inventory_lost(
    happened: tuple[Callable[[Target], None], ...],
    told: tuple[str, str, str, str] | None,
    lab: Lab,
    namespace: str,
    tmp_path: Path,
) -> None:
    """Without the inventory, our own entry still tells what we had applied."""
    target = Target(lab, namespace, tmp_path)
    target.write("a.yaml", _config_map('{a: "1"}'))
    target.apply()
    for step in happened:
        step(target)
    assert [_told(entry) for entry in target.diff().entries] == ([] if told is None else [told])


@pytest.mark.parametrize(
    ("data", "told"),
    [
        pytest.param('{"a":"1"}', None, id="the-same"),
        pytest.param('{"a":"9"}', ("pending", "modified", "git", "kubectl-create"), id="otherwise"),
    ],
)
def test_never_applied_by_us(
    data: str, told: tuple[str, str, str, str] | None, lab: Lab, namespace: str, tmp_path: Path
) -> None:
    """An object that someone else made before us is new in Git: compared like any other."""
    target = Target(lab, namespace, tmp_path)
    target.write("a.yaml", _config_map('{a: "1"}'))
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": json.loads(data)}
    target.kubectl("create", "-f", "-", stdin=json.dumps(body))
    report = target.diff()
    assert [_told(entry) for entry in report.entries] == ([] if told is None else [told])
    assert report.counts.unmanaged == 1
