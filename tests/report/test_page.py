"""A page within its limit: what does not fit is counted, at every edge."""

import re

import pytest

from recon_action.report.page import RESERVED, Page, size


@pytest.mark.parametrize("fold", [True, False], ids=["folded", "open"])
@pytest.mark.parametrize("count", [1, 11, 30])
def test_a_list_is_shown_and_counted(count: int, fold: bool) -> None:
    """Shown and not shown add up, whatever the room, and none of it is exceeded but for the count."""
    items = [f"- item {number} {'x' * 20}" for number in range(count)]
    for room in range(40, 1_400):
        page = Page(room)
        page.listing("Things", items, share=1.0, fold=fold)
        blocks = page.take()
        text = "\n".join(blocks)
        hidden = sum(map(int, re.findall(r"(\d+) objects? not shown", text)))
        assert text.count("- item ") + hidden == count
        assert sum(map(size, blocks)) <= room + RESERVED
