"""A run that reaches no cluster: the manifests are checked, of a pull request beside those of its base."""

from collections.abc import Callable, Mapping

from recon_action.action.inputs import has_credentials, look_in, offline_settings
from recon_action.action.mode import base_of
from recon_action.config.file import read_config
from recon_action.errors import FailOn
from recon_action.github.event import EventContext
from recon_action.github.inputs import read_input, read_list
from recon_action.model import Progress
from recon_action.reconcile.commits import config_in
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
    is_compared = event.name in _COMPARED or event.foreign
    config, where = read_input(environ, "config"), look_in(environ)
    base, head = (base_of(event, where), "HEAD") if is_compared else ("", "")
    said = config_in(config, read_list(environ, "paths"), base, head) if is_compared else read_config(config)
    chosen = offline_settings(environ, fail_on, said)
    return validate(chosen, base, head, config=config, progress=progress, run_url=event.run_url)
