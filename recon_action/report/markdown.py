"""The report for pull requests, issues and job summaries: GitHub's Markdown within a budget of bytes.

Lays out and cuts; the words are `words`' and `values`', and all foreign text passes `escape`. It is
cut between objects only, the least dangerous first, and says how many it left out. Where the text is
published may not be known here.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final

from recon_action.errors import ExitCode
from recon_action.model import Bucket, DriftKind, Mode, ObjectRef, Problem, Severity
from recon_action.report import words
from recon_action.report.document import Amended, Change, Entry, Fault, Report
from recon_action.report.escape import anchor, breakable, code, fence, link, prose, running, visible
from recon_action.report.outcome import SETTLED
from recon_action.report.page import RESERVED, Page, folded, size
from recon_action.report.values import Line, Side, difference, inline

SMALLEST: Final = 2_500  # bytes: the verdict and the counts need some of them, whatever the budget
_NAMED = 5  # objects that a line names
_FIELDS = 30  # fields of one object
_SHOWN = 2  # of them in the table
_CELL = 60  # characters of a value in the table
_LINE = 60  # of a field and both of its values, before they take two lines
_MESSAGE = 800  # characters of a message
_REASON = 200  # of one in the table
_FACT = 120  # characters of one fact of the footer
_NEWS: Mapping[DriftKind | None, str] = {DriftKind.MISSING: "new in Git", DriftKind.ORPHANED: "no longer in Git"}
_BUCKETS = {Bucket.DRIFTED: "⚠️", Bucket.PENDING: "⏳", Bucket.IN_SYNC: "➕"}  # in sync, but something was added
_CHANGES = {DriftKind.MISSING: "➕", DriftKind.MODIFIED: "✏️", DriftKind.ORPHANED: "➖"}
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
    if size(head) + size(foot) > budget - RESERVED:
        foot = ""
    page = Page(budget - RESERVED - size(head) - size(foot))
    page.add(_warning(words.destructive(report)))
    page.add(f"> {words.validated(report)}" if report.mode is Mode.VALIDATE else "")
    page.listing("Faults in the manifests", list(map(_fault, report.faults)), share=0.6, noun="fault", fold=False)
    page.listing("What the change in Git does", list(map(_amended, report.amendments)), share=0.6)
    warning = page.take()
    # What could not be read stands after the differences, but has its room before their details.
    trouble = [_failure(entry) for entry in sections.failed] + list(map(_problem, report.problems))
    told = (*sections.different, *sections.added)
    rows = {entry.ref: _row(entry, report.mode) for entry in told}
    page.listing("Could not be read, predicted or applied", trouble, share=0.3, noun="problem", fold=False)
    troubles = page.take()
    detailed = [entry for entry in told if _has_details(entry)]
    details = {entry.ref: _details(entry, report.mode, alone=len(detailed) == 1) for entry in detailed}
    shown = page.table(rows, kept=sum(map(size, details.values())))
    table = page.take()
    page.details([block for ref, block in details.items() if ref in shown])
    fields = page.take()
    page.listing("Skipped or ignored", list(map(_aside, sections.passed_over)), share=0.5)
    page.listing("In sync, and worth a word", list(map(_aside, sections.other)), share=0.5)
    page.listing("Notes", [f"- {prose(note)}" for note in report.notes], share=0.6, noun="note")
    plan, noun = (_whole_plan(report), "action") if report.show_plan else (_plan(report), "stage")
    page.listing(words.plan_title(report), plan, share=0.9, noun=noun)
    if report.show_plan:
        page.add(prose(words.digest(report)))
    blocks = [head, *warning, *table, *fields, *troubles, *page.take(), foot]
    return "\n\n".join(block for block in blocks if block) + "\n"


def named(refs: Sequence[ObjectRef]) -> str:
    """The first few of `refs`, and how many more."""
    more = f" and {len(refs) - _NAMED} more" if len(refs) > _NAMED else ""
    return ", ".join(code(str(ref)) for ref in refs[:_NAMED]) + more


def _headline(report: Report) -> str:
    symbol = _SYMBOLS.get(report.exit_code, "❌")
    if report.mode is Mode.VALIDATE and report.exit_code is ExitCode.OK:
        symbol = "☑️"  # nothing is known of the cluster
    if report.exit_code is ExitCode.DIFFERENT and not report.counts.drifted:
        symbol = "⏳"
    title = f"{_within(150, running, words.title(report))}: {_within(400, code, report.target)}"
    partial = f"\n\n{_within(600, prose, words.partial(report.partial))}" if report.partial else ""
    return f"### {symbol} {title}\n\n{words.summary(report, ' · ')}{partial}"


def _within(room: int, draw: Callable[[str], str], text: str) -> str:
    """`text` as `draw` draws it, in at most `room` bytes: escaping can make a character ten of them."""
    drawn = draw(text)
    while len(drawn.encode()) > room:
        text = text[: len(text) * 3 // 4]
        drawn = draw(f"{text}…")
    return drawn


def _warning(severe: Sequence[Entry]) -> str:
    """What deserves more than a row: GitHub draws the two lines as a box."""
    if not severe:
        return ""
    done = all(entry.outcome in SETTLED for entry in severe)
    what = f"{words.plural(len(severe), 'object')} {'destroyed' if done else 'would be destroyed'}"
    return f"> [!CAUTION]\n> **{what}**: {named([entry.ref for entry in severe])}"


def _row(entry: Entry, mode: Mode) -> str:
    """An object, and how it differs: two columns, as a telephone shows no more."""
    return f"| {_object(entry, mode)} | {_summary(entry, mode)} |"


def _object(entry: Entry, mode: Mode) -> str:
    symbol, _ = _look(entry, mode)
    place = link(words.origin(entry.place), entry.place.url) if entry.place else ""
    below = " · ".join(filter(None, (_state(entry, mode), place)))
    return f"{symbol} {code(str(entry.ref))}<br><sub>{below}</sub>"


def _state(entry: Entry, mode: Mode) -> str:
    """`drifted, security → configured`: what it was, how dangerous that is, and what was done."""
    severity = f", {entry.severity.name.lower()}" if entry.severity >= Severity.SECURITY else ""
    done = f" → {words.outcome(entry)}" if entry.outcome else ""
    return f"{_look(entry, mode)[1]}{severity}{done}"


def _look(entry: Entry, mode: Mode) -> tuple[str, str]:
    """The symbol of an object's state, and its word: in a preview, of the change."""
    symbol, word = _BUCKETS[entry.bucket], entry.bucket.value
    if mode is Mode.PREVIEW and entry.drift is not None:
        symbol, word = _CHANGES[entry.drift], words.CHANGES[entry.drift]
    if entry.outcome is not None:
        symbol = "✅" if entry.outcome in SETTLED else "❌"
    return "⛔" if entry.severity is Severity.DESTRUCTIVE else symbol, word


def _summary(entry: Entry, mode: Mode) -> str:
    """The difference in one cell: the first fields, how many more, and with which tools they were last written."""
    lines = [_field(change, mode) for change in entry.changes[:_SHOWN]]
    lines = lines or [_NEWS.get(entry.drift, "") if mode is Mode.PREVIEW else prose(words.state(entry))]
    if more := len(entry.changes[_SHOWN:]):
        lines.append(f"and {words.plural(more, 'more field')}")
    tools = sorted({change.tool for change in entry.changes if change.tool})
    since = max((change.since for change in entry.changes), default="")
    if written := ", ".join(filter(None, (*map(code, tools[:_NAMED]), prose(words.moment(since))))):
        lines.append(f"<sub>last written {'by ' if tools else ''}{written}</sub>")
    if entry.problem:
        lines.append(f"❌ {prose(words.trouble(entry.problem))}: {code(_cut(entry.problem.message, _REASON))}")
    return "<br>".join(lines)


def _field(change: Change, mode: Mode) -> str:
    """A field and both of its values: in the cell's own line, if it is a short one."""
    path = f"{breakable(change.path)}: "
    if change.redacted:
        return path + prose(difference(change)[0].text)
    git, live = inline(change.desired), inline(change.live)
    if max(len(git), len(live)) > _CELL:
        return f"{path}changed"
    sides = [
        f"git {breakable(git)}" if change.has_desired else "not in Git",
        f"live {breakable(live)}" if change.has_live else "not in the cluster",
    ]
    is_long = len(change.path) + len(git) + len(live) > _LINE
    return f"{path}{'<br>' if is_long else ''}{' → '.join(sides[::-1] if mode is Mode.PREVIEW else sides)}"


def _has_details(entry: Entry) -> bool:
    return bool(entry.changes or entry.problem or any(words.remarks(entry)))


def _details(entry: Entry, mode: Mode, *, alone: bool) -> str:
    """The fields of an object, folded, unless nothing else is."""
    said = [code(str(entry.ref)), _look(entry, mode)[1], words.state(entry)]
    said += [words.cause(entry)] if mode is not Mode.PREVIEW else []
    blocks = [prose(remark) for remark in words.remarks(entry)]
    if entry.problem:
        blocks.append(_trouble(entry.problem))
    if entry.changes:
        blocks.append(fence(_diff(entry, mode), "diff"))
    return folded(" · ".join(filter(None, said)), "\n\n".join(blocks), is_open=alone)


def _diff(entry: Entry, mode: Mode) -> list[str]:
    """From Git to the cluster; in a preview the other way round, as there Git is what will be."""
    first, last = (Side.LIVE, Side.GIT) if mode is Mode.PREVIEW else (Side.GIT, Side.LIVE)
    signs = {first: "- ", last: "+ ", Side.BOTH: "  ", Side.NOTE: "! "}
    lines = [f"--- {first.value}", f"+++ {last.value}"]
    for change in entry.changes[:_FIELDS]:
        place = words.place(change.place) if change.place else ""
        said = words.provenance(change, entry)
        remarks = [place, f"live: {said}" if said else ""]
        lines.append(f"@@ {visible(change.path)} @@")
        lines += [f"# {visible(remark)}" for remark in remarks if remark]
        lines += [signs[line.side] + line.text for line in _in_order(difference(change), first)]
    if len(entry.changes) > _FIELDS:
        lines.append(f"! {len(entry.changes) - _FIELDS} more fields")
    return lines


def _in_order(lines: Sequence[Line], first: Side) -> Iterator[Line]:
    """Of each run of lines in which the sides differ, those of `first` before the others."""
    for _, run in groupby(lines, key=lambda line: line.side in {Side.GIT, Side.LIVE}):
        yield from sorted(run, key=lambda line: line.side is not first)


def _failure(entry: Entry) -> str:
    place = f" in {link(words.origin(entry.place), entry.place.url)}" if entry.place else ""
    return f"- {code(str(entry.ref))}{place}: {_trouble(entry.problem) if entry.problem else 'failed'}"


def _fault(fault: Fault) -> str:
    hint = f"<br>Hint: {prose(_cut(fault.hint))}" if fault.hint else ""
    return f"- {link(words.place(fault.place), fault.place.url)}: {code(_cut(fault.message))}{hint}"


def _amended(of: Amended) -> str:
    place = f" in {link(words.place(of.place), of.place.url)}" if of.place else ""
    fields = ", ".join(map(breakable, of.paths[:_NAMED]))
    more = f" and {len(of.paths) - _NAMED} more" if len(of.paths) > _NAMED else ""
    return f"- {code(str(of.ref))}{place}: {of.kind}{f': {fields}{more}' if fields else ''}"


def _problem(problem: Problem) -> str:
    return f"- {_trouble(problem)}"


def _trouble(problem: Problem) -> str:
    hint = f"<br>Hint: {prose(_cut(problem.hint))}" if problem.hint else ""
    return f"{prose(words.trouble(problem))}: {code(_cut(problem.message))}{hint}"


def _cut(text: str, most: int = _MESSAGE) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


def _aside(entry: Entry) -> str:
    said = [entry.bucket.value, words.outcome(entry), *words.remarks(entry)]
    trouble = f"; {_trouble(entry.problem)}" if entry.problem else ""
    return f"- {code(str(entry.ref))}: {prose(', '.join(filter(None, said)))}{trouble}"


def _plan(report: Report) -> list[str]:
    """`1. configure Deployment shop/web; create Service shop/web`, a line a stage."""
    lines, waves = [], words.has_waves(report)
    for _, actions in words.stages(report):
        did = [f"{running(kind)} {_counted(refs)}" for kind, refs in words.by_action(actions).items()]
        wave = f" (wave {actions[0].wave})" if waves else ""
        lines.append(f"{actions[0].stage}. {'; '.join(did)}{wave}")
    return lines


def _counted(refs: Sequence[ObjectRef]) -> str:
    """The first few of `refs`; if there are more, how many in all."""
    return f"{len(refs)}: {named(refs)}" if len(refs) > _NAMED else named(refs)


def _whole_plan(report: Report) -> list[str]:
    lines, waves = [], words.has_waves(report)
    for action in report.plan:
        waits = words.waits(action)
        what = f"stage {action.stage}{f' (wave {action.wave})' if waves else ''}: {action.action}"
        lines.append(f"- {running(what)} {code(str(action.ref))}{f', {prose(waits)}' if waits else ''}")
    return lines


def _footer(report: Report) -> str:
    server = " ".join(filter(None, (report.server, report.server_version)))
    named = {"git": words.revision(report), "server": server, "cluster": report.cluster_uid}
    facts = [f"{name} {code(value[:_FACT])}" for name, value in named.items() if value]
    read = report.files or not report.faults  # of files that can't be read, nobody knows what they hold
    held = [words.plural(report.counts.total, "object"), words.asked(report), words.plural(report.files, "file")]
    facts += held if read else held[1:2]
    if report.started:
        facts.append(f"{running(words.moment(report.started[:_FACT]))}, {report.seconds:.1f} s")
    if report.run_url:
        facts.append(anchor("run", report.run_url))
    if report.version:
        facts.append(f"recon-action {running(report.version[:_FACT])}")
    return f"<sub>{' · '.join(facts)}</sub>"
