"""What made the workflow run: the event's name and the part of its payload that decides what we do.

Payloads are written by strangers: any key may be missing, null, or of another type. What is not known is "" or 0,
and a head that is not known to be ours is a stranger's.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from recon_action.errors import UsageError

_NOBODY = re.compile(r"0+")  # the SHA of a branch that is new, or gone
_COMMIT = re.compile(r"[0-9a-f]{40,64}")
_QUEUED = re.compile(r"/pr-([0-9]{1,18})-[0-9a-f]+$")
_DEPENDABOT = "dependabot[bot]"
_DIGITS = 19  # a number that long is no id


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A pull request, as the event's payload tells of it.

    Args:
        number: its number.
        head: SHA of its head.
        head_repository: `owner/name` that the head lies in; "" if that fork is gone.
        base: SHA of the base branch when the event was made.
        base_branch: the branch that it goes to.
        author: who opened it.
        draft: whether it is a draft.
        closed: whether it is closed, merged or not.
    """

    number: int
    head: str = ""
    head_repository: str = ""
    base: str = ""
    base_branch: str = ""
    author: str = ""
    draft: bool = False
    closed: bool = False


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment on an issue or a pull request.

    Args:
        id: its id.
        body: what it says.
        author: who wrote it, "" if that account is gone.
        is_bot: whether an app wrote it, also in somebody's name.
        issue: number of the issue or pull request.
        on_pull_request: which of the two.
        updated: when it was last written, as GitHub puts it.
        url: its page.
    """

    id: int
    body: str
    author: str
    is_bot: bool
    issue: int
    on_pull_request: bool
    updated: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """The workflow run whose end made this one run.

    Args:
        id: its id.
        event: what had made it run.
        head: SHA of its head commit.
        head_repository: `owner/name` that the head lies in; "" if that fork is gone.
        conclusion: how it ended.
        branch: the head's.
        attempt: of that run, from 1.
    """

    id: int
    event: str
    head: str
    head_repository: str
    conclusion: str
    branch: str = ""
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class EventContext:
    """One workflow run and its cause.

    Args:
        name: `push`, `schedule`, ….
        action: what happened, as `opened` or `created`; "" where the event knows no such thing.
        repository: `owner/name` that the workflow runs in.
        ref: full, `refs/heads/main`; of a pull request `refs/pull/7/merge`.
        branch: the branch's name if `ref` is one, else "".
        default_branch: of the repository, "" if the payload does not say.
        sha: what the runner would check out.
        head: SHA of the commit that a report speaks of: of a pull request its head, not the trial merge.
        base: SHA of what `head` is compared with: of a pull request its base, of a push what was there before.
        deleted: a push that deleted its ref.
        pushed: the commits that a push brought, the newest first, as far as the payload names them.
        pull: the pull request that the event is about; of a merge queue's group only its number is known.
        comment: the comment that was written.
        source: the workflow run that ended.
        foreign: the pull request has its head in another repository, in none any more, or in one that is not known.
        dependabot: whether Dependabot made the event: GitHub then withholds secrets, as from a fork.
        actor: who started the run; anybody's word, no proof of a permission.
        run: the workflow run's id, 0 outside of one.
        attempt: from 1; a re-run counts up.
        run_url: the workflow run's page, "" outside of one.
    """

    name: str
    action: str = ""
    repository: str = ""
    ref: str = ""
    branch: str = ""
    default_branch: str = ""
    sha: str = ""
    head: str = ""
    base: str = ""
    deleted: bool = False
    pushed: tuple[str, ...] = ()
    pull: PullRequest | None = None
    comment: Comment | None = None
    source: Source | None = None
    foreign: bool = False
    dependabot: bool = False
    actor: str = ""
    run: int = 0
    attempt: int = 1
    run_url: str = ""

    @property
    def attempt_url(self) -> str:
        """The page of this attempt: the address of the run alone shows the last one."""
        return f"{self.run_url}/attempts/{self.attempt}" if self.run_url and self.attempt > 1 else self.run_url

    @property
    def is_pull_request(self) -> bool:
        """Whether a pull request made it."""
        return self.name == "pull_request"


def read_event(environ: Mapping[str, str]) -> EventContext:
    """The event that `environ` and the payload it points to tell of.

    Raises:
        UsageError: the payload is there but can't be read.
    """
    payload = _payload(environ.get("GITHUB_EVENT_PATH", ""))
    name, ref = environ.get("GITHUB_EVENT_NAME", ""), environ.get("GITHUB_REF", "")
    repository, sha = environ.get("GITHUB_REPOSITORY", ""), environ.get("GITHUB_SHA", "")
    pull = _pull(payload, ref)
    head, base = _commits(payload, name, sha, pull)
    return EventContext(
        name=name,
        action=_text(_get(payload, "action")),
        repository=repository,
        ref=ref,
        branch=ref.removeprefix("refs/heads/") if ref.startswith("refs/heads/") else "",
        default_branch=_text(_get(payload, "repository", "default_branch")),
        sha=sha,
        head=head,
        base=base,
        deleted=_get(payload, "deleted") is True,
        pushed=_pushed(payload),
        pull=pull,
        comment=_comment(payload),
        source=_source(payload),
        foreign=_is_foreign(payload, name, repository, pull),
        dependabot=_DEPENDABOT in {environ.get("GITHUB_ACTOR"), pull.author if pull else ""},
        actor=environ.get("GITHUB_ACTOR", ""),
        run=_whole(environ.get("GITHUB_RUN_ID", "")),
        attempt=_whole(environ.get("GITHUB_RUN_ATTEMPT", "")) or 1,
        run_url=_run_url(environ, repository),
    )


def _payload(path: str) -> Any:
    if not path:
        return {}
    try:
        return orjson.loads(Path(path).read_bytes())
    except FileNotFoundError:
        return {}  # some runners in Kubernetes mount none
    except (OSError, orjson.JSONDecodeError) as error:
        raise UsageError(
            f"the event's payload {path} can't be read: {error}",
            hint="the runner sets GITHUB_EVENT_PATH itself; don't set it in the workflow",
        ) from error


def _pull(payload: Any, ref: str) -> PullRequest | None:
    pull = _get(payload, "pull_request")
    if not isinstance(pull, dict):
        queued = _QUEUED.search(ref) if _get(payload, "merge_group") is not None else None
        return PullRequest(int(queued[1])) if queued else None
    return read_pull(pull)


def read_pull(pull: Any) -> PullRequest:
    """What GitHub tells of a pull request, in a payload or in an answer."""
    return PullRequest(
        number=_number(_get(pull, "number")),
        head=_text(_get(pull, "head", "sha")),
        head_repository=_text(_get(pull, "head", "repo", "full_name")),
        base=_text(_get(pull, "base", "sha")),
        base_branch=_text(_get(pull, "base", "ref")),
        author=_text(_get(pull, "user", "login")),
        draft=_get(pull, "draft") is True,
        closed=_get(pull, "state") == "closed",
    )


def _is_foreign(payload: Any, name: str, repository: str, pull: PullRequest | None) -> bool:
    """Whether a pull request made the event, and its head is not known to be ours."""
    is_about_one = name.startswith("pull_request") or _get(payload, "pull_request") is not None
    return is_about_one and (pull is None or not repository or pull.head_repository != repository)


def _commits(payload: Any, name: str, sha: str, pull: PullRequest | None) -> tuple[str, str]:
    """The commits that a report speaks of; GITHUB_SHA is another one on some events."""
    group = _get(payload, "merge_group")
    if group is not None:
        return _text(_get(group, "head_sha")) or sha, _text(_get(group, "base_sha"))
    if pull is not None:
        return pull.head or sha, pull.base
    if name == "workflow_run":
        return _text(_get(payload, "workflow_run", "head_sha")), ""
    if name == "push":
        before = _text(_get(payload, "before"))
        return sha, "" if _NOBODY.fullmatch(before) else before
    return sha, ""


def _pushed(payload: Any) -> tuple[str, ...]:
    commits = _get(payload, "commits")
    ids = [_text(_get(commit, "id")) for commit in commits] if isinstance(commits, list) else []
    return tuple(dict.fromkeys(one for one in reversed(ids) if _COMMIT.fullmatch(one)))


def _comment(payload: Any) -> Comment | None:
    comment, issue = _get(payload, "comment"), _get(payload, "issue")
    if not isinstance(comment, dict) or not isinstance(issue, dict):
        return None
    return read_comment(comment, issue)


def read_comment(comment: Any, issue: Any) -> Comment:
    """What GitHub tells of a comment and of what it was written on, in a payload or in two answers."""
    return Comment(
        id=_number(_get(comment, "id")),
        body=_text(_get(comment, "body")),
        author=_text(_get(comment, "user", "login")),
        is_bot=_get(comment, "user", "type") != "User" or _get(comment, "performed_via_github_app") is not None,
        issue=_number(_get(issue, "number")),
        on_pull_request=_get(issue, "pull_request") is not None,
        updated=_text(_get(comment, "updated_at")),
        url=_text(_get(comment, "html_url")),
    )


def _source(payload: Any) -> Source | None:
    run = _get(payload, "workflow_run")
    if not isinstance(run, dict):
        return None
    return Source(
        id=_number(run.get("id")),
        event=_text(run.get("event")),
        head=_text(run.get("head_sha")),
        head_repository=_text(_get(run, "head_repository", "full_name")),
        conclusion=_text(run.get("conclusion")),
        branch=_text(run.get("head_branch")),
        attempt=_number(run.get("run_attempt")) or 1,
    )


def _run_url(environ: Mapping[str, str], repository: str) -> str:
    run = environ.get("GITHUB_RUN_ID", "")
    server = environ.get("GITHUB_SERVER_URL", "https://github.com")
    return f"{server}/{repository}/actions/runs/{run}" if run and repository else ""


def _get(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < _DIGITS else 0
