"""What every test may ask for: a way to say that a piece is missing, and the corpus."""

import os
import signal
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import settings

# No test asserts a time, and a failure prints what reproduces it: no database in the working tree.
settings.register_profile("recon", deadline=None, database=None, print_blob=True)
settings.load_profile("recon")

Require = Callable[[object, str], None]

_ROOT = Path(__file__).resolve().parent.parent


def pytest_configure() -> None:
    """Whoever runs us in the background has SIGINT ignored, and the processes of our tests would inherit that."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


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


class Processes:
    """What runs on this machine, from /proc, or from `ps` where there is none."""

    def tree(self, pid: int) -> dict[int, str]:
        """A process and all below it, by name."""
        table = self._table()
        found = {pid: ""}
        while more := {each: name for each, parent, _, name in table if parent in found and each not in found}:
            found |= more
        return found | {each: name for each, _, _, name in table if each == pid}

    def living(self, pids: Iterable[int]) -> list[int]:
        """Those that run; one that only waits for its parent to notice its end doesn't."""
        wanted = set(pids)
        return sorted(pid for pid, _, state, _ in self._table() if pid in wanted and state != "Z")

    def _table(self) -> list[tuple[int, int, str, str]]:
        """Each process: pid, parent, state, name."""
        proc = Path("/proc")
        if not (proc / "self" / "stat").exists():
            command = ["ps", "-A", "-o", "pid=,ppid=,stat=,comm="]
            listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            rows = [line.split(None, 3) for line in listed.splitlines()]
            return [(int(pid), int(parent), state[0], name.strip()) for pid, parent, state, name in rows]
        return [row for each in proc.iterdir() if each.name.isdigit() and (row := self._row(each / "stat"))]

    def _row(self, stat: Path) -> tuple[int, int, str, str] | None:
        try:
            pid, _, rest = stat.read_text().partition(" (")
        except OSError:  # it has ended while we looked
            return None
        name, _, fields = rest.rpartition(") ")
        state, parent = fields.split()[:2]
        return int(pid), int(parent), state, name


@pytest.fixture(scope="session")
def processes() -> Processes:
    """What runs on this machine."""
    return Processes()
