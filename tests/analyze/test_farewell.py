"""Objects given back: the patch that leaves nothing of ours."""

import pytest
from objects import body_of, entry_of, live_of

from recon_action.analyze.farewell import farewell_patch
from recon_action.model import Body
from recon_action.model.inventory import PART_OF

SET = "applyset-1-v1"
LABEL: Body = {"f:metadata": {"f:labels": {f"f:{PART_OF}": {}}}}
DATA: Body = {"f:data": {"f:a": {}}}
MORE: Body = {"f:data": {"f:b": {}}}
BOTH: Body = {"f:data": {"f:a": {}, "f:b": {}}}
HOLD: Body = {"f:metadata": {"f:annotations": {"f:recon-action.github.io/hold": {}}}}
OURS = entry_of(LABEL | DATA)
KUBECTL = entry_of(MORE, "kubectl")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param([OURS], [entry_of(DATA, "kubectl")], id="to an heir that had nothing"),
        pytest.param([OURS, KUBECTL], [entry_of(BOTH, "kubectl")], id="to one that had something"),
        pytest.param(
            [OURS, entry_of(MORE, "kubectl", "Update")],
            [entry_of(MORE, "kubectl", "Update"), entry_of(DATA, "kubectl")],
            id="plain writes are another matter",
        ),
        pytest.param(
            [OURS, entry_of(MORE, "helm")], [entry_of(MORE, "helm"), entry_of(DATA, "kubectl")], id="others stay"
        ),
        pytest.param([entry_of(LABEL)], [{}], id="nothing but the label"),
        pytest.param([entry_of(HOLD, "recon-action-hold", "Update")], [{}], id="a hold"),
    ],
)
def test_who_inherits(before: list[Body], after: list[Body]) -> None:
    """What we applied is kubectl's, as if it had applied it; the label and a hold are nobody's."""
    operations = farewell_patch(live_of(body_of(), *before, label=SET), SET)
    assert operations[-1] == {"op": "replace", "path": "/metadata/managedFields", "value": after}


def test_label_and_hold_go() -> None:
    """Guarded by the version that was read."""
    body = body_of(metadata={"annotations": {"recon-action.github.io/hold": "x", "a": "b"}})
    assert farewell_patch(live_of(body, OURS, label=SET, version="7"), SET)[:3] == [
        {"op": "replace", "path": "/metadata/resourceVersion", "value": "7"},
        {"op": "remove", "path": "/metadata/labels/applyset.kubernetes.io~1part-of"},
        {"op": "remove", "path": "/metadata/annotations/recon-action.github.io~1hold"},
    ]


def test_a_label_without_an_entry_goes() -> None:
    """ManagedFields that hold nothing of ours stay as they are."""
    operations = farewell_patch(live_of(body_of(), KUBECTL, label=SET), SET)
    assert [one["path"] for one in operations] == [
        "/metadata/resourceVersion",
        "/metadata/labels/applyset.kubernetes.io~1part-of",
    ]


def test_another_set_s_label_stays() -> None:
    """Only our own goes."""
    operations = farewell_patch(live_of(body_of(), OURS, label="applyset-2-v1"), SET)
    assert [one["path"] for one in operations] == ["/metadata/resourceVersion", "/metadata/managedFields"]


def test_nothing_of_ours_nothing_to_do() -> None:
    """Such an object gets no patch."""
    assert farewell_patch(live_of(body_of(), KUBECTL), SET) == []
