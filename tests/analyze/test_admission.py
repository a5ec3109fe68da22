"""Git's values that admission replaces, behind a prediction that says "same"."""

from typing import Any

import pytest
from objects import body_of, entry_of, live_of

from recon_action.analyze.admission import overridden
from recon_action.analyze.payload import labelled

_KEYED = {'k:{"name":"a"}': {"f:name": {}, "f:value": {}}}


@pytest.mark.parametrize(
    ("spec", "live", "fields", "expected"),
    [
        pytest.param({"a": 1}, {"a": 1, "b": 2}, {"f:a": {}}, [], id="as-git-says"),
        pytest.param({"a": "git"}, {"a": "policy"}, {"f:a": {}}, ["spec.a"], id="replaced"),
        pytest.param({"a": "git"}, {}, {"f:a": {}}, ["spec.a"], id="removed"),
        pytest.param({"a": ""}, {}, {"f:a": {}}, [], id="empty-and-dropped"),
        pytest.param({"a": []}, {"a": None}, {"f:a": {}}, [], id="empty-and-null"),
        pytest.param({"a": None}, {"a": {"b": 1}}, {"f:a": {}}, [], id="null-and-filled-in"),
        pytest.param({"cpu": "1000m"}, {"cpu": "1"}, {"f:cpu": {}}, [], id="another-form"),
        pytest.param({"a": True}, {"a": 1}, {"f:a": {}}, ["spec.a"], id="another-type"),
        pytest.param({"a": {"b": 1}}, {"a": {"b": 2, "c": 3}}, {}, ["spec.a.b"], id="inside-an-atomic"),
        pytest.param({"a": [{"x": 1}]}, {"a": [{"x": 2, "y": 0}]}, {"f:a": {}}, ["spec.a[0].x"], id="atomic-list"),
        pytest.param({"a": [1]}, {"a": [1, 2]}, {"f:a": {}}, [], id="added-to-an-atomic-list"),
        pytest.param({"a": [1, 3]}, {"a": [1]}, {"f:a": {}}, ["spec.a"], id="removed-from-an-atomic-list"),
        pytest.param(
            {"a": [{"name": "a", "value": "git"}]},
            {"a": [{"name": "b"}, "odd", {"name": "a", "value": "policy"}]},
            {"f:a": _KEYED},
            ["spec.a[name=a].value"],
            id="keyed-list",
        ),
        pytest.param(
            {"a": [{"name": "a"}, 1]}, {"a": [{"name": "b"}]}, {"f:a": _KEYED}, ["spec.a[name=a]"], id="no-item"
        ),
        pytest.param(
            {"a": [{"name": "a", "value": 1}]},
            {"a": [{"name": "a"}, {"name": "a"}]},
            {"f:a": _KEYED},
            [],
            id="which-item",
        ),
        pytest.param({"a": ["x", "y"]}, {"a": ["x"]}, {"f:a": {'v:"x"': {}}}, ["spec.a[=y]"], id="set"),
    ],
)
def test_overridden(spec: Any, live: Any, fields: Any, expected: list[str]) -> None:
    """Only a value that Git states and live states otherwise was overridden."""
    payload = body_of("Widget", api="example.com/v1", spec=spec)
    stored = live_of(body_of("Widget", api="example.com/v1", spec=live), entry_of({"f:spec": fields}))
    assert [str(path) for path, _, _ in overridden(payload, stored, built_in=True)] == expected


def test_a_label_of_ours_that_is_not_there_yet_was_not_overridden() -> None:
    """The object was not applied by us before; and other managers' entries tell how its lists are merged."""
    item = {"name": "a", "value": "git"}
    payload = labelled(body_of("Widget", api="example.com/v1", spec={"a": [item]}), "applyset-x")
    live = body_of("Widget", api="example.com/v1", spec={"a": [item | {"value": "policy"}]})
    stored = live_of(live, entry_of({"f:spec": {"f:a": _KEYED}}, "kubectl-client-side-apply", "Update"))
    assert [str(path) for path, _, _ in overridden(payload, stored, built_in=True)] == ["spec.a[name=a].value"]


def test_custom_resources_keep_what_they_are_given() -> None:
    """Another form of a quantity is another value there; and an object without our entry has no known lists."""
    payload = body_of("Widget", api="example.com/v1", spec={"cpu": "1000m", "a": [1]})
    stored = live_of(body_of("Widget", api="example.com/v1", spec={"cpu": "1", "a": [2]}))
    assert [str(path) for path, _, _ in overridden(payload, stored, built_in=False)] == ["spec.cpu", "spec.a[0]"]
