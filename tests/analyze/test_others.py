"""What rules and autoscalers together make of payloads and verdicts."""

from dataclasses import replace
from typing import Any

import pytest
from objects import body_of, entry_of, live_of, manifest_of, resource_of

from recon_action.analyze.leave import Left
from recon_action.analyze.others import Others, compared, sent, with_left
from recon_action.analyze.payload import labelled
from recon_action.model import (
    ABSENT,
    Bucket,
    FieldPath,
    Handover,
    IgnoreRule,
    Match,
    ObjectRef,
    Problem,
    Trouble,
    Verdict,
)
from recon_action.model.pattern import parse_field

_RULE = IgnoreRule(Match(), (parse_field("data.a"), parse_field("data.b")), (), "why")
_BODY = body_of(data={"a": "git", "b": "git", "c": "git"})
_LIVE = live_of(body_of(data={"a": "live", "b": "live", "c": "git"}), entry_of({"f:data": {"f:a": {}, "f:c": {}}}))
_REF = _LIVE.ref
_PAYLOADS = {_REF: labelled(_BODY, "ours")}


def _lefts(*rules: IgnoreRule, scaled: bool = False) -> dict[ObjectRef, Left]:
    others = Others(rules, {_REF: (_RULE,)} if scaled else {})
    return others.lefts(_PAYLOADS, {_REF: _LIVE}, {_REF: resource_of()})


def _verdict(bucket: Bucket = Bucket.IN_SYNC, **more: Any) -> Verdict:
    return Verdict(_REF, bucket, manifest_of(_BODY), _LIVE, **more)


def test_nobody_else() -> None:
    """Without rules and autoscalers, or none that are about the object, everything is Git's."""
    assert _lefts() == {}
    assert _lefts(IgnoreRule(Match(kind="Secret"), (parse_field("data.a"),))) == {}
    assert _lefts(IgnoreRule(Match(), (parse_field("data.x"),))) == {}
    assert with_left(_verdict(), None) == _verdict()


def test_an_object_that_is_new_is_left_to_nobody() -> None:
    """There is nothing live to keep."""
    assert Others((_RULE,)).lefts(_PAYLOADS, {}, {_REF: resource_of()}) == {}


def test_what_has_moved_since_is_made_anew() -> None:
    """An object that is gone is made as Git says; one that was read again keeps its new values."""
    others, resources = Others((_RULE,)), {_REF: resource_of()}
    lefts = _lefts(_RULE)
    assert others.caught_up(lefts, _PAYLOADS, {}, resources) == lefts
    assert others.caught_up(lefts, _PAYLOADS, {_REF: None}, resources) == {}
    newer = live_of(body_of(data={"a": "newer"}), uid="uid-2")
    assert others.caught_up(lefts, _PAYLOADS, {_REF: newer}, resources)[_REF].uid == "uid-2"


def test_what_is_compared_and_what_is_sent() -> None:
    """Both lack what is left to others, and only to this very object it is sent so; without, both are the same."""
    lefts = _lefts(_RULE)
    assert compared(_PAYLOADS, lefts) == {_REF: labelled(body_of(data={"c": "git"}), "ours")}
    assert sent(_PAYLOADS, lefts) == {_REF: labelled(body_of(data={"c": "git"}, metadata={"uid": "uid-1"}), "ours")}
    assert compared(_PAYLOADS, {}) == sent(_PAYLOADS, {}) == _PAYLOADS


def test_a_difference_that_is_hidden_makes_an_object_ignored() -> None:
    """With the fields, the reason, and what of them must be disowned."""
    verdict = with_left(_verdict(), _lefts(_RULE)[_REF])
    assert (verdict.bucket, verdict.reason, verdict.mend) == (Bucket.IGNORED, "data.a, data.b (why)", True)
    assert verdict.hidden == (FieldPath(("data", "a")), FieldPath(("data", "b")))
    assert verdict.handover == Handover(disown={"f:data": {"f:a": {}}})


def test_a_difference_beside_hidden_ones_keeps_its_bucket() -> None:
    """The reason comes behind what else is to be known."""
    rule = IgnoreRule(Match(), (parse_field("data.b"),))
    verdict = with_left(_verdict(Bucket.PENDING, reason="mind this"), _lefts(rule)[_REF])
    assert (verdict.bucket, verdict.reason, verdict.mend) == (Bucket.PENDING, "mind this; ignored: data.b", False)
    assert verdict.handover is None


def test_a_take_over_gives_up_what_is_left_to_others() -> None:
    """Both go in one patch; another tool's object is not mended."""
    handover = Handover(managers=frozenset({("helm", "Apply")}))
    left = _lefts(_RULE)[_REF]
    verdict = with_left(_verdict(handover=handover, owner="argocd"), left)
    assert verdict.handover == Handover(managers=handover.managers, disown=left.disown)
    assert not verdict.mend


def test_what_an_autoscaler_owns_is_in_sync_and_told_of() -> None:
    """It is no hidden difference."""
    lefts = _lefts(scaled=True)
    verdict = with_left(_verdict(), lefts[_REF])
    assert (verdict.bucket, verdict.hidden, verdict.reason, verdict.mend) == (Bucket.IN_SYNC, (), "", True)
    assert Others(scaled={_REF: (_RULE,)}).notes(lefts, [verdict]) == [
        "Left to autoscalers: data.a, data.b of ConfigMap web (why)."
    ]


@pytest.mark.parametrize(
    ("counts", "note"),
    [
        ((1,), "Rules hide 1 differing field of 1 object."),
        ((2, 0, 1), "Rules hide 3 differing fields of 2 objects."),
    ],
)
def test_hidden_fields_are_counted(counts: tuple[int, ...], note: str) -> None:
    """Over all objects."""
    path = FieldPath(("data", "a"))
    assert Others().notes({}, [_verdict(hidden=(path,) * count) for count in counts]) == [note]


def test_autoscalers_that_can_t_be_read_are_told_of() -> None:
    """An apply may then write what is theirs."""
    unread = {"ScaledObject": Problem(Trouble.FORBIDDEN, "no")}
    (note,) = Others(unread=unread).notes({}, [_verdict()])
    assert note == "Of kind ScaledObject only those in Git are known, for the cluster's can't be read: no."


@pytest.mark.parametrize(
    ("live", "others", "contested"),
    [
        pytest.param({"a": "live", "b": "git"}, Others(), "a", id="differs"),
        pytest.param({"a": "git", "b": "live"}, Others(), "", id="as-git-has-it"),
        pytest.param({"a": "live"}, Others((_RULE,)), "", id="ignored-anyway"),
        pytest.param({"a": "live"}, Others(scaled={_REF: (_RULE,)}), "", id="an-autoscaler-s"),
        pytest.param({"b": "git"}, Others(), "a", id="taken-away"),
    ],
)
def test_a_contested_field_is_left_alone_where_it_differs(live: dict[str, str], others: Others, contested: str) -> None:
    """As Git has it, it is Git's, and stays ours; what is another's anyway can't be fought for."""
    rule = IgnoreRule(Match(), (parse_field("data.a"),), (), "set back 3 times")
    fought = replace(others, contested={_REF: (rule,)})
    lefts = fought.lefts(_PAYLOADS, {_REF: live_of(body_of(data=live))}, {_REF: resource_of()})
    paths = [path.items[-1] for left in lefts.values() for path, _, _ in left.contested]
    assert paths == ([contested] if contested else [])


def test_a_field_that_git_lacks_can_be_contested_as_well() -> None:
    """Somebody brings it back each time that it is removed."""
    rule = IgnoreRule(Match(), (parse_field("data.x"),))
    live = live_of(body_of(data={"x": "live"}), entry_of({"f:data": {"f:x": {}}}, "helm", "Update"))
    left = Others(contested={_REF: (rule,)}).lefts(_PAYLOADS, {_REF: live}, {_REF: resource_of()})[_REF]
    assert left.contested == ((FieldPath(("data", "x")), ABSENT, "live"),)
    verdict = with_left(_verdict(handover=Handover(frozenset({("helm", "Update")}))), left)
    assert verdict.handover == Handover(frozenset({("helm", "Update")}), spare={"f:data": {"f:x": {}}})
