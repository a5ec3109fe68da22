"""Which fields a rule means in one object, named as the server names them."""

import pytest
from objects import body_of, entry_of, live_of, ref

from recon_action.analyze.ignore import ignored_fields, is_ignored, rules_of
from recon_action.model import Body, FieldPath, IgnoreRule, ItemKey, Match
from recon_action.model.pattern import parse_field, parse_pointer

_WEB = 'k:{"name":"web"}'
_OWN = entry_of({"f:spec": {"f:containers": {_WEB: {".": {}, "f:name": {}, "f:image": {}}}, "f:rules": {}}})


def _fields(rule: IgnoreRule, desired: Body, live: Body, *entries: Body) -> list[str]:
    found = ignored_fields([rule], body_of(**desired), live_of(body_of(**live), *(entries or (_OWN,))))
    return sorted(map(str, found))


def _rule(*paths: str, managers: tuple[str, ...] = ()) -> IgnoreRule:
    return IgnoreRule(Match(), tuple(map(parse_field, paths)), managers, "why")


def test_items_are_named_by_their_merge_keys() -> None:
    """By index, pointer, other fields, or any: the name is the server's."""
    body = {"spec": {"containers": [{"name": "web", "image": "x"}]}}
    for pattern in (
        parse_field("spec.containers[0].image"),
        parse_field("spec.containers[image=x].image"),
        parse_field("spec.containers[*].image"),
        parse_pointer("/spec/containers/0/image"),
    ):
        rule = IgnoreRule(Match(), (pattern,))
        assert _fields(rule, body, body) == ["spec.containers[name=web].image"]


def test_a_key_that_git_leaves_out_is_named_as_in_live() -> None:
    """Both sides give one name."""
    key = 'k:{"port":53,"protocol":"TCP"}'
    own = entry_of({"f:ports": {key: {".": {}, "f:port": {}, "f:name": {}}}})
    git, live = {"ports": [{"port": 53, "name": "a"}]}, {"ports": [{"port": 53, "protocol": "TCP", "name": "b"}]}
    assert _fields(_rule("ports[port=53].name"), git, live, own) == ["ports[port=53,protocol=TCP].name"]
    assert _fields(_rule("ports[port=53].name"), git, {}, own) == ["ports[port=53].name"]


def test_items_of_sets_and_of_lists_replaced_whole() -> None:
    """By value; by what the rule named, or by place."""
    own = entry_of({"f:set": {'v:"x"': {}}, "f:whole": {}})
    body = {"set": ["x"], "whole": [{"n": 1, "a": 2}, "y"]}
    assert _fields(_rule("set[0]"), body, body, own) == ["set[=x]"]
    assert _fields(_rule("whole[0].a"), body, body, own) == ["whole[0].a"]
    assert _fields(_rule("whole[n=1].a"), body, body, own) == ["whole[n=1].a"]
    assert _fields(_rule("whole[=y]"), body, body, own) == ["whole[=y]"]


def test_only_fields_that_are_there() -> None:
    """In Git or in live."""
    rule = _rule("data.a", "data.b", "data.c")
    assert _fields(rule, {"data": {"a": "1"}}, {"data": {"b": "1"}}) == ["data.a", "data.b"]


def test_by_manager() -> None:
    """What another manager owns, on any subresource; an item's key and mere presence are none of it."""
    theirs = entry_of(
        {"f:spec": {"f:containers": {_WEB: {".": {}, "f:name": {}, "f:env": {}}}, "f:tags": {'v:"x"': {}}}}, "agent-7"
    )
    present = entry_of({"f:spec": {"f:containers": {_WEB: {".": {}}}}}, "agent-2")
    scale = entry_of({"f:spec": {"f:replicas": {}}}, "agent-scaler", "Update", subresource="scale")
    same = {"spec": {}}
    assert _fields(_rule(managers=("agent-*",)), same, same, _OWN, theirs, present, scale) == [
        "spec.containers[name=web].env",
        "spec.replicas",
        "spec.tags[=x]",
    ]
    assert not _fields(_rule(managers=("agent",)), same, same, _OWN, theirs)
    assert not _fields(_rule(managers=("*",)), same, same, _OWN)


def test_an_empty_map_that_a_manager_owns() -> None:
    """Its node holds only itself, as a leaf does."""
    theirs = entry_of({"f:metadata": {"f:annotations": {".": {}}}, "f:spec": {"f:sidecars": {_WEB: {}}}}, "agent")
    fields = _fields(_rule(managers=("agent",)), {}, {}, theirs)
    assert fields == ["metadata.annotations", "spec.sidecars[name=web]"]


@pytest.mark.parametrize(
    ("path", "ignored"),
    [
        (FieldPath(("spec", "a")), True),
        (FieldPath(("spec", "a", "b")), True),
        (FieldPath(("spec",)), False),
        (FieldPath(("spec", "c", ItemKey((("name", "x"),)), "d")), True),
        (FieldPath(("spec", "c", ItemKey((("name", "y"),)))), False),
    ],
    ids=str,
)
def test_is_ignored(path: FieldPath, ignored: bool) -> None:
    """What lies below an ignored field is ignored with it."""
    fields = {FieldPath(("spec", "a")): "", FieldPath(("spec", "c", ItemKey((("name", "x"),)))): ""}
    assert is_ignored(path, fields) is ignored


def test_the_first_rule_gives_the_reason_and_others_are_for_others() -> None:
    """Rules count in their order."""
    first = IgnoreRule(Match(kind="ConfigMap"), (parse_field("data.a"),), (), "first")
    rules = [IgnoreRule(Match(name="api"), (parse_field("data"),)), first, _rule("data.a")]
    body = body_of(data={"a": "1"})
    chosen = rules_of(ref(), rules)
    assert chosen == (first, rules[2])
    assert ignored_fields(chosen, body, live_of(body)) == {FieldPath(("data", "a")): "first"}
