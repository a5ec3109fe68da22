"""Which objects a rule is about."""

import pytest
from objects import ref

from recon_action.model.rules import Match


@pytest.mark.parametrize(
    ("match", "has"),
    [
        (Match(), True),
        (Match(kind="Deployment"), True),
        (Match(kind="deployment"), False),
        (Match(kind="D*"), True),
        (Match(group="apps"), True),
        (Match(group=""), False),
        (Match(namespace="shop-*"), True),
        (Match(namespace="ops"), False),
        (Match(name="w?b"), True),
        (Match(kind="Deployment", name="api"), False),
    ],
    ids=str,
)
def test_globs(match: Match, has: bool) -> None:
    """Every part that is named must fit, in its case."""
    assert match.has(ref("Deployment", "web", "shop-eu", "apps")) is has
