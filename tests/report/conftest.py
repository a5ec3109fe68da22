"""The option that rewrites the golden cases: `python -m pytest tests/report --rewrite-golden`."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rewrite-golden", action="store_true", help="write the golden cases anew, to be read in review")


@pytest.fixture
def rewrite_golden(request: pytest.FixtureRequest) -> bool:
    """Whether expected outputs are written instead of compared."""
    return bool(request.config.getoption("--rewrite-golden", default=False))
