"""`config.OPTIONS` as click options, and their values as `Settings`."""

import logging
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, TypeVar

import click

from recon_action.cli.access import with_token
from recon_action.config import OPTIONS, Option, settings
from recon_action.config.file import with_file
from recon_action.model import Settings

_EVERY_REQUEST = 2  # -vv

_Function = TypeVar("_Function", bound=Callable[..., Any])


def shared_options(function: _Function) -> _Function:
    """Give a command every shared option, PATHs and `-v`."""
    function = some_options(*(option.name for option in OPTIONS))(function)
    return click.argument("paths", nargs=-1, metavar="PATH...")(function)


def some_options(*names: str) -> Callable[[_Function], _Function]:
    """Give a command the shared options of these names alone, and `-v`."""

    def decorate(function: _Function) -> _Function:
        for option in reversed([option for option in OPTIONS if option.name in names]):
            function = _decorator(option)(function)
        return click.option("-v", "--verbose", count=True, help="Say more on stderr; twice for every request.")(
            function
        )

    return decorate


class Harmless(logging.Formatter):
    """One line a record, without control characters or commands to a runner: it may quote servers and files."""

    def format(self, record: logging.LogRecord) -> str:
        """The record's message."""
        from recon_action.report.escape import inert, visible  # noqa: PLC0415 - only a log needs it

        return inert(visible(record.getMessage()))


def read_settings(paths: Iterable[str] | None, values: dict[str, Any], *, with_config: bool = True) -> Settings:
    """The settings of a command, from what click parsed, and from recon.yaml unless that is read elsewhere.

    Args:
        paths: None for a command that takes none.
        values: of the options that the command has.
        with_config: whether recon.yaml is read.

    Raises:
        UsageError: a value, or recon.yaml, is wrong.
    """
    verbose = values.pop("verbose")
    if verbose >= _EVERY_REQUEST:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(Harmless())
        logging.basicConfig(handlers=[handler])
        logging.getLogger("recon_action").setLevel(logging.DEBUG)
    named = {option.name: values[option.key] for option in OPTIONS if option.key in values}
    chosen = settings(named, paths=None if paths is None else tuple(paths), verbose=verbose)
    chosen = replace(chosen, access=with_token(chosen.access))
    return with_file(chosen, named["config"]) if with_config else chosen


def _decorator(option: Option) -> Callable[[_Function], _Function]:
    names = [f"--{option.name}/--no-{option.name}" if option.flag else f"--{option.name}"]
    names += [f"-{option.short}"] if option.short else []
    if option.flag:
        return click.option(
            *names,
            option.key,
            is_flag=True,
            default=option.default == "true",
            show_default=True,
            envvar=option.variable,
            show_envvar=False,
            help=option.help,
        )
    return click.option(
        *names,
        option.key,
        type=click.Choice(option.choices) if option.choices else click.STRING,
        default=() if option.many else option.default,
        show_default=bool(option.default),
        multiple=option.many,
        metavar=option.metavar or None,
        envvar=option.variable,
        help=option.help,
    )
