"""The root command, and the one place where an error becomes a message and an exit code."""

import signal
import traceback
from collections.abc import Sequence
from importlib import import_module
from types import FrameType

import click

from recon_action import __version__
from recon_action.errors import ExitCode, ReconError

# Command, where it lives, and its line in the root's help: `--help` must not import them all.
_COMMANDS = {
    "diff": ("recon_action.cli.loop:diff", "Compare the cluster with PATHs; change nothing."),
    "apply": ("recon_action.cli.loop:apply", "Make the cluster as PATHs say, once."),
    "preview": ("recon_action.cli.preview:preview", "Tell what a change in Git would change in the cluster."),
    "validate": ("recon_action.cli.validate:validate", "Check PATHs without a cluster."),
    "watch": ("recon_action.cli.loop:watch", "Make the cluster as PATHs say, again and again."),
    "hold": ("recon_action.cli.hold:hold", "Leave one object as it is for some hours."),
    "release": ("recon_action.cli.leave:release", "Give a target's objects back, and leave no trace."),
    "delete": ("recon_action.cli.leave:delete", "Delete what a target manages."),
    "init": ("recon_action.cli.init:init", "Write recon.yaml and workflows for this repository."),
    "rbac": ("recon_action.cli.rbac:rbac", "Print the least roles for PATHs."),
    "config": ("recon_action.cli.config:config", "Check recon.yaml."),
    "lab": ("recon_action.cli.lab:lab", "A throw-away real control plane: up, down, exec, install."),
    "tools": ("recon_action.cli.tools:tools", "kustomize, helm and sops: install, list, path."),
    "demo": ("recon_action.cli.demo:demo", "The whole story on a throw-away control plane."),
    "publish": ("recon_action.cli.publish:publish", "Tell on its pull request what a run without credentials found."),
    "action": ("recon_action.cli.action:action", "What the GitHub Action's container runs."),
}


class _Commands(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            return None
        module, _, name = _COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in _COMMANDS.items()])


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 in sync, 1 different, 2 usage, 3 manifests, 4 cluster, 5 apply incomplete, "
    "6 unhealthy, 7 locked by another run, 9 refused by the guard, 70 a bug, 130 interrupted.",
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
)
@click.version_option(__version__, prog_name="recon-action")
@click.pass_context
def root(context: click.Context) -> None:
    """Keep a Kubernetes cluster as Git says: observe, analyze, act, report."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; gives the exit code and never raises."""
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        end = root.main(arguments, prog_name="recon-action", standalone_mode=False)
    except SystemExit as gone:  # click's own, when the reader of our output has left
        return int(gone.code or ExitCode.OK)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - told apart below
        return _code_of(error)
    else:
        if isinstance(end, int):
            return end
    return ExitCode.OK


def _code_of(error: BaseException) -> int:
    match error:
        case ReconError():
            return tell(error)
        case click.exceptions.Abort() | KeyboardInterrupt():
            click.echo("interrupted", err=True)
            return ExitCode.INTERRUPTED
        case click.ClickException():
            error.show()
            return ExitCode.USAGE
        case _:
            return _bug(error)


def tell(error: ReconError, target: str = "") -> ExitCode:
    """Say what stopped a run, of `target` if there are several; gives its exit code."""
    of = f"{target}: " if target else ""
    click.echo(f"{click.style('error:', fg='red', bold=True)} {of}{_harmless(error.message)}", err=True)
    if error.hint:
        click.echo(f"{click.style('hint:', fg='yellow')} {_harmless(error.hint)}", err=True)
    return error.exit_code


def _harmless(text: str) -> str:
    """`text` line by line, without control characters or commands to a runner: it may quote files and servers."""
    from recon_action.report.escape import inert, visible  # noqa: PLC0415 - only errors need it

    return "\n".join(inert(visible(line)) for line in text.split("\n"))


def _bug(error: BaseException) -> int:
    """Say where it happened; an exception's own words may quote a secret."""
    click.echo("".join(traceback.format_tb(error.__traceback__)), err=True, nl=False)
    click.echo(
        f"{click.style('bug:', fg='red', bold=True)} {type(error).__name__}; please report it with the lines above",
        err=True,
    )
    return ExitCode.BUG


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
