"""The run itself: the loop, or a preview, as the event and the inputs ask for."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from recon_action.action.end import End, reported, without_credentials
from recon_action.action.inputs import choice, has_credentials, settings_of
from recon_action.action.mode import base_of, mode_of
from recon_action.config.file import with_file
from recon_action.errors import FailOn
from recon_action.github.event import EventContext
from recon_action.github.inputs import read_flag, read_input, read_list
from recon_action.github.runner import Runner
from recon_action.model import Mode, Progress, Settings
from recon_action.report.document import Report
from recon_action.stop import Stop


class Reconcile(Protocol):
    """The loop, once; `reconcile.reconcile`."""

    def __call__(
        self,
        settings: Settings,
        mode: Mode,
        *,
        progress: Progress,
        now: Callable[[], datetime],
        run_url: str,
        stop: Stop | None,
    ) -> Report:
        """Observe, analyze, act, report."""


class Preview(Protocol):
    """What a pull request would change; `preview.preview`."""

    def __call__(  # noqa: PLR0913 - what `preview` takes
        self,
        settings: Settings,
        base: str,
        head: str,
        *,
        config: str,
        progress: Progress,
        now: Callable[[], datetime],
        run_url: str,
        stop: Stop | None,
    ) -> Report:
        """Compare two commits beside the cluster."""


def work(
    environ: Mapping[str, str],
    runner: Runner,
    fail_on: FailOn,
    event: EventContext,
    reconcile: Callable[..., Report],
    preview: Callable[..., Report],
) -> End:
    """The run from event to summary."""
    mode = mode_of(
        event,
        choice(environ, "mode"),
        read_list(environ, "apply-branches"),
        self_heal=read_flag(environ, "self-heal", default=True),
    )
    if event.foreign or (event.dependabot and event.is_pull_request and not has_credentials(environ)):
        return without_credentials(runner, event)
    with settings_of(environ, runner, fail_on) as chosen, runner.group(f"recon-action {mode}: progress"):
        config, log = read_input(environ, "config"), _Log(runner)
        if mode is Mode.PREVIEW:
            base = base_of(event, chosen.paths)
            report = preview(chosen, base, "HEAD", config=config, progress=log, run_url=event.run_url)
        else:
            report = reconcile(with_file(chosen, config), mode, progress=log, run_url=event.run_url)
    return reported(environ, runner, report, mode)


@dataclass(frozen=True, slots=True)
class _Log:
    """Progress as lines of the log, which has no place for bars."""

    runner: Runner

    def step(self, title: str, total: int | None = None) -> None:
        self.runner.say(f"{title} ({total})" if total is not None else title)

    def advance(self, count: int = 1) -> None:
        pass

    def note(self, text: str) -> None:
        self.runner.say(text)
