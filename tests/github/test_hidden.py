"""A hidden line: whatever it holds comes back, and whatever else is on a line is no such line."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recon_action.github.hidden import hide, reveal


@dataclass(frozen=True, slots=True)
class Kept:
    """One of each."""

    name: str
    number: int = 0
    is_so: bool = False
    texts: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()


@given(st.builds(Kept, st.text(), st.integers(0), st.booleans(), st.lists(st.text()).map(tuple)))
def test_what_is_hidden_is_revealed(kept: Kept) -> None:
    """Whatever the text, the line is one line, and nothing ends the comment but its end."""
    line = hide("recon:test", kept)
    assert line.splitlines() == [line]
    assert line.index("--", 4) == line.index(">") - 2 == len(line) - 3
    assert reveal("recon:test", Kept, line + " \r") == kept


@pytest.mark.parametrize(
    "line",
    [
        "",
        '<!-- recon:other {"name":"a"} -->',
        'x <!-- recon:test {"name":"a"} -->',
        '<!-- recon:test ["a"] -->',
        '<!-- recon:test {"name"} -->',
        "<!-- recon:test {} -->",
        '<!-- recon:test {"name":1} -->',
        '<!-- recon:test {"name":"a","number":true} -->',
        '<!-- recon:test {"name":"a","number":1.5} -->',
        '<!-- recon:test {"name":"a","texts":"abc"} -->',
        '<!-- recon:test {"name":"a","numbers":[1,"2"]} -->',
        '<!-- recon:test {"name":' + "[" * 100_000 + "} -->",
        '<!-- recon:test {"name":"a","number":' + "9" * 10_000 + "} -->",
    ],
    ids=lambda line: line[:48],
)
def test_what_we_would_not_write(line: str) -> None:
    """Another's, or one that somebody meddled with."""
    assert reveal("recon:test", Kept, line) is None
