"""What made the workflow run: the event's name and the little of its payload that decides what we do.

Payloads are written by strangers: any key may be missing, null, or of another type.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from recon_action.errors import UsageError


@dataclass(frozen=True, slots=True)
class Event:
    """One workflow run's cause.

    Args:
        name: `push`, `schedule`, ….
        ref: full, `refs/heads/main`; of a pull request `refs/pull/7/merge`.
        branch: the branch's name if `ref` is one, else "".
        default_branch: of the repository, "" if the payload does not say.
        deleted: a push that deleted its ref.
        foreign: the payload's pull request has its head in another repository (or in none any more).
        dependabot: whether Dependabot made the event: GitHub then withholds secrets, as from a fork.
        run_url: the workflow run's page, "" outside of one.
    """

    name: str
    ref: str = ""
    branch: str = ""
    default_branch: str = ""
    deleted: bool = False
    foreign: bool = False
    dependabot: bool = False
    run_url: str = ""

    @property
    def is_pull_request(self) -> bool:
        """Whether a pull request made it."""
        return self.name == "pull_request"


def read_event(environ: Mapping[str, str]) -> Event:
    """The event that `environ` and the payload it points to tell of.

    Raises:
        UsageError: the payload is there but can't be read.
    """
    payload = _payload(environ.get("GITHUB_EVENT_PATH", ""))
    ref = environ.get("GITHUB_REF", "")
    repository = environ.get("GITHUB_REPOSITORY", "")
    pull = _get(payload, "pull_request")
    return Event(
        name=environ.get("GITHUB_EVENT_NAME", ""),
        ref=ref,
        branch=ref.removeprefix("refs/heads/") if ref.startswith("refs/heads/") else "",
        default_branch=_text(_get(payload, "repository", "default_branch")),
        deleted=_get(payload, "deleted") is True,
        foreign=pull is not None and _text(_get(pull, "head", "repo", "full_name")) != repository,
        dependabot="dependabot[bot]" in {environ.get("GITHUB_ACTOR"), _get(pull, "user", "login")},
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
