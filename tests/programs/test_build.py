"""What Go is told, what a person sees meanwhile, and what is said when it fails."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from recon_action.errors import ProgramError
from recon_action.programs.build import Display, build, find_go
from recon_action.programs.program import GoModule, Platform, this_platform

LINUX = Platform("linux", "amd64")


@pytest.fixture
def module(tmp_path: Path) -> GoModule:
    folder = tmp_path / "source"
    folder.mkdir()
    return GoModule("suite", "the suite", "1.0.0", folder, ".", ("tool", "other"), ("main.version=v1.0.0",))


def fake_go(tmp_path: Path, build_script: str) -> Path:
    """A `go` that records how it was called."""
    go = tmp_path / "go"
    go.write_text(
        f'#!/bin/sh\necho "$@" >> {tmp_path}/calls\nenv > {tmp_path}/env\n'
        f"[ $1 = list ] && {{ printf 'fmt\\nos\\nmain\\n'; exit 0; }}\n{build_script}\n"
    )
    go.chmod(0o755)
    return go


MAKE = 'while [ "$1" != -o ]; do shift; done; echo made > "$2"'


def test_the_display_is_told_of_every_package(tmp_path: Path, module: GoModule, told: Any) -> None:
    """Lines that name a package are progress; the total is known before."""
    go = fake_go(tmp_path, f"echo runtime/internal >&2; echo golang.org/x/net/http2 >&2; {MAKE}")
    build(module, tmp_path / "out", go=go, platform=LINUX, progress=told)
    assert [total for _, total in told.steps] == [None, 3]
    assert told.count == 2


def test_a_log_is_told_twice_a_minute_that_it_goes_on(told: Any) -> None:
    """Where no bar moves, a line now and then says that nobody has to interrupt it."""
    now = [0.0]
    display = Display(told, 900, lambda: now[0])
    for second in range(0, 100, 10):
        now[0] = float(second)
        display.line(f"k8s.io/api/v{second}")
        display.beat()
    assert told.notes == [
        "still building after 0:30: 4 packages compiled, of 900 at most",
        "still building after 1:00: 7 packages compiled, of 900 at most",
        "still building after 1:30: 10 packages compiled, of 900 at most",
    ]


def test_every_name_is_there(tmp_path: Path, module: GoModule, told: Any) -> None:
    """The suite's one file, and a link for each program of it."""
    build(module, tmp_path / "out", go=fake_go(tmp_path, MAKE), platform=LINUX, progress=told)
    assert {each.name: each.read_text() for each in (tmp_path / "out").iterdir()} == {
        "suite": "made\n",
        "tool": "made\n",
        "other": "made\n",
    }
    assert (tmp_path / "out" / "tool").is_symlink()


def test_the_users_settings_do_not_change_what_is_built(
    tmp_path: Path, module: GoModule, told: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A GOFLAGS or go.work of somebody's own project must not reach this build; a proxy must."""
    for name, value in {
        "GOFLAGS": "-mod=vendor",
        "GOWORK": "/x/go.work",
        "GOOS": "plan9",
        "GOEXPERIMENT": "x",
        "GOPROXY": "https://proxy.example",
    }.items():
        monkeypatch.setenv(name, value)
    build(module, tmp_path / "out", go=fake_go(tmp_path, MAKE), platform=LINUX, progress=told)
    env = dict(line.split("=", 1) for line in (tmp_path / "env").read_text().splitlines() if "=" in line)
    assert (env["GOFLAGS"], env["GOWORK"], env["GOOS"], env["GOARCH"]) == ("-mod=readonly", "off", "linux", "amd64")
    assert env["CGO_ENABLED"] == "0"
    assert "GOEXPERIMENT" not in env
    assert env["GOPROXY"] == "https://proxy.example"
    called = (tmp_path / "calls").read_text().splitlines()[1]
    assert "-trimpath -buildvcs=false -ldflags -s -w -X main.version=v1.0.0 -o" in called


def test_a_failure_shows_gos_last_lines(tmp_path: Path, module: GoModule, told: Any) -> None:
    """What Go says is what helps; the packages before it aren't. Nothing is left."""
    script = "echo fmt >&2; seq -f 'line %g' 1 40 >&2; echo 'main.go:3:5: undefined: x' >&2; exit 1"
    with pytest.raises(ProgramError) as caught:
        build(module, tmp_path / "out", go=fake_go(tmp_path, script), platform=LINUX, progress=told)
    lines = caught.value.message.splitlines()
    assert lines[0] == "Go could not build the suite; the last it wrote:"
    assert lines[-1] == "  main.go:3:5: undefined: x"
    assert len(lines) == 21
    assert not (tmp_path / "out").exists()
    assert not list(tmp_path.glob(".part-*"))


def test_a_failure_to_get_the_sources_is_told(tmp_path: Path, module: GoModule, told: Any) -> None:
    """Without a module proxy the build ends before it begins."""
    go = tmp_path / "go"
    go.write_text("#!/bin/sh\necho 'go: dial tcp: lookup proxy.golang.org: no such host' >&2\nexit 1\n")
    go.chmod(0o755)
    with pytest.raises(ProgramError, match="no such host") as caught:
        build(module, tmp_path / "out", go=go, platform=LINUX, progress=told)
    assert "GOPROXY" in caught.value.hint


def test_a_rebuild_replaces(tmp_path: Path, module: GoModule, told: Any) -> None:
    """A folder that is there, but lacks the program, is no obstacle."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "stale").touch()
    build(module, tmp_path / "out", go=fake_go(tmp_path, MAKE), platform=LINUX, progress=told)
    assert not (tmp_path / "out" / "stale").exists()


def test_go_itself_builds(tmp_path: Path, module: GoModule, told: Any, require: Any) -> None:
    """The real Go accepts our flags, and the program knows its version."""
    found = shutil.which("go")
    require(found, "go is not on PATH")
    assert found
    (module.folder / "go.mod").write_text("module example.com/tool\n\ngo 1.21\n")
    (module.folder / "main.go").write_text("package main\n\nvar version string\n\nfunc main() { println(version) }\n")
    go = find_go(str(Path(found).parent))
    assert go == Path(found)
    build(module, tmp_path / "out", go=go, platform=this_platform(), progress=told)
    done = subprocess.run([tmp_path / "out" / "tool"], check=True, capture_output=True, text=True)
    assert done.stderr == "v1.0.0\n"


def test_no_go_is_none(tmp_path: Path) -> None:
    """A PATH without Go."""
    assert find_go(str(tmp_path)) is None
