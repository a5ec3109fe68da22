"""What is secret never comes out, in no spelling; what is public stays readable."""

import base64
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recon_action.model import Body, FieldPath, ItemKey, Match, ObjectRef, Problem, RedactRule, Trouble
from recon_action.model.pattern import parse_field
from recon_action.redact import (
    COPIES,
    Secrets,
    is_secret,
    is_secret_path,
    redact_below,
    redact_problem,
    redact_value,
)

DB = ObjectRef("", "Secret", "shop", "db")
WEB = ObjectRef("apps", "Deployment", "shop", "web")
VALUE = 'p<a&ss "word"\\ü😀\x01\t%+/'
MULTI = "first secret line\n  indented secret\r\nshort\nab\n"


def secret(**fields: Any) -> Body:
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "db", "namespace": "shop"}, **fields}


def b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    "body",
    [
        secret(stringData={"k": VALUE}),
        secret(data={"k": b64(VALUE)}),
        secret(data={"k": b64(VALUE)[:8] + "\n" + b64(VALUE)[8:]}),
        secret(metadata={"name": "db", "annotations": {COPIES[0]: json.dumps(secret(stringData={"k": VALUE}))}}),
        secret(metadata={"name": "db", "annotations": {COPIES[1]: json.dumps(secret(data={"k": b64(VALUE)}))}}),
    ],
    ids=["stringData", "data", "wrapped base64", "last-applied", "kapp original"],
)
@pytest.mark.parametrize(
    "spell",
    [
        str,
        b64,
        lambda text: b64(text).rstrip("="),
        lambda text: base64.urlsafe_b64encode(text.encode()).decode(),
        lambda text: json.dumps(text)[1:-1],
        lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
        lambda text: json.dumps(json.dumps(text, ensure_ascii=False), ensure_ascii=False)[3:-3],
        lambda text: (
            json.dumps(text, ensure_ascii=False)[1:-1]
            .replace("<", "\\u003c")
            .replace(">", "\\u003e")
            .replace("&", "\\u0026")
        ),
        quote,
        lambda text: quote(text, safe=""),
        quote_plus,
        lambda text: repr(text)[1:-1],
        lambda _: 'p<a&ss \\"word\\"\\\\ü😀\\x01\\t%+/',
    ],
    ids=[
        "plain", "base64", "base64 unpadded", "base64 for URLs", "JSON in ASCII", "JSON", "JSON in JSON", "Go's JSON",
        "URL", "URL with slash quoted", "form", "Python repr", "Go %q",
    ],
)  # fmt: skip
def test_every_spelling_of_every_source_is_masked(body: Body, spell: Callable[[str], str]) -> None:
    """Wherever a Secret keeps a value, and however an error text spells it, it is masked."""
    assert Secrets.of([body]).scrub(f"got {spell(VALUE)} instead") == "got *** instead"


@pytest.mark.parametrize("spell", [str, b64, lambda text: json.dumps(text)[1:-1]], ids=["plain", "base64", "JSON"])
@pytest.mark.parametrize("line", ["first secret line", "indented secret", "short"])
def test_each_line_of_a_multi_line_value_is_masked(line: str, spell: Callable[[str], str]) -> None:
    """A message that shows one line of a key shows nothing of it."""
    secrets = Secrets.of([secret(stringData={"k": MULTI})])
    assert secrets.scrub(f"line {spell(line)}: bad") == "line ***: bad"


def test_a_line_is_masked_behind_an_escaped_line_break() -> None:
    """The letter of an escape is no part of the word behind it."""
    secrets = Secrets.of([secret(stringData={"k": "short\nothers"})])
    for separator in ("\\n", "\\u000a", "%0A", "\n", "\\x0a", "_"):
        assert secrets.scrub(f"<{separator}short{separator}other") == f"<{separator}***{separator}other"


def test_overlapping_values_are_masked_together() -> None:
    """The rest of the second value would be a part of a secret."""
    secrets = Secrets.of([secret(stringData={"a": "abcdWXYZ", "b": "WXYZ12345678"})])
    assert secrets.scrub("<abcdWXYZ12345678> abcdWXYZ.WXYZ12345678") == "<***> ***.***"


def test_the_longest_value_wins() -> None:
    """A value that another begins with doesn't leave the other's end."""
    secrets = Secrets.of([secret(stringData={"a": "hunter-22", "b": "hunter-22-and-more"})])
    assert secrets.scrub("hunter-22-and-more hunter-22") == "*** ***"


def test_short_words_are_masked_where_they_stand_alone() -> None:
    """A word of a few letters is no secret inside of another word."""
    secrets = Secrets.of([secret(stringData={"a": "shoe", "b": "123456", "c": "p4ss!"})])
    assert secrets.scrub("shoe shoes horseshoe 123456 91234567 xp4ss!x") == "*** shoes horseshoe *** 91234567 x***x"


@pytest.mark.parametrize(
    "value", ["true", "False", "default", "abc", "", "8080", "65535", "-----BEGIN CERTIFICATE-----"]
)
def test_common_values_are_not_masked_outside_of_secrets(value: str) -> None:
    """A Secret that holds `true` must not mask every `true` of the report."""
    text = f"x {value} y"
    assert Secrets.of([secret(stringData={"k": value})]).scrub(text) == text


def test_names_are_public() -> None:
    """Masking a value that is also a name would give it away: the name stands beside it."""
    bodies = [
        secret(stringData={"database": "warehouse", "user": "database-user", "database-user": "x"}),
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "warehouse"}},
        {"apiVersion": "v1", "kind": "List"},
    ]
    assert Secrets.of(bodies).scrub("warehouse database-user") == "warehouse database-user"


@pytest.mark.parametrize(
    "body",
    [
        secret(data=None, stringData=None),
        secret(data="whole-thing-is-text"),
        secret(data={"k": None, "n": 12345678, "b": True, "l": ["nested-value"], "m": {"k": "nested-value"}}),
        secret(data={"k": "not!base64!at!all"}),
        secret(data={"k": "nicht-für-base64"}),
        secret(data={"k": base64.b64encode(b"\xff\xfe\x00binary").decode()}),
        secret(stringData={"k": "lone \ud800 surrogate"}),
        secret(metadata={"annotations": {COPIES[0]: "no JSON at all"}}),
        secret(metadata={"annotations": {COPIES[0]: "[1]"}}),
        secret(metadata={"annotations": None}),
        {"kind": "Secret"},
    ],
    ids=[
        "null",
        "text",
        "odd leaves",
        "no base64",
        "no ascii",
        "binary",
        "surrogate",
        "broken copy",
        "list copy",
        "no annotations",
        "bare",
    ],
)
def test_odd_secrets_are_read_too(body: Body) -> None:
    """A Secret that the server would refuse still holds what its author meant to hide."""
    text = "whole-thing-is-text 12345678 nested-value not!base64!at!all no JSON at all"
    scrubbed = Secrets.of([body]).scrub(text)
    hidden = {value for value in Secrets.of([body]).values if len(value) > 5 and value in text}
    assert all(value not in scrubbed for value in hidden)
    assert scrubbed.count("***") == len(hidden)


def test_a_secret_of_another_group_is_none() -> None:
    """Only the core group's Secret holds `data` by that meaning."""
    assert is_secret(secret())
    assert not is_secret({"apiVersion": "example.com/v1", "kind": "Secret"})
    assert Secrets.of([secret(apiVersion="example.com/v1", data={"k": "some value"})]) == Secrets(
        public=frozenset({"Secret", "shop", "db"})
    )


def test_union_knows_both() -> None:
    """What Git holds and what the cluster holds are masked alike."""
    both = Secrets.of([secret(stringData={"k": "desired-value"})]) | Secrets.of(
        [secret(stringData={"k": "live-value"})]
    )
    assert both.scrub("desired-value live-value") == "*** ***"
    assert (Secrets.nothing() | Secrets(disclose=True)).disclose


def test_nothing_known_changes_nothing() -> None:
    """A run without Secrets costs nothing and masks nothing."""
    value = {"k": ["text", 1, None]}
    assert Secrets.nothing().scrub("text") == "text"
    assert Secrets.nothing().scrub_value(value) is value
    assert Secrets.nothing().scrub_all("text") == "text"


def test_json_is_scrubbed_in_every_place() -> None:
    """Strings, keys and numbers; structure, booleans and null stay."""
    secrets = Secrets.of([secret(stringData={"k": "hunter-22", "pin": "987654321"})])
    value = {"a hunter-22": ["hunter-22", 987654321, 98.5, True, None, {"k": "fine"}]}
    assert secrets.scrub_value(value) == {"a ***": ["***", "***", 98.5, True, None, {"k": "fine"}]}


def test_no_value_is_in_a_traceback() -> None:
    """The representation of what knows every secret tells none."""
    assert "hunter" not in repr(Secrets.of([secret(stringData={"k": "hunter-22"})]))


@pytest.mark.parametrize(
    ("ref", "items", "expected"),
    [
        (DB, ("data", "password"), True),
        (DB, ("data",), True),
        (DB, ("stringData", "password"), True),
        (DB, (), True),
        (DB, ("type",), False),
        (DB, ("metadata",), False),
        (DB, ("metadata", "labels", "app"), False),
        (DB, ("metadata", "annotations", COPIES[0]), True),
        (WEB, ("metadata", "annotations", COPIES[0]), True),
        (WEB, ("metadata", "annotations", COPIES[1]), True),
        (WEB, ("metadata", "annotations", "team"), False),
        (WEB, ("data",), False),
        (WEB, (), False),
        (ObjectRef("example.com", "Secret", "a", "b"), ("data",), False),
    ],
)
def test_which_paths_are_secret(ref: ObjectRef, items: tuple[str, ...], *, expected: bool) -> None:
    """Secrets' values, and every object's copies of itself."""
    assert is_secret_path(ref, FieldPath(items)) is expected


def test_redacted_values_keep_their_keys() -> None:
    """Which keys there are is no secret; how long a value is, is."""
    assert redact_value({"a": {"b": "secret"}, "c": [1, None]}) == {"a": {"b": "***"}, "c": ["***", "***"]}


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_secrets_below_a_path_are_masked(depth: int) -> None:
    """A change of the whole metadata shows the labels, and not the copy in the annotations."""
    path = ("metadata", "annotations")[:depth]
    value: Any = {"metadata": {"labels": {"a": "b"}, "annotations": {COPIES[0]: "secret", "team": "blue"}}}
    for key in path:
        value = value[key]
    shown = redact_below(WEB, FieldPath(path), value)
    assert "secret" not in str(shown)
    assert "'team': 'blue'" in str(shown)
    assert redact_below(WEB, FieldPath(("spec",)), {"a": "b"}) == {"a": "b"}
    assert redact_below(DB, FieldPath(), {"data": {"k": "v"}}) == {"data": {"k": "***"}}


RULE = (
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name', or 'KEY_NAME', or"
    " 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
)
MESSAGES = [
    (
        f'data[a b]: Invalid value: "x y": {RULE}, data[c]: Invalid value: "z"',
        f"data[a b]: Invalid value: ***: {RULE}, data[c]: Invalid value: ***",
    ),
    (
        'Secret "db" is invalid: data[pin]: Invalid value: "x1y": must be longer, data[user]: Invalid value: 5: no',
        'Secret "db" is invalid: data[pin]: Invalid value: ***: must be longer, data[user]: Invalid value: ***: no',
    ),
    (
        "failed (shop/db; /v1, Kind=Secret): .stringData.n: expected string, got &value.valueUnstructured{Value:12}",
        "failed (shop/db; /v1, Kind=Secret): .stringData.n: expected string, got &value.valueUnstructured{***}",
    ),
    ('data[a]: Invalid value: "cut off by a lim', "data[a]: Invalid value: ***"),
    ("data[a]: Unsupported value: x y z", "data[a]: Unsupported value: ***"),
    ("invalid character 'h' looking for beginning of value", "invalid character *** looking for beginning of value"),
    ("`x` isn't, it can't be", "*** isn't, it can't be"),
    ('a quote \\" and "esc \\" aped" end', "a quote ***"),
    ("got {a b} and {c", "got {***}"),
    ('secrets "db" not found', 'secrets "db" not found'),
    (
        'Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte 4',
        'Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte 4',
    ),
    (
        'secrets "db" is forbidden: User "ci" cannot patch resource "secrets" in API group "" in the namespace "shop"',
        'secrets "db" is forbidden: User "ci" cannot patch resource "secrets" in API group "" in the namespace "shop"',
    ),
    ('strict decoding error: unknown field "stringDat"', 'strict decoding error: unknown field "stringDat"'),
    (
        "data: Forbidden: field is immutable when `immutable` is set",
        "data: Forbidden: field is immutable when `immutable` is set",
    ),
]


@pytest.mark.parametrize(("message", "expected"), MESSAGES, ids=[str(number) for number in range(len(MESSAGES))])
def test_problems_of_a_secret_keep_reason_and_field(message: str, expected: str) -> None:
    """Also of a Secret whose values nobody knows: whatever the server quotes may be one."""
    problem = redact_problem(DB, Problem(Trouble.INVALID, message), Secrets.nothing())
    assert problem.message == expected


def test_problems_of_a_secret_mask_short_values() -> None:
    """A password of three characters is one too."""
    secrets = Secrets.of([secret(stringData={"k": "x1y", "t": "true", "n": "db"})])
    problem = Problem(Trouble.DENIED, "x1y is too weak, true, db", hint="not x1y")
    shown = redact_problem(DB, problem, secrets)
    assert (shown.message, shown.hint) == ("*** is too weak, ***, db", "not ***")


@pytest.mark.parametrize(
    "ref", [WEB, None, ObjectRef("example.com", "Secret", "a", "b")], ids=["other", "none", "group"]
)
def test_problems_of_others_are_scrubbed(ref: ObjectRef | None) -> None:
    """The server's words stay whole but for what is known to be secret."""
    secrets = Secrets.of([secret(stringData={"k": "hunter-22"})])
    problem = Problem(Trouble.INVALID, 'Invalid value: "hunter-22": no', hint="drop hunter-22", status=422)
    shown = redact_problem(ref, problem, secrets)
    assert (shown.message, shown.hint, shown.status) == ('Invalid value: "***": no', "drop ***", 422)


def test_disclosing_switches_everything_off() -> None:
    """Tests that look for a leak show with it that they would find one."""
    secrets = Secrets(values=frozenset({"hunter-22"}), disclose=True)
    problem = Problem(Trouble.INVALID, 'Invalid value: "hunter-22"')
    assert secrets.scrub("hunter-22") == "hunter-22"
    assert secrets.scrub_value(["hunter-22"]) == ["hunter-22"]
    assert redact_problem(DB, problem, secrets) is problem


@settings(deadline=None)
@given(value=st.text(min_size=1, max_size=30), before=st.text(max_size=9), after=st.text(max_size=9))
def test_no_quoted_value_of_a_secret_survives(value: str, before: str, after: str) -> None:
    """Whatever the value, the server's usual sentence about it doesn't show it."""
    quoted = json.dumps(value, ensure_ascii=False)
    message = f"data[k]: Invalid value: {quoted}: must be valid"
    shown = redact_problem(DB, Problem(Trouble.INVALID, message), Secrets.nothing()).message
    names = {DB.name, DB.namespace, DB.kind, "secrets", "v1", "***"}
    assert shown == "data[k]: Invalid value: ***: must be valid" or value in names
    spelled = Secrets.of([secret(stringData={"k": value})]).scrub(f"{before}={value}={after}")
    assert len(value) < 8 or value.strip() != value or value not in spelled or value in Secrets.of([secret()]).public


_RULES = (RedactRule(Match(kind="Deployment"), (parse_field("spec.users[*].token"), parse_field("spec.key"))),)
_USERS = [{"name": "ann", "token": "t0ken-of-ann"}, {"name": "bob", "token": {"inner": ["t0ken-of-bob", 4711471147]}}]


@pytest.mark.parametrize(
    ("ref", "items", "expected"),
    [
        (WEB, ("spec", "key"), True),
        (WEB, ("spec", "key", "below"), True),
        (WEB, ("spec", "users", ItemKey((("name", "ann"),)), "token"), True),
        (WEB, ("spec", "users", 1, "token"), True),
        (WEB, ("spec", "users", 1), False),
        (WEB, ("spec",), False),
        (ObjectRef("apps", "DaemonSet", "shop", "web"), ("spec", "key"), False),
    ],
    ids=str,
)
def test_paths_that_a_rule_calls_secret(ref: ObjectRef, items: tuple[Any, ...], expected: bool) -> None:
    """Of the objects that the rule is about, the fields that it names and what lies below them."""
    assert is_secret_path(ref, FieldPath(items), _RULES) is expected
    assert not is_secret_path(ref, FieldPath(items))


def test_what_a_rule_calls_secret_is_masked_inside_of_a_value() -> None:
    """However much of the object is shown."""
    masked = [{"name": "ann", "token": "***"}, {"name": "bob", "token": {"inner": ["***", "***"]}}]
    whole = {"spec": {"users": _USERS, "key": 5, "other": "x"}}
    before = json.dumps(whole)
    shown = redact_below(WEB, FieldPath(), whole, _RULES)
    assert shown == {"spec": {"users": masked, "key": "***", "other": "x"}}
    assert redact_below(WEB, FieldPath(("spec", "users")), _USERS, _RULES) == masked
    assert redact_below(WEB, FieldPath(("spec", "users", ItemKey((("name", "ann"),)))), _USERS[0], _RULES) == masked[0]
    assert redact_below(WEB, FieldPath(("spec", "key")), {"a": "b"}, _RULES) == {"a": "***"}
    assert json.dumps(whole) == before


def test_values_that_a_rule_calls_secret_are_masked_everywhere() -> None:
    """An error may quote them."""
    body = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {"users": _USERS}}
    secrets = Secrets(public=frozenset({"web"})) | Secrets.at(_RULES, [body])
    assert secrets.rules == _RULES
    assert secrets.scrub("web: t0ken-of-ann, t0ken-of-bob, 4711471147, ann") == "web: ***, ***, ***, ann"
    assert Secrets.at((), [body]) == Secrets.nothing()
    assert not Secrets.at(_RULES, [body | {"kind": "DaemonSet"}]).values
