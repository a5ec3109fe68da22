"""What a run without credentials has left as an artifact, made ready to be told on its pull request.

Runs in a workflow that follows that run (`on: workflow_run`). Which pull request it is about, the artifact can't say.
"""

from collections.abc import Mapping

from recon_action.action.end import End
from recon_action.action.inputs import target_of
from recon_action.errors import ExitCode, PublishError, UsageError
from recon_action.github import deliver, ledger
from recon_action.github.artifact import read_artifact
from recon_action.github.event import EventContext
from recon_action.github.inputs import input_name, read_input
from recon_action.github.proposed import page_of, why_silent
from recon_action.github.runner import Runner
from recon_action.model import Mode, Output
from recon_action.report.escape import prose
from recon_action.report.render import render
from recon_action.report.unverified import UNVERIFIED, Known, unverified


def published(environ: Mapping[str, str], runner: Runner, event: EventContext) -> End:
    """Read what the run before has left, and show it; on the pull request it is told as any other outcome.

    Raises:
        UsageError: nothing was named, or there was no run before.
        PublishError: what was left is no report that may be shown.
    """
    artifact, source = read_input(environ, "artifact"), event.source
    if source is None:
        raise UsageError(
            "mode publish tells of the run that this one follows, and there is none",
            hint="use it in a workflow with `on: workflow_run`",
        )
    if not artifact:
        raise UsageError("no report was named", hint=f"{input_name('artifact')} names it, or its folder")
    target = target_of(environ, event)
    if reason := why_silent(source):
        return _silent(runner, reason)
    report = read_artifact(artifact, target)
    if report is None:
        return _silent(runner, f"the run before has left no validation of {target}")
    page, run_url = page_of(event, source)
    report = unverified(report, Known(target, source.head, page=page, run_url=run_url))
    with runner.foreign():
        runner.say(render(report, Output.TEXT, color=True))
    codes, room = [ExitCode.OK], runner.summary_room - ledger.ROOM - len(UNVERIFIED.encode()) - 2
    try:
        runner.summarize(f"{UNVERIFIED}\n\n{render(report, Output.MARKDOWN, budget=room)}")
    except PublishError as error:
        runner.annotate([deliver.trouble(error)])
        codes.append(error.exit_code)
    return End(tuple(codes), deliver.outputs_without_report("unverified"), report, Mode.PUBLISH)


def _silent(runner: Runner, reason: str) -> End:
    """Nothing is to be told: that is how most runs end that follow another."""
    with runner.foreign():
        runner.say(f"nothing is published: {reason}")
    runner.summarize(f"### ⏭️ recon-action: nothing is published\n\n{prose(reason)}.\n")
    return End((ExitCode.OK,), deliver.outputs_without_report("skipped"))
