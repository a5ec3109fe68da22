"""The report as SARIF 2.1.0, for GitHub's code scanning: its findings, each beside its line in Git.

Values never show here, as `sentences` says. Why places and fingerprints are as they are: docs/decisions/0020-sarif.md.
"""

import hashlib
import re
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import quote

import orjson

from recon_action.report.document import Report
from recon_action.report.escape import address, inert_json, visible
from recon_action.report.findings import RULES, Finding, Rule, findings
from recon_action.report.outcome import is_whole
from recon_action.report.sentences import explained
from recon_action.report.words import plural

MOST: Final = 5_000  # results; GitHub shows no more
ROOM: Final = 9_000_000  # bytes of results; GitHub takes 10 MB, and that compressed
_MESSAGE = 1_000  # characters
_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_HOME = "https://github.com/recon-action/recon-action"
_HELP = f"{_HOME}/blob/main/docs/reference.md#the-report-as-sarif"
_REPOSITORY, _CLUSTER = "%SRCROOT%", "%CLUSTER%"
_ROOTS = {
    _REPOSITORY: "The root of the repository.",
    _CLUSTER: "The cluster: what stands in no file of the repository.",
}
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z", re.ASCII)


def render(report: Report) -> str:
    """The report as a SARIF log of one run, within what GitHub takes: the least urgent results are left out first."""
    found = findings(report)
    results = _fitting(found)
    run = {
        "tool": {"driver": _driver(report)},
        # The part before the slash keeps the alerts of several targets apart.
        "automationDetails": {"id": f"recon-action {visible(report.target)}/"},
        "invocations": [_invocation(report, hidden=len(found) - len(results))],
        "originalUriBaseIds": {root: {"description": {"text": text}} for root, text in _ROOTS.items()},
        **_provenance(report),
        "results": results,
    }
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return inert_json(orjson.dumps(log, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode())


def _driver(report: Report) -> dict[str, Any]:
    version = {"version": visible(report.version)} if report.version else {}
    return {"name": "recon-action", **version, "informationUri": _HOME, "rules": list(map(_rule, RULES))}


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": f"{rule.title}. {rule.help}"},
        "help": {"text": rule.help, "markdown": rule.help},
        "helpUri": _HELP,
        "defaultConfiguration": {"level": rule.level},
        "properties": {"tags": ["kubernetes", "drift"], "precision": "very-high"},
    }


def _invocation(report: Report, *, hidden: int) -> dict[str, Any]:
    notes = [_notification("error", explained(problem)) for problem in report.problems]
    if hidden:
        left_out = f"{plural(hidden, 'result')} not shown, to keep within GitHub's limits: the least urgent ones."
        notes.append(_notification("warning", left_out))
    started = {"startTimeUtc": report.started} if _TIME.fullmatch(report.started) else {}
    return {
        "executionSuccessful": is_whole(report),
        "exitCode": int(report.exit_code),
        **started,
        "toolExecutionNotifications": notes,
    }


def _notification(level: str, text: str) -> dict[str, Any]:
    return {"level": level, "message": {"text": _plain(text)}}


def _provenance(report: Report) -> dict[str, Any]:
    revision = report.revision
    repository = address(revision.url) if revision else ""
    if revision is None or not repository:
        return {}
    of = {"revisionId": visible(revision.commit), "branch": visible(revision.branch)}
    known = {key: value for key, value in of.items() if value}
    return {
        "versionControlProvenance": [{"repositoryUri": repository, **known, "mappedTo": {"uriBaseId": _REPOSITORY}}]
    }


def _fitting(found: Sequence[Finding]) -> list[dict[str, Any]]:
    results, room = [], ROOM
    for finding in found[:MOST]:
        result = _result(finding)
        size = len(orjson.dumps(result, option=orjson.OPT_INDENT_2))
        if size <= room:
            room -= size
            results.append(result)
    return results


def _result(finding: Finding) -> dict[str, Any]:
    identity = _identity(finding)
    words = " ".join(finding.said)
    inside = finding.place is not None and finding.place.is_inside
    return {
        "ruleId": finding.rule.id,
        "ruleIndex": RULES.index(finding.rule),
        "level": finding.level,
        "message": {"text": _plain(f"{finding.ref}: {words}" if finding.ref else words)},
        "locations": [_location(finding)],
        # GitHub's own upload fills in the key that GitHub compares, from the file's line, where there is one.
        "partialFingerprints": {"reconAction/v1": identity} | ({} if inside else {"primaryLocationLineHash": identity}),
    }


def _identity(finding: Finding) -> str:
    """What stays the same, whatever line the field moves to and whatever values it takes."""
    ref, place = finding.ref, finding.place
    about = [ref.group, ref.kind, ref.namespace, ref.name] if ref else [place.file if place else "", *finding.said]
    return hashlib.sha256(orjson.dumps([finding.rule.id, *about, *finding.paths])).hexdigest()[:32]


def _location(finding: Finding) -> dict[str, Any]:
    """Where a result is; GitHub refuses a whole file if one of its results is nowhere."""
    ref, place = finding.ref, finding.place
    logical = {"logicalLocations": [{"fullyQualifiedName": visible(str(ref)), "kind": "resource"}]} if ref else {}
    if place is not None and place.is_inside:
        artifact, region = _artifact(_REPOSITORY, *place.file.split("/")), {"startLine": max(place.line, 1)}
        return {"physicalLocation": {"artifactLocation": artifact, "region": region}} | logical
    parts = (ref.namespace, ref.kind, ref.name) if ref else (place.file if place else "",)
    return {"physicalLocation": {"artifactLocation": _artifact(_CLUSTER, *parts)}} | logical


def _artifact(root: str, *parts: str) -> dict[str, str]:
    return {"uri": "/".join(quote(part, safe="") for part in parts if part), "uriBaseId": root}


def _plain(text: str) -> str:
    """Foreign words on one line of a SARIF message, which knows links, and mentions once GitHub shows it."""
    shown = visible(" ".join(text.split()))
    shown = shown if len(shown) <= _MESSAGE else f"{shown[:_MESSAGE]}…"
    return re.sub(r"@(?=\w)", "@\u200b", re.sub(r"\](?=\()", "\\]", shown))
