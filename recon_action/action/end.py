"""How a run ended, told to the runner: log, summary, files, annotations."""

import traceback
from collections.abc import Mapping
from dataclasses import dataclass

from recon_action.errors import ExitCode, PublishError, ReconError
from recon_action.github import deliver, ledger
from recon_action.github.files import write_reports
from recon_action.github.runner import Runner
from recon_action.model import Mode, Output
from recon_action.report.document import Report
from recon_action.report.outcome import result_word
from recon_action.report.render import render


@dataclass(frozen=True, slots=True)
class End:
    """How a run ended.

    Args:
        codes: all that occurred.
        outputs: but for the exit code.
        outcome: the report, or what stopped the run; None if it was skipped.
        mode: what it did, None if it did not come so far.
        said: what came of an order, as Markdown, where that is no outcome.
    """

    codes: tuple[ExitCode, ...]
    outputs: Mapping[str, str]
    outcome: Report | ReconError | None = None
    mode: Mode | None = None
    said: str = ""


def reported(environ: Mapping[str, str], runner: Runner, report: Report, mode: Mode) -> End:
    """Log, summary and files of a finished run; what can't be delivered is said, and costs exit 8."""
    with runner.foreign():
        runner.say(render(report, Output.TEXT, color=True))
    forms = {"json": Output.JSON, "md": Output.MARKDOWN, "sarif": Output.SARIF}
    texts = {suffix: render(report, form) for suffix, form in forms.items()}
    codes: list[ExitCode] = [report.exit_code]
    files: Mapping[str, str] = {}
    try:
        files = write_reports(environ, f"{report.target}-{report.mode}", texts)
        runner.summarize(render(report, Output.MARKDOWN, budget=runner.summary_room - ledger.ROOM))
    except PublishError as error:
        runner.annotate([deliver.trouble(error)])
        codes.append(error.exit_code)
    return End(tuple(codes), deliver.outputs(report, files), report, mode)


def stopped(runner: Runner, error: ReconError) -> End:
    """Tell of an error that stopped the run."""
    runner.annotate([deliver.trouble(error)])
    codes = [error.exit_code]
    try:
        runner.summarize(deliver.error_summary(error, runner.summary_room - ledger.ROOM))
    except PublishError as unwritten:
        runner.annotate([deliver.trouble(unwritten)])
        codes.append(unwritten.exit_code)
    result = result_word(error.exit_code, {})
    return End(tuple(codes), deliver.outputs_without_report(result), error)


def bug_of(runner: Runner, error: Exception) -> ReconError:
    """A bug as an error, its traceback in the log, without the exception's words, which may quote a secret."""
    with runner.foreign():
        runner.say("".join(traceback.format_tb(error.__traceback__)))
    return ReconError(
        f"a bug in recon-action: {type(error).__name__}",
        hint="please report it, with the traceback in this step's log",
    )


def answered(runner: Runner, text: str) -> End:
    """An order that takes no report; `text` is what came of it."""
    runner.summarize(f"### 💬 recon-action: answered\n\n{text}\n")
    return End((ExitCode.OK,), deliver.outputs_without_report("answered"), said=text)


def skipped() -> End:
    """An event that is nothing to us."""
    return End((ExitCode.OK,), deliver.outputs_without_report("skipped"))
