"""Reads a part of large input in a second process, while the first reads the rest.

Only what is plain comes from there: a document with a fault, without an object, or with aliases is read by the first
process, in its turn, so that faults and limits are what they are without a second process. If that one fails, the
first reads everything.
"""

import marshal
import os
import signal
import sys
import time
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from recon_action.desired.documents import Document
from recon_action.desired.faults import Fault
from recon_action.desired.files import STDIN, size_of
from recon_action.desired.limits import Limits, Meter
from recon_action.desired.objects import objects_of
from recon_action.desired.source import Source
from recon_action.desired.yaml_reader import YamlReader, garbage_kept
from recon_action.model import Manifest, Origin, ref_of

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

LARGE: Final = 1 << 19  # bytes; what a second process saves of less is not worth it
_MOST: Final = 1 << 26  # bytes: they are held until their turn

_Key = tuple[int, int]  # which file, and which of its documents
_Task = tuple[int, Document]
_Row = tuple[Any, int, tuple[int, ...], str]  # what a Manifest is made of again


class Beside:
    """What a second process reads.

    Args:
        tasks: the documents that it is given.
        limits: of what a file may hold.
    """

    def __init__(self, tasks: Sequence[_Task], limits: Limits) -> None:
        # Started as a copy of this one, it knows the documents and has all modules.
        from multiprocessing import get_context  # noqa: PLC0415 - small input needs none of it

        context = get_context("fork")
        self._answers, answers = context.Pipe(duplex=False)
        self._process = context.Process(target=_answer, args=(tasks, limits, answers), daemon=True)
        self._begun = time.monotonic()
        with warnings.catch_warnings():
            # Of copies of a process with threads, which may find a lock held for ever. Our threads at this time wait
            # for a signal, and to show progress; the copy shows nothing, and is not waited for without end.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._process.start()
        answers.close()
        self._asked = {(number, document.index) for number, document in tasks}
        self._rows: dict[_Key, list[_Row]] | None = None

    def read(self, number: int, document: Document, shown: str) -> list[Manifest] | None:
        """The objects of a document of file `number`; None if it is to be read here."""
        key = number, document.index
        if key not in self._asked:
            return None
        if self._rows is None:
            self._rows = self._receive()
        rows = self._rows.get(key)
        if rows is None:
            return None
        return [
            Manifest(ref_of(body), body, Origin(shown, document=document.index, line=line, item=item), source_hash)
            for body, line, item, source_hash in rows
        ]

    def close(self) -> None:
        """End it, if it has not."""
        self._process.kill()
        self._process.join()
        self._answers.close()

    def _receive(self) -> dict[_Key, list[_Row]]:
        """What it says; nothing if it died, or takes much longer than we took for as much."""
        patience = 2 * (time.monotonic() - self._begun) + 1
        try:
            said = self._answers.recv_bytes() if self._answers.poll(patience) else b""
        except (EOFError, OSError):
            said = b""
        return dict(marshal.loads(said)) if said else {}  # noqa: S302 - it is a copy of ourselves


@contextmanager
def reading_beside(sources: Sequence[Source], limits: Limits, large: int) -> Iterator[Beside | None]:
    """A second process reads the last documents while the caller reads the first, if there are `large` bytes in all."""
    for source in sources:
        if source.file.path == STDIN:
            source.look_ahead()
    total = sum(source.size or size_of(source.file) for source in sources)
    tasks = list(_last(sources, limits, _share(total) if total >= large else 0))
    if not tasks:
        yield None
        return
    second = Beside(tasks, limits)
    try:
        yield second
    finally:
        second.close()


def _last(sources: Sequence[Source], limits: Limits, left: int) -> Iterator[_Task]:
    """The last documents, of `left` bytes; of a file whose values are counted none, as one process has to count."""
    for source in reversed(sources):
        if left <= 0:
            return
        documents = source.look_ahead() if source.ahead is None else source.ahead
        if limits.can_pass(source.size):
            continue
        for document in reversed(documents):
            if isinstance(document, Fault) or document.is_json:
                continue
            if len(document.data) > left:
                break  # an earlier one may fit, but would be waited for too early
            left -= len(document.data)
            yield source.number, document


def _share(total: int) -> int:
    """How many of `total` bytes a second process reads; 0 if there is no core for it."""
    is_able = sys.platform == "linux" and len(os.sched_getaffinity(0)) > 1
    return min(total * 15 // 32, _MOST) if is_able else 0


def _answer(tasks: Iterable[_Task], limits: Limits, answers: "Connection") -> None:
    """The second process: rows by file and index, of each document that is plain."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # both get it: the first decides, and ends this one
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    reader = YamlReader(Meter(limits))
    with garbage_kept():
        answers.send_bytes(marshal.dumps([(key, rows) for key, rows in _read(tasks, reader) if rows]))


def _read(tasks: Iterable[_Task], reader: YamlReader) -> Iterator[tuple[_Key, list[_Row]]]:
    for number, document in tasks:
        aliased = reader.meter.aliased
        result = reader.read(document, "")
        found = [] if result.faults or reader.meter.aliased != aliased else list(objects_of(document, result, ""))
        manifests = [one for one in found if isinstance(one, Manifest)]
        yield (number, document.index), [_row(one) for one in manifests] if len(manifests) == len(found) else []


def _row(manifest: Manifest) -> _Row:
    return (manifest.body, manifest.origin.line, manifest.origin.item, manifest.source_hash)
