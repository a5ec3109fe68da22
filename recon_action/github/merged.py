"""The comment below a pull request whose merge was not applied: nobody looks at the run of a push.

It is written only if something failed, and says so no longer once the same commit was applied after all. Which pull
requests a push has merged is GitHub's to say.
"""

from typing import Any, Final

from recon_action.github.client import Client
from recon_action.github.comment import Draft, Told
from recon_action.github.comment import publish as publish_comment
from recon_action.github.conversation import Conversation
from recon_action.github.denied import Need
from recon_action.github.event import EventContext, read_pull

READ: Final = Need("list the pull requests of a commit", "pull-requests: read")
_COMMITS: Final = 10  # of a push that are asked about: a merge queue brings several pull requests at once


def publish(client: Client, event: EventContext, need: Need, draft: Draft) -> Told:
    """Have the comment below each pull request that the push has merged say what `draft` says.

    Args:
        client: GitHub.
        event: the push.
        need: what writing a comment takes.
        draft: what it is to say.

    Raises:
        Denied: GitHub did not let us, or did not do it.
    """
    numbers = merged_by(client, event)
    if not numbers:
        return Told("the push has merged no pull request")
    told = [publish_comment(Conversation(client, number, need), draft) for number in numbers]
    where = ", ".join(f"#{number}" for number in numbers)
    return Told(f"{told[0].what} below {where}", told[0].url)


def merged_by(client: Client, event: EventContext) -> list[int]:
    """The numbers of the pull requests that the push has merged into its branch, the latest first.

    Raises:
        Denied: GitHub does not list them.
    """
    commits = list(dict.fromkeys([event.head, *event.pushed]))
    brought = frozenset(commits)
    found: dict[int, None] = {}
    for commit in commits[:_COMMITS]:
        for pull in client.pages(f"/commits/{commit}/pulls", READ):
            if _is_merged(pull, event, brought):
                found[read_pull(pull).number] = None
    return list(found)


def _is_merged(answer: dict[str, Any], event: EventContext, brought: frozenset[str]) -> bool:
    """Whether a pull request was merged into the push's branch, and the push brought what it was merged as."""
    pull = read_pull(answer)
    is_here = bool(pull.number and answer.get("merged_at")) and pull.base_branch == event.branch
    return is_here and any(one in brought for one in (str(answer.get("merge_commit_sha")), pull.head))
