"""The loop for ever: a real process that follows Git and outlives its API server."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from command import Locks
from target import Target, config_map

from recon_action.analyze.hold import HOLD
from recon_action.lab import Lab

_PATIENCE = 60.0


class _Watch:
    """A running `recon-action watch`, and what it has printed."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self.printed = ""
        for stream in (process.stdout, process.stderr):
            threading.Thread(target=self._collect, args=(stream,), daemon=True).start()

    def _collect(self, stream: "Iterator[str]") -> None:
        for line in stream:
            self.printed += line

    def forget(self) -> None:
        self.printed = ""

    def until(self, condition: Callable[[], bool], what: str) -> None:
        end = time.monotonic() + _PATIENCE
        while not condition():
            assert time.monotonic() < end, f"never {what}; printed:\n{self.printed}"
            assert self.process.poll() is None, f"watch ended with {self.process.returncode}:\n{self.printed}"
            time.sleep(0.1)

    def says(self, text: str) -> None:
        self.until(lambda: text in self.printed, f"said {text!r}")


@contextmanager
def _watching(target: Target, *options: str) -> Iterator[_Watch]:
    arguments = ["watch", "--interval", "1s", "--no-wait", "--target", "watched", *options, str(target.folder)]
    environment = dict(os.environ) | {"KUBECONFIG": str(target.lab.kubeconfig)}
    with subprocess.Popen(
        [sys.executable, "-m", "recon_action", *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield _Watch(process)
        finally:
            process.kill()


@pytest.fixture
def target(own_lab: Callable[..., Lab], tmp_path: Path) -> Target:
    """A target on a lab whose server may be stopped."""
    target = Target(own_lab(), "default", tmp_path)
    target.write("a.yaml", config_map("a"))
    target.write("b.yaml", config_map("b"))
    return target


def _data(target: Target) -> str:
    return target.kubectl("get", "configmap", "a", "-o", "jsonpath={.data.a}", check=False)


def test_watch_undoes_changes_and_outlives_its_server(target: Target) -> None:
    """A change by hand is undone within a round, also after the API server was away; SIGTERM ends it with 130."""
    with _watching(target) as watch:
        watch.says("in sync")
        watch.forget()
        target.kubectl("patch", "configmap", "a", "-p", '{"data":{"a":"changed"}}')
        watch.until(lambda: _data(target) == "1", "undid the change")
        watch.says("kubectl-patch")
        target.lab.stop_server(grace=0)
        watch.says("trying again")
        target.lab.start_server()
        watch.forget()
        watch.says("in sync")
        target.kubectl("delete", "configmap", "a")
        watch.until(lambda: _data(target) == "1", "made the object anew")
        watch.process.send_signal(signal.SIGTERM)
        assert watch.process.wait(10) == 130
    assert not Locks(target, "watched").exists()


def test_watch_follows_git(own_lab: Callable[..., Lab], tmp_path: Path) -> None:
    """With --git-pull a commit upstream reaches the cluster without anyone touching the clone."""
    upstream, clone = tmp_path / "upstream", tmp_path / "clone"
    _git(tmp_path, "init", "--quiet", "--initial-branch=main", str(upstream))
    (upstream / "a.yaml").write_text(config_map("a"))
    _commit(upstream)
    _git(tmp_path, "clone", "--quiet", str(upstream), str(clone))
    target = Target(own_lab(), "default", clone)
    with _watching(target, "--git-pull") as watch:
        watch.says("in sync")
        (upstream / "a.yaml").write_text(config_map("a").replace('"1"', '"2"'))
        _commit(upstream)
        watch.until(lambda: _data(target) == "2", "applied the new commit")


def test_watch_follows_recon_yaml(target: Target, tmp_path: Path) -> None:
    """A rule counts from the next round on; a mistake in it stops the rounds, not the watch."""
    config = tmp_path / "recon.yaml"
    config.write_text("{}")
    with _watching(target, "--config", str(config)) as watch:
        watch.says("in sync")
        config.write_text("ignored: []")
        watch.says("did you mean 'ignore'? (correct")
        config.write_text("ignore: [{match: {name: a}, fields: [data.a]}]")
        watch.forget()
        watch.says("in sync")
        target.kubectl("patch", "configmap", "a", "-p", '{"data":{"a":"changed"}}')
        watch.says("in sync, 2 objects, 1 of them ignored")
        assert _data(target) == "changed"
        until = datetime.now(UTC) + timedelta(hours=1)
        target.kubectl("annotate", "configmap", "a", f"{HOLD}={until:%Y-%m-%dT%H:%M:%SZ} the reason")
        watch.says("in sync, 2 objects, 1 of them skipped")
        config.unlink()
        watch.says("can't be read: No such file")


def test_watch_ends_by_itself(target: Target) -> None:
    """With --for it ends after that time, with the last round's exit code."""
    with _watching(target, "--for", "3s") as watch:
        assert watch.process.wait(30) == 0


def _git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def _commit(folder: Path) -> None:
    _git(folder, "add", "--all")
    _git(folder, "commit", "--quiet", "--message=change")
