"""The order of merged lists."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recon_action.analyze.merge_order import merge_order
from recon_action.model import ItemValue


@pytest.mark.parametrize(
    ("live", "desired", "merged"),
    [
        pytest.param("abc", "abc", "abc", id="same"),
        pytest.param("ab", "abc", "abc", id="added-at-the-end"),
        pytest.param("ac", "abc", "abc", id="added-within"),
        pytest.param("axb", "ab", "axb", id="foreign-between"),
        pytest.param("xab", "ab", "xab", id="foreign-first"),
        pytest.param("abc", "cba", "cba", id="reversed"),
        pytest.param("bxa", "ab", "xab", id="foreign-among-reversed"),
        pytest.param("", "ab", "ab", id="new"),
        pytest.param("ab", "", "ab", id="nothing-desired"),
    ],
)
def test_order(live: str, desired: str, merged: str) -> None:
    """Shared and new items come as in Git; foreign ones stay near where they were."""
    found = merge_order([ItemValue(item) for item in live], [ItemValue(item) for item in desired])
    assert "".join(item.value for item in found if isinstance(item, ItemValue)) == merged


@given(st.lists(st.sampled_from("abcdef"), unique=True), st.lists(st.sampled_from("abcdef"), unique=True))
def test_nothing_is_lost(live: list[str], desired: list[str]) -> None:
    """Each item of either list is there once, and those of Git are in Git's order."""
    found = list(merge_order([ItemValue(item) for item in live], [ItemValue(item) for item in desired]))
    assert set(found) == {ItemValue(item) for item in (*live, *desired)}
    assert len(found) == len(set(found))
    assert [item for item in found if item in {ItemValue(each) for each in desired}] == [ItemValue(d) for d in desired]
