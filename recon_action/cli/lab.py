"""`lab`: a throw-away control plane from the command line."""

import os
import shlex
from contextlib import ExitStack

import click

from recon_action.cli.progress import StderrProgress
from recon_action.lab import LabOptions, standing, start
from recon_action.lab.binaries import PROGRAMS, get_binaries
from recon_action.lab.command import check_command, run_command
from recon_action.lab.options import NEWEST, VERSIONS

_NAME = click.option("--name", default="default", show_default=True, help="Which lab, if there are several.")
_CONTROLLERS = click.option(
    "--controllers",
    is_flag=True,
    help="Add controller-manager, scheduler and ready nodes, so that Deployments get pods. The pods' containers "
    "are simulated.",
)
_KUBERNETES = click.option(
    "--kubernetes",
    type=click.Choice(VERSIONS),
    default=NEWEST,
    show_default=True,
    help="The version whose behaviour the server shows.",
)


@click.group(short_help="A throw-away real control plane: up, down, exec, install.")
def lab() -> None:
    """A throw-away, real control plane on this machine, ready in seconds.

    It runs Kubernetes' own etcd and API server: no container, no root, nothing installed. The programs are
    taken from KUBEBUILDER_ASSETS, PATH or the cache, else downloaded, else built with Go (minutes, once).
    """


@lab.command()
@_NAME
@_CONTROLLERS
@_KUBERNETES
def up(name: str, kubernetes: str, *, controllers: bool) -> None:
    """Start a control plane that stays until `lab down`.

    What it prints on stdout is for the shell: eval "$(recon-action lab up)"
    """
    options = LabOptions(controllers=controllers, kubernetes=kubernetes)
    with StderrProgress() as progress:
        running = standing.up(name, options, os.environ, progress)
    down_command = "recon-action lab down" + ("" if name == "default" else f" --name {name}")
    click.echo(f"# Kubernetes {running.kubernetes} is up at {running.server}. `{down_command}` ends it.")
    click.echo(f'export PATH={shlex.quote(str(running.kubectl.parent))}:"$PATH"')
    for key, value in running.environment.items():
        click.echo(f"export {key}={shlex.quote(value)}")


@lab.command()
@_NAME
def down(name: str) -> None:
    """End a control plane that `lab up` started, and remove all of it."""
    with StderrProgress() as progress:
        was_up = standing.down(name, progress)
    others = f" (up: {', '.join(standing.names())})" if standing.names() else ""
    click.echo(f"Lab {name} is gone." if was_up else f"Lab {name} was not up{others}.", err=True)


@lab.command(
    "exec",
    short_help="Run CMD against a fresh control plane.",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@_CONTROLLERS
@_KUBERNETES
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- CMD...")
def exec_(command: tuple[str, ...], kubernetes: str, *, controllers: bool) -> int:
    """Run CMD against a fresh control plane, and exit with its exit code.

    CMD finds KUBECONFIG set, the server's own kubectl first on PATH, and in RECON_LAB_AUDIT_LOG a file with
    one line for each request. The control plane is gone when CMD ends, or when whoever started this does.

    \b
      recon-action lab exec -- kubectl get namespaces
      recon-action lab exec --controllers -- recon-action apply manifests/
      recon-action lab exec -- bash
    """  # noqa: D301 - to click, \b means: don't wrap
    parent = os.getppid()  # now: it may be gone before the control plane is ready
    check_command(command, os.environ)
    options = LabOptions(controllers=controllers, kubernetes=kubernetes)
    with ExitStack() as stack:
        with StderrProgress() as progress:  # not beyond the start: from then on the terminal is CMD's
            control_plane = stack.enter_context(start(options, environ=os.environ, progress=progress))
        return run_command(control_plane, command, os.environ, parent=parent)


@lab.command()
def install() -> None:
    """Get the lab's programs now, so that the first start is quick."""
    with StderrProgress() as progress:
        binaries = get_binaries(os.environ, progress)
    for program in PROGRAMS:
        click.echo(f"{program.name}\t{binaries[program.name]}")
