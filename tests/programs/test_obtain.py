"""A program is had by the first way that works."""

import hashlib
import io
import subprocess
import tarfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from recon_action.errors import ProgramError
from recon_action.programs.checksums import Checksums
from recon_action.programs.download import ChecksumError
from recon_action.programs.obtain import obtain
from recon_action.programs.places import Places
from recon_action.programs.program import GoModule, Program, Release

CONTENT = b"#!/bin/sh\necho hello\n"
# A `go` that knows `list -deps` and `build -o FILE`; it fails if the sources say so.
FAKE_GO = """#!/bin/sh
if [ "$1" = list ]; then printf 'fmt\\nos\\nmain\\n'; exit 0; fi
cat broken 2>/dev/null && { echo '# example.com/tool' >&2; cat broken >&2; exit 1; }
sleep 0.1; echo fmt >&2; echo example.com/tool >&2
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\\necho built\\n' > "$2"; chmod 755 "$2"
"""


@pytest.fixture
def program(pages: Any, tmp_path: Path) -> Program:
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "go.mod").write_text("module example.com/tool\n")
    return Program(
        "tool",
        "1.2.3",
        release=Release(pages.url + "/v{version}/tool-{os}-{arch}", pages.url + "/sums"),
        source=GoModule("suite", "the suite", "1.2.3", folder, ".", ("tool", "other")),
    )


def pinned(content: bytes) -> Checksums:
    return Checksums({"tool": {"1.2.3": {"linux/amd64": hashlib.sha256(content).hexdigest()}}})


def with_go(places: Places) -> Places:
    go = Path(places.path) / "go"
    go.write_text(FAKE_GO)
    go.chmod(0o755)
    return replace(places, path=f"{places.path}:/usr/bin:/bin")


def run(file: Path) -> str:
    return subprocess.run([file], check=True, capture_output=True, text=True).stdout.strip()


def test_a_pinned_release_is_downloaded_once(pages: Any, places: Places, told: Any, program: Program) -> None:
    """The first call downloads, the second finds."""
    pages.files["/v1.2.3/tool-linux-amd64"] = CONTENT
    first = obtain([program], places, pinned(CONTENT), told)
    second = obtain([program], places, pinned(CONTENT), told)
    assert first == second == {"tool": places.downloaded(program)}
    assert run(first["tool"]) == "hello"
    assert pages.asked == ["/v1.2.3/tool-linux-amd64"]


def test_a_program_in_an_archive_is_taken_out(pages: Any, places: Places, told: Any, program: Program) -> None:
    """The checksum is the archive's; what else is in it doesn't land in the cache."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as out:
        for name in ("tool-v1.2.3/tool", "tool-v1.2.3/README"):
            info = tarfile.TarInfo(name)
            info.size = len(CONTENT)
            out.addfile(info, io.BytesIO(CONTENT))
    pages.files["/tool.tar.gz"] = packed.getvalue()
    release = Release(pages.url + "/tool.tar.gz", "", "tool-v{version}/tool")
    got = obtain([replace(program, release=release)], places, pinned(packed.getvalue()), told)["tool"]
    assert run(got) == "hello"
    assert [each.name for each in got.parent.iterdir()] == ["tool"]


def test_without_a_pin_nothing_is_downloaded(pages: Any, places: Places, told: Any, program: Program) -> None:
    """There would be nothing to hold the download against, so Go builds."""
    pages.files["/v1.2.3/tool-linux-amd64"] = CONTENT
    got = obtain([program], with_go(places), Checksums(), told)["tool"]
    assert run(got) == "built"
    assert pages.asked == []
    assert "no checksum" in told.notes[0]


def test_go_builds_where_the_release_cannot_be_had(pages: Any, places: Places, told: Any, program: Program) -> None:
    """A cut-off machine with a module proxy still gets its program, and says why it took so long."""
    got = obtain([program], with_go(places), pinned(CONTENT), told)["tool"]
    assert run(got) == "built"
    assert "404" in told.notes[0]


def test_a_build_gives_all_of_its_programs(places: Places, told: Any, program: Program) -> None:
    """One build is a whole suite; the next program of it is found."""
    other = replace(program, name="other")
    got = obtain([program, other], with_go(places), Checksums(), told)
    assert {name: run(file) for name, file in got.items()} == {"tool": "built", "other": "built"}
    titles = [title for title, _ in told.steps]
    assert len([title for title in titles if title.startswith("building")]) == 1


def test_two_at_once_build_once(places: Places, told: Any, program: Program) -> None:
    """The second waits for the first, and finds what it made."""
    ready = with_go(places)
    with ThreadPoolExecutor(2) as pool:
        futures = [pool.submit(obtain, [program], ready, Checksums(), told) for _ in range(2)]
        assert [run(future.result()["tool"]) for future in futures] == ["built", "built"]
    assert len([title for title, _ in told.steps if title.startswith("building")]) == 1


def test_a_wrong_checksum_is_not_worked_around(pages: Any, places: Places, told: Any, program: Program) -> None:
    """Go could build it, but somebody tampers with releases: that is told, not hidden."""
    pages.files["/v1.2.3/tool-linux-amd64"] = b"evil"
    with pytest.raises(ChecksumError):
        obtain([program], with_go(places), pinned(CONTENT), told)
    assert [file for file in places.cache.rglob("*") if file.is_file() and file.suffix != ".lock"] == []


def test_without_go_the_error_says_what_was_tried(places: Places, told: Any, program: Program) -> None:
    """No release, no Go: both are named, and what to do."""
    with pytest.raises(ProgramError, match=r"tool 1\.2\.3 is not on this machine.*404.*no Go") as caught:
        obtain([program], places, pinned(CONTENT), told)
    assert "go.dev" in caught.value.hint


def test_a_program_that_cannot_be_built_says_so(places: Places, told: Any) -> None:
    """Some programs are only found."""
    with pytest.raises(ProgramError, match=r"git 2\.0\.0 is not on this machine") as caught:
        obtain([Program("git", "2.0.0")], places, Checksums(), told)
    assert caught.value.hint == "install git"


def test_leftovers_of_a_killed_process_are_swept(pages: Any, places: Places, told: Any, program: Program) -> None:
    """Half a build is 200 MB that nobody would ever look at again."""
    leftover = places.cache / "suite" / ".part-killed"
    leftover.mkdir(parents=True)
    obtain([program], with_go(places), Checksums(), told)
    assert not leftover.exists()
