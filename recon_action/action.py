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
from pathlib import PurePath
from typing import Protocol, TextIO

from recon_action.config import default_target, settings
from recon_action.config.file import with_file
from recon_action.config.inputs import INPUTS, SHARED
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
from recon_action.github import deliver, ledger
from recon_action.github.event import EventContext, read_event
from recon_action.github.files import write_reports
from recon_action.github.inputs import input_name, read_flag, read_input, read_list
from recon_action.github.kubeconfig import kubeconfig_file
from recon_action.github.publish import Found, Publisher, Wishes
from recon_action.github.runner import Runner, random_token
from recon_action.model import Mode, Output, Progress, Settings
from recon_action.model.settings import CommentOn
from recon_action.preview import preview
from recon_action.reconcile import reconcile
from recon_action.report.document import Report
from recon_action.report.outcome import result_word
from recon_action.report.render import render
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
    runner, stop = Runner.of(environ, stdout, token), stop or Stop()
    began, fail_on, publisher = now(), FailOn.DRIFT, Publisher()
    try:
        fail_on = FailOn(_choice(environ, "fail-on"))
        publisher = Publisher(environ, read_event(environ), _wishes(environ, runner), stop.wait)
        bound = partial(reconcile, now=now, stop=stop), partial(preview, now=now, stop=stop)
        end = _run(environ, runner, fail_on, publisher.event, *bound)
    except ReconError as error:
        end = _stopped(runner, error)
    except KeyboardInterrupt:
        end = _stopped(runner, Interrupted("the run was cancelled", hint="nothing had begun; run it again"))
    except Exception as error:  # noqa: BLE001 - a bug ends here, so that outputs and summary tell of it
        end = _stopped(runner, _bug(runner, error))
    try:
        end = _tell(runner, publisher, end, fail_on, began)
    except Exception as error:  # noqa: BLE001 - nor does one here change what was done to the cluster
        bug = _bug(runner, error)
        runner.annotate([deliver.trouble(bug)])
        end = replace(end, codes=(*end.codes, bug.exit_code))
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
    """How a run ended.

    Args:
        codes: all that occurred.
        outputs: but for the exit code.
        outcome: the report, or what stopped the run; None if it was skipped.
        mode: what it did, None if it did not come so far.
    """

    codes: tuple[ExitCode, ...]
    outputs: Mapping[str, str]
    outcome: Report | ReconError | None = None
    mode: Mode | None = None


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


def _wishes(environ: Mapping[str, str], runner: Runner) -> Wishes:
    """What is to be published, and with which token."""
    token = read_input(environ, "github-token")
    if token:
        runner.mask([token])
    return Wishes(
        token=token,
        comment=_choice(environ, "comment") != "off",
        comment_on=CommentOn(_choice(environ, "comment-on")),
        check_run=_choice(environ, "check-run") != "off",
        verify=read_input(environ, "ssl-verify") or "true",
    )


def _run(
    environ: Mapping[str, str],
    runner: Runner,
    fail_on: FailOn,
    event: EventContext,
    reconcile: Callable[..., Report],
    preview: Callable[..., Report],
) -> _End:
    """The run from event to summary."""
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
    return _publish(environ, runner, report, mode)


@contextmanager
def _settings(environ: Mapping[str, str], runner: Runner, fail_on: FailOn) -> Iterator[Settings]:
    values: dict[str, str | bool] = {}
    for option in SHARED:
        if option.flag:
            values[option.name] = read_flag(environ, option.name, default=option.default == "true")
        else:
            values[option.name] = read_input(environ, option.name)
    values["fail-on"] = fail_on.value
    paths = read_list(environ, "paths")
    with kubeconfig_file(str(values["kubeconfig"]), environ, runner.mask) as file:
        chosen = settings({**values, "kubeconfig": file}, paths=paths, names=input_name)
        yield chosen


def _publish(environ: Mapping[str, str], runner: Runner, report: Report, mode: Mode) -> _End:
    """Log, summary and files of a finished run; what can't be delivered is said, and costs exit 8."""
    with runner.foreign():
        runner.say(render(report, Output.TEXT, color=True))
    texts = {"json": render(report, Output.JSON), "md": render(report, Output.MARKDOWN)}
    codes, path = [report.exit_code], ""
    try:
        path = write_reports(environ, f"{report.target}-{report.mode}", texts)
        runner.summarize(render(report, Output.MARKDOWN, budget=runner.summary_room - ledger.ROOM))
    except PublishError as error:
        runner.annotate([deliver.trouble(error)])
        codes.append(error.exit_code)
    return _End(tuple(codes), deliver.outputs(report, path), report, mode)


def _tell(runner: Runner, publisher: Publisher, end: _End, fail_on: FailOn, began: datetime) -> _End:
    """Tell of the run on GitHub, then in annotations what is not told beside the manifests already."""
    if end.outcome is None:
        return end
    report = end.outcome if isinstance(end.outcome, Report) else None
    target = report.target if report else _target(publisher)
    published = publisher.publish(Found(target, end.outcome, fail_on, began), end.mode)
    codes = [*end.codes, *ledger.codes(published.lines)]
    own = [one for one in deliver.annotations(report) if one not in published.annotated] if report else []
    if left_out := runner.annotate([*ledger.annotations(published.lines, deliver.TITLE), *own]):
        runner.say(deliver.left_out(left_out))
    try:
        runner.summarize(ledger.summary(published.lines))
    except PublishError as error:
        runner.annotate([deliver.trouble(error)])
        codes.append(error.exit_code)
    return replace(end, codes=tuple(codes))


def _target(publisher: Publisher) -> str:
    """The target's name, of a run that did not come so far as to say."""
    paths = read_list(publisher.environ, "paths")
    path = PurePath(paths[0]).as_posix() if paths else ""
    return read_input(publisher.environ, "target") or default_target(publisher.event.repository, path)


def _stopped(runner: Runner, error: ReconError) -> _End:
    """Tell of an error that stopped the run."""
    runner.annotate([deliver.trouble(error)])
    codes = [error.exit_code]
    try:
        runner.summarize(deliver.error_summary(error, runner.summary_room - ledger.ROOM))
    except PublishError as unwritten:
        runner.annotate([deliver.trouble(unwritten)])
        codes.append(unwritten.exit_code)
    result = result_word(error.exit_code, {})
    return _End(tuple(codes), deliver.outputs_without_report(result), error)


def _bug(runner: Runner, error: Exception) -> ReconError:
    """A bug as an error, its traceback in the log, without the exception's words, which may quote a secret."""
    with runner.foreign():
        runner.say("".join(traceback.format_tb(error.__traceback__)))
    return ReconError(
        f"a bug in recon-action: {type(error).__name__}",
        hint="please report it, with the traceback in this step's log",
    )


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
