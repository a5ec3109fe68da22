"""The action: from the event to a mode, a run, and what the runner shows of it.

Decides which event does what (docs/reference) and what is published where. How the runner is spoken to is
`github`'s, what a run does `reconcile`'s. Everything from outside comes in as arguments; nothing here exits.
"""

import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from functools import partial
from typing import Protocol, TextIO

from recon_action.config import OPTIONS, Option, settings
from recon_action.config.file import with_file
from recon_action.desired import parents_of, revision_of
from recon_action.errors import (
    ExitCode,
    FailOn,
    Interrupted,
    PublishError,
    ReconError,
    RefusedError,
    UsageError,
    combine,
)
from recon_action.github import deliver
from recon_action.github.event import EventContext, read_event
from recon_action.github.files import write_reports
from recon_action.github.inputs import input_name, read_flag, read_input, read_list
from recon_action.github.kubeconfig import kubeconfig_file
from recon_action.github.runner import Runner, random_token
from recon_action.model import Mode, Output, Progress, Settings
from recon_action.preview import preview
from recon_action.reconcile import reconcile
from recon_action.report.document import Report
from recon_action.report.outcome import result_word
from recon_action.report.render import render
from recon_action.stop import Stop

_MODES = (Mode.DIFF, Mode.APPLY, Mode.PREVIEW)
_OWN = (
    Option("paths", "Manifests: files, folders or globs, one a line or parted by commas.", many=True),
    Option(
        "mode",
        "What to do; auto is by the event.",
        default="auto",
        choices=("auto", *_MODES),
    ),
    Option("self-heal", "Whether a scheduled run corrects drift, or only reports it.", default="true", flag=True),
    Option("apply-branches", "Branches whose pushes are applied, as globs. Default: the default branch.", many=True),
)


def _as_input(option: Option) -> Option:
    """An option as an input; two mean something else here than on a command line."""
    match option.name:
        case "kubeconfig":
            return replace(
                option, help="Kubeconfig: a path, or the file's text, plain or in base64. Default: KUBECONFIG."
            )
        case "fail-on":
            return replace(option, default=FailOn.ERROR.value)
        case _:
            return option


_SHARED = tuple(_as_input(option) for option in OPTIONS if option.action)
INPUTS: tuple[Option, ...] = (*_OWN, *_SHARED)
REQUIRED = frozenset({"paths"})


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


def run(
    environ: Mapping[str, str],
    stdout: TextIO,
    *,
    reconcile: Reconcile = reconcile,
    preview: Preview = preview,
    stop: Stop | None = None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
    token: Callable[[], str] = random_token,
) -> ExitCode:
    """Do what the event and the inputs ask for; how the step ends."""
    runner = Runner.of(environ, stdout, token)
    fail_on = FailOn.DRIFT
    try:
        fail_on = FailOn(_choice(environ, "fail-on"))
        bound = partial(reconcile, now=now, stop=stop), partial(preview, now=now, stop=stop)
        end = _run(environ, runner, fail_on, *bound)
    except ReconError as error:
        end = _stopped(runner, error)
    except KeyboardInterrupt:
        end = _stopped(runner, Interrupted("the run was cancelled", hint="nothing had begun; run it again"))
    except Exception as error:  # noqa: BLE001 - a bug ends here, so that outputs and summary tell of it
        with runner.foreign():  # without the exception's words, which may quote a secret
            runner.say("".join(traceback.format_tb(error.__traceback__)))
        bug = ReconError(
            f"a bug in recon-action: {type(error).__name__}",
            hint="please report it, with the traceback in this step's log",
        )
        end = _stopped(runner, bug)
    return _settle(runner, end, fail_on)


def mode_of(event: EventContext, asked: str, apply_branches: tuple[str, ...], *, self_heal: bool) -> Mode:
    """What a run does: as `asked` ("diff", "apply"), or for "auto" what the event stands for.

    Raises:
        RefusedError: the event gives strangers' code our credentials.
    """
    if event.name == "pull_request_target":
        raise RefusedError(
            "pull_request_target is refused: it hands the repository's secrets to a pull request that anybody may open",
            hint="use `on: pull_request`; pull requests of forks then run without secrets",
        )
    if asked != "auto":
        return Mode(asked)
    if event.name == "schedule":
        return Mode.APPLY if self_heal else Mode.DIFF
    if event.name == "push" and not event.deleted and event.branch:
        branches = apply_branches or (event.default_branch,)
        if any(fnmatchcase(event.branch, branch) for branch in branches):
            return Mode.APPLY
    return Mode.PREVIEW if event.name in {"pull_request", "merge_group"} else Mode.DIFF


def base_of(event: EventContext, paths: Sequence[str]) -> str:
    """The commit that a preview compares with: what the trial merge went into, where that is checked out.

    The payload's base is older than that if the base branch has moved since the event.
    """
    revision = revision_of(paths)
    parents = parents_of(revision.root, "HEAD") if revision else ()
    if len(parents) == 2 and event.head in {parents[1], event.sha}:
        return parents[0]
    return event.base or f"origin/{event.default_branch or 'HEAD'}"


@dataclass(frozen=True, slots=True)
class _End:
    """How a run ended: all that occurred, and the outputs but for the exit code."""

    codes: tuple[ExitCode, ...]
    outputs: Mapping[str, str]


def _choice(environ: Mapping[str, str], name: str) -> str:
    """The value of an input that knows only a few."""
    option = next(option for option in INPUTS if option.name == name)
    text = read_input(environ, name) or option.default
    if text not in option.choices:
        raise UsageError(
            f"{input_name(name)}: {text!r} is none of {', '.join(option.choices)}",
            hint=f"{input_name(name)}: {option.help}",
        )
    return text


def _run(
    environ: Mapping[str, str],
    runner: Runner,
    fail_on: FailOn,
    reconcile: Callable[..., Report],
    preview: Callable[..., Report],
) -> _End:
    """The run from event to summary."""
    event = read_event(environ)
    mode = mode_of(
        event,
        _choice(environ, "mode"),
        read_list(environ, "apply-branches"),
        self_heal=read_flag(environ, "self-heal", default=True),
    )
    if event.foreign or (event.dependabot and event.is_pull_request and not _has_credentials(environ)):
        return _without_credentials(runner, event)
    with _settings(environ, runner, fail_on) as chosen, runner.group(f"recon-action {mode}: progress"):
        config, log = read_input(environ, "config"), _Log(runner)
        if mode is Mode.PREVIEW:
            base = base_of(event, chosen.paths)
            report = preview(chosen, base, "HEAD", config=config, progress=log, run_url=event.run_url)
        else:
            report = reconcile(with_file(chosen, config), mode, progress=log, run_url=event.run_url)
    return _publish(environ, runner, report)


@contextmanager
def _settings(environ: Mapping[str, str], runner: Runner, fail_on: FailOn) -> Iterator[Settings]:
    values: dict[str, str | bool] = {}
    for option in _SHARED:
        if option.flag:
            values[option.name] = read_flag(environ, option.name, default=option.default == "true")
        else:
            values[option.name] = read_input(environ, option.name)
    values["fail-on"] = fail_on.value
    paths = read_list(environ, "paths")
    with kubeconfig_file(str(values["kubeconfig"]), environ, runner.mask) as file:
        chosen = settings({**values, "kubeconfig": file}, paths=paths, names=input_name)
        yield chosen


def _publish(environ: Mapping[str, str], runner: Runner, report: Report) -> _End:
    """Log, annotations, summary and files of a finished run; what can't be delivered is said, and costs exit 8."""
    with runner.foreign():
        runner.say(render(report, Output.TEXT, color=True))
    if left_out := runner.annotate(deliver.annotations(report)):
        runner.say(deliver.left_out(left_out))
    texts = {"json": render(report, Output.JSON), "md": render(report, Output.MARKDOWN)}
    codes, path = [report.exit_code], ""
    try:
        path = write_reports(environ, f"{report.target}-{report.mode}", texts)
        runner.summarize(render(report, Output.MARKDOWN, budget=runner.summary_room))
    except PublishError as error:
        runner.annotate([deliver.trouble(error)])
        codes.append(error.exit_code)
    return _End(tuple(codes), deliver.outputs(report, path))


def _stopped(runner: Runner, error: ReconError) -> _End:
    """Tell of an error that stopped the run."""
    runner.annotate([deliver.trouble(error)])
    codes = [error.exit_code]
    try:
        runner.summarize(deliver.error_summary(error))
    except PublishError as unwritten:
        runner.annotate([deliver.trouble(unwritten)])
        codes.append(unwritten.exit_code)
    result = result_word(error.exit_code, {})
    return _End(tuple(codes), deliver.outputs_without_report(result))


def _without_credentials(runner: Runner, event: EventContext) -> _End:
    """A pull request whose runs get no secrets: say so, and leave the check green."""
    text = (
        f"A pull request of {'a fork' if event.foreign else 'Dependabot'} runs without the repository's secrets, "
        "so the cluster was not asked: nothing was compared and nothing was changed."
    )
    runner.annotate([deliver.remark(text)])
    runner.summarize(f"### ⏭️ recon-action: skipped\n\n{text}\n")
    return _End((ExitCode.OK,), deliver.outputs_without_report("skipped"))


def _has_credentials(environ: Mapping[str, str]) -> bool:
    named = read_input(environ, "kubeconfig") or environ.get("KUBECONFIG")
    return bool(named or environ.get("KUBERNETES_SERVICE_HOST"))


def _settle(runner: Runner, end: _End, fail_on: FailOn) -> ExitCode:
    """Write the outputs, last: whatever happens to them, everything else has been said by now."""
    codes = list(end.codes)
    try:
        # The run's own code, so that a workflow can tell a difference even where it does not fail the step.
        runner.output({**end.outputs, "exit-code": str(int(combine(codes)))})
    except PublishError as error:
        runner.annotate([deliver.trouble(error)])
        codes.append(error.exit_code)
    return combine(codes, fail_on)


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
