"""What an apply would make of an object, worked out without the server."""

from typing import Any

import pytest
from objects import entry_of, live_of, resource_of
from openapi import TYPES

from recon_action.analyze.compare import compare
from recon_action.analyze.local import applied
from recon_action.analyze.ownership import owned_fields
from recon_action.analyze.schema import UNKNOWN, Schema, schema_of
from recon_action.model import Body, LiveObject

_DEPLOYMENT = schema_of(TYPES, resource_of("Deployment", "apps/v1"))
_WIDGET = schema_of(TYPES, resource_of("Widget", "example.com/v1"))


def _body(spec: Body, *, kind: str = "Deployment", **metadata: Any) -> Body:
    api = {"Deployment": "apps/v1", "Widget": "example.com/v1"}[kind]
    return {"apiVersion": api, "kind": kind, "metadata": {"name": "web", **metadata}, "spec": spec}


def _live(spec: Body, *, ours: Body | None, others: Body | None = None, kind: str = "Deployment") -> LiveObject:
    """An object that we last applied with the spec `ours`, and someone else with `others`."""
    schema = {"Deployment": _DEPLOYMENT, "Widget": _WIDGET}[kind]
    entries = []
    if ours is not None:
        entries.append(entry_of(owned_fields(_body(ours, kind=kind), schema)))
    if others is not None:
        entries.append(entry_of(owned_fields(_body(others, kind=kind), schema), "other", "Update"))
    return live_of(_body(spec, kind=kind), *entries)


def _applied(desired: Body, live: LiveObject, schema: Schema = _DEPLOYMENT) -> Body:
    spec: Body = applied(_body(desired, kind=live.ref.kind), live, schema).get("spec", {})
    return spec


def _changed(desired: Body, live: LiveObject, schema: Schema = _DEPLOYMENT) -> list[str]:
    payload = _body(desired, kind=live.ref.kind)
    return [str(path) for path, _, _ in compare(applied(payload, live, schema), live.body, status=False)]


_FULL = {
    "replicas": 2,
    "selector": {"matchLabels": {"app": "web"}},
    "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}},
    "containers": [
        {
            "name": "web",
            "image": "web:1",
            "imagePullPolicy": "IfNotPresent",
            "terminationMessagePath": "/dev/termination-log",
            "terminationMessagePolicy": "File",
            "resources": {"limits": {"cpu": "1"}},
            "ports": [{"containerPort": 80, "protocol": "TCP"}],
        }
    ],
}
_GIT = {
    "replicas": 2,
    "selector": {"matchLabels": {"app": "web"}},
    "containers": [
        {"name": "web", "image": "web:1", "resources": {"limits": {"cpu": "1000m"}}, "ports": [{"containerPort": 80}]}
    ],
}


def test_in_sync() -> None:
    """Defaults, quantities in another form and key fields that Git leaves out are no difference."""
    assert _changed(_GIT, _live(_FULL, ours=_GIT)) == []


def test_our_entry_is_as_the_server_would_write_it() -> None:
    """The prediction carries the entries of others, and ours anew."""
    live = _live(_FULL, ours={"replicas": 1}, others={"strategy": {}})
    after = LiveObject(live.ref, applied(_body(_GIT), live, _DEPLOYMENT))
    assert [entry.manager for entry in after.entries] == ["other", "recon-action"]
    assert after.own_entry
    assert after.own_entry.version == "apps/v1"
    assert after.own_entry.fields == owned_fields(_body(_GIT), _DEPLOYMENT)


def test_an_object_that_we_never_applied() -> None:
    """Without an entry of ours nothing is taken away."""
    assert _changed({"replicas": 3}, _live(_FULL, ours=None)) == ["spec.replicas"]


@pytest.mark.parametrize(
    ("git", "live", "ours", "others", "paths"),
    [
        pytest.param({"replicas": 3}, {"replicas": 2}, {"replicas": 3}, None, ["spec.replicas"], id="changed"),
        pytest.param({}, {"data": "YQ=="}, {"data": "YQ=="}, None, ["spec.data"], id="dropped"),
        pytest.param({}, {"data": "YQ=="}, {"data": "YQ=="}, {"data": "YQ=="}, [], id="dropped-but-co-owned"),
        pytest.param({}, {"data": "YQ=="}, {}, {"data": "YQ=="}, [], id="another's"),
        pytest.param({}, {"replicas": 1}, {"replicas": 1}, None, [], id="dropped-to-its-default"),
        pytest.param({}, {"replicas": 4}, {"replicas": 4}, None, ["spec.replicas"], id="dropped-from-its-default"),
        pytest.param({"claims": []}, {"claims": None}, {"claims": []}, None, [], id="empty-list-stored-as-null"),
        pytest.param({"data": "YQ\n=="}, {"data": "YQ=="}, {}, None, [], id="bytes-in-two-lines"),
        pytest.param({"replicas": None}, {"replicas": 1}, {"replicas": 1}, None, [], id="null-is-the-default"),
        pytest.param({"replicas": 2.0}, {"replicas": 2}, {"replicas": 2}, None, [], id="integral-float"),
        pytest.param(
            {"strategy": {}},
            {"strategy": {"type": "Recreate"}},
            {"strategy": {"type": "Recreate"}},
            None,
            ["spec.strategy.type", "spec.strategy.rollingUpdate"],
            id="emptied-map-gets-its-defaults",
        ),
        pytest.param(
            {"strategy": {"pause": "60s"}},
            {"strategy": {"pause": "1m0s"}},
            {"strategy": {"pause": "60s"}},
            None,
            [],
            id="duration",
        ),
        pytest.param(
            {"selector": {"matchLabels": {"a": "1"}}},
            {"selector": {"matchLabels": {"a": "1", "b": "2"}}},
            {"selector": {"matchLabels": {"a": "1"}}},
            None,
            ["spec.selector.matchLabels.b"],
            id="atomic-map",
        ),
        pytest.param(
            {"selector": None},
            {"selector": {"matchLabels": {"a": "1"}}},
            {"selector": {"matchLabels": {"a": "1"}}},
            None,
            ["spec.selector"],
            id="null-over-an-atomic-map",
        ),
    ],
)
def test_fields(git: Body, live: Body, ours: Body, others: Body | None, paths: list[str]) -> None:
    """A field is set, removed if it was ours alone, or left."""
    assert _changed(git, _live(live, ours=ours, others=others)) == paths


def _containers(*containers: Body) -> Body:
    return {"containers": list(containers)}


_STORED = {"terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File", "resources": {}}


@pytest.mark.parametrize(
    ("git", "live", "ours", "others", "paths"),
    [
        pytest.param(
            [{"name": "a", "env": [{"name": "x", "value": "1"}]}],
            [{"name": "a", "env": [{"name": "x", "value": "1"}, {"name": "y", "value": "2"}]}],
            [{"name": "a", "env": [{"name": "x", "value": "1"}, {"name": "y", "value": "2"}]}],
            None,
            ["spec.containers[name=a].env[name=y]"],
            id="item-dropped",
        ),
        pytest.param(
            [{"name": "a"}],
            [{"name": "a"}, {"name": "b", "image": "b", "tty": True}],
            [{"name": "a"}, {"name": "b", "image": "b"}],
            [{"name": "b", "tty": True}],
            ["spec.containers[name=b].image"],
            id="item-dropped-but-partly-another's",
        ),
        pytest.param(
            [{"name": "a"}, {"name": "b"}],
            [{"name": "b"}, {"name": "a"}],
            [{"name": "a"}, {"name": "b"}],
            None,
            ["spec.containers"],
            id="order",
        ),
        pytest.param([{"name": "a"}, {"name": "b"}], [{"name": "a"}], [], None, ["spec.containers[name=b]"], id="new"),
        pytest.param([], [{"name": "a"}], [{"name": "a"}], None, ["spec.containers"], id="all-dropped"),
        pytest.param(None, [{"name": "a"}], [{"name": "a"}], None, ["spec.containers"], id="null"),
        pytest.param(None, [{"name": "a"}], [], [{"name": "a"}], [], id="null-over-another's"),
        pytest.param([{"name": "a", "tty": False}], [{"name": "a"}], [], None, [], id="false-is-left-out"),
        pytest.param(
            [{"name": "a", "privileged": False}],
            [{"name": "a"}],
            [{"name": "a"}],
            None,
            ["spec.containers[name=a].privileged"],
            id="false-that-counts",
        ),
        pytest.param(
            [{"name": "a", "privileged": False}],
            [{"name": "a"}],
            [{"name": "a", "privileged": False}],
            None,
            [],
            id="left-out-since-we-applied-it",
        ),
        pytest.param(
            [{"name": "a", "args": ["x"]}],
            [{"name": "a", "args": ["x", "y"]}],
            [{"name": "a", "args": ["x"]}],
            None,
            ["spec.containers[name=a].args"],
            id="atomic-list",
        ),
        pytest.param(
            [{"name": "a", "ports": [{"containerPort": 53}, {"containerPort": 53, "protocol": "UDP"}]}],
            [
                {
                    "name": "a",
                    "ports": [{"containerPort": 53, "protocol": "TCP"}, {"containerPort": 53, "protocol": "UDP"}],
                }
            ],
            [{"name": "a", "ports": [{"containerPort": 53}, {"containerPort": 53, "protocol": "UDP"}]}],
            None,
            [],
            id="key-with-default",
        ),
    ],
)
def test_items(
    git: list[Body] | None, live: list[Body], ours: list[Body], others: list[Body] | None, paths: list[str]
) -> None:
    """Items of a keyed list are merged like fields, in Git's order."""
    stored = _containers(*(_STORED | item for item in live))
    theirs = None if others is None else _containers(*others)
    observed = _live(stored, ours=_containers(*ours), others=theirs)
    assert _changed({"containers": git}, observed) == paths


@pytest.mark.parametrize(
    ("git", "live", "paths"),
    [
        pytest.param([{"name": "a"}], [_STORED | {"name": "a"}], [], id="defaults"),
        pytest.param([{"name": "a", "image": ""}], [_STORED | {"name": "a"}], [], id="empty-is-left-out"),
        pytest.param([None], [{}], [], id="null-object"),
        pytest.param([{"name": "a", "args": [None]}], [_STORED | {"name": "a", "args": [""]}], [], id="null-item"),
        pytest.param(
            [{"name": "a"}], [_STORED | {"name": "a", "image": "x"}], ["spec.claims[0].image"], id="someone-added"
        ),
        pytest.param(
            [{"name": "a", "resources": {"limits": {}}}],
            [_STORED | {"name": "a", "resources": {"limits": {"cpu": "1"}}}],
            ["spec.claims[0].resources.limits"],
            id="emptied",
        ),
    ],
)
def test_atomic_lists(git: list[Any], live: list[Any], paths: list[str]) -> None:
    """A list that is replaced is compared in the form in which it would be stored."""
    for container in (item for item in live if item):
        container.setdefault("imagePullPolicy", "Always")
    assert _changed({"claims": git}, _live({"claims": live}, ours={"claims": git})) == paths


@pytest.mark.parametrize(
    ("git", "live", "paths"),
    [
        pytest.param({"cpu": "1000m"}, {"mode": "auto", "cpu": "1"}, ["spec.cpu"], id="no-canonical-forms"),
        pytest.param({"cpu": ""}, {"mode": "auto"}, ["spec.cpu"], id="nothing-is-left-out"),
        pytest.param({}, {"mode": "auto"}, [], id="default"),
        pytest.param({"mode": None}, {"mode": "auto"}, [], id="null-is-the-default"),
        pytest.param({"maybe": None}, {"mode": "auto"}, ["spec.maybe"], id="null-is-a-value"),
        pytest.param({"nested": {}}, {"mode": "auto", "nested": {"depth": 1}}, [], id="nested-default"),
        pytest.param({"rules": [{}]}, {"mode": "auto", "rules": [{"verb": "get"}]}, [], id="in-atomic"),
        pytest.param({"rules": [{"path": None}]}, {"mode": "auto", "rules": [{"verb": "get"}]}, [], id="atomic-null"),
        pytest.param({"free": {"a": None}}, {"mode": "auto", "free": {"a": None}}, [], id="null-in-free-form"),
        pytest.param({"tags": ["b"]}, {"mode": "auto", "tags": ["a", "b"]}, [], id="set"),
        pytest.param({"tags": ["c"]}, {"mode": "auto", "tags": ["a"]}, ["spec.tags[=c]"], id="set-item"),
        pytest.param({"free": {"a": [1]}}, {"mode": "auto", "free": {"a": [1], "b": 2}}, [], id="free-form"),
    ],
)  # fmt: skip
def test_custom_resources(git: Body, live: Body, paths: list[str]) -> None:
    """A custom resource is stored as it was given, with the defaults of its schema."""
    assert _changed(git, _live(live, ours=None, kind="Widget"), _WIDGET) == paths


def test_without_a_schema() -> None:
    """Where the server publishes nothing, maps are merged and lists replaced."""
    live = _live({"a": {"x": 1, "y": 2}, "b": [1, 2]}, ours=None, kind="Widget")
    assert _changed({"a": {"x": 1}, "b": [1]}, live, UNKNOWN) == ["spec.b"]


def test_null_in_a_map_of_texts() -> None:
    """In a map of texts the server makes "" of null."""
    live = live_of(_body({}, labels={"a": "1"}))
    payload = _body({}, labels={"a": None})
    assert [path for path, _, _ in compare(applied(payload, live, _DEPLOYMENT), live.body, status=False)]
    assert applied(payload, live, _DEPLOYMENT)["metadata"]["labels"] == {"a": ""}


def test_allocated_fields_stay() -> None:
    """What the server has chosen itself stays where Git leaves it empty."""
    name = "io.k8s.api.core.v1.ServiceSpec"
    schema = Schema({"properties": {"spec": {"$ref": f"#/{name}"}}}, {name: {"properties": {"clusterIP": {}}}})
    live = live_of(_body({"clusterIP": "10.0.0.1"}), entry_of({"f:spec": {"f:clusterIP": {}}}))
    assert applied(_body({"clusterIP": ""}), live, schema)["spec"]["clusterIP"] == "10.0.0.1"
