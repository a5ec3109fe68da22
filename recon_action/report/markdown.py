"""The report for pull requests, issues and job summaries: GitHub's Markdown within a budget of bytes.

Lays out and cuts; the words are `words`' and `values`', and all foreign text passes `escape`. It is
cut between objects only, the least dangerous first, and says how many it left out. Where the text is
published may not be known here.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from recon_action.errors import ExitCode
from recon_action.model import Bucket, ObjectRef, Problem, Severity
from recon_action.report import words
from recon_action.report.document import Change, Entry, Report
from recon_action.report.escape import code, entities, fence, link, prose, visible
from recon_action.report.values import Side, difference, inline

SMALLEST: Final = 2_000  # bytes: the verdict and the counts need some of them, whatever the budget
_NAMED = 5  # objects that a line names
_FIELDS = 30  # fields of one object
_CELL = 60  # characters of a value in the table
_MESSAGE = 800  # characters of a message
_FACT = 120  # characters of one fact of the footer
_RESERVED = 700  # bytes for the lines that say what was left out
_SIGNS = {Side.GIT: "- ", Side.LIVE: "+ ", Side.BOTH: "  ", Side.NOTE: "! "}
_BUCKETS = {Bucket.DRIFTED: "⚠️", Bucket.PENDING: "⏳", Bucket.IN_SYNC: "➕"}  # in sync, but something was added
# None beyond U+FFFF: check runs refuse such characters.
_SYMBOLS = {ExitCode.OK: "✅", ExitCode.DIFFERENT: "⚠️", ExitCode.REFUSED: "⛔"}


def render(report: Report, *, budget: int) -> str:
    """The report as Markdown.

    Args:
        report: what to show.
        budget: bytes of UTF-8 that the text may take; less than `SMALLEST` counts as that.
    """
    budget = max(budget, SMALLEST)
    sections = words.parts(report)
    head, foot = _headline(report), _footer(report)
    if _size(head) + _size(foot) > budget - _RESERVED:
        foot = ""
    page = _Page(budget - _RESERVED - _size(head) - _size(foot))
    page.add(_warning(words.destructive(report)))
    warning = page.take()
    # What could not be read stands after the differences, but has its room before their details.
    trouble = [_failure(entry) for entry in sections.failed] + list(map(_problem, report.problems))
    told = (*sections.different, *sections.added)
    rows = {entry.ref: _row(entry, applied=report.mode.writes) for entry in told}
    page.listing("Could not be read, predicted or applied", trouble, share=0.3, noun="problem")
    troubles = page.take()
    folded = {entry.ref: _details(entry) for entry in told if _has_details(entry)}
    shown = page.table(_columns(report), rows, kept=sum(map(_size, folded.values())))
    table = page.take()
    page.details([block for ref, block in folded.items() if ref in shown])
    details = page.take()
    page.listing("Skipped or ignored", list(map(_aside, sections.passed_over)), share=0.5)
    page.listing("In sync, and worth a word", list(map(_aside, sections.other)), share=0.5)
    plan, noun = (_whole_plan(report), "action") if report.show_plan else (_plan(report), "stage")
    page.listing(words.plan_title(report), plan, share=0.8, noun=noun)
    if report.show_plan:
        page.add(prose(words.digest(report)))
    page.listing("Notes", [f"- {prose(note)}" for note in report.notes], share=1.0, noun="note")
    blocks = [head, *warning, *table, *details, *troubles, *page.take(), foot]
    return "\n\n".join(block for block in blocks if block) + "\n"


def named(refs: Sequence[ObjectRef]) -> str:
    """The first few of `refs`, and how many more."""
    more = f" and {len(refs) - _NAMED} more" if len(refs) > _NAMED else ""
    return ", ".join(code(str(ref)) for ref in refs[:_NAMED]) + more


class _Page:
    """Blocks that still fit. What doesn't is counted in its place: for that there is always room."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._blocks: list[str] = []

    def take(self) -> list[str]:
        """The blocks added since the last call."""
        blocks, self._blocks = self._blocks, []
        return blocks

    def add(self, block: str) -> None:
        """One block, if it fits."""
        if block and _size(block) <= self._room:
            self._room -= _size(block)
            self._blocks.append(block)

    def listing(self, title: str, items: Sequence[str], *, share: float, noun: str = "object") -> None:
        """A list, with as many items as go into `share` of the room that is left."""
        shown = _fitting(items, int(self._room * share) - _size(title))
        if shown:
            self.add(f"**{title}**\n\n" + "\n".join(shown))
        self._count(len(items) - len(shown), noun, "not shown", "" if shown else f"{title}: ")

    def table(self, columns: Sequence[str], rows: Mapping[ObjectRef, str], kept: int) -> set[ObjectRef]:
        """One row an object, in what `kept` bytes of details leave, or in half of the room; whose rows fit."""
        head = f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}\n"
        room = max(self._room // 2, self._room - kept) - _size(head)
        shown = set(_fitting(list(rows.values()), room))
        if shown:
            self.add(head + "\n".join(row for row in rows.values() if row in shown))
        self._count(sum(row not in shown for row in rows.values()), "object", "not shown")
        return {ref for ref, row in rows.items() if row in shown}

    def details(self, blocks: Sequence[str]) -> None:
        """The fields of each object, folded."""
        shown = _fitting(blocks, self._room)
        for block in shown:
            self.add(block)
        self._count(len(blocks) - len(shown), "object", "shown without fields")

    def _count(self, hidden: int, noun: str, what: str, where: str = "") -> None:
        if hidden:
            number = words.plural(hidden, noun)
            self._blocks.append(f"**{where}{number} {what}**, to keep the text within its limit.")


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


def _columns(report: Report) -> list[str]:
    done = ["Done"] if report.mode.writes else []
    return ["State", "Object", "Difference", "Since", "Tool", *done, "Git"]


def _headline(report: Report) -> str:
    symbol = _SYMBOLS.get(report.exit_code, "❌")
    if report.exit_code is ExitCode.DIFFERENT and not report.counts.drifted:
        symbol = "⏳"
    tail = words.summary(report, " · ")
    return f"### {symbol} {words.title(report)}: {code(report.target[:_FACT])} — {tail}"


def _warning(severe: Sequence[Entry]) -> str:
    return f"> ⛔ **{len(severe)} destructive**: {named([entry.ref for entry in severe])}" if severe else ""


def _row(entry: Entry, *, applied: bool) -> str:
    tools = sorted({change.tool for change in entry.changes if change.tool})
    since = max((change.since for change in entry.changes), default="")
    cells = [
        _state(entry),
        code(str(entry.ref)),
        _summary(entry),
        prose(words.moment(since)),
        ", ".join(map(code, tools[:_NAMED])),
        *([prose(words.outcome(entry))] if applied else []),
        link(words.origin(entry.place), entry.place.url) if entry.place else "",
    ]
    return f"| {' | '.join(cells)} |"


def _state(entry: Entry) -> str:
    symbol = "⛔" if entry.severity is Severity.DESTRUCTIVE else _BUCKETS[entry.bucket]
    severity = f", {entry.severity.name.lower()}" if entry.severity >= Severity.SECURITY else ""
    return f"{symbol} {entry.bucket.value}{severity}"


def _summary(entry: Entry) -> str:
    """The difference in one cell: the first field, and how many more."""
    if not entry.changes:
        return prose(words.state(entry))
    first, more = entry.changes[0], len(entry.changes) - 1
    tail = f", {words.plural(more, 'more field')}" if more else ""
    return f"{code(first.path)}: {_sides(first)}{tail}"


def _sides(change: Change) -> str:
    if change.redacted:
        return prose(difference(change)[0].text)
    git, live = inline(change.desired), inline(change.live)
    if max(len(git), len(live)) > _CELL:
        return "changed"
    return " → ".join(
        (
            f"git {code(git)}" if change.has_desired else "not in Git",
            f"live {code(live)}" if change.has_live else "not in the cluster",
        )
    )


def _has_details(entry: Entry) -> bool:
    return bool(entry.changes or entry.problem or any(words.remarks(entry)))


def _details(entry: Entry) -> str:
    said = [entry.bucket.value, words.state(entry), words.cause(entry)]
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
    place = f" in {link(words.origin(entry.place), entry.place.url)}" if entry.place else ""
    return f"- {code(str(entry.ref))}{place}: {_trouble(entry.problem) if entry.problem else 'failed'}"


def _problem(problem: Problem) -> str:
    return f"- {_trouble(problem)}"


def _trouble(problem: Problem) -> str:
    hint = f"<br>Hint: {prose(_cut(problem.hint))}" if problem.hint else ""
    return f"{prose(words.trouble(problem))}: {code(_cut(problem.message))}{hint}"


def _cut(text: str) -> str:
    return text if len(text) <= _MESSAGE else f"{text[:_MESSAGE]}…"


def _aside(entry: Entry) -> str:
    said = [entry.bucket.value, words.outcome(entry), *words.remarks(entry)]
    trouble = f"; {_trouble(entry.problem)}" if entry.problem else ""
    return f"- {code(str(entry.ref))}: {prose(', '.join(filter(None, said)))}{trouble}"


def _plan(report: Report) -> list[str]:
    lines = []
    for what, actions in words.stages(report):
        lines.append(f"{entities(what)}: {named([action.ref for action in actions])}")
    return lines


def _whole_plan(report: Report) -> list[str]:
    lines, waves = [], words.has_waves(report)
    for action in report.plan:
        waits = words.waits(action)
        what = f"stage {action.stage}{f' (wave {action.wave})' if waves else ''}: {action.action}"
        lines.append(f"- {entities(what)} {code(str(action.ref))}{f', {prose(waits)}' if waits else ''}")
    return lines


def _footer(report: Report) -> str:
    server = " ".join(filter(None, (report.server, report.server_version)))
    named = {"git": words.revision(report), "server": server, "cluster": report.cluster_uid}
    facts = [f"{name} {code(value[:_FACT])}" for name, value in named.items() if value]
    facts += words.plural(report.counts.total, "object"), words.asked(report), words.plural(report.files, "file")
    if report.started:
        facts.append(f"{entities(words.moment(report.started[:_FACT]))}, {report.seconds:.1f} s")
    if report.run_url:
        facts.append(link("run", report.run_url))
    if report.version:
        facts.append(f"recon-action {entities(report.version[:_FACT])}")
    return f"<sub>{' · '.join(facts)}</sub>"
