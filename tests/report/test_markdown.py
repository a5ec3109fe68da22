"""GitHub's Markdown: sound structure whatever the text, within any budget, and nothing left out in silence."""

import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from report_scenarios import BUDGET, SCENARIOS, clean, in_sync, many, modified, ref, report
from report_strategies import reports

from recon_action.errors import ExitCode
from recon_action.model import (
    ABSENT,
    AmendmentKind,
    Bucket,
    Cause,
    FieldChange,
    FieldPath,
    Mode,
    Outcome,
    Output,
    Problem,
    Result,
    Severity,
    Trouble,
    Verdict,
)
from recon_action.report import render
from recon_action.report.document import Amended, Fault, Partial, Place, PlannedAction, Report
from recon_action.report.markdown import SMALLEST

TAGS = frozenset(
    {"h3", "p", "code", "strong", "blockquote", "details", "summary", "pre", "ul", "ol", "li", "a", "br", "sub"}
    | {"table", "thead", "tbody", "tr", "th", "td", "wbr"}
)


class Structure(HTMLParser):
    """What the rendered Markdown is made of."""

    def __init__(self, markdown: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: Counter[str] = Counter()
        self.links: list[str] = []
        self.cells: list[int] = []
        self.faults: list[str] = []
        self.feed(MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(markdown))
        self.close()
        self.faults += [f"{tag} is not closed" for tag in self.open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Count an element, and see that it is one of ours."""
        self.tags[tag] += 1
        self.links += [value or "" for name, value in attrs if name == "href"]
        if tag not in TAGS:
            self.faults.append(f"{tag} is not ours")
        if tag == "tr":
            self.cells.append(0)
        if tag in {"td", "th"}:
            self.cells[-1] += 1
        if tag not in {"br", "wbr"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """See that it closes what was opened last."""
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"{tag} is closed where it isn't open")

    def handle_comment(self, data: str) -> None:
        """A comment could hide text."""
        self.faults.append(f"comment {data}")


def markdown(of: Report, budget: int = BUDGET) -> str:
    return render(of, Output.MARKDOWN, budget=budget)


@settings(deadline=None, max_examples=100)
@given(of=reports, budget=st.integers(0, 30_000))
def test_structure_is_sound_whatever_the_text(of: Report, budget: int) -> None:
    """Only our own elements, each closed; rows as wide as their head; web links only; within the budget."""
    text = markdown(of, budget)
    found = Structure(text)
    assert found.faults == []
    assert found.tags["details"] == found.tags["summary"]
    assert set(found.cells) <= {2}
    assert all(link.startswith(("https://", "http://")) for link in found.links)
    assert len(text.encode()) <= max(budget, SMALLEST)
    assert text.startswith("### ")
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]", text)


@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize("budget", [0, 3_000, 8_000, 60_000])
def test_golden_reports_are_sound_at_any_size(name: str, budget: int) -> None:
    """A cut never falls inside of a fence, a folded section or a row."""
    text = markdown(SCENARIOS[name](), budget)
    assert Structure(text).faults == []
    assert len(text.encode()) <= max(budget, SMALLEST)


def test_what_is_cut_is_counted() -> None:
    """Rows, fields and lists: shown and not shown add up."""
    of = many()
    for budget in (0, 5_000, 20_000, 40_000):
        text = markdown(of, budget)
        rows = len(re.findall(r"^\| (?:⚠️|⏳|⛔) ", text, re.MULTILINE))
        folded = text.count("<details><summary><code>")
        hidden = [int(number) for number in re.findall(r"(\d+) objects? not shown\*\*", text)]
        bare = sum(map(int, re.findall(r"(\d+) objects? shown without fields", text)))
        listed = len(re.findall(r"^- <code>Job ", text, re.MULTILINE))
        assert rows + listed + sum(hidden) == 120
        assert folded + bare == rows


def test_nothing_vanishes_at_the_edge() -> None:
    """Whatever the room: notes that are shown and those that are not add up, folded or not."""
    notes = [f"note {number} {'x' * 40}" for number in range(14)]
    for budget in range(2_000, 3_600, 7):
        text = markdown(report(notes=notes), budget)
        hidden = sum(map(int, re.findall(r"(\d+) notes? not shown", text)))
        assert text.count("- note ") + hidden == 14


def test_the_most_dangerous_is_cut_last() -> None:
    """However small the room, what matters most has it."""
    text = markdown(many(), 4_000)
    assert "page-047" in text
    assert text.index("page-047") < text.index("page-000")


@pytest.mark.parametrize("name", ["drift-of-a-person", "missing-and-orphaned", "cut-by-budget", "hostile-text"])
def test_no_room_never_means_no_drift(name: str) -> None:
    """The verdict and the counts stand first, also when no object fits."""
    of = SCENARIOS[name]()
    big = tuple(replace(entry, ref=replace(entry.ref, name="x" * 3000)) for entry in of.entries)
    text = markdown(replace(of, entries=big), 0)
    assert f"{of.counts.drifted} drifted" in text.splitlines()[2]
    assert "not shown" in text
    assert "In sync:" not in text


def test_an_odd_footer_gives_way_to_the_verdict() -> None:
    """A footer that leaves no room is left out, and nothing else."""
    text = markdown(replace(clean(), run_url="https://h/" + "x" * 3000), 0)
    assert text == "### ✅ In sync: <code>shop</code>\n\n43 objects\n"


def test_the_head_is_short_whatever_it_names() -> None:
    """Even of nothing but characters that have to be spelled out; every list may be missing below it."""
    odd = "@" * 500
    of = replace(
        many(),
        mode=Mode.VALIDATE,
        exit_code=ExitCode.OK,
        target=odd,
        server_version=odd,
        partial=Partial(1, 2, odd),
        faults=(Fault(Place("f", 1), "m" * 3_000),),
        amendments=(Amended(ref("ConfigMap", "x" * 3_000), AmendmentKind.ADDED),),
        problems=(Problem(Trouble.FORBIDDEN, odd, odd),) * 3,
        notes=(odd * 3,),
    )
    text = markdown(of, 0)
    assert len(text.encode()) <= SMALLEST
    assert text.startswith("### ☑️ Checked on &#64;&#8203;")


def test_fields_and_messages_without_end_are_cut() -> None:
    """One object can't take the room of all."""
    thing = ref("ConfigMap", "thing")
    fields = [FieldChange(FieldPath(("data", f"k{number}")), 1, 2) for number in range(50)]
    failed = Verdict(ref("Job", "j"), Bucket.FAILED, problem=Problem(Trouble.DENIED, "m" * 5000, "h" * 5000))
    text = markdown(report(modified(thing, *fields), failed))
    assert "! 20 more fields" in text
    assert "m" * 800 + "…" in text
    assert "m" * 801 not in text


def test_destruction_is_announced() -> None:
    """Before anything else, in a box of its own, with the first few names."""
    claims = [
        modified(ref("PersistentVolumeClaim", f"pg-{number}"), severity=Severity.DESTRUCTIVE) for number in range(7)
    ]
    box, line = markdown(report(*claims)).splitlines()[4:6]
    assert box == "> [!CAUTION]"
    assert line.startswith("> **7 objects would be destroyed**: <code>PersistentVolumeClaim shop/pg-0</code>, ")
    assert line.endswith("and 2 more")
    of = report(claims[0], mode=Mode.APPLY, results={claims[0].ref: Result(claims[0].ref, Outcome.RECREATED)})
    assert "> **1 object destroyed**: <code>PersistentVolumeClaim shop/pg-0</code>\n" in markdown(of)


def test_every_direction_is_labelled() -> None:
    """In the table and in the fence, by words beside the signs."""
    text = markdown(SCENARIOS["drift-of-a-person"]())
    assert "git <code>3</code> → live <code>5</code>" in text
    assert "not in Git → live <code>{port: 81, protocol: TCP}</code>" in text
    assert "--- git\n+++ live\n" in text


def test_a_preview_goes_from_the_cluster_to_git() -> None:
    """There Git is what will be: what goes stands before what comes, in the table and in the fence."""
    text = markdown(SCENARIOS["preview"]())
    assert "<br>live <code>registry.<wbr>example/<wbr>web:<wbr>1</code> → git <code>registry." in text
    assert "--- live\n+++ git\n@@ " in text
    assert "- registry.example/web:1\n+ registry.example/web:2\n" in text
    change = FieldChange(FieldPath(("data", "k")), "a\nb\nc\nd", "a\nB\nC\nd")
    of = report(modified(ref("ConfigMap", "thing"), change, bucket=Bucket.PENDING, cause=Cause.GIT), mode=Mode.PREVIEW)
    assert "  a\n- B\n- C\n+ b\n+ c\n  d\n" in markdown(of)


def test_one_sided_values_are_named_in_the_table() -> None:
    """A field that the cluster lacks is said to be missing, not shown as null."""
    text = markdown(report(modified(ref("ConfigMap", "thing"), FieldChange(FieldPath(("data",)), 1, ABSENT))))
    assert "git <code>1</code> → not in the cluster" in text


def test_an_apply_says_what_was_done() -> None:
    """Beside what was found; a diff says nothing, as nothing was done."""
    assert "| ✅ <code>Deployment shop/web</code><br><sub>drifted → configured · " in markdown(SCENARIOS["applied"]())
    incomplete = markdown(SCENARIOS["apply-incomplete"]())
    assert "| ❌ <code>Service shop/api</code><br><sub>drifted → not done · " in incomplete
    assert '<br>❌ forbidden (403) on apply: <code>deployments.apps "web" is forbidden</code> |' in incomplete
    assert "<sub>pending · " in markdown(SCENARIOS["pending"]())


def test_a_preview_speaks_of_the_change() -> None:
    """Not of what the cluster lacks so far: of that its reader is the author."""
    text = markdown(SCENARIOS["preview"]())
    assert text.splitlines()[2] == "1 removed · 1 changed · 1 new · 40 unchanged (1 not yet managed)"
    for symbol, name, word in (
        ("➖", "ConfigMap shop/old", "removed"),
        ("✏️", "Deployment shop/web", "changed, security"),
        ("➕", "Deployment shop/api", "new"),
    ):
        assert f"| {symbol} <code>{name}</code><br><sub>{word}" in text


def test_who_wrote_last() -> None:
    """With which tools, and when, as far as it is known."""
    thing, path = ref("ConfigMap", "thing"), FieldPath(("data",))
    since = "2026-11-30T14:02:11Z"
    for tool, time, expected in (
        ("helm", since, "<sub>last written by <code>helm</code>, 2026-11-30 14&#58;02&#58;11 UTC</sub>"),
        ("helm", "", "<sub>last written by <code>helm</code></sub>"),
        ("", since, "<sub>last written 2026-11-30 14&#58;02&#58;11 UTC</sub>"),
    ):
        assert f"<br>{expected} |" in markdown(
            report(modified(thing, FieldChange(path, 1, 2, Cause.MANUAL, tool, time)))
        )
    assert "last written" not in markdown(report(modified(thing, FieldChange(path, 1, 2))))


def test_what_is_long_is_folded() -> None:
    """Lists and details of more than ten; but for trouble, which is looked for."""
    text = markdown(many(), 60_000)
    assert "<details><summary><strong>Fields</strong> (60 objects)</summary>\n\n<details><summary><code>" in text
    assert "<details><summary><strong>Skipped or ignored</strong> (60 objects)</summary>\n\n- <code>Job" in text
    trouble = Problem(Trouble.FORBIDDEN, "no")
    failed = [Verdict(ref("Job", f"j-{number}"), Bucket.FAILED, problem=trouble) for number in range(11)]
    assert "**Could not be read, predicted or applied**\n\n- <code>Job" in markdown(report(*failed))


def test_two_fields_stand_in_the_table() -> None:
    """The others are counted; all of them are in the details."""
    fields = [FieldChange(FieldPath(("data", f"k{number}")), 1, 2) for number in range(4)]
    row = "<code>data.<wbr>k0</code>: git <code>1</code> → live <code>2</code><br><code>data.<wbr>k1</code>"
    text = markdown(report(modified(ref("ConfigMap", "thing"), *fields)))
    assert f"| {row}" in text
    assert "<br>and 2 more fields |" in text


def test_details_of_a_single_object_are_open() -> None:
    """There is nothing that they could hide."""
    changed = [modified(ref("ConfigMap", name), FieldChange(FieldPath(("data",)), 1, 2)) for name in ("a", "b")]
    assert "<details open><summary>" in markdown(report(changed[0]))
    assert "<details open>" not in markdown(report(*changed))


def test_a_failed_object_without_words_is_still_told() -> None:
    """A report from elsewhere may lack the problem."""
    assert "<code>Job shop/j</code>: failed" in markdown(report(Verdict(ref("Job", "j"), Bucket.FAILED)))


def test_the_whole_plan_is_shown_on_request() -> None:
    """A line an action, with its stage, and with its wave if there are several."""
    one, other = ref("ConfigMap", "x", "a"), ref("ConfigMap", "y", "a")
    plan = (PlannedAction(1, "create", one), PlannedAction(2, "create", other, (one,), (one,), wave=2))
    shown = markdown(replace(clean(), plan=plan, show_plan=True))
    assert "- stage 1 (wave 0): create <code>ConfigMap a/x</code>\n" in shown
    assert "- stage 2 (wave 2): create <code>ConfigMap a/y</code>, once ConfigMap a/x is ready\n" in shown
    assert "- stage 1: create" in markdown(replace(clean(), plan=plan[:1], show_plan=True))


def test_the_digest_is_shown_with_the_whole_plan() -> None:
    """It is what a comment's reader approves."""
    assert "Digest" not in markdown(clean())
    shown = markdown(replace(clean(), show_plan=True))
    assert "Nothing is to be done. Digest of the plan: 9f86d081884c7d65-a1b2c3d4" in shown


def test_a_plan_names_a_few_objects_of_a_stage() -> None:
    """And says how many more there are."""
    plan = tuple(PlannedAction(3, "create", verdict.ref) for verdict in in_sync(9))
    text = markdown(replace(clean(), plan=plan))
    assert "3. create 9: <code>ConfigMap shop/settings-0</code>" in text
    assert "and 4 more" in text


@pytest.mark.parametrize(
    ("code", "symbol"),
    [(ExitCode.OK, "✅"), (ExitCode.DIFFERENT, "⏳"), (ExitCode.CLUSTER, "❌"), (ExitCode.REFUSED, "⛔")],
)
def test_symbols_come_with_words(code: ExitCode, symbol: str) -> None:
    """And none is beyond U+FFFF, which check runs refuse."""
    text = markdown(replace(clean(), exit_code=code))
    assert text.startswith(f"### {symbol} ")
    assert re.match(r"### \S+ [A-Z][a-z]", text)
    assert max(map(ord, text)) <= 0xFFFF


def test_a_part_of_the_target_is_told() -> None:
    """Right below the verdict; the patterns are anybody's text."""
    lines = markdown(replace(clean(), partial=Partial(2, 43, "include Deployment/*_x_*"))).split("\n\n")
    assert lines[1].endswith(" (partial)")
    assert lines[2].startswith("partial: 2 of 43 objects, selected by include Deployment/")
    assert "_x_" not in lines[2]


def test_a_bare_report_has_a_footer_all_the_same() -> None:
    """Neither server nor revision nor time are known to a refused run."""
    text = markdown(Report(Mode.DIFF, "t", "refused", ExitCode.REFUSED))
    assert text.endswith("<sub>0 objects · none needed the server · 0 files</sub>\n")
