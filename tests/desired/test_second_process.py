"""Reading in two processes: the same manifests, faults and limits as in one, whatever becomes of the second."""

import os
import random
import threading
from io import BytesIO
from pathlib import Path

import pytest

from recon_action.desired import ManifestError, load, second_process
from recon_action.desired.documents import Document
from recon_action.desired.files import File
from recon_action.desired.limits import DEFAULT, Limits
from recon_action.desired.second_process import Beside, reading_beside
from recon_action.desired.source import Source
from recon_action.errors import UsageError
from recon_action.model import Desired

ONE, TWO = 1 << 40, 1  # bytes from which on a second process reads, too
PLAIN = "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: m{0}}}\ndata: {{a: x{0}, b: 'y', big: '{0}'}}\n"
SORTS = (
    PLAIN,
    "apiVersion: v1\nkind: Secret\nmetadata: {{name: s{0}}}\nstringData: {{a: word{0}}}\n",
    "apiVersion: v1\nkind: ConfigMapList\nitems:\n- metadata: {{name: i{0}}}\n- metadata: {{name: j{0}}}\n",
    "apiVersion: x.io/v1\nkind: K\nmetadata: {{name: k{0}}}\nspec: [1, 1.0, 1e3, 99999999999999999999, null, true]\n",
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: &n a{0}}}\ndata: {{a: *n}}\n",
    "# only a comment {0}\n",
)
FAULTS = ("kind: [\n", "apiVersion: v1\nkind: ConfigMap\n", "a: {0}\n", PLAIN + "data: {{}}\n")


@pytest.fixture
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with two cores, whatever the tests run on."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})


def told(paths: list[str], large: int, stdin: bytes = b"") -> Desired | str:
    """What reading comes to, or the error as a person sees it."""
    try:
        return load(paths, stdin=BytesIO(stdin), large=large)
    except (ManifestError, UsageError) as error:
        return f"{error.message} {error.hint}"


def documents(seed: int, sorts: tuple[str, ...], count: int = 200) -> str:
    """So many documents of those sorts, in an order that `seed` decides."""
    draw = random.Random(seed)
    return "---\n".join(draw.choice(sorts).format(number) for number in range(count))


def source(text: str) -> Source:
    """A source that was handed over on stdin."""
    return Source(0, File("-"), "-", DEFAULT, BytesIO(text.encode()))


@pytest.mark.usefixtures("two_cores")
@pytest.mark.parametrize("seed", range(5))
def test_two_processes_read_what_one_reads(tmp_path: Path, seed: int) -> None:
    """Files, documents and items in order, each with its origin; every type of a value survives."""
    for name, sorts in (("a.yaml", SORTS), ("b.yaml", SORTS), ("c.json", ('{{"apiVersion": "v1"}}',))):
        text = (
            documents(seed, sorts) if name != "c.json" else '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"}}'
        )
        (tmp_path / name).write_text(text)
    one, two = (told([str(tmp_path)], large) for large in (ONE, TWO))
    assert one == two
    assert isinstance(one, Desired)
    assert isinstance(two, Desired)
    assert repr([manifest.body for manifest in one.manifests]) == repr([manifest.body for manifest in two.manifests])


@pytest.mark.usefixtures("two_cores")
@pytest.mark.parametrize("seed", range(5))
def test_faults_are_told_as_by_one(tmp_path: Path, seed: int) -> None:
    """All of them, in their order, with their lines, wherever the faulty document was read."""
    (tmp_path / "a.yaml").write_text(documents(seed, SORTS))
    (tmp_path / "b.yaml").write_text(documents(seed, SORTS + FAULTS))
    assert told([str(tmp_path)], ONE) == told([str(tmp_path)], TWO)
    assert "faults" in str(told([str(tmp_path)], TWO))


@pytest.mark.usefixtures("two_cores")
def test_stdin_is_shared_too() -> None:
    """What another program renders comes in one stream, and is large where files would be small."""
    text = documents(1, SORTS).encode()
    assert told(["-"], ONE, text) == told(["-"], TWO, text)


@pytest.mark.usefixtures("two_cores")
def test_second_process_reads_the_last_documents() -> None:
    """About half of them, all in one stretch, so that nothing is waited for before its turn."""
    ours = source(documents(1, (PLAIN,)))
    with reading_beside([ours], DEFAULT, TWO) as second:
        assert second is not None
        there = [second.read(0, one, "-") for one in ours.documents() if isinstance(one, Document)]
    first = there.index(next(filter(None, there)))
    assert 100 <= first <= 120
    assert all(there[first:])
    assert not any(there[:first])


@pytest.mark.usefixtures("two_cores")
@pytest.mark.parametrize("sort", [*SORTS[4:], *FAULTS])
def test_what_is_not_plain_is_left_to_the_first(sort: str) -> None:
    """Faults are told, aliases counted, and what is no object told of, in one place."""
    limits = Limits()
    (document,) = [one for one in source(sort.format(1) + "\n").documents() if isinstance(one, Document)] or [
        Document(b"# nothing", 1, 0)
    ]
    second = Beside([(0, document)], limits)
    assert second.read(0, document, "-") is None
    second.close()


@pytest.mark.usefixtures("two_cores")
def test_a_second_process_that_dies_is_done_without() -> None:
    """The first reads everything."""
    ours = source(documents(1, (PLAIN,)))
    with reading_beside([ours], DEFAULT, TWO) as second:
        assert second is not None
        second._process.kill()
        second._process.join()
        assert not any(second.read(0, one, "-") for one in ours.documents() if isinstance(one, Document))


@pytest.mark.usefixtures("two_cores")
def test_no_process_is_left_when_reading_is_given_up() -> None:
    """An interrupt ends both."""
    reading = reading_beside([source(documents(1, (PLAIN,), 20_000))], DEFAULT, TWO)
    second = reading.__enter__()
    assert second is not None
    assert second._process.is_alive()
    assert not reading.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert second._process.exitcode == -9


@pytest.mark.usefixtures("two_cores")
def test_a_second_process_that_hangs_is_done_without(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was copied with a lock that nobody will open: the first reads everything, after a while."""
    monkeypatch.setattr(second_process, "_answer", lambda *_: threading.Event().wait())
    ours = source(documents(1, (PLAIN,)))
    with reading_beside([ours], DEFAULT, TWO) as second:
        assert second is not None
        assert not any(second.read(0, one, "-") for one in ours.documents() if isinstance(one, Document))


@pytest.mark.parametrize(("cores", "large"), [({0}, TWO), ({0, 1}, ONE)], ids=["one core", "little input"])
def test_one_process_where_two_would_not_help(monkeypatch: pytest.MonkeyPatch, cores: set[int], large: int) -> None:
    """No process is started."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: cores)
    with reading_beside([source(documents(1, (PLAIN,)))], DEFAULT, large) as second:
        assert second is None


@pytest.mark.usefixtures("two_cores")
def test_a_file_whose_values_are_counted_stays_whole() -> None:
    """Only one process can count what a file holds; those beside it are shared."""
    limits = Limits(20_000)
    big = Source(0, File("-"), "-", limits, BytesIO(documents(1, (PLAIN,), 60).encode()))
    assert limits.can_pass(len(documents(1, (PLAIN,), 60)))
    with reading_beside([big], limits, TWO) as second:
        assert second is None
