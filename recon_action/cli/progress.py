"""Progress on stderr, for what takes longer than a second: a bar on a terminal, a line elsewhere."""

import sys
import threading
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

_PATIENCE = 1.0  # seconds before a step shows itself


class StderrProgress:
    """A `model.Progress`; a context manager that leaves the terminal clean."""

    def __init__(self, *, verbose: int = 0) -> None:
        self._verbose = verbose
        self._lock = threading.RLock()
        self._timer: threading.Timer | None = None
        self._bar: Bar | None = None
        self._title, self._total, self._done = "", None, 0

    _total: int | None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._end()

    def step(self, title: str, total: int | None = None) -> None:
        """A new step; it shows itself once it has taken a second."""
        with self._lock:
            self._end()
            self._title, self._total, self._done = title, total, 0
            self._timer = threading.Timer(0 if self._verbose else _PATIENCE, self._show)
            self._timer.daemon = True
            self._timer.start()

    def advance(self, count: int = 1) -> None:
        """`count` more is done."""
        with self._lock:
            self._done += count
            if self._bar is not None:
                self._bar.update(self._bar.task_ids[0], completed=self._done)

    def note(self, text: str) -> None:
        """A line of its own, in which no control character does anything."""
        from recon_action.report.escape import visible  # noqa: PLC0415 - few runs have something to note

        text = visible(text)
        with self._lock:
            if self._bar is not None:
                self._bar.console.print(f"  {text}", style="dim", highlight=False, markup=False)
            else:
                sys.stderr.write(f"  {text}\n")

    def _show(self) -> None:
        with self._lock:
            if self._timer is None:
                return
            self._timer = None
            if not sys.stderr.isatty():
                size = f" ({self._total})" if self._total else ""
                sys.stderr.write(f"{self._title}{size} ...\n")
                return
            self._bar = _bar(counted=bool(self._total))
            self._bar.add_task(self._title, total=self._total, completed=self._done)
            self._bar.start()

    def _end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


def _bar(*, counted: bool) -> "Bar":
    """A bar on stderr. Its library takes a while to import, which only a person at a terminal has to wait for."""
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415
    from rich.progress import Progress as Bar  # noqa: PLC0415

    columns = (BarColumn(), MofNCompleteColumn()) if counted else ()
    console = Console(file=sys.stderr, highlight=False, markup=False)
    description = TextColumn("{task.description}")
    return Bar(SpinnerColumn(), description, *columns, TimeElapsedColumn(), console=console, transient=True)
