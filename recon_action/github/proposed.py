"""The pull request that a workflow run was about, where the run can't say so itself: a fork's names none.

Decided by what GitHub says of the run, its commit, its branch and their repository, and never by what the run has left.
"""

from dataclasses import dataclass, replace
from typing import Final

from recon_action.github.client import Client
from recon_action.github.denied import Need
from recon_action.github.event import EventContext, PullRequest, Source, read_pull

READ: Final = Need("list the open pull requests", "pull-requests: read")
_ENDED = frozenset({"success", "failure"})  # of a run that came to a report; a check of bad manifests fails


@dataclass(frozen=True, slots=True)
class Unknown:
    """No pull request is to be told, and why."""

    reason: str


def why_silent(source: Source | None) -> str:
    """Why nothing of a run may be told; "" if something may."""
    if source is None:
        return "no workflow run is known that this one follows; publish belongs into `on: workflow_run`"
    if source.event != "pull_request":
        return f"the run before was made by {source.event or 'something'}, not by a pull request"
    if source.conclusion not in _ENDED:
        return f"the run before came to no report: {source.conclusion or 'it goes on'}"
    if not (source.head and source.branch and source.head_repository):
        return "the pull request's repository or branch is gone"
    return ""


def find_pull(client: Client, source: Source) -> PullRequest | Unknown:
    """The one open pull request whose head is what the run has looked at.

    Raises:
        Denied: GitHub does not list them.
    """
    owner = source.head_repository.partition("/")[0]
    listed = client.pages("/pulls", READ, state="open", head=f"{owner}:{source.branch}")
    pulls = [pull for one in listed if _is_of(pull := read_pull(one), source)]
    current = [pull for pull in pulls if pull.head == source.head]
    if len(current) == 1:
        return current[0]
    if current:
        return Unknown(f"{len(current)} open pull requests have this head: it can't be told which one is meant")
    if pulls:
        return Unknown(f"the pull request has moved on: its head is {pulls[0].head[:7]} by now")
    return Unknown("no open pull request has this head")


def _is_of(pull: PullRequest, source: Source) -> bool:
    """Whether a pull request is open, and of the repository that the run was about, whatever the list was asked for."""
    return bool(pull.number) and not pull.closed and pull.head_repository == source.head_repository


def about(event: EventContext, source: Source, pull: PullRequest) -> EventContext:
    """The run before as if it were this one: what it is told of, and how new that is."""
    return replace(
        event,
        name="pull_request",
        dependabot=False,
        head=pull.head,
        base=pull.base,
        pull=pull,
        run=source.id,
        attempt=source.attempt,
        run_url=page_of(event, source)[1],
    )


def page_of(event: EventContext, source: Source) -> tuple[str, str]:
    """The web addresses of our repository and of the run before; "" where they can't be made."""
    page = event.run_url.partition("/actions/runs/")[0]
    return page, f"{page}/actions/runs/{source.id}" if page and source.id else ""
