"""How far aliases may blow a document up: go-yaml's rule."""

import pytest

from recon_action import desired
from recon_action.desired.anchors import Anchors


def expand(*, plain: int, size: int, times: int) -> Anchors:
    """Aliases, `times` over, of an anchor on `size` nodes, after `plain` nodes without any."""
    anchors = Anchors()
    anchors.nodes = plain + 1
    container: list[object] = []
    anchors.begin("a", container)
    anchors.nodes += size - 1
    anchors.close(container)
    for _ in range(times):
        anchors.nodes += 1
        assert anchors.expand("a") is container
    return anchors


@pytest.mark.parametrize(
    ("plain", "size", "times"),
    [
        pytest.param(0, 10, 60, id="small-documents-may-repeat-much"),
        pytest.param(1000, 98_000, 1, id="99-percent"),
        pytest.param(1_000_000, 100_000, 6, id="a-medium-share-of-a-large-document"),
        pytest.param(4_500_000, 400_000, 1, id="a-tenth-of-a-very-large-document"),
    ],
)
def test_what_is_allowed(plain: int, size: int, times: int) -> None:
    """Small documents may be aliases nearly throughout, large ones only to a tenth."""
    anchors = expand(plain=plain, size=size, times=times)
    assert anchors.nodes == plain + size + times * (size + 1)


@pytest.mark.parametrize(
    ("plain", "size", "times"),
    [
        pytest.param(0, 200, 300, id="more-than-99-percent"),
        pytest.param(1_000_000, 100_000, 20, id="two-thirds-of-a-large-document"),
        pytest.param(4_500_000, 400_000, 2, id="more-than-a-tenth-of-a-very-large-document"),
    ],
)
def test_what_is_too_much(plain: int, size: int, times: int) -> None:
    """The share that may come from aliases falls from 99 % to 10 % as the document grows."""
    with pytest.raises(ValueError, match="aliases make up too much of the document"):
        expand(plain=plain, size=size, times=times)


def test_the_package_has_no_other_names() -> None:
    """A misspelt import fails as it does for any module."""
    with pytest.raises(AttributeError, match="has no attribute 'laod'"):
        _ = desired.laod  # type: ignore[attr-defined]
