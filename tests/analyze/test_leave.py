"""How a field is left to others: what is sent, what is asked, what is disowned, what differs."""

from typing import Any

import pytest
from objects import body_of, entry_of, live_of

from recon_action.analyze.ignore import ignored_fields
from recon_action.analyze.leave import Left, leave
from recon_action.analyze.payload import labelled
from recon_action.model import Body, FieldPath, IgnoreRule, LiveObject, Match
from recon_action.model.pattern import parse_field

_WEB, _LOG = 'k:{"name":"web"}', 'k:{"name":"log"}'
_ITEM: Body = {".": {}, "f:name": {}, "f:image": {}, "f:args": {}}
_OWN: Body = {
    "f:metadata": {"f:labels": {"f:applyset.kubernetes.io/part-of": {}}},
    "f:data": {"f:a": {}, "f:b": {}},
    "f:list": {_WEB: _ITEM, _LOG: _ITEM},
    "f:set": {'v:"x"': {}, 'v:"y"': {}},
    "f:whole": {},
    "f:map": {},
}


def _body(**fields: Any) -> Body:
    return labelled(body_of(**fields), "ours")


def _live(*entries: Body, **fields: Any) -> LiveObject:
    return live_of(body_of(**fields), *(entries or (entry_of(_OWN),)), label="ours", version="7")


def _leave(payload: Body, live: LiveObject, *paths: str, built_in: bool = True) -> Left:
    rules = [IgnoreRule(Match(), tuple(parse_field(path) for path in paths))]
    return leave(payload, live, ignored_fields(rules, payload, live), {}, built_in=built_in)


def _item(name: str, image: str) -> Body:
    return {"name": name, "image": image}


def test_a_map_s_field_leaves_the_payload_and_our_ownership() -> None:
    """It is neither sent nor ours any more; a dry run before that is asked with the live value."""
    left = _leave(_body(data={"a": "git", "b": "git"}), _live(data={"a": "live", "b": "git"}), "data.a")
    assert left.payload == _body(data={"b": "git"})
    assert left.asked == _body(data={"a": "live", "b": "git"})
    assert left.kept == left.asked
    assert (left.disown, left.is_owned) == ({"f:data": {"f:a": {}}}, True)
    assert left.hidden == {FieldPath(("data", "a")): ""}


def test_a_field_that_is_not_ours_is_only_left_out() -> None:
    """Nothing of ours to disown, and a dry run needs no value either."""
    own, theirs = entry_of({"f:data": {"f:b": {}}}), entry_of({"f:data": {"f:a": {}}}, "kubectl")
    left = _leave(_body(data={"a": "git", "b": "git"}), _live(own, theirs, data={"a": "live", "b": "git"}), "data.a")
    assert left.payload == left.asked == _body(data={"b": "git"})
    assert left.kept == _body(data={"a": "live", "b": "git"})
    assert not left.is_owned


def test_what_a_take_over_makes_ours_is_disowned_with_it() -> None:
    """A predecessor's entry becomes ours whole: without the fields that are left to others."""
    theirs = entry_of({"f:data": {"f:a": {}, "f:b": {}}}, "helm")
    left = _leave(_body(data={"a": "git", "b": "git"}), _live(theirs, data={"a": "live", "b": "git"}), "data.a")
    assert (left.disown, left.is_owned) == ({"f:data": {"f:a": {}}}, False)


def test_a_field_that_git_dropped_and_we_own_is_disowned() -> None:
    """Or the next apply would remove it."""
    left = _leave(_body(data={"b": "git"}), _live(data={"a": "live", "b": "git"}), "data.a")
    assert left.payload == _body(data={"b": "git"})
    assert left.asked == _body(data={"a": "live", "b": "git"})
    assert left.disown == {"f:data": {"f:a": {}}}
    assert len(left.hidden) == 1


def test_a_field_that_live_lacks_stays_absent() -> None:
    """Its live value is none."""
    live = _live(entry_of({"f:data": {"f:b": {}}}), data={"b": "git"})
    left = _leave(_body(data={"a": "git", "b": "git"}), live, "data.a")
    assert left.payload == left.asked == _body(data={"b": "git"})
    assert len(left.hidden) == 1


def test_what_is_empty_without_the_field_goes_with_it() -> None:
    """An empty map would be owned as a whole; one that Git has empty stays."""
    left = _leave(_body(data={"a": "git"}, other={}), _live(data={"a": "live"}), "data.a")
    assert left.payload == _body(other={})
    assert left.disown == {"f:data": {"f:a": {}}}


def test_inside_a_keyed_item() -> None:
    """The item stays, with its key and what else Git says of it."""
    git = _body(list=[_item("web", "git"), _item("log", "git")])
    left = _leave(git, _live(list=[_item("web", "live"), _item("log", "git")]), "list[name=web].image")
    assert left.payload == _body(list=[{"name": "web"}, _item("log", "git")])
    assert left.asked == _body(list=[_item("web", "live"), _item("log", "git")])
    assert left.disown == {"f:list": {_WEB: {"f:image": {}}}}


def test_a_keyed_item_that_live_lacks_is_made_whole() -> None:
    """Half an item is never sent: not to make, and not to ask."""
    git = _body(list=[_item("web", "git"), _item("log", "git")])
    left = _leave(git, _live(entry_of({"f:list": {_LOG: _ITEM}}), list=[_item("log", "live")]), "list[*].image")
    assert left.payload == left.payload | {"list": [_item("web", "git"), {"name": "log"}]}
    assert left.disown == {"f:list": {_LOG: {"f:image": {}}}}


def test_a_keyed_item_as_a_whole() -> None:
    """It leaves the list and our ownership; the last one takes the list with it."""
    git = _body(list=[_item("web", "git"), _item("log", "git")])
    live = _live(list=[_item("log", "git"), _item("web", "live")])
    left = _leave(git, live, "list[name=web]")
    assert left.payload == _body(list=[_item("log", "git")])
    assert left.disown == {"f:list": {_WEB: _ITEM}}
    assert "list" not in _leave(git, live, "list[*]").payload
    gone = _leave(_body(list=[_item("log", "git")]), live, "list[name=web]")
    assert gone.asked == _body(list=[_item("log", "git"), _item("web", "live")])
    assert gone.disown == {"f:list": {_WEB: _ITEM}}


def test_an_item_s_key_is_no_field_to_leave() -> None:
    """Without it the item would be another."""
    git = _body(list=[_item("web", "git")])
    left = _leave(git, _live(list=[_item("web", "git")]), "list[name=web].name")
    assert left.payload == git
    assert not left.is_owned


def test_a_key_that_git_leaves_to_its_default() -> None:
    """53 beside 53/UDP is 53/TCP, by whichever name."""
    ports = [{"port": 53, "protocol": "UDP", "name": "u"}, {"port": 53, "name": "t"}]
    stored = [{"port": 53, "protocol": "UDP", "name": "u"}, {"port": 53, "protocol": "TCP", "name": "x"}]
    udp, tcp = 'k:{"port":53,"protocol":"UDP"}', 'k:{"port":53,"protocol":"TCP"}'
    own = {"f:ports": {udp: {".": {}, "f:name": {}}, tcp: {".": {}, "f:port": {}, "f:name": {}}}}
    left = _leave(_body(ports=ports), _live(entry_of(own), ports=stored), "ports[protocol=TCP].name")
    assert left.payload == _body(ports=[ports[0], {"port": 53}])
    assert left.disown == {"f:ports": {tcp: {"f:name": {}}}}


def test_an_item_of_a_set() -> None:
    """It leaves the set."""
    left = _leave(_body(set=["x", "y"]), _live(set=["x", "y"]), "set[=x]")
    assert left.payload == _body(set=["y"])
    assert left.disown == {"f:set": {'v:"x"': {}}}


def test_inside_a_list_that_is_replaced_whole() -> None:
    """The live value is sent with Git's rest, and the resourceVersion with it; nothing is disowned."""
    git = _body(whole=[{"a": "git", "b": "git"}, {"a": "git"}])
    live = _live(whole=[{"a": "live", "b": "old"}, {"a": "old"}])
    left = _leave(git, live, "whole[0].a")
    assert left.payload["whole"] == left.asked["whole"] == [{"a": "live", "b": "git"}, {"a": "git"}]
    assert left.sent == _body(whole=left.payload["whole"], metadata={"uid": "uid-1", "resourceVersion": "7"})
    assert "resourceVersion" not in left.payload["metadata"]
    assert not left.is_owned
    assert len(left.hidden) == 1


def test_a_live_value_that_is_git_s_needs_no_guard() -> None:
    """Nothing was copied: a moved object is no conflict."""
    git = _body(whole=[{"a": "git", "b": "git"}])
    left = _leave(git, _live(whole=[{"a": "git", "b": "old"}]), "whole[0].a")
    assert left.payload == git
    assert left.sent == _body(whole=git["whole"], metadata={"uid": "uid-1"})
    assert not left.hidden


@pytest.mark.parametrize(
    ("git", "live", "path", "sent"),
    [
        ([{"n": "x", "a": 1}], [{"n": "y", "a": 5}, {"n": "x", "a": 6}], "whole[n=x].a", [{"n": "x", "a": 6}]),
        ([{"n": "x", "a": 1}], [{"n": "y", "a": 5}], "whole[n=x].a", [{"n": "x", "a": 1}]),
        ([{"n": "x"}], [{"n": "x", "a": 6}], "whole[n=x].a", [{"n": "x", "a": 6}]),
        ([{"n": "x", "a": 1}], [{"n": "x"}], "whole[n=x].a", [{"n": "x"}]),
        ([{"n": "x"}], [{"n": "x", "a": {"b": 6}}], "whole[n=x].a.b", [{"n": "x", "a": {"b": 6}}]),
        ([1, 2, 3], [7, 8, 9], "whole[1]", [1, 8, 3]),
        ([1, 2, 3], [7], "whole[1]", [1, 3]),
        ([1, 2, 3], [7], "whole[*]", [7]),
        ([1], [7, 8], "whole[1]", [1, 8]),
        ([1], [7, 8, 9], "whole[*]", [7, 8, 9]),
        ([{"a": [1, 2]}], [{"a": [3]}], "whole[0].a[0]", [{"a": [3, 2]}]),
    ],
)
def test_items_of_a_list_that_is_replaced_whole(git: Any, live: Any, path: str, sent: Any) -> None:
    """Items are found on either side by the field that the rule names, or by place."""
    left = _leave(_body(whole=git), _live(whole=live), path)
    assert left.payload["whole"] == left.asked["whole"] == sent
    assert left.version == ("" if sent == git else "7")


def test_inside_a_map_that_is_replaced_whole() -> None:
    """As in a list; a field that only live has is kept too."""
    live = _live(map={"a": "live", "c": "live"})
    left = _leave(_body(map={"a": "git", "b": "git"}), live, "map.a", "map.c")
    assert left.payload["map"] == {"a": "live", "b": "git", "c": "live"}
    assert left.version == "7"
    assert not left.is_owned


def test_a_list_of_unknown_merging_is_taken_for_one_that_is_replaced() -> None:
    """To send the live value is right in either case."""
    git = _body(whole=[_item("web", "git")])
    live = _live(entry_of({}), whole=[_item("web", "live")])
    assert _leave(git, live, "whole[name=web].image").payload["whole"] == [_item("web", "live")]


def test_all_labels_but_ours() -> None:
    """The ApplySet's label stays in the payload and in our entry."""
    own = {"f:metadata": {"f:labels": {"f:app": {}, "f:applyset.kubernetes.io/part-of": {}}}}
    git = labelled(body_of(metadata={"labels": {"app": "git"}}), "ours")
    live = live_of(body_of(metadata={"labels": {"app": "live"}}), entry_of(own), label="ours")
    left = _leave(git, live, "metadata.labels")
    assert left.payload == labelled(body_of(), "ours")
    assert left.asked["metadata"]["labels"] == live.body["metadata"]["labels"]
    assert left.disown == {"f:metadata": {"f:labels": {"f:app": {}}}}


@pytest.mark.parametrize(
    ("git", "live", "differs"),
    [
        ({"x": "1"}, {"x": "1", "default": True}, False),
        ({"x": "1"}, {"x": "2"}, True),
        ({"limits": {"cpu": "1000m"}}, {"limits": {"cpu": "1"}}, False),
        ({"x": []}, {}, False),
        ({"x": True}, {"x": 1}, True),
        ([{"x": 1}], [{"x": 1, "default": 2}], False),
        ([1, 2], [1], True),
    ],
)
def test_differing(git: Any, live: Any, differs: bool) -> None:
    """Defaults and canonical forms of built-in kinds are no difference."""
    left = _leave(_body(data={"a": git}), _live(data={"a": live}), "data.a")
    assert bool(left.hidden) is differs


def test_a_custom_resource_keeps_what_it_was_given() -> None:
    """There, another spelling is another value."""
    left = _leave(_body(data={"a": []}), _live(data={}), "data.a", built_in=False)
    assert not left.fields or left.hidden


def test_a_path_below_another_adds_nothing() -> None:
    """The outer one covers it."""
    left = _leave(_body(data={"a": "git", "b": "git"}), _live(data={"a": "live", "b": "live"}), "data", "data.a")
    assert left.fields == {FieldPath(("data",))}
    assert left.disown == {"f:data": {"f:a": {}, "f:b": {}}}


def test_inputs_are_left_as_they_are() -> None:
    """Nothing is changed in place: payload and live are shared."""
    git, live = _body(list=[_item("web", "git")], whole=[{"a": 1}]), _live(list=[_item("web", "l")], whole=[{"a": 2}])
    before = str(git), str(live.body)
    _leave(git, live, "list[*].image", "whole[0].a")
    assert (str(git), str(live.body)) == before


def test_what_autoscalers_own_is_left_and_not_told_of_as_ignored() -> None:
    """It counts if Git has it, or if it was ours."""
    path, git, live = FieldPath(("data", "a")), _body(data={"a": "git", "b": "git"}), _live(data={"a": "l", "b": "git"})
    left = leave(git, live, {path: "rule"}, {path: "scaler"}, built_in=True)
    assert left.payload == _body(data={"b": "git"})
    assert (left.hidden, left.scaled) == ({}, (path,))
    assert leave(_body(data={"b": "git"}), live, {}, {path: ""}, built_in=True).scaled == (path,)
    theirs = _live(entry_of({}), data={"a": "l"})
    assert leave(_body(data={"b": "git"}), theirs, {}, {path: ""}, built_in=True).scaled == ()


def test_where_live_has_something_of_another_kind() -> None:
    """A text in place of a map has no field to keep."""
    live = _live(entry_of({"f:data": {"f:a": {}}}), data="text")
    left = leave(_body(data={"a": "git"}), live, {FieldPath(("data", "a")): ""}, {}, built_in=True)
    assert left.asked == left.kept == _body(data={"a": "git"})


def test_a_contested_field_stays_whose_it_is() -> None:
    """Neither sent nor compared, and not taken from whoever insists on it; both values are told."""
    path, theirs = FieldPath(("data", "a")), {"f:data": {"f:a": {}}}
    own, tool = entry_of({"f:data": {"f:b": {}}}), entry_of(theirs, "kubectl", "Update")
    git, live = _body(data={"a": "git", "b": "git"}), _live(own, tool, data={"a": "live", "b": "git"})
    left = leave(git, live, {}, {}, {path: "why"}, built_in=True)
    assert left.payload == left.asked == _body(data={"b": "git"})
    assert left.kept == _body(data={"a": "live", "b": "git"})
    assert (left.spared, left.disown, left.is_owned) == (theirs, {}, False)
    assert (left.contested, left.reasons, left.hidden) == (((path, "git", "live"),), {path: "why"}, {})


def test_a_contested_field_that_is_ours_is_disowned() -> None:
    """Left out while it is ours, the server would reset it."""
    path = FieldPath(("data", "a"))
    left = leave(_body(data={"a": "git"}), _live(data={"a": "live"}), {}, {}, {path: ""}, built_in=True)
    assert (left.disown, left.is_owned, left.spared) == ({"f:data": {"f:a": {}}}, True, {})
    assert left.asked == _body(data={"a": "live"})
