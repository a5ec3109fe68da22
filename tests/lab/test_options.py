"""What a lab refuses to be told."""

import pytest

from recon_action.errors import UsageError
from recon_action.lab.options import NEWEST, VERSIONS, LabOptions


def test_the_default_is_small_and_new() -> None:
    """No controllers, the newest version, a free port."""
    assert LabOptions() == LabOptions(controllers=False, kubernetes=NEWEST, port=0)


@pytest.mark.parametrize("version", VERSIONS)
def test_each_version_is_accepted(version: str) -> None:
    """All that can be emulated."""
    assert LabOptions(kubernetes=version).kubernetes == version


@pytest.mark.parametrize("version", ["1.33", "1.38", "v1.37", "1.37.2", ""])
def test_another_version_is_refused(version: str) -> None:
    """The hint names those that work."""
    with pytest.raises(UsageError) as caught:
        LabOptions(kubernetes=version)
    assert "1.34, 1.35, 1.36, 1.37" in caught.value.hint


def test_no_node_is_refused() -> None:
    """Pods would wait for ever."""
    with pytest.raises(UsageError, match="needs a node"):
        LabOptions(controllers=True, nodes=0)
