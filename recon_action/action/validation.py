"""A run that reaches no cluster: the manifests are checked, of a pull request beside those of its base."""

from collections.abc import Callable, Mapping

from recon_action.action.inputs import has_credentials, offline_settings
from recon_action.action.mode import base_of
from recon_action.errors import FailOn
from recon_action.github.event import EventContext
from recon_action.github.inputs import read_input
from recon_action.model import Progress
from recon_action.report.document import Report

_COMPARED = frozenset({"pull_request", "merge_group"})


def is_without_credentials(environ: Mapping[str, str], event: EventContext) -> bool:
    """Whether the run may reach no cluster, whatever it is told: GitHub withholds its secrets, for a reason."""
    return event.foreign or (event.dependabot and event.is_pull_request and not has_credentials(environ))


def validated(
    environ: Mapping[str, str],
    fail_on: FailOn,
    event: EventContext,
    progress: Progress,
    validate: Callable[..., Report],
) -> Report:
    """What a run came to that has asked no cluster."""
    chosen = offline_settings(environ, fail_on)
    is_compared = event.name in _COMPARED or event.foreign
    base, head = (base_of(event, chosen.paths), "HEAD") if is_compared else ("", "")
    config = read_input(environ, "config")
    return validate(chosen, base, head, config=config, progress=progress, run_url=event.run_url)
