"""`config.OPTIONS` as click options, and their values as `Settings`."""

import logging
import os.path
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from recon_action.cli.access import with_token
from recon_action.config import OPTIONS, Option
from recon_action.config.file import ConfigFile, read_config, with_config
from recon_action.config.targets import settings_of_targets, the_only
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


def read_settings(paths: Iterable[str] | None, values: Mapping[str, Any]) -> Settings:
    """The settings of a command that has to do with one target; as `read_targets`.

    Args:
        paths: None for a command that takes none.
        values: of the options that the command has.

    Raises:
        UsageError: as `read_targets`, or recon.yaml has several targets, and none of them is named.
    """
    return the_only(read_targets(paths, values), "this command")


def read_targets(
    paths: Iterable[str] | None, values: Mapping[str, Any], config: ConfigFile | None = None
) -> tuple[Settings, ...]:
    """The settings of each target that is meant, from what click parsed, and from recon.yaml.

    Args:
        paths: None for a command that takes none.
        values: of the options that the command has.
        config: what recon.yaml says; None for the file that the options name, as it lies there.

    Raises:
        UsageError: a value, or recon.yaml, is wrong.
    """
    if values["verbose"] >= _EVERY_REQUEST:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(Harmless())
        logging.basicConfig(handlers=[handler])
        logging.getLogger("recon_action").setLevel(logging.DEBUG)
    file = values["config"]
    config = read_config(file) if config is None else config
    meant = settings_of_targets(
        _given(values),
        config.targets,
        paths=None if paths is None else tuple(paths),
        folder=os.path.dirname(file),  # noqa: PTH120 - "" stays what it is
        verbose=values["verbose"],
    )
    return tuple(with_config(replace(one, access=with_token(one.access)), config) for one in meant)


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    """By option, what the command line or the environment says, and not click by itself."""
    context = click.get_current_context(silent=True)
    usual = {ParameterSource.DEFAULT, ParameterSource.DEFAULT_MAP}
    given = {option.name: values[option.key] for option in OPTIONS if option.key in values}
    if context is None:
        return given
    keys = {option.name: option.key for option in OPTIONS}
    return {name: value for name, value in given.items() if context.get_parameter_source(keys[name]) not in usual}


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
