"""The hidden first line: it survives whatever it holds, and orders runs."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recon_action.github.marker import NEWS, Marker, read

A, B = "a" * 40, "b" * 40
MARKER = Marker("shop", cluster="uid", head=A, digest="9f86", run=100, attempt=2, sequence=5, destructive=("12ab",))
TEXT = st.text(max_size=30) | st.sampled_from(["-->", "--!>", "<!--", "\n", "\x00", "🔥", '"}', "\ud800"])
MARKERS = st.builds(
    Marker,
    target=TEXT,
    kind=TEXT,
    cluster=TEXT,
    head=TEXT,
    digest=TEXT,
    run=st.integers(0),
    attempt=st.integers(0),
    sequence=st.integers(0),
    drift=st.booleans(),
    destructive=st.lists(TEXT, max_size=3).map(tuple),
)


@given(MARKERS, TEXT)
def test_it_is_read_back(marker: Marker, rest: str) -> None:
    """One line of ASCII, whatever it holds, and a comment that nothing in it ends early."""
    line = marker.line
    assert line.isascii()
    assert line.count("--") == 2
    assert "\n" not in line
    assert read(f"{line}\n{rest}") == marker


@pytest.mark.parametrize(
    "text",
    [
        "",
        "### Drift",
        f"\n{MARKER.line}",
        f"quoted: {MARKER.line}",
        f"> {MARKER.line}",
        MARKER.line.replace("v1", "v2"),
        MARKER.line.replace("100", '"100"'),
        MARKER.line.replace("100", "true"),
        MARKER.line.replace('["12ab"]', '"12ab"'),
        MARKER.line.replace('["12ab"]', "[7]"),
        MARKER.line.replace('"shop"', "null"),
        "<!-- recon:v1 {x} -->",
        "<!-- recon:v1 {} -->",
        "<!-- Sticky Pull Request Comment -->",
    ],
)
def test_what_is_none(text: str) -> None:
    """A marker elsewhere than on line 1, or one that we would not write, is none."""
    assert read(text) is None


def test_a_later_version_adds_a_key() -> None:
    """It is passed over; what an earlier one left out has its default."""
    assert read(MARKER.line.replace("{", '{"more":1,') + "\r\n") == MARKER
    assert read('<!-- recon:v1 {"target":"shop"} -->') == Marker("shop")


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (replace(MARKER, run=7, head=B), True),
        (replace(MARKER, cluster=""), True),
        (replace(MARKER, cluster="other"), False),
        (replace(MARKER, target="shop-eu"), False),
        (replace(MARKER, kind=NEWS), False),
    ],
    ids=["another run", "cluster unknown", "another cluster", "another target", "another kind"],
)
def test_about_the_same(other: Marker, same: bool) -> None:
    """One text for each target and cluster, and kind; siblings of a matrix have their own."""
    assert MARKER.is_about_the_same(other) is same
    assert other.is_about_the_same(MARKER) is same


def at(head: str, run: int, sequence: int, attempt: int = 1) -> Marker:
    return Marker("shop", head=head, run=run, attempt=attempt, sequence=sequence)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        pytest.param(at(A, 100, 1), at(B, 200, 2), id="a later push"),
        pytest.param(at(A, 100, 9), at(B, 200, 2), id="a later push whose run looked first"),
        pytest.param(at(A, 100, 9, attempt=2), at(B, 200, 2), id="an old run again"),
        pytest.param(at(A, 200, 2), at(A, 100, 9, attempt=2), id="an old run of the same commit again"),
        pytest.param(at(A, 100, 1), at(A, 100, 2), id="a later look"),
        pytest.param(at(A, 100, 1), at(A, 200, 1), id="the same moment"),
    ],
)
def test_order(older: Marker, newer: Marker) -> None:
    """Of one commit the later look wins, of two the later event."""
    assert newer.is_newer(older)
    assert not older.is_newer(newer)
    assert not newer.is_newer(newer)


def test_a_commit_that_came_back() -> None:
    """Pushed, replaced, and pushed again: a late run of what stood between is no news, whoever wrote last."""
    first_again, between, last = at(A, 100, 30, attempt=2), at(B, 200, 20), at(A, 300, 10)
    written = first_again.after(last)
    assert (written.run, written.attempt, written.sequence) == (300, 1, 30)
    assert not between.is_newer(written)
    assert between.after(last) == between
