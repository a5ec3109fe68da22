"""Differences that other tools don't see, or see at the wrong place: each is told with its path, and corrected.

Every story has an object of its own in one namespace, so that one apply, one diff, and another apply serve them all.
"""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from target import Target, told

from recon_action.report.document import Report

_THING = "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: NAME}\nspec: {SPEC}\n"
_POLICY = "apiVersion: example.com/v1\nkind: Policy\nmetadata: {name: NAME}\nspec: {action: Enforce}\n"
_ROLE = """\
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: NAME}
rules:
- {apiGroups: [""], resources: [pods], verbs: [get]}
- {apiGroups: [""], resources: [secrets], verbs: [get]}
"""
_SERVICE = """\
apiVersion: v1
kind: Service
metadata: {name: NAME}
spec:
  selector: {app: web}
  ports:
  - {name: http, port: 80}
  - {name: admin, port: 81}
"""
_SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: NAME}\nstringData: {user: shop, password: WORD}\n"
_WEB = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: NAME}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: registry.example/web:1
        env:
        - {name: GONE, value: "1"}
        - {name: CHANGED, value: "1"}
        - {name: KEPT, value: "1"}
        ports:
        - {containerPort: 80}
      - name: side
        image: registry.example/side:1
"""
_MOVED = (
    _WEB.replace('        - {name: GONE, value: "1"}\n', "")
    .replace('CHANGED, value: "1"', 'CHANGED, value: "2"')
    .replace("        ports:", '        - {name: NEW, value: "1"}\n        ports:')
    .replace("containerPort: 80", "containerPort: 81")
    .replace("side:1", "side:2")
)
_POD = "spec.template.spec.containers"


def _thing(spec: str) -> str:
    return _THING.replace("SPEC", spec)


def _merge(kind: str, patch: str) -> tuple[str, ...]:
    return ("patch", kind, "NAME", "--type=merge", "-p", patch)


def _json(kind: str, path: str, value: str) -> tuple[str, ...]:
    return ("patch", kind, "NAME", "--type=json", "-p", f'[{{"op":"replace","path":"{path}","value":{value}}}]')


@dataclass(frozen=True)
class Story:
    """What Git has, what happened, and what is told.

    Args:
        before: the manifest that was applied.
        told: bucket, kind of difference, paths.
        happened: kubectl's arguments.
        stdin: what kubectl reads.
        after: the manifest now, if Git moved.
    """

    before: str
    told: str
    happened: tuple[str, ...] = ()
    stdin: str = ""
    after: str = ""


_STORIES = {
    "number-in-a-custom-resource": Story(
        _thing("maxReplicaCount: 10"),
        "drifted modified spec.maxReplicaCount",
        _merge("thing", '{"spec":{"maxReplicaCount":30}}'),
    ),
    "custom-resource-of-the-whole-cluster": Story(
        _POLICY, "drifted modified spec.action", _merge("policy", '{"spec":{"action":"Audit"}}')
    ),
    "field-that-a-controller-dropped": Story(
        _thing("skip: false, files: [], title: a"),
        "drifted modified spec.files",
        ("patch", "thing", "NAME", "--type=json", "-p", '[{"op":"remove","path":"/spec/files"}]'),
    ),
    "second-item-of-a-list-without-keys": Story(
        _ROLE, "drifted modified rules[1].verbs", _json("role", "/rules/1/verbs", '["get","list"]')
    ),
    "second-item-of-a-custom-list": Story(
        _thing("rules: [{a: 1}, {a: 1}]"), "drifted modified spec.rules[1].a", _json("thing", "/spec/rules/1/a", "2")
    ),
    "number-that-became-text": Story(
        _thing("port: 80"), "drifted modified spec.port", _json("thing", "/spec/port", '"80"')
    ),
    "quantity-respelled-in-a-custom-resource": Story(
        _thing("memory: 1000M"), "drifted modified spec.memory", _json("thing", "/spec/memory", '"1G"')
    ),
    "integer-that-a-double-can-not-tell": Story(
        _thing("size: 9007199254740993"),
        "drifted modified spec.size",
        _json("thing", "/spec/size", "9007199254740992"),
    ),
    "image-of-the-second-container": Story(
        _WEB,
        f"drifted modified {_POD}[name=side].image",
        ("set", "image", "deployment/NAME", "side=registry.example/side:2"),
    ),
    "several-lists-changed-in-git": Story(
        _WEB,
        f"pending modified {_POD}[name=web].ports[containerPort=81,protocol=TCP] "
        f"{_POD}[name=web].ports[containerPort=80,protocol=TCP] {_POD}[name=web].env[name=CHANGED].value "
        f"{_POD}[name=web].env[name=NEW] {_POD}[name=web].env[name=GONE] {_POD}[name=side].image",
        after=_MOVED,
    ),
    "port-that-git-dropped-and-helm-holds-as-well": Story(
        _SERVICE,
        "drifted modified spec.ports[port=81,protocol=TCP]",
        ("apply", "--server-side", "--field-manager=helm", "-f", "-"),
        stdin=_SERVICE,
        after=_SERVICE.replace("  - {name: admin, port: 81}\n", ""),
    ),
    "secret-written-as-text": Story(
        _SECRET.replace("WORD", "one"), "pending modified data.password", after=_SECRET.replace("WORD", "two")
    ),
    "key-dropped-from-a-secret-written-as-text": Story(
        _SECRET.replace("WORD", "one"), "pending modified data.password", after=_SECRET.replace(", password: WORD", "")
    ),
}


@pytest.fixture(scope="module")
def target(new_target: Callable[[], Target]) -> Target:
    """All of it has happened."""
    target = new_target()
    for name, story in _STORIES.items():
        target.write(f"{name}.yaml", story.before.replace("NAME", name))
    applied = target.apply()
    assert applied.exit_code == 0, [entry.problem for entry in applied.entries if entry.problem]
    for name, story in _STORIES.items():
        if story.happened:
            arguments = [argument.replace("NAME", name) for argument in story.happened]
            target.kubectl(*arguments, stdin=story.stdin.replace("NAME", name))
        if story.after:
            target.write(f"{name}.yaml", story.after.replace("NAME", name))
    return target


@pytest.fixture(scope="module")
def found(target: Target) -> dict[str, Report]:
    """A diff with the proof and one without."""
    return {"proof": target.diff(), "server": target.diff(proof=False)}


@pytest.mark.parametrize("name", _STORIES)
def test_it_is_told_with_its_path(name: str, found: dict[str, Report]) -> None:
    """The bucket, and the very field; with the proof as without."""
    said = {way: words for way, report in found.items() for ref, words in told(report).items() if ref.endswith(name)}
    assert said == dict.fromkeys(found, _STORIES[name].told)


def test_an_apply_corrects_all_of_it(target: Target, found: dict[str, Report]) -> None:
    """Afterwards the cluster is as Git says, and nothing is told any more."""
    assert len(found["proof"].entries) == len(_STORIES)
    assert target.apply().exit_code == 0
    after = target.diff()
    assert (after.exit_code, told(after)) == (0, {})
    ports = target.get("service", "port-that-git-dropped-and-helm-holds-as-well")["spec"]["ports"]
    assert [port["port"] for port in ports] == [80]
    assert set(target.get("secret", "key-dropped-from-a-secret-written-as-text")["data"]) == {"user"}
