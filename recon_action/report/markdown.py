"""The report for pull requests, issues and job summaries: GitHub's Markdown within a budget of bytes.

Lays out and cuts; the words are `words`' and `values`', and all foreign text passes `escape`. It is
cut between objects only, the least dangerous first, and says how many it left out. Where the text is
published may not be known here.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from recon_action.errors import ExitCode
from recon_action.model import Bucket, DriftKind, Mode, Problem, Severity
from recon_action.report import words
from recon_action.report.document import Change, Entry, Report
from recon_action.report.escape import code, entities, fence, link, prose, visible
from recon_action.report.values import Side, difference, inline

SMALLEST: Final = 2_000  # bytes: the verdict and the counts need some of them, whatever the budget
_NAMED = 5  # objects that a line names
_FIELDS = 30  # fields of one object
_CELL = 40  # characters of a value in the table
_MESSAGE = 800  # characters of a message
_SIGNS = {Side.GIT: "- ", Side.LIVE: "+ ", Side.BOTH: "  ", Side.NOTE: "! "}
_BUCKETS = {Bucket.DRIFTED: "⚠️ drifted", Bucket.PENDING: "⏳ pending"}
# None beyond U+FFFF: check runs refuse such characters.
_SYMBOLS = {ExitCode.OK: "✅", ExitCode.DIFFERENT: "⚠️", ExitCode.REFUSED: "⛔"}


def render(report: Report, *, budget: int) -> str:
    """The report as Markdown.

    Args:
        report: what to show.
        budget: bytes of UTF-8 that the text may take; less than `SMALLEST` counts as that.
    """
    sections = words.parts(report)
    head, foot = _headline(report), _footer(report)
    page = _Page(max(budget, SMALLEST) - _size(head) - _size(foot))
    page.add(_warning(sections.different))
    # Trouble and the table come before the details that fill the rest.
    trouble = [_failure(entry) for entry in sections.failed] + list(map(_problem, report.problems))
    page.list("**Could not be read, predicted or applied**", trouble, share=0.3, noun="problem")
    top = page.take()
    page.table(report, sections.different)
    table = page.take()
    page.details([_details(entry) for entry in sections.different if entry.changes or entry.problem])
    details = page.take()
    page.list("**Skipped or ignored**", list(map(_aside, sections.passed_over)), share=0.5)
    page.list("**In sync, and worth a word**", list(map(_aside, sections.other)), share=0.5)
    page.list(f"**{words.plan_title(report)}**", _plan(report), share=0.8, noun="stage")
    page.list("", [f"- {prose(note)}" for note in report.notes], share=1.0, noun="note")
    blocks = [head, *top, *table, *details, *page.take(), foot]
    return "\n\n".join(block for block in blocks if block) + "\n"


class _Page:
    """Blocks that still fit; everything that doesn't is counted where it would stand."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._blocks: list[str] = []

    def take(self) -> list[str]:
        """The blocks added since the last call."""
        blocks, self._blocks = self._blocks, []
        return blocks

    def add(self, block: str) -> None:
        if block and _size(block) <= self._room:
            self._room -= _size(block)
            self._blocks.append(block)

    def list(self, title: str, items: Sequence[str], *, share: float, noun: str = "object") -> None:
        """As many of the items, one a line, as go into `share` of the room that is left."""
        shown = _fitting(items, int(self._room * share) - _size(title) - _NOTICE)
        hidden = len(items) - len(shown)
        if hidden:
            shown = [*shown, f"- {words.plural(hidden, noun)} not shown"]
        self.add("\n".join(shown) if not title else f"{title}\n\n" + "\n".join(shown) if shown else "")

    def table(self, report: Report, entries: Sequence[Entry]) -> None:
        """One row an object; the details have the rest of the room."""
        if not entries:
            return
        applied = report.mode is Mode.APPLY
        names = ["", "Object", "Difference", "Since", "Tool", *(["Done"] if applied else []), "Git"]
        head = [f"| {' | '.join(names)} |", f"|{'---|' * len(names)}"]
        rows = [_row(entry, applied=applied) for entry in entries]
        if sum(map(_size, rows)) > self._room // 2:
            rows = _fitting(rows, self._room // 2 - _NOTICE - _size("".join(head)))
        hidden = len(entries) - len(rows)
        block = "\n".join([*head, *rows]) if rows else ""
        if hidden:
            block += f"\n\n**{words.plural(hidden, 'object')} not shown**: the room did not suffice.".lstrip()
        self.add(block)

    def details(self, blocks: Sequence[str]) -> None:
        """The fields of each object, folded."""
        shown = _fitting(blocks, self._room - _NOTICE if sum(map(_size, blocks)) > self._room else self._room)
        for block in shown:
            self.add(block)
        if hidden := len(blocks) - len(shown):
            self.add(f"The details of {words.plural(hidden, 'object')} are not shown: the room did not suffice.")


_NOTICE = 100  # bytes that a line on what was left out may take


def _fitting(items: Sequence[str], room: int) -> list[str]:
    """Those of `items`, in their order, that fit one after the other."""
    shown = []
    for item in items:
        if _size(item) <= room:
            room -= _size(item)
            shown.append(item)
    return shown


def _size(block: str) -> int:
    return len(block.encode()) + 2  # the blank line between blocks


def _headline(report: Report) -> str:
    symbol = _SYMBOLS.get(report.exit_code, "❌")
    if report.exit_code is ExitCode.DIFFERENT and not report.counts.drifted:
        symbol = "⏳"
    tail = " · ".join(words.counts(report))
    for more in (words.done(report), words.asides(report)):
        tail += f" ({', '.join(more)})" if more else ""
    return f"### {symbol} {words.title(report)}: {code(report.target)} — {tail}"


def _warning(entries: Iterable[Entry]) -> str:
    severe = [entry for entry in entries if entry.severity is Severity.DESTRUCTIVE]
    if not severe:
        return ""
    named = ", ".join(code(str(entry.ref)) for entry in severe[:_NAMED])
    more = f" and {len(severe) - _NAMED} more" if len(severe) > _NAMED else ""
    return f"> ⛔ **{len(severe)} destructive**: {named}{more}"


def _row(entry: Entry, *, applied: bool) -> str:
    severe = f"⛔ {entry.severity.name.lower()}, " if entry.severity >= Severity.SECURITY else ""
    tools = sorted({change.tool for change in entry.changes if change.tool})
    since = max((change.since for change in entry.changes), default="")
    cells = [
        severe + _BUCKETS[entry.bucket],
        code(str(entry.ref)),
        _summary(entry),
        prose(words.moment(since)),
        ", ".join(map(code, tools[:_NAMED])),
        *([prose(words.outcome(entry))] if applied else []),
        link(words.place(entry.place), entry.place.url) if entry.place else "",
    ]
    return f"| {' | '.join(cells)} |"


def _summary(entry: Entry) -> str:
    """The difference in one cell: the first field, and how many more."""
    if entry.drift is not DriftKind.MODIFIED or not entry.changes:
        return prose(words.state(entry))
    first, more = entry.changes[0], len(entry.changes) - 1
    tail = f", {words.plural(more, 'more field')}" if more else ""
    return f"{code(first.path)}: {_sides(first)}{tail}"


def _sides(change: Change) -> str:
    if change.redacted:
        return prose(difference(change)[0].text)
    git = code(inline(change.desired, _CELL)) if change.has_desired else "nothing"
    live = code(inline(change.live, _CELL)) if change.has_live else "nothing"
    return f"git {git} → live {live}"


def _details(entry: Entry) -> str:
    said = [_BUCKETS[entry.bucket].split()[1], words.state(entry), words.cause(entry)]
    head = f"<details><summary>{code(str(entry.ref))} · {' · '.join(filter(None, said))}</summary>"
    blocks = [head, *(prose(remark) for remark in words.remarks(entry))]
    if entry.problem:
        blocks.append(_trouble(entry.problem))
    if entry.changes:
        blocks.append(fence(_diff(entry), "diff"))
    return "\n\n".join([*blocks, "</details>"])


def _diff(entry: Entry) -> list[str]:
    lines = ["--- git", "+++ live"]
    for change in entry.changes[:_FIELDS]:
        place = words.place(change.place) if change.place else ""
        said = words.provenance(change, entry)
        remarks = [place, f"live: {said}" if said else ""]
        lines.append(f"@@ {visible(change.path)} @@ {visible(' · '.join(filter(None, remarks)))}".rstrip())
        lines += [_SIGNS[line.side] + line.text for line in difference(change)]
    if len(entry.changes) > _FIELDS:
        lines.append(f"! {len(entry.changes) - _FIELDS} more fields")
    return lines


def _failure(entry: Entry) -> str:
    return f"- {code(str(entry.ref))}: {_trouble(entry.problem) if entry.problem else 'failed'}"


def _problem(problem: Problem) -> str:
    return f"- {_trouble(problem)}"


def _trouble(problem: Problem) -> str:
    message = inline_text(problem.message)
    hint = f"<br>Hint: {prose(problem.hint[:_MESSAGE])}" if problem.hint else ""
    return f"{prose(words.trouble(problem))}: {code(message)}{hint}"


def inline_text(text: str) -> str:
    """A message, cut where it gets too long to be read."""
    return text if len(text) <= _MESSAGE else f"{text[:_MESSAGE]}…"


def _aside(entry: Entry) -> str:
    said = [entry.bucket.value, words.outcome(entry), *words.remarks(entry)]
    return f"- {code(str(entry.ref))}: {prose(', '.join(filter(None, said)))}"


def _plan(report: Report) -> list[str]:
    lines = []
    for number, (what, actions) in enumerate(words.stages(report), 1):
        named = ", ".join(code(str(action.ref)) for action in actions[:_NAMED])
        more = f" and {len(actions) - _NAMED} more" if len(actions) > _NAMED else ""
        lines.append(f"{number}. {what}: {named}{more}")
    return lines


def _footer(report: Report) -> str:
    revision = words.revision(report)
    server = " ".join(filter(None, (report.server, report.server_version)))
    facts = [
        f"git {code(revision)}" if revision else "",
        f"server {code(server)}" if server else "",
        f"cluster {code(report.cluster_uid)}" if report.cluster_uid else "",
        words.plural(report.counts.total, "object"),
        words.plural(report.files, "file"),
        f"{entities(words.moment(report.started))}, {report.seconds:.1f} s" if report.started else "",
        link("run", report.run_url) if report.run_url else "",
        f"recon-action {entities(report.version)}" if report.version else "",
    ]
    return f"<sub>{' · '.join(filter(None, facts))}</sub>"
