"""Fields that a person's tool added: which are counted, and which are others' own."""

from typing import Any

import pytest
from objects import body_of, entry_of, live_of

from recon_action.analyze.additive import Additive, additive
from recon_action.analyze.surplus import Filling
from recon_action.model import ABSENT, Body, Cause, LiveObject

_GIT = body_of(data={"a": "1"})
_B, _C = {"f:data": {"f:b": {}}}, {"f:data": {"f:c": {}}}
_OURS = entry_of({"f:data": {"f:a": {}}})


def _live(*entries: Body) -> LiveObject:
    return live_of(body_of(data={"a": "1", "b": "2", "c": "3"}), _OURS, *entries)


def _paths(*entries: Body) -> dict[str, Any]:
    return {str(change.path): change.live for change in additive(_GIT, _live(*entries), Filling()).changes}


def test_an_added_field_is_told_with_its_tool() -> None:
    """As absent in Git, with the last write; and it is what would have to become ours."""
    found = additive(_GIT, _live(entry_of(_B, "kubectl-edit", "Update", time="2026-01-01T00:00:00Z")), Filling())
    (change,) = found.changes
    assert (str(change.path), change.desired, change.live, change.additive) == ("data.b", ABSENT, "2", True)
    assert (change.cause, change.tool, change.since) == (Cause.MANUAL, "kubectl-edit", "2026-01-01T00:00:00Z")
    assert found.fields == _B


@pytest.mark.parametrize(
    ("entry", "counted"),
    [
        pytest.param(entry_of(_B, "kubectl-edit", "Update"), True, id="person"),
        pytest.param(entry_of(_B, "python-requests", "Update"), True, id="unknown-tool"),
        pytest.param(entry_of(_B, "terraform-thing", "Apply"), True, id="unknown-applier"),
        pytest.param(entry_of(_B, "some-controller", "Update"), False, id="controller"),
        pytest.param(entry_of(_B, "kubectl", "Update", subresource="scale"), False, id="scale"),
        pytest.param(entry_of(_B, "recon-action", "Update"), False, id="admission-of-our-apply"),
        pytest.param(entry_of(_B, "before-first-apply", "Update"), False, id="before-first-apply"),
        pytest.param(entry_of(_B, "helm", "Update"), False, id="predecessor"),
        pytest.param(entry_of(_B, "kubectl-edit", "Update") | {"apiVersion": "v2"}, False, id="another-version"),
        pytest.param(entry_of({"f:data": {"f:a": {}}}, "kubectl-edit", "Update"), False, id="mentioned"),
    ],
)
def test_whose_fields_are_counted(entry: Body, counted: bool) -> None:
    """Those of tools behind which no controller and no predecessor is known."""
    assert _paths(entry) == ({"data.b": "2"} if counted else {})


@pytest.mark.parametrize(
    ("keeper", "kept"),
    [
        pytest.param(entry_of(_B, "some-controller", "Update"), True, id="controller"),
        pytest.param(entry_of(_B, "kubectl", "Update", subresource="scale"), True, id="subresource"),
        pytest.param(entry_of(_B, "recon-action", "Update"), True, id="admission-of-our-apply"),
        pytest.param(entry_of(_B, "helm", "Update"), False, id="predecessor"),
        pytest.param(entry_of(_B, "recon-action", "Apply"), False, id="we-until-the-next-apply"),
    ],
)
def test_what_another_keeps_as_well(keeper: Body, kept: bool) -> None:
    """It would not go, so it isn't counted; but what a predecessor or we give up would."""
    person = entry_of({"f:data": {"f:b": {}, "f:c": {}}}, "kubectl-edit", "Update")
    found = additive(_GIT, _live(person, keeper), Filling())
    assert {str(change.path) for change in found.changes} == ({"data.c"} if kept else {"data.b", "data.c"})
    assert found.fields == (_C if kept else {"f:data": {"f:b": {}, "f:c": {}}})


def test_a_field_of_two_people_is_told_once() -> None:
    """With the tool that wrote last; both would have to give it up."""
    old = entry_of(_B, "kubectl-edit", "Update", time="2026-01-01T00:00:00Z")
    new = entry_of({"f:data": {"f:b": {}, "f:c": {}}}, "k9s", "Update", time="2026-02-01T00:00:00Z")
    found = additive(_GIT, _live(old, new), Filling())
    assert [(str(change.path), change.tool) for change in found.changes] == [("data.b", "k9s"), ("data.c", "k9s")]
    assert found.fields == {"f:data": {"f:b": {}, "f:c": {}}}


def test_nobody_added_anything() -> None:
    """Our entry alone."""
    assert additive(_GIT, _live(), Filling()) == Additive()
