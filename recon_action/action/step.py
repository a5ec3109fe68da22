"""The step, from the runner's environment to its exit code: whatever happens on the way, it is told."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import TextIO

from recon_action.action.answer import answer
from recon_action.action.end import End, bug_of, stopped
from recon_action.action.hearing import heard
from recon_action.action.inputs import choice, target_of, wishes_of
from recon_action.action.obey import Deeds, PutHold, Run, obey
from recon_action.action.work import Preview, Reconcile, meant, work
from recon_action.errors import ExitCode, FailOn, Interrupted, PublishError, ReconError, combine
from recon_action.github import deliver, ledger
from recon_action.github.event import read_event
from recon_action.github.found import Found
from recon_action.github.hearing import Asked
from recon_action.github.publish import Published, Publisher
from recon_action.github.runner import Runner, random_token
from recon_action.hold import hold
from recon_action.model import Mode
from recon_action.preview import preview
from recon_action.reconcile import reconcile
from recon_action.report.document import Report
from recon_action.stop import Stop
from recon_action.validate import validate


def run(  # noqa: PLR0913 - all that comes from outside comes in here
    environ: Mapping[str, str],
    stdout: TextIO,
    *,
    reconcile: Reconcile = reconcile,
    preview: Preview = preview,
    hold: PutHold = hold,
    stop: Stop | None = None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
    token: Callable[[], str] = random_token,
    write_pause: float = 1.0,
) -> ExitCode:
    """Do what the event and the inputs ask for; how the step ends."""
    runner, stop = Runner.of(environ, stdout, token), stop or Stop()
    began, fail_on, publisher, asked = now(), FailOn.DRIFT, Publisher(), None
    try:
        fail_on = FailOn(choice(environ, "fail-on"))
        publisher = Publisher(environ, read_event(environ), wishes_of(environ, runner), stop.wait, write_pause)
        asked = heard(environ, publisher)
        deeds = Deeds(partial(reconcile, now=now, stop=stop), partial(preview, now=now, stop=stop), hold, now)
        if asked is not None:
            end = obey(Run(environ, runner, fail_on, publisher, deeds), asked)
        else:
            check = partial(validate, now=now, stop=stop)
            end = work(environ, runner, fail_on, publisher.event, deeds.reconcile, deeds.preview, check)
    except ReconError as error:
        end = stopped(runner, error)
    except KeyboardInterrupt:
        end = stopped(runner, Interrupted("the run was cancelled", hint="nothing had begun; run it again"))
    except Exception as error:  # noqa: BLE001 - a bug ends here, so that outputs and summary tell of it
        end = stopped(runner, bug_of(runner, error))
    try:
        end = replace(end, mode=end.mode or meant(environ, publisher.event))
        end = _tell(runner, publisher, end, asked, fail_on, began)
    except Exception as error:  # noqa: BLE001 - nor does one here change what was done to the cluster
        bug = bug_of(runner, error)
        runner.annotate([deliver.trouble(bug)])
        end = replace(end, codes=(*end.codes, bug.exit_code))
    return _settle(runner, end, fail_on)


def _tell(runner: Runner, publisher: Publisher, end: End, asked: Asked | None, fail_on: FailOn, began: datetime) -> End:
    """Tell of the run on GitHub, then in annotations what is not told beside the manifests already."""
    if end.outcome is None and asked is None:
        return end
    report = end.outcome if isinstance(end.outcome, Report) else None
    target = report.target if report else target_of(publisher.environ, publisher.event)
    published = publisher.publish(Found(target, end.outcome, fail_on, began), end.mode) if end.outcome else Published()
    if asked is not None:
        published = replace(published, lines=(*published.lines, answer(publisher, asked, end, target, began)))
    codes = [*end.codes, *ledger.codes(published.lines)]
    is_ours = report is not None and end.mode is not Mode.PUBLISH  # else of another run, and another commit
    own = [one for one in deliver.annotations(report) if one not in published.annotated] if report and is_ours else []
    if left_out := runner.annotate([*ledger.annotations(published.lines, deliver.TITLE), *own]):
        runner.say(deliver.left_out(left_out))
    try:
        runner.summarize(ledger.summary(published.lines))
    except PublishError as error:
        runner.annotate([deliver.trouble(error)])
        codes.append(error.exit_code)
    return replace(end, codes=tuple(codes), outputs={**end.outputs, **published.outputs})


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
