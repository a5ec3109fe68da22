"""What every test may ask for: a way to say that a piece is missing, and the corpus."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# No test asserts a time, and a failure prints what reproduces it: no database in the working tree.
settings.register_profile("recon", deadline=None, database=None, print_blob=True)
settings.load_profile("recon")

Require = Callable[[object, str], None]

_ROOT = Path(__file__).resolve().parent.parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rewrite-golden", action="store_true", help="write the golden cases anew, to be read in review")


@pytest.fixture
def rewrite_golden(request: pytest.FixtureRequest) -> bool:
    """Whether expected outputs are written instead of compared."""
    return bool(request.config.getoption("--rewrite-golden"))


@pytest.fixture(scope="session")
def require() -> Require:
    """`require(condition, reason)`: skip with the reason, or fail where nothing may be missing."""

    def check(condition: object, reason: str) -> None:
        if condition:
            return
        if os.environ.get("RECON_REQUIRE_ALL") == "1":
            pytest.fail(f"RECON_REQUIRE_ALL=1, but {reason}", pytrace=False)
        pytest.skip(reason)

    return check


@pytest.fixture(scope="session")
def corpus(require: Require) -> Path:
    """The folder of real manifests."""
    folder = Path(os.environ.get("RECON_CORPUS") or _ROOT / ".." / "shared" / "corpus").resolve()
    require(folder.is_dir(), f"the corpus is not at {folder} (RECON_CORPUS names it)")
    return folder
