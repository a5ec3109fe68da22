"""`tools`: the programs that render sources, from the command line."""

import os

import click

from recon_action.cli.progress import StderrProgress
from recon_action.desired.sources.tools import PROGRAMS, install, tool_places
from recon_action.programs.places import find

_NAMES = tuple(program.name for program in PROGRAMS)


@click.group(short_help="kustomize, helm and sops: install, list, path.")
def tools() -> None:
    """The programs that kustomizations, charts and encrypted files need.

    They are taken from the folder that RECON_TOOLS names, from PATH whatever their version, else from the cache, into
    which `install` puts them.
    """


@tools.command("install")
@click.argument("names", nargs=-1, type=click.Choice(_NAMES), metavar="[NAME]...")
def install_(names: tuple[str, ...]) -> None:
    """Get what is missing: downloaded where a checksum is pinned, else built with Go (minutes, once).

    NAME is kustomize, helm or sops; without one all three.
    """
    with StderrProgress() as progress:
        found = install(os.environ, progress, *names)
    for name, path in found.items():
        click.echo(f"{name}\t{path}")


@tools.command("list")
def list_() -> None:
    """Say where each one is, and in which version it would be installed."""
    places = tool_places(os.environ)
    for program in PROGRAMS:
        click.echo(f"{program.name}\t{find(program, places) or f'missing; install gets {program.version}'}")


@tools.command()
@click.argument("name", type=click.Choice(_NAMES), metavar="NAME")
def path(name: str) -> int:
    """Print where NAME is; exits 1 if it is missing."""
    program = next(program for program in PROGRAMS if program.name == name)
    found = find(program, tool_places(os.environ))
    if found is None:
        click.echo(f"{name} is missing; `recon-action tools install {name}` gets it", err=True)
        return 1
    click.echo(str(found))
    return 0
