"""Real control planes for tests: one shared by all that can share, more for those that can't.

`lab` is for what only makes objects in a namespace of its own (`namespace`). Who installs CRDs, webhooks
or APIServices, or stops a server, asks `own_lab` for one.
"""

import itertools
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from recon_action.errors import ProgramError
from recon_action.lab import Lab, LabOptions, start
from recon_action.lab.binaries import Binaries, get_binaries

_got: dict[str, Binaries | str] = {}
_numbers = itertools.count(1)


class _Lines:
    """A build takes longer than a test may: it is done before the first one, and tells of it."""

    def step(self, title: str, total: int | None = None) -> None:
        sys.stderr.write(f"lab: {title}" + (f" ({total})\n" if total else "\n"))

    def advance(self, count: int = 1) -> None:
        pass

    def note(self, text: str) -> None:
        sys.stderr.write(f"lab: {text}\n")


def pytest_collection_finish(session: pytest.Session) -> None:
    """Get the programs, if any test needs them, outside of every test's timeout."""
    if session.config.option.collectonly or not any(
        "binaries" in getattr(item, "fixturenames", ()) for item in session.items
    ):
        return
    capture = session.config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():
        try:
            _got["binaries"] = get_binaries(os.environ, _Lines())
        except ProgramError as error:
            _got["binaries"] = error.message


@pytest.fixture(scope="session")
def binaries(require: Callable[[object, str], None]) -> Binaries:
    """The lab's programs."""
    got = _got["binaries"]
    require(isinstance(got, Binaries), f"the lab's programs can't be had: {got}")
    assert isinstance(got, Binaries)
    return got


@pytest.fixture(scope="session")
def kubectl(binaries: Binaries) -> Path:
    """The lab's kubectl."""
    return binaries["kubectl"]


@pytest.fixture(scope="session")
def lab(binaries: Binaries) -> Iterator[Lab]:
    """The control plane that tests share: no controllers, no CRDs."""
    with start() as control_plane:
        yield control_plane


@pytest.fixture(scope="session")
def controllers_lab(binaries: Binaries) -> Iterator[Lab]:
    """The control plane with controllers and nodes that tests share."""
    with start(LabOptions(controllers=True)) as control_plane:
        yield control_plane


@pytest.fixture
def own_lab(binaries: Binaries) -> Iterator[Callable[..., Lab]]:
    """`own_lab(controllers=True, …)`: a control plane for this test alone."""
    with ExitStack() as stack:
        yield lambda **options: stack.enter_context(start(LabOptions(**options)))


def _namespace(control_plane: Lab) -> str:
    name = f"test-{next(_numbers)}"
    command = [control_plane.kubectl, "create", "namespace", name]
    subprocess.run(command, env=control_plane.env(), check=True, capture_output=True)
    return name


@pytest.fixture
def namespace(lab: Lab) -> str:
    """A fresh namespace of `lab`."""
    return _namespace(lab)


@pytest.fixture
def controllers_namespace(controllers_lab: Lab) -> str:
    """A fresh namespace of `controllers_lab`."""
    return _namespace(controllers_lab)
