"""What a change in Git does to each object, by two commits alone."""

import pytest
from objects import body_of, manifest_of

from recon_action.analyze.amendments import amendments
from recon_action.analyze.identity import declared, said_twice
from recon_action.model import AmendmentKind, Body, Manifest, ObjectRef


def by_ref(*bodies: Body) -> dict[ObjectRef, Manifest]:
    return declared([manifest_of(body) for body in bodies])[0]


def test_what_was_removed_comes_first() -> None:
    """Then what was changed, then what was added, each by name; what is the same is not told."""
    before = by_ref(body_of(name="b", data={"x": "1"}), body_of(name="z"), body_of(name="a"), body_of(name="same"))
    after = by_ref(body_of(name="new"), body_of(name="b", data={"x": "2"}), body_of(name="same"))
    assert [(one.kind, one.manifest.ref.name, *map(str, one.paths)) for one in amendments(before, after)] == [
        (AmendmentKind.REMOVED, "a"),
        (AmendmentKind.REMOVED, "z"),
        (AmendmentKind.CHANGED, "b", "data.x"),
        (AmendmentKind.ADDED, "new"),
    ]


@pytest.mark.parametrize(
    ("before", "after", "paths"),
    [
        pytest.param({"data": {"a": "1"}}, {"data": {"a": "1"}}, [], id="nothing"),
        pytest.param({"data": {"a": "1"}}, {"data": {}}, ["data.a"], id="field gone"),
        pytest.param({}, {"data": {"a": "1"}}, ["data"], id="field new"),
        pytest.param({"spec": {"replicas": 1}}, {"spec": {"replicas": "1"}}, ["spec.replicas"], id="type"),
        pytest.param({"spec": {"a": True}}, {"spec": {"a": 1}}, ["spec.a"], id="true is not 1"),
        pytest.param({"spec": {"a": None}}, {"spec": {}}, ["spec.a"], id="null is not nothing"),
        pytest.param({"metadata": {"labels": {"a": "1"}}}, {}, ["metadata.labels"], id="labels"),
        pytest.param({"items": [1, 2]}, {"items": [2, 1]}, ["items"], id="order of a list"),
        pytest.param({"spec": [{"a": 1}, {"a": 2}]}, {"spec": [{"a": 1}, {"a": 3}]}, ["spec[1].a"], id="item"),
        pytest.param({"spec": [{"a": 1}]}, {"spec": [{"a": 1}, {"a": 3}]}, ["spec"], id="more items"),
    ],
)
def test_fields_that_differ(before: Body, after: Body, paths: list[str]) -> None:
    """By the letter of the files: no server has filled anything in."""
    found = amendments(by_ref(body_of(**before)), by_ref(body_of(**after)))
    assert [str(path) for one in found for path in one.paths] == paths


def test_another_version_is_the_same_object() -> None:
    """Identity has none: what moved to another version was changed."""
    (found,) = amendments(
        by_ref(body_of("Job", api="batch/v1beta1")),
        by_ref(body_of("Job", api="batch/v1")),
    )
    assert (found.kind, [str(path) for path in found.paths]) == (AmendmentKind.CHANGED, ["apiVersion"])


def test_declared_twice() -> None:
    """The first one counts, and each further one is named with its place."""
    bodies = [body_of(data={"a": "1"}), body_of(name="other"), body_of(data={"a": "2"}), body_of()]
    found, twice = declared(manifest_of(body, line=line) for line, body in enumerate(bodies, 1))
    assert found[ObjectRef("", "ConfigMap", "", "web")].body["data"] == {"a": "1"}
    assert [one.origin.line for one in twice] == [3, 4]
    assert said_twice(twice[0], found) == "ConfigMap web is declared a second time; the first is at app.yaml:1"
