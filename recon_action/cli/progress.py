"""Progress on stderr, for what takes longer than a second: a bar on a terminal, a line elsewhere."""

import sys
import threading
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

_PATIENCE = 1.0  # seconds before a step shows itself


class StderrProgress:
    """A `model.Progress`; a context manager that leaves the terminal clean."""

    def __init__(self, *, verbose: int = 0) -> None:
        self._console = Console(file=sys.stderr, highlight=False, markup=False)
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
        """A line of its own."""
        with self._lock:
            console = self._bar.console if self._bar is not None else self._console
            console.print(f"  {text}", style="dim")

    def _show(self) -> None:
        with self._lock:
            if self._timer is None:
                return
            self._timer = None
            if not self._console.is_terminal:
                size = f" ({self._total})" if self._total else ""
                self._console.print(f"{self._title}{size} ...")
                return
            counted = (BarColumn(), MofNCompleteColumn()) if self._total else ()
            self._bar = Bar(
                SpinnerColumn(),
                TextColumn("{task.description}"),
                *counted,
                TimeElapsedColumn(),
                console=self._console,
                transient=True,
            )
            self._bar.add_task(self._title, total=self._total, completed=self._done)
            self._bar.start()

    def _end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
