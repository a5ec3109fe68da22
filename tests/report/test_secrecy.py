"""A planted secret appears in no rendered format, wherever it is planted; and the test would notice."""

import base64
import json
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_scenarios import WEB, manifest, modified, ref, report

from recon_action.model import (
    ABSENT,
    Body,
    Bucket,
    Correction,
    FieldChange,
    FieldPath,
    ItemKey,
    ItemValue,
    Match,
    Mode,
    Outcome,
    Output,
    Problem,
    RedactRule,
    Result,
    Trouble,
    Verdict,
)
from recon_action.model.pattern import parse_field
from recon_action.redact import COPIES, Secrets
from recon_action.report import render
from recon_action.report.document import Report

DB = ref("Secret", "db")
COPY = COPIES[0]


def b64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def trouble(words: str) -> Problem:
    return Problem(Trouble.INVALID, words, hint=words, verb="dry-run", status=422)


def secret(value: str) -> Body:
    return manifest(DB, stringData={"planted": value}).body


# Everywhere that a run can meet a secret: each takes the value and gives the verdict that holds it.
PLACES: dict[str, Callable[[str], Verdict]] = {
    "data": lambda v: modified(DB, FieldChange(FieldPath(("data", "k")), b64(v), b64(v + "x"))),
    "data as a whole": lambda v: modified(DB, FieldChange(FieldPath(("data",)), {"k": b64(v)}, ABSENT)),
    "stringData": lambda v: modified(DB, FieldChange(FieldPath(("stringData", "k")), v, ABSENT)),
    "the object": lambda v: modified(DB, FieldChange(FieldPath(), ABSENT, {"data": {"k": b64(v)}})),
    "last-applied": lambda v: modified(
        WEB, FieldChange(FieldPath(("metadata", "annotations", COPY)), json.dumps(secret(v)), ABSENT)
    ),
    "annotations": lambda v: modified(
        DB, FieldChange(FieldPath(("metadata", "annotations")), ABSENT, {COPY: json.dumps(secret(v))})
    ),
    "another object's value": lambda v: modified(WEB, FieldChange(FieldPath(("spec", "env")), f"url?p={v}&q", v)),
    "a list item": lambda v: modified(WEB, FieldChange(FieldPath(("spec", "args")), ["--password", v], [b64(v)])),
    "a key": lambda v: modified(WEB, FieldChange(FieldPath(("data",)), {v: 1}, ABSENT)),
    "a path": lambda v: modified(WEB, FieldChange(FieldPath(("spec", ItemKey((("name", v),)), v)), 1, 2)),
    "a tool": lambda v: modified(WEB, FieldChange(FieldPath(("spec",)), 1, 2, tool=v)),
    "an error about it": lambda v: Verdict(
        DB, Bucket.FAILED, problem=trouble(f'Secret "db" is invalid: data[k]: Invalid value: {json.dumps(v)}: no')
    ),
    "an error about another": lambda v: Verdict(WEB, Bucket.FAILED, problem=trouble(f"denied: {v!r} {b64(v)}")),
    "a reason": lambda v: Verdict(WEB, Bucket.SKIPPED, reason=f"because of {v}"),
}


def reports(place: str, value: str, secrets: Secrets) -> Iterator[Report]:
    verdict = PLACES[place](value)
    yield report(verdict, secrets=secrets, notes=[f"note: {value}"], problems=[trouble(value)])
    results = {verdict.ref: Result(verdict.ref, Outcome.FAILED, trouble(f"Invalid value: {json.dumps(value)}"))}
    health = {verdict.ref: ("Failed", f"message: {value}")}
    was = [Correction("2026-11-30T14:05:00Z", WEB, f"spec[k={value}]", value)]
    yield report(verdict, mode=Mode.APPLY, secrets=secrets, results=results, health=health, corrections=was)


def leaks(place: str, value: str, secrets: Secrets) -> bool:
    """Whether any spelling of `value` is in any format of a report that met it at `place`."""
    spellings = {
        value,
        b64(value),
        b64(value).rstrip("="),
        json.dumps(value)[1:-1],
        json.dumps(value, ensure_ascii=False)[1:-1],
    }
    spellings |= {line for line in value.splitlines() if len(line) >= 8}
    texts = [
        # What the renderers spell out or cut must be found all the same.
        render(built, output, width=100_000, budget=10_000_000)
        for built in reports(place, value, secrets)
        for output in Output
    ]
    return any(spelling in text for spelling in spellings for text in texts)


# A beginning that no report has by chance.
words = st.text(st.characters(codec="ascii", categories=["Lu", "Ll", "Nd"]), min_size=8, max_size=20).map(
    "Zq7{}".format
)
values = words | st.lists(words, min_size=2, max_size=3).map("\n".join) | words.map('{{"k": "{}"}}\\<&>ü'.format)


@pytest.mark.parametrize("place", PLACES)
@settings(deadline=None, max_examples=15)
@given(data=st.data())
def test_a_planted_secret_is_in_no_output(place: str, data: st.DataObject) -> None:
    """In no format, in no spelling, in no line; with redaction off, the same check finds it."""
    value = data.draw(values)
    assert not leaks(place, value, Secrets.of([secret(value)]))
    assert leaks(place, value, Secrets(disclose=True))


@pytest.mark.parametrize("value", ["x1y", "42", "p w"])
@pytest.mark.parametrize("place", ["data", "data as a whole", "stringData", "the object", "an error about it"])
def test_a_short_secret_is_not_shown_by_its_own_object(place: str, value: str) -> None:
    """Values too short to be looked for everywhere are hidden where they live."""
    shown = render(report(PLACES[place](value), secrets=Secrets.of([secret(value)])), Output.JSON)
    assert json.dumps(value) not in shown
    assert json.dumps(b64(value)) not in shown
    assert f'\\"{value}\\"' not in shown


@pytest.mark.parametrize("value", ["t0ken", "x7", "true"])
def test_a_field_that_a_rule_calls_secret(value: str) -> None:
    """Neither its value nor an item that is named by it is shown; that it differs is."""
    rules = (RedactRule(Match(), (parse_field("spec.tokens[*]"),)),)
    secrets = Secrets(frozenset({value}), rules=rules)
    change = FieldChange(FieldPath(("spec", "tokens", ItemValue(value))), value, ABSENT)
    (shown,) = report(modified(WEB, change), secrets=secrets).entries[0].changes
    assert (shown.path, shown.redacted, shown.has_desired, shown.desired) == ("spec.tokens[=***]", True, True, None)
    whole = FieldChange(FieldPath(("spec",)), {"tokens": [value], "other": "o"}, ABSENT)
    (shown,) = report(modified(WEB, whole), secrets=secrets).entries[0].changes
    assert shown.desired == {"tokens": ["***"], "other": "o"}
