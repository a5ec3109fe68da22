"""How the cluster is reached, as a command's options say it."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace

import click

from recon_action.config import ACCESS, access_of
from recon_action.model import Access

ACCESS_OPTIONS = tuple(option.name for option in ACCESS)


def read_access(values: Mapping[str, str]) -> Access:
    """How the cluster is reached, from what click parsed.

    Raises:
        UsageError: a value is wrong.
    """
    return with_token(access_of({option.name: values[option.key] for option in ACCESS}))


def with_token(access: Access) -> Access:
    """`access` with the source of the job's token, if that is who asks.

    Raises:
        UsageError: this is no job, or it may not have one.
    """
    if not access.audience:
        return access
    from recon_action.github.oidc import job_token  # noqa: PLC0415 - few commands need it

    return replace(access, bearer=job_token(os.environ, access.audience, _mask))


def _mask(values: Iterable[str]) -> None:
    """Hide `values` in the job's log; the runner reads stderr as well, and stdout is the report's."""
    from recon_action.github.commands import command  # noqa: PLC0415 - as above

    for value in values:
        click.echo(command("add-mask", value), err=True)
