"""The check run of a target on a commit: a conclusion, the report, and annotations beside the manifests.

Decides how a check run is concluded and what of a report fits into it. It is concluded whatever happens: its first
request carries the conclusion, and if GitHub refuses the rich form, a plain one takes its place.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from recon_action.errors import ExitCode, FailOn, combine
from recon_action.github.client import Client, is_by
from recon_action.github.commands import Annotation, Level
from recon_action.github.comment import Told
from recon_action.github.denied import Denied, Need, Reason, senseless
from recon_action.report.escape import basic

WRITE: Final = Need("write the check run", "checks: write")
READ: Final = Need("show the check runs", "checks: read")
SUMMARY: Final = 65_535  # characters
MOST: Final = 200  # annotations, in four requests; nobody reads more
_AT_ONCE = 50  # annotations in a request
_TITLE = 255  # characters, of a check run and of an annotation
_MESSAGE = 16_000  # characters of an annotation; GitHub takes 64 KB
_PLAIN = 1_000  # characters of the summary that no rule of GitHub's can refuse
_LEVELS = {Level.ERROR: "failure", Level.WARNING: "warning", Level.NOTICE: "notice"}


@dataclass(frozen=True, slots=True)
class Check:
    """What a run would have its check run say.

    Args:
        target: of the run.
        head: SHA of the commit that it is about.
        conclusion: `success`, `neutral`, `failure` or `action_required`.
        digest: of the plan, "" without one. Nobody can edit it here, as they can a comment.
        title: the verdict in a line.
        summary: the report as Markdown.
        annotations: beside the manifests, in any order.
        url: of the job, where all of it is.
        need: what writing it takes.
    """

    target: str
    head: str
    conclusion: str
    title: str
    summary: str
    digest: str = ""
    annotations: tuple[Annotation, ...] = ()
    url: str = ""
    need: Need = WRITE


def conclusion(code: ExitCode, fail_on: FailOn) -> str:
    """How the check of a run that came to `code` ends; `neutral` lets a required check pass."""
    if code is ExitCode.OK:
        return "success"
    if code is ExitCode.REFUSED:
        return "action_required"
    return "neutral" if combine([code], fail_on) is ExitCode.OK else "failure"


def fitting(render: Callable[[int], str], budget: int) -> str:
    """What `render` gives for a budget of bytes, in the alphabet of check runs, within what their summary holds."""
    while len(text := basic(render(budget))) > SUMMARY and budget > _PLAIN:
        budget = budget * 3 // 4  # characters that are spelled out grow
    return text[:SUMMARY]


def placed(annotations: Sequence[Annotation]) -> list[Annotation]:
    """Those that can stand beside a file of the repository, most severe first, as many as a check run takes."""
    order = list(Level)
    inside = [one for one in annotations if one.file not in {"", "-"} and not one.file.startswith(("/", "../"))]
    return sorted(inside, key=lambda one: order.index(one.level))[:MOST]


def publish(client: Client, check: Check) -> Told:
    """Make the check run, concluded.

    Raises:
        Denied: GitHub takes none at all.
    """
    shown = [_annotation(one) for one in placed(check.annotations)]
    made, there = _create(client, check, shown[:_AT_ONCE])
    if there:
        there = _append(client, check, f"/check-runs/{made['id']}", shown, there)
    lost = f", {len(shown) - there} annotations were refused" if there < len(shown) else ""
    return Told(check.conclusion + lost, made.get("html_url") or "", there)


def published_digest(client: Client, target: str, head: str) -> str | None:
    """The digest in the last check run that we wrote for `target` on commit `head`; "" if it tells of no plan.

    None if there is no such check run.
    Whoever may write can edit a comment or an issue of ours, but no check run of another app's.

    Raises:
        Denied: they can't be read.
    """
    path, login = f"/commits/{head}/check-runs", client.login()
    listed = client.pages(path, READ, key="check_runs", check_name=_name(target))
    ours = [one for one in listed if one.get("status") == "completed" and is_by(_app(one), login)]
    if not ours:
        return None
    about, _, digest = str(max(ours, key=lambda one: _object(one)["id"]).get("external_id")).partition("|")
    return digest if about == target else None


def _app(made: Mapping[str, Any]) -> str:
    """Who wrote it, as the author of a comment would be called."""
    app = made.get("app")
    return f"{app.get('slug')}[bot]" if isinstance(app, dict) else ""


def _name(target: str) -> str:
    return f"recon-action: {target}"


def _create(client: Client, check: Check, annotations: Sequence[Mapping[str, Any]]) -> tuple[dict[str, Any], int]:
    """The check run, made once, and how many annotations it has.

    After an end that is not certain it is looked for, before it is made again.
    """
    tries, body = 0, _body(check, annotations)
    while True:
        try:
            return _object(client.send("POST", "/check-runs", check.need, body)), len(annotations)
        except Denied as denied:
            tries += 1
            if denied.reason is Reason.INVALID and tries == 1:
                annotations = ()
                body = _body(_plain(check), annotations)
                continue
            client.pause(denied, tries)
            if found := _find(client, check.need, body):
                return found, _count(found)


def _find(client: Client, need: Need, body: Mapping[str, Any]) -> dict[str, Any] | None:
    path = f"/commits/{body['head_sha']}/check-runs"
    listed = client.pages(path, need, key="check_runs", check_name=body["name"])
    same = ("external_id", "details_url")
    return next((one for one in listed if all(one.get(key) == body.get(key, "") for key in same)), None)


def _append(client: Client, check: Check, path: str, shown: Sequence[Mapping[str, Any]], there: int) -> int:
    """Add what the first request had no room for; how many there are. What fails here leaves the conclusion alone."""
    tries = 0
    while there < len(shown):
        more = shown[there : there + _AT_ONCE]
        try:
            client.send("PATCH", path, check.need, {"output": _output(check, more)})
        except Denied as denied:
            tries += 1
            try:
                client.pause(denied, tries)
                there = _count(client.get(path, check.need))  # they were added, or not: a second time would double them
            except Denied:
                break
        else:
            there += len(more)
    return there


def _body(check: Check, annotations: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    body = {
        "name": _name(check.target),
        "head_sha": check.head,
        "status": "completed",
        "conclusion": check.conclusion,
        "external_id": f"{check.target}|{check.digest}",
        "output": _output(check, annotations),
    }
    return body | ({"details_url": check.url} if check.url else {})


def _output(check: Check, annotations: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    output: dict[str, Any] = {"title": basic(check.title)[:_TITLE], "summary": check.summary}
    return output | ({"annotations": list(annotations)} if annotations else {})


def _plain(check: Check) -> Check:
    """The least that concludes."""
    summary = f"{check.title}\n\nGitHub did not take the whole report. It is in the job summary: {check.url}"
    plain = "".join(char if char.isascii() else "?" for char in summary)[:_PLAIN]
    return replace(check, title=check.conclusion, summary=plain)


def _annotation(of: Annotation) -> dict[str, Any]:
    line = max(of.line, 1)
    shown = {
        "path": of.file,
        "start_line": line,
        "end_line": line,
        "annotation_level": _LEVELS[of.level],
        "message": basic(of.message)[:_MESSAGE],
    }
    return shown | ({"title": basic(of.title)[:_TITLE]} if of.title else {})


def _count(made: Any) -> int:
    output = _object(made).get("output")
    count = output.get("annotations_count") if isinstance(output, dict) else None
    return count if isinstance(count, int) else 0


def _object(answer: Any) -> dict[str, Any]:
    if not isinstance(answer, dict) or not isinstance(answer.get("id"), int):
        raise senseless(WRITE)
    return answer
