"""The display that shows nothing."""

import pytest

from recon_action.model import Quiet


def test_quiet_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    """It takes every call and stays silent."""
    quiet = Quiet()
    quiet.step("reading", 3)
    quiet.advance()
    quiet.note("done")
    assert capfd.readouterr() == ("", "")
