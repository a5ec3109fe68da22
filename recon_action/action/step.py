"""The step, from the runner's environment to its exit code: whatever happens on the way, it is told."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import TextIO

from recon_action.action.end import End, bug_of, stopped
from recon_action.action.inputs import choice, target_of, wishes_of
from recon_action.action.work import Preview, Reconcile, work
from recon_action.errors import ExitCode, FailOn, Interrupted, PublishError, ReconError, combine
from recon_action.github import deliver, ledger
from recon_action.github.event import read_event
from recon_action.github.found import Found
from recon_action.github.publish import Publisher
from recon_action.github.runner import Runner, random_token
from recon_action.preview import preview
from recon_action.reconcile import reconcile
from recon_action.report.document import Report
from recon_action.stop import Stop


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
        fail_on = FailOn(choice(environ, "fail-on"))
        publisher = Publisher(environ, read_event(environ), wishes_of(environ, runner), stop.wait)
        bound = partial(reconcile, now=now, stop=stop), partial(preview, now=now, stop=stop)
        end = work(environ, runner, fail_on, publisher.event, *bound)
    except ReconError as error:
        end = stopped(runner, error)
    except KeyboardInterrupt:
        end = stopped(runner, Interrupted("the run was cancelled", hint="nothing had begun; run it again"))
    except Exception as error:  # noqa: BLE001 - a bug ends here, so that outputs and summary tell of it
        end = stopped(runner, bug_of(runner, error))
    try:
        end = _tell(runner, publisher, end, fail_on, began)
    except Exception as error:  # noqa: BLE001 - nor does one here change what was done to the cluster
        bug = bug_of(runner, error)
        runner.annotate([deliver.trouble(bug)])
        end = replace(end, codes=(*end.codes, bug.exit_code))
    return _settle(runner, end, fail_on)


def _tell(runner: Runner, publisher: Publisher, end: End, fail_on: FailOn, began: datetime) -> End:
    """Tell of the run on GitHub, then in annotations what is not told beside the manifests already."""
    if end.outcome is None:
        return end
    report = end.outcome if isinstance(end.outcome, Report) else None
    target = report.target if report else target_of(publisher.environ, publisher.event)
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


def _settle(runner: Runner, end: End, fail_on: FailOn) -> ExitCode:
    """Write the outputs, last: whatever happens to them, everything else has been said by now."""
    codes = list(end.codes)
    try:
        # The run's own code, so that a workflow can tell a difference even where it does not fail the step.
        runner.output({**end.outputs, "exit-code": str(int(combine(codes)))})
    except PublishError as error:
        runner.annotate([deliver.trouble(error)])
        codes.append(error.exit_code)
    return combine(codes, fail_on)
