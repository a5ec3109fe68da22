"""One process at a time fills a folder of the cache; the others wait, and say that they do."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from recon_action.model.progress import Progress

_POLL = 0.2


@contextmanager
def exclusive(file: Path, *, title: str, progress: Progress) -> Iterator[None]:
    """Hold the lock `file`; `title` says what is being waited for, if someone else holds it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(file)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        progress.step(f"waiting for another process: {title}")
        lock.acquire(poll_interval=_POLL)
    try:
        yield
    finally:
        lock.release()
