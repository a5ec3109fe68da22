"""Git's values that admission replaces, behind a prediction that says "same"."""

from typing import Any

import pytest
from objects import body_of, entry_of, live_of

from recon_action.analyze.admission import overridden

_KEYED = {'k:{"name":"a"}': {"f:name": {}, "f:value": {}}}


@pytest.mark.parametrize(
    ("spec", "live", "fields", "expected"),
    [
        pytest.param({"a": 1}, {"a": 1, "b": 2}, {"f:a": {}}, [], id="as-git-says"),
        pytest.param({"a": "git"}, {"a": "policy"}, {"f:a": {}}, ["spec.a"], id="replaced"),
        pytest.param({"a": "git"}, {}, {"f:a": {}}, ["spec.a"], id="removed"),
        pytest.param({"a": ""}, {}, {"f:a": {}}, [], id="empty-and-dropped"),
        pytest.param({"cpu": "1000m"}, {"cpu": "1"}, {"f:cpu": {}}, [], id="another-form"),
        pytest.param({"a": True}, {"a": 1}, {"f:a": {}}, ["spec.a"], id="another-type"),
        pytest.param({"a": {"b": 1}}, {"a": {"b": 2, "c": 3}}, {}, ["spec.a.b"], id="inside-an-atomic"),
        pytest.param({"a": [{"x": 1}]}, {"a": [{"x": 2, "y": 0}]}, {"f:a": {}}, ["spec.a[0].x"], id="atomic-list"),
        pytest.param({"a": [1]}, {"a": [1, 2]}, {"f:a": {}}, [], id="nothing-is-claimed-of-other-lengths"),
        pytest.param(
            {"a": [{"name": "a", "value": "git"}]},
            {"a": [{"name": "b"}, "odd", {"name": "a", "value": "policy"}]},
            {"f:a": _KEYED},
            ["spec.a[name=a].value"],
            id="keyed-list",
        ),
        pytest.param({"a": [{"name": "a"}, 1]}, {"a": [{"name": "b"}]}, {"f:a": _KEYED}, [], id="item-not-found"),
        pytest.param({"a": ["x", "y"]}, {"a": ["x"]}, {"f:a": {'v:"x"': {}}}, ["spec.a[=y]"], id="set"),
    ],
)
def test_overridden(spec: Any, live: Any, fields: Any, expected: list[str]) -> None:
    """Only a value that Git states and live states otherwise was overridden."""
    payload = body_of("Widget", api="example.com/v1", spec=spec)
    stored = live_of(body_of("Widget", api="example.com/v1", spec=live), entry_of({"f:spec": fields}))
    assert [str(path) for path, _, _ in overridden(payload, stored, built_in=True)] == expected


def test_custom_resources_keep_what_they_are_given() -> None:
    """Another form of a quantity is another value there; and an object without our entry has no known lists."""
    payload = body_of("Widget", api="example.com/v1", spec={"cpu": "1000m", "a": [1]})
    stored = live_of(body_of("Widget", api="example.com/v1", spec={"cpu": "1", "a": [2]}))
    assert [str(path) for path, _, _ in overridden(payload, stored, built_in=False)] == ["spec.cpu", "spec.a[0]"]
