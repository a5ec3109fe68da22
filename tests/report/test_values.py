"""Values on one line, and what differs between two of them."""

from typing import Any

import pytest
from hypothesis import given
from report_strategies import changes

from recon_action.model import Cause
from recon_action.report.document import Change
from recon_action.report.escape import visible
from recon_action.report.values import WIDTH, Side, difference, inline


def lines(git: Any, live: Any, **options: Any) -> list[str]:
    found = difference(Change("p", Cause.GIT, desired=git, live=live, **options))
    return [f"{line.side.value} {line.text}" for line in found]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("nginx:1.27", "nginx:1.27"),
        ("two words", "two words"),
        ("/etc/x", "/etc/x"),
        ("5", '"5"'),
        (5, "5"),
        (5.5, "5.5"),
        ("true", '"true"'),
        (True, "true"),
        ("null", '"null"'),
        (None, "null"),
        ("", '""'),
        ("a: b", '"a: b"'),
        ("a:", '"a:"'),
        (" a", '" a"'),
        ("a\nb", '"a\\nb"'),
        ("\x1b\u202e", '"\\u001b\\u202e"'),
        ("-x", '"-x"'),
        ("(not in Git)", '"(not in Git)"'),
        (2**70, "1180591620717411303424"),
        ({"a": {"b c": [1, "x", None]}, "1": []}, '{a: {b c: [1, x, null]}, "1": []}'),
    ],
)
def test_a_value_on_one_line(value: Any, expected: str) -> None:
    """Text is bare where it can't be taken for anything else."""
    assert inline(value) == expected


def test_a_long_value_is_cut_with_a_count() -> None:
    """The reader sees that something is missing."""
    assert inline("a" * 50, 40) == "a" * 40 + "… (+10 characters)"


@pytest.mark.parametrize(
    ("git", "live", "expected"),
    [
        (3, 5, ["git 3", "live 5"]),
        (5, "5", ["git 5", 'live "5"']),
        ("a\nb\nc\nd\n", "a\nb\nX\nd\n", ["both b", "git c", "live X", "both d"]),
        ("a\n", "a", ["both a", "git "]),
        ("a\nb ", "a\nb", ["both a", "git b\\x20", "live b"]),
        ("1\n2\n3\n4\n5\n6", "X\n2\n3\n4\n5\nY", ["git 1", "live X", "both 2", "note …", "both 5", "git 6", "live Y"]),
        ("one", "one\ntwo", ["both one", "live two"]),
        ({"a": 1}, [1], ["git {a: 1}", "live [1]"]),
        (
            "- " + "a" * 71 + "\n- b",
            ["a" * 71, "b"],
            ["note the same lines, of another type"],
        ),
        (
            {"k": "v" * 60, "deep": {"list": ["x" * 40, "y" * 40], "n": 1}},
            {"k": "v" * 60, "deep": {"list": ["x" * 40, "z" * 40], "n": 1}},
            [f'both     - {"x" * 40}', f'git     - {"y" * 40}', f'live     - {"z" * 40}', "both   n: 1"],
        ),
    ],
    ids=[
        "numbers", "types", "one line", "last line break", "blank at the end", "two places", "grown", "short JSON",
        "another type", "long JSON",
    ],
)  # fmt: skip
def test_only_the_lines_that_differ_are_shown(git: Any, live: Any, expected: list[str]) -> None:
    """With a line of context, each labelled with its side."""
    assert lines(git, live) == expected


def test_an_absent_side_is_said() -> None:
    """It is not null, and not an empty text."""
    assert lines(None, 5, has_desired=False) == ["git (not in Git)", "live 5"]
    assert lines("", None, has_live=False) == ['git ""', "live (not in the cluster)"]


@pytest.mark.parametrize(
    ("has_desired", "has_live", "expected"),
    [(True, True, "changed"), (True, False, "only in Git"), (False, True, "only in the cluster")],
)
def test_of_a_secret_only_the_sides_are_said(expected: str, *, has_desired: bool, has_live: bool) -> None:
    """Which side has it, and nothing of the value."""
    found = lines(None, None, redacted=True, has_desired=has_desired, has_live=has_live)
    assert found == [f"note {expected}; the value is secret"]


def test_long_lines_are_shown_from_where_they_part() -> None:
    """Two long lines that are cut at the same place would look the same."""
    git, live = lines("a" * 500 + "GIT", "a" * 500 + "LIVE")
    assert git == "git …" + "a" * 24 + "GIT"
    assert live == "live …" + "a" * 24 + "LIVE"
    assert lines("x" + "a" * 500, "y" + "a" * 500)[0].startswith("git xaaa")


def test_many_lines_are_cut_with_a_count() -> None:
    """The rest is in the JSON report."""
    found = lines("\n".join(f"a{n}" for n in range(0, 100, 2)), "\n".join(f"b{n}" for n in range(100)))
    assert len([line for line in found if line.startswith("git")]) == 20
    assert len([line for line in found if line.startswith("live")]) == 20
    assert found[-1] == "note … 110 more lines"


def test_many_lines_in_many_places_are_cut_too() -> None:
    """Differences all over a text: the first of them, and how many more lines."""
    git = [f"line {n}" for n in range(200)]
    live = [line.upper() if n % 5 == 0 else line for n, line in enumerate(git)]
    found = lines("\n".join(git), "\n".join(live))
    assert len(found) == 41
    assert found[-1].endswith("more lines")


def test_very_long_texts_are_not_compared_line_by_line() -> None:
    """The place where they part is enough; comparing them whole could take minutes."""
    git = [f"line {n}" for n in range(5000)]
    live = [*git[:3000], "other", *git[3000:]]
    found = lines("\n".join(git), "\n".join(live))
    assert found[0] == "note 5000 lines in Git, 5001 in the cluster, from line 3001 on:"
    assert found[1] == "live other"


@given(changes())
def test_lines_are_short_and_free_of_controls(change: Change) -> None:
    """Nothing that a terminal or a fence could act on, and no line without end."""
    found = difference(change)
    assert found
    assert len(found) <= 41
    for line in found:
        assert visible(line.text) == line.text
        assert len(line.text) <= WIDTH + 40
    assert change.redacted or {line.side for line in found} - {Side.BOTH}
