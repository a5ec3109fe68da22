"""The report as JSON: nothing is lost, and nothing but a report is read."""

import dataclasses
import json
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import orjson
import pytest
import report_strategies as make
from hypothesis import given, settings
from jsonschema import Draft202012Validator
from report_scenarios import SCENARIOS

from recon_action.errors import ExitCode, UsageError
from recon_action.model import (
    ActionKind,
    AmendmentKind,
    Bucket,
    Cause,
    Correction,
    DriftKind,
    Mode,
    ObjectRef,
    Outcome,
    Output,
    Problem,
    Revision,
    Severity,
    Trouble,
)
from recon_action.report import from_json, render, to_json
from recon_action.report.codec import camel
from recon_action.report.document import (
    SCHEMA,
    Amended,
    Change,
    Counts,
    Entry,
    Fault,
    Partial,
    Place,
    PlannedAction,
    Report,
)

SCHEMA_FILE = Path(__file__).parents[2] / "docs" / "report.schema.json"
DOCUMENT: dict[str, Any] = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(DOCUMENT)


@settings(deadline=None, max_examples=60)
@given(report=make.reports)
def test_a_report_survives_json_and_renders_identically(report: Report) -> None:
    """Every format is byte-identical from the report and from its JSON, and the JSON fits the schema."""
    text = to_json(report)
    again = from_json(text)
    assert again == report
    for output in Output:
        for color in (False, True):
            assert render(again, output, color=color) == render(report, output, color=color)
    VALIDATOR.validate(json.loads(text))


@pytest.mark.parametrize("name", SCENARIOS)
def test_golden_reports_fit_the_schema(name: str) -> None:
    """The schema in docs/ describes what is written."""
    VALIDATOR.validate(json.loads(to_json(SCENARIOS[name]())))


def test_the_schema_is_a_schema() -> None:
    """It is itself valid, and has no object that would let an unknown key pass."""
    Draft202012Validator.check_schema(DOCUMENT)
    objects = [node for node in walk(DOCUMENT) if node.get("type") == "object"]
    assert len(objects) == 13
    assert all(node["additionalProperties"] is False for node in objects)


def walk(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        yield node
        for item in node.values():
            yield from walk(item)
    elif isinstance(node, list):
        for item in node:
            yield from walk(item)


@pytest.mark.parametrize(
    ("kind", "definition", "more"),
    [
        (Report, None, ["schema"]),
        (Counts, "counts", ["total"]),
        (Entry, "entry", []),
        (Change, "change", []),
        (Place, "place", []),
        (Problem, "problem", []),
        (Fault, "fault", []),
        (Amended, "amended", []),
        (PlannedAction, "plannedAction", []),
        (ObjectRef, "objectRef", []),
        (Revision, "revision", []),
        (Correction, "correction", []),
        (Partial, "partial", []),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_the_schema_has_every_field(kind: type, definition: str | None, more: list[str]) -> None:
    """Schema and dataclasses name the same keys; all are required but the values that may be absent."""
    node = DOCUMENT["$defs"][definition] if definition else DOCUMENT
    names = {camel(field.name) for field in dataclasses.fields(kind)} | set(more)
    assert set(node["properties"]) == names
    assert set(node["required"]) == names - ({"desired", "live"} if kind is Change else set())


@pytest.mark.parametrize(
    ("words", "node"),
    [
        (Bucket, DOCUMENT["$defs"]["entry"]["properties"]["bucket"]),
        (DriftKind, DOCUMENT["$defs"]["entry"]["properties"]["drift"]),
        (Outcome, DOCUMENT["$defs"]["entry"]["properties"]["outcome"]),
        (Cause, DOCUMENT["$defs"]["cause"]),
        (Trouble, DOCUMENT["$defs"]["problem"]["properties"]["trouble"]),
        (ActionKind, DOCUMENT["$defs"]["plannedAction"]["properties"]["action"]),
        (Mode, DOCUMENT["properties"]["mode"]),
        (ExitCode, DOCUMENT["properties"]["exitCode"]),
        (AmendmentKind, DOCUMENT["$defs"]["amended"]["properties"]["kind"]),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_the_schema_has_every_word(words: type[Enum], node: dict[str, Any]) -> None:
    """Schema and enums hold the same values."""
    assert {word for word in node["enum"] if word is not None} == {member.value for member in words}


def test_severity_is_written_as_a_word() -> None:
    """The numbers behind it are free to change."""
    assert DOCUMENT["$defs"]["entry"]["properties"]["severity"]["enum"] == [level.name.lower() for level in Severity]


def test_absent_null_and_redacted_differ() -> None:
    """A value that is null is written; one that is absent or secret is not."""
    null = to_dict(Change("a", Cause.GIT, desired=None, has_live=False))
    hidden = to_dict(Change("a", Cause.GIT, redacted=True))
    assert (null["desired"], "live" in null, null["hasLive"]) == (None, False, False)
    assert ("desired" in hidden, "live" in hidden, hidden["hasDesired"]) == (False, False, True)


def to_dict(change: Change) -> dict[str, Any]:
    entry = Entry(ObjectRef("", "ConfigMap", "a", "b"), Bucket.DRIFTED, changes=(change,))
    document = json.loads(to_json(Report(Mode.DIFF, "t", "different", ExitCode.DIFFERENT, entries=(entry,))))
    written: dict[str, Any] = document["entries"][0]["changes"][0]
    return written


def changed(**changes: Any) -> str:
    document = json.loads(to_json(SCENARIOS["drift-of-a-person"]())) | changes
    return orjson.dumps({key: value for key, value in document.items() if value != "GONE"}).decode()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not valid JSON"),
        ("[]", "no report of recon-action"),
        ('{"schema": "other"}', "no report of recon-action"),
        (changed(schema="recon-action/report/v2"), f"'recon-action/report/v2'; this is '{SCHEMA}'"),
        (changed(surprise=1), "report has an unknown key: 'surprise'"),
        (changed(target="GONE"), "report lacks the key 'target'"),
        (changed(target=1), "report.target has the wrong type: int"),
        (changed(files=True), "report.files has the wrong type: bool"),
        (changed(seconds="4"), "report.seconds has the wrong type: str"),
        (changed(mode="destroy"), "report.mode has the unknown value 'destroy'"),
        (changed(exitCode="1"), "report.exitCode has the wrong type: str"),
        (changed(exitCode=99), "report.exitCode has the unknown value 99"),
        (changed(entries={}), "report.entries has the wrong type: dict"),
        (changed(entries=[1]), "report.entries[0] has the wrong type: int"),
        (changed(problems=[{}]), "report.problems[0] lacks the key 'hint'"),
        (changed(revision=[]), "report.revision has the wrong type: list"),
    ],
    ids=lambda value: value[:40] if "{" not in value else "",
)
def test_what_is_no_report_is_refused(text: str, message: str) -> None:
    """A file from elsewhere ends in a message that says what is wrong, and a hint."""
    with pytest.raises(UsageError) as caught:
        from_json(text)
    assert message in caught.value.message
    assert caught.value.hint
