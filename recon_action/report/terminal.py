"""The report for people at a terminal, and for a log: plain when it is piped.

Draws only; the words are `words`' and `values`'. Everything passes `visible`, so no foreign control
character reaches the terminal. Colour never says anything that a word doesn't say too.
"""

import io
from collections.abc import Iterable, Sequence
from typing import Final

from rich.cells import cell_len
from rich.color import ColorSystem
from rich.console import Console
from rich.style import Style
from rich.text import Text

from recon_action.errors import ExitCode
from recon_action.model import AmendmentKind, DriftKind, Mode, Problem, Severity
from recon_action.report import words
from recon_action.report.document import Entry, PlannedAction, Report
from recon_action.report.escape import inert, visible
from recon_action.report.values import Side, difference

_NARROWEST = 40
_VALUES = 12  # the column of values
_LABEL = 6  # the width of the label before it
_LISTED = 50  # objects without a difference
_MARKS = {DriftKind.MISSING: "+", DriftKind.ORPHANED: "-", DriftKind.MODIFIED: "~"}
_AMENDED = {AmendmentKind.ADDED: "+", AmendmentKind.REMOVED: "-", AmendmentKind.CHANGED: "~"}
_SIDES: Final = {
    Side.GIT: ("git", "cyan"),
    Side.LIVE: ("live", "magenta"),
    Side.BOTH: ("", ""),
    Side.NOTE: ("", "dim"),
}


def render(report: Report, *, width: int, color: bool) -> str:
    """The report as text.

    Args:
        report: what to show.
        width: columns; lines are wrapped at word boundaries where they can be.
        color: whether ANSI colours are used.
    """
    return _Sheet(report, width, color=color).text()


class _Sheet:
    """One rendering: sections are drawn one below the other."""

    def __init__(self, report: Report, width: int, *, color: bool) -> None:
        self._report = report
        self._out = io.StringIO()
        self._color = color
        self._console = Console(
            file=self._out,
            width=max(width, _NARROWEST),
            _environ={},  # the same report gives the same text, whatever COLUMNS or TERM say
        )

    def text(self) -> str:
        report, sections = self._report, words.parts(self._report)
        self._headline()
        self._validation()
        self._section("Different, most dangerous first", sections.different)
        self._section("In sync, but something was added", sections.added)
        self._section("Could not be read, predicted or applied", sections.failed)
        self._problems(report.problems)
        self._asides("Skipped or ignored", sections.passed_over)
        self._asides("In sync, and worth a word", sections.other)
        self._plan()
        self._notes(report.notes)
        self._footer()
        return self._out.getvalue()

    def _headline(self) -> None:
        report = self._report
        good = report.exit_code is ExitCode.OK
        style = "bold green" if good else "bold yellow" if report.exit_code is ExitCode.DIFFERENT else "bold red"
        title, tail = words.title(report).lower(), words.summary(report)
        self._line((report.target, "bold"), (": ", ""), (title, style), (f" — {tail}", ""))
        if report.partial:
            self._line((words.partial(report.partial), ""))

    def _validation(self) -> None:
        """What was found without a cluster."""
        report = self._report
        if report.mode is Mode.VALIDATE:
            self._line((words.validated(report), ""))
        if report.faults:
            self._heading("Faults in the manifests")
        for fault in report.faults:
            self._line((words.place(fault.place), "bold"), (f": {fault.message}", ""), hang=4)
            if fault.hint:
                self._line(("hint: ", "bold"), (fault.hint, ""), indent=4, hang=2)
        if report.amendments:
            self._heading("What the change in Git does")
        for of in report.amendments:
            at = f"  {words.place(of.place)}" if of.place else ""
            mark = f"{_AMENDED[of.kind]} "
            self._line((mark, "bold"), (str(of.ref), "bold"), (f"  {words.amended(of)}", ""), (at, "dim"), hang=4)

    def _section(self, title: str, entries: Sequence[Entry]) -> None:
        if entries:
            self._heading(title)
        for entry in entries:
            self._entry(entry)

    def _heading(self, title: str) -> None:
        self._line(("", ""))
        self._line((title, "bold underline"))

    def _entry(self, entry: Entry) -> None:
        severe = entry.severity >= Severity.SECURITY and bool(entry.drift or entry.changes)
        mark = _MARKS[entry.drift] if entry.drift else "*"
        said = [words.state(entry), words.cause(entry)]
        self._line(
            (f"{mark} ", "bold"),
            (str(entry.ref), "bold"),
            (f"  {entry.severity.name.lower()}" if severe else "", "bold red"),
            (f"  {entry.bucket.value}", "yellow"),
            (f": {', '.join(filter(None, said))}" if any(said) else "", ""),
            (f" → {words.outcome(entry)}" if entry.outcome else "", "bold"),
            (f"  {words.origin(entry.place)}" if entry.place else "", "dim"),
            hang=4,
        )
        for remark in words.remarks(entry):
            self._line((remark, ""), indent=4)
        if entry.problem:
            self._problem(entry.problem, indent=4)
        for change in entry.changes:
            at = f"  {words.place(change.place)}" if change.place and change.place != entry.place else ""
            self._line((change.path, "bold"), (at, "dim"), indent=4)
            for line in difference(change):
                label, style = _SIDES[line.side]
                self._line((line.text, style), indent=_VALUES, label=label)
            if said_of := words.provenance(change, entry):
                self._line((said_of, "dim"), indent=_VALUES)

    def _asides(self, title: str, entries: Sequence[Entry]) -> None:
        """One line an object; a first apply may mark thousands, of which nobody reads the last."""
        if entries:
            self._heading(title)
        for entry in entries[:_LISTED]:
            said = [entry.bucket.value, words.outcome(entry), *words.remarks(entry)]
            self._line(
                ("* ", "bold"),
                (str(entry.ref), "bold"),
                (f"  {'; '.join(filter(None, said))}", ""),
                (f"  {words.origin(entry.place)}" if entry.place else "", "dim"),
                hang=4,
            )
            if entry.problem:
                self._problem(entry.problem, indent=4)
        if len(entries) > _LISTED:
            self._line((f"… and {len(entries) - _LISTED} more", ""))

    def _notes(self, notes: Sequence[str]) -> None:
        if notes:
            self._heading("Notes")
        for note in notes:
            self._line((note, ""))

    def _problems(self, problems: Iterable[Problem]) -> None:
        if self._report.problems:
            self._heading("Problems")
        for problem in problems:
            self._problem(problem, indent=0)

    def _problem(self, problem: Problem, *, indent: int) -> None:
        self._line((words.trouble(problem), "red"), (f": {problem.message}", ""), indent=indent, hang=2)
        if problem.hint:
            self._line(("hint: ", "bold"), (problem.hint, ""), indent=indent, hang=2)

    def _plan(self) -> None:
        stages, shown = words.stages(self._report), self._report.show_plan
        if stages or shown:
            self._heading(words.plan_title(self._report))
        for what, actions in stages:
            if shown:
                self._stage(what, actions)
                continue
            wave = f" (wave {actions[0].wave})" if words.has_waves(self._report) else ""
            self._line((f"{actions[0].stage}. ", "bold"), (f"{words.deeds(actions)}{wave}", ""), hang=3)
        if shown:
            self._line((words.digest(self._report), "bold"))

    def _stage(self, what: str, actions: Iterable[PlannedAction]) -> None:
        """One stage with all of its actions."""
        self._line((what, "bold"))
        for action in actions:
            waits = words.waits(action)
            self._line((f"{action.action} {action.ref}", ""), (f"  {waits}" if waits else "", "dim"), indent=3, hang=4)

    def _footer(self) -> None:
        report = self._report
        server = " ".join(filter(None, (report.server, report.server_version)))
        facts = (
            ("git", words.revision(report)),
            ("server", server),
            ("cluster", report.cluster_uid),
            ("run", report.run_url),
            ("read", _read(report)),
            ("begun", words.moment(report.started)),
            ("by", f"recon-action {report.version}" if report.version else ""),
        )
        self._line(("", ""))
        for name, value in facts:
            if value:
                self._line((f"{name:<8}", "dim"), (value, "dim"))

    def _line(self, *parts: tuple[str, str], indent: int = 0, hang: int = 0, label: str = "") -> None:
        """Styled parts on as many lines as they need.

        Args:
            parts: texts and their styles.
            indent: columns before the text.
            hang: columns more before each line but the first.
            label: what stands in the first line's indentation.
        """
        shown = [(visible(part), style) for part, style in parts]
        room = self._console.width - indent
        margin = f"{label:<{_LABEL}}".rjust(indent) if label else " " * indent
        plain = "".join(part for part, _ in shown)
        # Most lines fit, and rich is slow in a report of thousands of them.
        fits = (len(plain) if plain.isascii() else cell_len(plain)) <= room
        if fits and not self._color:
            self._out.write(inert(f"{margin}{plain}").rstrip() + "\n")
            return
        text = Text.assemble(*shown)
        first = Text(margin, style=parts[0][1] if label else "")
        for line in [text] if fits else text.wrap(self._console, room - hang, overflow="fold"):
            self._write(Text.assemble(first, line))
            first = Text(" " * (indent + hang))

    def _write(self, line: Text) -> None:
        plain = inert(line.plain)
        if not self._color:
            self._out.write(plain.rstrip() + "\n")
            return
        line = line if plain == line.plain else Text(plain)
        line.rstrip()
        for segment in line.render(self._console, end="\n"):
            style = segment.style or Style.null()
            self._out.write(style.render(segment.text, color_system=ColorSystem.STANDARD))


def _read(report: Report) -> str:
    skipped = f" ({report.skipped_files} without a Kubernetes object)" if report.skipped_files else ""
    if report.faults and not report.files:  # nobody knows what they hold
        return words.asked(report)
    objects, files = words.plural(report.counts.total, "object"), words.plural(report.files, "file")
    return f"{objects}, {files}{skipped} in {report.seconds:.1f} s; {words.asked(report)}"
