"""SARIF for code scanning: valid whatever the report, within GitHub's limits, and an alert stays the same alert."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from jsonschema import Draft4Validator
from report_scenarios import HOSTILE, IMAGE, REPLICAS, SCENARIOS, WEB, clean, in_sync, modified, ref, report
from report_strategies import reports

import recon_action.report.sarif
from recon_action.errors import ExitCode
from recon_action.model import Bucket, Cause, DriftKind, FieldChange, Mode, Outcome, Output, Problem, Severity, Trouble
from recon_action.report import render
from recon_action.report.document import Change, Counts, Entry, Fault, Place, Report
from recon_action.report.findings import RULES, findings

SCHEMA = Path(__file__).parent.parent / "support" / "sarif" / "sarif-schema-2.1.0.json"
VALID = Draft4Validator(json.loads(SCHEMA.read_text()))
Json = dict[str, Any]


def run_of(of: Report) -> Json:
    """The one run of a log that is valid."""
    log = json.loads(render(of, Output.SARIF))
    assert list(VALID.iter_errors(log)) == []
    (run,) = log["runs"]
    assert isinstance(run, dict)
    return run


def results(of: Report) -> list[Json]:
    return list(run_of(of)["results"])


def result(entry: Entry) -> Json:
    (found,) = results(Report(Mode.DIFF, "shop", "different", ExitCode.DIFFERENT, entries=(entry,)))
    return found


def uri(of: Mapping[str, Any]) -> str:
    return str(of["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])


def drift(path: str = "spec.replicas", line: int = 9, **options: Any) -> Change:
    known = {"cause": Cause.MANUAL, "desired": 3, "live": 5, "place": Place("k8s/web.yaml", line)}
    return Change(path, **{**known, **options})


SCALED = Entry(WEB, Bucket.DRIFTED, DriftKind.MODIFIED, Cause.MANUAL, changes=(drift(),))


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_scenario_is_valid(name: str) -> None:
    """And each result has a place, or GitHub would refuse all of them."""
    for one in results(SCENARIOS[name]()):
        assert uri(one)
        assert one["ruleId"] == RULES[one["ruleIndex"]].id


@settings(deadline=None, max_examples=100)
@given(of=reports)
def test_valid_whatever_the_report(of: Report) -> None:
    """Any text at all: addresses are addresses, messages are one line that is seen, and links to nowhere."""
    text = render(of, Output.SARIF)
    assert "##[" not in text
    for one in run_of(of)["results"]:
        message = one["message"]["text"]
        assert re.fullmatch(r"[\w%./~-]*", uri(one), re.ASCII)
        assert message.replace("\u200b", "").isprintable()
        assert "](" not in message.replace("\\](", "")
        assert not re.search(r"@\w", message)


def test_drift_lies_at_its_field() -> None:
    """The line of the field, the object by name, the tool that wrote it, and no value."""
    (found,) = results(report(modified(WEB, FieldChange(REPLICAS, 3111, 5222, Cause.MANUAL, "kubectl-scale"))))
    assert found["ruleId"] == "drifted"
    assert found["message"]["text"] == (
        "Deployment shop/web: The cluster differs in spec.replicas. Last written by kubectl-scale."
    )
    assert found["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "k8s/web.yaml", "uriBaseId": "%SRCROOT%"},
                "region": {"startLine": 9},
            },
            "logicalLocations": [{"fullyQualifiedName": "Deployment shop/web", "kind": "resource"}],
        }
    ]


@pytest.mark.parametrize("name", ["secret-changed", "drift-of-a-person", "preview"])
def test_values_are_never_shown(name: str) -> None:
    """Not even those that are no secret: alerts stand beside a public repository's files."""
    text = render(SCENARIOS[name](), Output.SARIF)
    for value in ("correct-horse", "nginx:1.2", "registry.example/web", "c3RhcGxl"):
        assert value not in text


def test_fingerprints_outlive_lines_values_tools_and_levels() -> None:
    """The same field of the same object is the same alert, wherever it moves and whatever it becomes."""
    moved = drift(line=400, desired=1, live=9, tool="helm", since="2026-12-01T05:00:00Z")
    before, after = result(SCALED), result(replace(SCALED, severity=Severity.SECURITY, changes=(moved,)))
    assert before["partialFingerprints"] == after["partialFingerprints"]
    assert before["locations"] != after["locations"]


@pytest.mark.parametrize(
    "other",
    [
        replace(SCALED, changes=(drift("spec.paused"),)),
        replace(SCALED, changes=(drift(cause=Cause.GIT),)),
        replace(SCALED, ref=replace(WEB, name="api")),
        replace(SCALED, ref=replace(WEB, group="extensions")),
        replace(SCALED, ref=replace(WEB, namespace="other")),
    ],
    ids=["field", "rule", "name", "group", "namespace"],
)
def test_fingerprints_tell_apart(other: Entry) -> None:
    """Another field, rule or object is another alert."""
    assert result(SCALED)["partialFingerprints"] != result(other)["partialFingerprints"]


def test_fields_on_one_line_are_one_result() -> None:
    """GitHub would take two of one rule there for one; in whichever order, it is the same."""
    one, other = drift("spec.a"), drift("spec.b")
    both = result(replace(SCALED, changes=(one, other)))
    assert both["message"]["text"] == "Deployment shop/web: The cluster differs in spec.a, spec.b."
    again = result(replace(SCALED, changes=(other, one)))
    assert both["partialFingerprints"] == again["partialFingerprints"]


def test_what_has_no_line_brings_the_fingerprint_that_github_compares() -> None:
    """An orphan stands in no file: its address in the cluster takes the place. Elsewhere GitHub's upload adds it."""
    orphan = Entry(ref("ConfigMap", "old"), Bucket.PENDING, DriftKind.ORPHANED, Cause.GIT)
    found = result(orphan)
    location = found["locations"][0]["physicalLocation"]
    assert location == {"artifactLocation": {"uri": "shop/ConfigMap/old", "uriBaseId": "%CLUSTER%"}}
    prints = found["partialFingerprints"]
    assert prints["primaryLocationLineHash"] == prints["reconAction/v1"]
    assert set(result(SCALED)["partialFingerprints"]) == {"reconAction/v1"}


@pytest.mark.parametrize("file", ["-", "/etc/web.yaml", "../web.yaml"])
def test_files_outside_of_the_repository(file: str) -> None:
    """Nobody could follow them on GitHub."""
    found = result(replace(SCALED, changes=(drift(place=Place(file, 3)),)))
    assert uri(found) == "shop/Deployment/web"


def test_file_names_are_addresses() -> None:
    """Also with characters that an address can't hold; a line is at least the first."""
    found = result(replace(SCALED, changes=(drift(place=Place("k8s/a b:ü%.yaml", 0)),)))
    assert uri(found) == "k8s/a%20b%3A%C3%BC%25.yaml"
    assert found["locations"][0]["physicalLocation"]["region"] == {"startLine": 1}


def test_targets_are_kept_apart_and_the_run_is_told() -> None:
    """Its target, commit, version, time and end."""
    run = run_of(SCENARIOS["drift-of-a-person"]())
    assert run["automationDetails"] == {"id": "recon-action shop/"}
    assert run["tool"]["driver"]["version"] == "0.1.0"
    assert run["versionControlProvenance"] == [
        {
            "repositoryUri": "https://github.com/acme/shop",
            "revisionId": "9e1c2bf0d4f5a6b7c8d9e0f1a2b3c4d5e6f70819",
            "branch": "main",
            "mappedTo": {"uriBaseId": "%SRCROOT%"},
        }
    ]
    assert run["invocations"] == [
        {
            "executionSuccessful": True,
            "exitCode": 1,
            "startTimeUtc": "2026-11-30T14:05:00Z",
            "toolExecutionNotifications": [],
        }
    ]


def test_a_bare_report() -> None:
    """Neither version nor revision nor time are known."""
    run = run_of(Report(Mode.DIFF, "t", "refused", ExitCode.REFUSED))
    assert not run.keys() & {"versionControlProvenance"}
    assert "version" not in run["tool"]["driver"]
    assert "startTimeUtc" not in run["invocations"][0]


def test_a_run_that_did_not_see_everything_was_no_success() -> None:
    """Its problems are told; what is not in it may differ all the same."""
    (invocation,) = run_of(SCENARIOS["forbidden"]())["invocations"]
    assert invocation["executionSuccessful"] is False
    (told,) = invocation["toolExecutionNotifications"]
    assert told["level"] == "error"
    assert told["message"]["text"].endswith('at the cluster scope grant the verb "list" on secrets')


@pytest.mark.parametrize("limit", ["MOST", "ROOM"])
def test_the_least_urgent_is_left_out_and_counted(monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    """Within GitHub's limits on number and size."""
    size = len(json.dumps(result(SCALED), indent=2))
    monkeypatch.setattr(recon_action.report.sarif, limit, 3 if limit == "MOST" else size * 7 // 2)
    notes = [replace(SCALED, ref=replace(WEB, name=f"n-{n}"), changes=(drift(additive=True),)) for n in range(5)]
    entries = (*notes, replace(SCALED, ref=replace(WEB, name="w-1")), replace(SCALED, severity=Severity.SECURITY))
    of = Report(Mode.DIFF, "shop", "different", ExitCode.DIFFERENT, entries=entries)
    run = run_of(of)
    assert [one["level"] for one in run["results"]] == ["error", "warning", "note"]
    (told,) = run["invocations"][0]["toolExecutionNotifications"]
    assert told["message"]["text"].startswith("4 results not shown, to keep within GitHub's limits")


def test_limits_are_githubs() -> None:
    """5,000 results that it shows, in fewer than 10 MB; as many tags as it takes; texts no longer than it shows."""
    odd = Change("p" * 5_000, Cause.MANUAL, place=Place("f" * 3_000, 1))
    entries = tuple(replace(SCALED, ref=replace(WEB, name=f"n-{n}"), changes=(odd,)) for n in range(5_100))
    of = Report(Mode.DIFF, "shop", "different", ExitCode.DIFFERENT, entries=entries)
    text = render(of, Output.SARIF)
    run = json.loads(text)["runs"][0]
    assert len(text) < 20_000_000
    assert len(run["results"]) < 5_000
    assert max(len(one["message"]["text"]) for one in run["results"]) <= 1_001
    assert all(len(rule["properties"]["tags"]) <= 10 for rule in run["tool"]["driver"]["rules"])
    assert all(len(rule["fullDescription"]["text"]) <= 1_024 for rule in run["tool"]["driver"]["rules"])


def test_nothing_to_find_is_a_log_all_the_same() -> None:
    """With its rules, and so that alerts of yesterday are closed."""
    run = run_of(clean())
    assert run["results"] == []
    assert len(run["tool"]["driver"]["rules"]) == len(RULES)


def test_hostile_words_are_harmless() -> None:
    """Links, mentions, control characters and commands of others come to nothing."""
    text = render(SCENARIOS["hostile-text"](), Output.SARIF)
    assert "![x](http" in HOSTILE
    assert "[x](http" not in text
    assert not any("@team" in one["message"]["text"] for one in results(SCENARIOS["hostile-text"]()))
    assert not re.search(r"^\s*::", text, re.MULTILINE)


def test_faults_of_files_are_results() -> None:
    """A file that can't be read holds no object; a validation asks no cluster, so it saw not everything."""
    faults = (
        Fault(Place("k8s/web.yaml", 7), "the key spec is repeated", "delete one"),
        Fault(Place("-", 1), "no YAML"),
    )
    run = run_of(Report(Mode.VALIDATE, "shop", "error", ExitCode.DESIRED, Counts(unasked=4), faults=faults))
    assert run["invocations"][0]["executionSuccessful"] is False
    first, second = run["results"]
    assert first["message"]["text"] == "the key spec is repeated delete one"
    assert first["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "k8s/web.yaml", "uriBaseId": "%SRCROOT%"},
                "region": {"startLine": 7},
            }
        }
    ]
    assert uri(second) == "-"


FAILURE = Problem(Trouble.FORBIDDEN, "may not patch", "grant it", "apply", 403)


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        pytest.param(SCALED, ["warning drifted"], id="drift"),
        pytest.param(replace(SCALED, severity=Severity.SECURITY), ["error drifted"], id="security"),
        pytest.param(replace(SCALED, changes=(drift(cause=Cause.GIT),)), ["note pending"], id="Git moved"),
        pytest.param(
            replace(SCALED, severity=Severity.SECURITY, changes=(drift(cause=Cause.GIT),)),
            ["note pending"],
            id="Git moved, security",
        ),
        pytest.param(replace(SCALED, changes=(drift(additive=True),)), ["note added"], id="added"),
        pytest.param(
            Entry(WEB, Bucket.IN_SYNC, changes=(drift(additive=True, place=None),)), ["note added"], id="added alone"
        ),
        pytest.param(
            replace(SCALED, changes=(drift(), drift("spec.x", additive=True))),
            ["warning drifted", "note added"],
            id="both on one line",
        ),
        pytest.param(
            replace(SCALED, changes=(drift(), drift("spec.x", line=10))),
            ["warning drifted", "warning drifted"],
            id="two lines",
        ),
        pytest.param(Entry(WEB, Bucket.DRIFTED, DriftKind.MISSING, Cause.UNKNOWN), ["error missing"], id="missing"),
        pytest.param(Entry(WEB, Bucket.PENDING, DriftKind.MISSING, Cause.GIT), ["note pending"], id="new"),
        pytest.param(Entry(WEB, Bucket.PENDING, DriftKind.ORPHANED, Cause.GIT), ["note orphaned"], id="orphan"),
        pytest.param(
            Entry(WEB, Bucket.PENDING, DriftKind.ORPHANED, Cause.GIT, Severity.DESTRUCTIVE),
            ["error orphaned"],
            id="destructive",
        ),
        pytest.param(replace(SCALED, outcome=Outcome.CONFIGURED), [], id="put right"),
        pytest.param(
            replace(SCALED, outcome=Outcome.FAILED, problem=FAILURE),
            ["error failed", "warning drifted"],
            id="could not be put right",
        ),
        pytest.param(Entry(WEB, Bucket.FAILED, problem=FAILURE), ["error failed"], id="failed"),
        pytest.param(Entry(WEB, Bucket.FAILED), ["error failed"], id="failed without words"),
        pytest.param(
            Entry(WEB, Bucket.IN_SYNC, outcome=Outcome.CONFIGURED, problem=replace(FAILURE, trouble=Trouble.UNHEALTHY)),
            ["error unhealthy"],
            id="unhealthy",
        ),
        pytest.param(Entry(WEB, Bucket.SKIPPED, reason="held"), [], id="skipped"),
        pytest.param(Entry(WEB, Bucket.IGNORED, reason="a rule"), [], id="ignored"),
        pytest.param(Entry(WEB, Bucket.IN_SYNC, reason="mended"), [], id="in sync"),
    ],
)
def test_rules(entry: Entry, expected: list[str]) -> None:
    """What is a finding, under which rule, how urgent."""
    of = Report(Mode.APPLY, "shop", "different", ExitCode.DIFFERENT, entries=(entry,))
    assert [f"{found.level} {found.rule.id}" for found in findings(of)] == expected


def test_rules_are_known_for_ever() -> None:
    """Renaming one closes every alert that people have dealt with."""
    assert [rule.id for rule in RULES] == [
        "missing",
        "drifted",
        "fault",
        "failed",
        "unhealthy",
        "orphaned",
        "pending",
        "added",
    ]


def test_urgent_findings_come_first() -> None:
    """Whatever the report's own order; within a level, that."""
    calm = modified(WEB, FieldChange(IMAGE, "a", "b", Cause.GIT), bucket=Bucket.PENDING, cause=Cause.GIT)
    urgent = modified(ref("Role", "r"), FieldChange(REPLICAS, 1, 2, Cause.MANUAL), severity=Severity.SECURITY)
    of = report(calm, urgent, *in_sync(2))
    swapped = replace(of, entries=of.entries[::-1])
    assert [found.level for found in findings(swapped)] == ["error", "note"]
