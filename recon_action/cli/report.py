"""A report, to stdout and to files."""

import shutil
import sys
from pathlib import Path

import click

from recon_action.errors import UsageError
from recon_action.model import Settings
from recon_action.report import render
from recon_action.report.document import Report

_PIPE_WIDTH = 120  # columns where there is no terminal to ask


def show(report: Report, settings: Settings) -> None:
    """Print the report in the form that was asked for; stdout carries nothing else."""
    is_terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size((_PIPE_WIDTH, 0)).columns if is_terminal else _PIPE_WIDTH
    click.echo(render(report, settings.output, width=width, color=is_terminal), nl=False)


def write_files(report: Report, settings: Settings) -> None:
    """Write every report that `--report` asks for.

    Raises:
        UsageError: a file can't be written.
    """
    for wanted in settings.reports:
        text = render(report, wanted.output, width=_PIPE_WIDTH, color=False)
        try:
            Path(wanted.file).write_text(text, encoding="utf-8")
        except OSError as error:
            raise UsageError(
                f"--report {wanted.output}={wanted.file}: {error.strerror}", hint="name a file in a folder that exists"
            ) from error
