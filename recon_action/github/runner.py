"""The runner that started us: the log it reads for commands, and the files it reads afterwards.

Decides when commands are obeyed and how much fits. What they say comes from the caller.
"""

import secrets
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import TextIO

from recon_action.errors import PublishError
from recon_action.github.commands import MAX_ANNOTATIONS, Annotation, Level, annotate, command, entry

# The runner discards a summary beyond 1 MiB whole. It replaces secrets by *** before it sends the file, so some
# room is left for short ones to grow.
SUMMARY_BUDGET = 1_000_000


def random_token() -> str:
    """What nobody who writes a manifest can guess."""
    return f"recon-{secrets.token_hex(32)}"


@dataclass(frozen=True, slots=True)
class Runner:
    """One step's runner; safe to use from several threads.

    Args:
        log: the step's stdout, in which the runner looks for commands.
        output_file: GITHUB_OUTPUT; None where there is none, and nothing is written.
        summary_file: GITHUB_STEP_SUMMARY; the same.
        token: a fresh random word each time.
    """

    log: TextIO
    output_file: Path | None = None
    summary_file: Path | None = None
    token: Callable[[], str] = random_token
    _stopped: list[str] = field(default_factory=list, init=False, repr=False, compare=False)  # what resumes commands
    _lock: threading.RLock = field(default_factory=threading.RLock, init=False, repr=False, compare=False)

    @classmethod
    def of(cls, environ: Mapping[str, str], log: TextIO, token: Callable[[], str] = random_token) -> "Runner":
        """The runner that `environ` tells of."""
        output, summary = environ.get("GITHUB_OUTPUT"), environ.get("GITHUB_STEP_SUMMARY")
        return cls(log, Path(output) if output else None, Path(summary) if summary else None, token)

    def say(self, line: str) -> None:
        """Write a line to the log at once: the runner reads stderr beside it, and the order matters."""
        with self._lock:
            print(line, file=self.log, flush=True)

    def mask(self, values: Iterable[str]) -> None:
        """Have each of `values` shown as *** from here on, in this step and all later ones; also amid foreign text."""
        with self._lock:  # no line of another thread comes between
            is_stopped = bool(self._stopped)
            if is_stopped:
                self._resume()
            for value in values:
                self.say(command("add-mask", value))
            if is_stopped:
                self._stop()

    @contextmanager
    def foreign(self) -> Iterator[None]:
        """Within, nothing in the log is obeyed as a command, whatever it looks like."""
        with self._lock:
            self._stop()
        try:
            yield
        finally:
            with self._lock:
                self._resume()

    def _stop(self) -> None:
        self._stopped.append(self.token())
        self.say(command("stop-commands", self._stopped[-1]))

    def _resume(self) -> None:
        # On a line of its own even if the foreign text ended within one.
        self.say(f"\n{command(self._stopped.pop())}")

    @contextmanager
    def group(self, title: str) -> Iterator[None]:
        """Within, the log is folded under `title`, and foreign."""
        self.say(command("group", title))
        try:
            with self.foreign():
                yield
        finally:
            self.say(command("endgroup"))

    def annotate(self, annotations: Iterable[Annotation]) -> int:
        """Make as many annotations of each level as the runner takes, the first ones; how many were left out."""
        order = list(Level)
        loudest_first = sorted(annotations, key=lambda annotation: order.index(annotation.level))
        left_out = 0
        for _, same in groupby(loudest_first, key=lambda annotation: annotation.level):
            level = list(same)
            for annotation in level[:MAX_ANNOTATIONS]:
                self.say(annotate(annotation))
            left_out += len(level[MAX_ANNOTATIONS:])
        return left_out

    @property
    def summary_room(self) -> int:
        """How many bytes the step's summary may still grow."""
        if self.summary_file is None or not self.summary_file.exists():
            return SUMMARY_BUDGET
        return max(SUMMARY_BUDGET - self.summary_file.stat().st_size - 1, 0)

    def summarize(self, markdown: str) -> None:
        """Append to the step's summary.

        Raises:
            PublishError: it does not fit (the runner would discard what is there as well), or can't be written.
        """
        if self.summary_file is None or not markdown:
            return
        text = markdown if markdown.endswith("\n") else f"{markdown}\n"
        size = len(text.encode())
        if size > self.summary_room:
            raise PublishError(
                f"the job summary has room for {self.summary_room} bytes, and the report takes {size}",
                hint="write less to GITHUB_STEP_SUMMARY before this action in the same step",
            )
        _append(self.summary_file, text)

    def output(self, values: Mapping[str, str]) -> None:
        """Set the step's outputs, in one write: one bad entry would have the runner fail the step and lose all.

        Raises:
            PublishError: they can't be written.
        """
        if self.output_file is None:
            return
        entries = (entry(name, value, self.token()) for name, value in values.items())
        _append(self.output_file, "".join(entries))


def _append(path: Path, text: str) -> None:
    try:
        before = path.read_bytes()[-1:] if path.exists() else b""
        with path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(text if before in {b"", b"\n"} else f"\n{text}")
    except OSError as error:
        raise PublishError(
            f"{path} can't be written: {error.strerror}",
            hint="the runner sets GITHUB_OUTPUT and GITHUB_STEP_SUMMARY itself; don't set them in the workflow",
        ) from error
