"""The fake GitHub, and a client of it that does not sleep."""

from collections.abc import Callable, Iterator

import pytest
from fake_github import FakeGitHub, fake_github

from recon_action.github.client import Access, Client
from recon_action.github.patience import Patience

Connect = Callable[..., Client]


@pytest.fixture
def fake() -> Iterator[FakeGitHub]:
    """A GitHub with one open pull request, number 7."""
    with fake_github() as running:
        running.state.add_pull(7)
        yield running


@pytest.fixture
def waits() -> list[float]:
    """The pauses that were made, none of which took any time."""
    return []


@pytest.fixture
def connect(waits: list[float]) -> Connect:
    """A client of a server; pauses are noted, and not made."""

    def client(url: str, verify: bool | str = True) -> Client:  # noqa: FBT002 - as PyGithub has it
        def wait(seconds: float) -> bool:
            waits.append(seconds)
            return False

        return Client(Access("secret-token", url, verify, write_pause=0), "acme/shop", Patience(wait))

    return client


@pytest.fixture
def client(fake: FakeGitHub, connect: Connect) -> Client:
    """A client of the fake."""
    return connect(fake.api)
