"""What the fake GitHub keeps, and how each thing looks in an answer."""

from dataclasses import dataclass, field
from typing import Any

from fake_github.contract import sample

BOT = "github-actions[bot]"
REPOSITORY = "acme/shop"


def time_of(tick: int) -> str:
    """The moment of the `tick`th change, one a second."""
    return f"2026-12-01T{5 + tick // 3600:02}:{tick // 60 % 60:02}:{tick % 60:02}Z"


def user(login: str) -> dict[str, Any]:
    """A user, an app's if the login says so."""
    return sample("simple-user") | {"login": login, "type": "Bot" if login.endswith("[bot]") else "User"}


@dataclass
class Comment:
    """A comment on an issue or a pull request; its author is "" if that account is gone."""

    id: int
    number: int
    author: str
    body: str
    created: int = 0
    updated: int = 0
    minimized: str = ""
    reactions: list[str] = field(default_factory=list)

    @property
    def node(self) -> str:
        """Its id in GraphQL."""
        return f"IC_{self.id}"

    def json(self, url: str) -> dict[str, Any]:
        """As an answer shows it; `url` is the API's."""
        return sample("issue-comment") | {
            "id": self.id,
            "node_id": self.node,
            "body": self.body,
            "user": user(self.author) if self.author else None,
            "url": f"{url}/repos/{REPOSITORY}/issues/comments/{self.id}",
            "html_url": f"https://github.com/{REPOSITORY}/issues/{self.number}#issuecomment-{self.id}",
            "created_at": time_of(self.created),
            "updated_at": time_of(self.updated),
            "minimized": {"reason": self.minimized} if self.minimized else None,
        }


@dataclass
class Issue:
    """An issue; a pull request is one, too."""

    number: int
    title: str = "title"
    body: str | None = ""
    author: str = "octocat"
    state: str = "open"
    state_reason: str | None = None
    closed: str | None = None
    labels: list[str] = field(default_factory=list)
    assignees: list[str] = field(default_factory=list)
    locked: bool = False

    def json(self, url: str, *, is_pull: bool) -> dict[str, Any]:
        """As an answer shows it."""
        labels = [sample("label") | {"name": name} for name in self.labels]
        link = dict.fromkeys(("url", "html_url", "diff_url", "patch_url"), "https://github.com/x")
        return (
            sample("issue")
            | {
                "number": self.number,
                "title": self.title,
                "body": self.body,
                "user": user(self.author),
                "state": self.state,
                "state_reason": self.state_reason,
                "closed_at": self.closed,
                "labels": labels,
                "assignees": [user(login) for login in self.assignees],
                "locked": self.locked,
                "url": f"{url}/repos/{REPOSITORY}/issues/{self.number}",
                "html_url": f"https://github.com/{REPOSITORY}/issues/{self.number}",
            }
            | ({"pull_request": link} if is_pull else {})
        )


@dataclass
class Pull:
    """A pull request."""

    number: int
    head: str = "a" * 40
    base: str = "b" * 40
    head_repository: str | None = REPOSITORY
    state: str = "open"
    merge_commit: str | None = None
    merged: bool = False
    branch: str = "feature"
    base_branch: str = "main"

    @property
    def label(self) -> str:
        """The head as a list of pull requests is filtered by it."""
        return f"{(self.head_repository or '').partition('/')[0]}:{self.branch}"

    def json(self, schema: str) -> dict[str, Any]:
        """As an answer shows it, in the long form or the simple one."""
        whole = sample(schema)
        repository = None
        if self.head_repository is not None:
            repository = {**whole["head"]["repo"], "full_name": self.head_repository}
        return whole | {
            "number": self.number,
            "state": self.state,
            "merge_commit_sha": self.merge_commit,
            "merged_at": "2026-12-01T04:00:00Z" if self.merged else None,
            "head": whole["head"] | {"sha": self.head, "ref": self.branch, "repo": repository},
            "base": whole["base"]
            | {
                "sha": self.base,
                "ref": self.base_branch,
                "repo": {**whole["base"]["repo"], "full_name": REPOSITORY},
            },
        }


@dataclass
class Check:
    """A check run."""

    id: int
    name: str
    head: str
    app: str = BOT
    status: str = "queued"
    conclusion: str | None = None
    external_id: str = ""
    details_url: str = ""
    title: str | None = None
    summary: str | None = None
    text: str | None = None
    annotations: list[dict[str, Any]] = field(default_factory=list)

    def json(self, url: str) -> dict[str, Any]:
        """As an answer shows it."""
        whole = sample("check-run")
        return whole | {
            "id": self.id,
            "name": self.name,
            "head_sha": self.head,
            "status": self.status,
            "conclusion": self.conclusion,
            "external_id": self.external_id,
            "details_url": self.details_url,
            "app": sample("nullable-integration") | {"slug": self.app.removesuffix("[bot]")},
            "url": f"{url}/repos/{REPOSITORY}/check-runs/{self.id}",
            "html_url": f"https://github.com/{REPOSITORY}/runs/{self.id}",
            "output": whole["output"]
            | {
                "title": self.title,
                "summary": self.summary,
                "text": self.text,
                "annotations_count": len(self.annotations),
            },
        }


class State:
    """All that there is.

    Attributes:
        login: whose token it is, as GraphQL says; "" if the token may not use GraphQL.
        user: the same, as GET /user says; "" for the token of an app.
        author: the same, as what they write is signed.
        has_issues: whether issues are switched on.
        comments, issues, pulls, checks: by id or number.
        branches: SHA of the head, by name.
        collaborators: permission, or role, by login.
        assignable: logins that an issue can be given to.
        drops_labels: whether a new issue gets none, without a word, as with a token that may not push.
        written: how many comments were ever written.
    """

    def __init__(self) -> None:
        self.login = self.author = BOT
        self.user = ""
        self.has_issues = True
        self.comments: dict[int, Comment] = {}
        self.issues: dict[int, Issue] = {}
        self.pulls: dict[int, Pull] = {}
        self.checks: dict[int, Check] = {}
        self.branches = {"main": "c" * 40}
        self.collaborators: dict[str, str] = {}
        self.assignable = {"octocat"}
        self.drops_labels = False
        self.written = 0
        self._id = 1000
        self._ticks = 0

    def tick(self) -> int:
        """Time goes on."""
        self._ticks += 1
        return self._ticks

    def add_pull(self, number: int, **more: Any) -> Pull:
        """Open a pull request."""
        self.issues[number] = Issue(number)
        return self.pulls.setdefault(number, Pull(number, **more))

    def add_issue(self, number: int, **more: Any) -> Issue:
        """Open an issue."""
        return self.issues.setdefault(number, Issue(number, **more))

    def add_comment(self, number: int, author: str, body: str) -> Comment:
        """Write a comment."""
        self._id += 1
        self.written += 1
        now = self.tick()
        return self.comments.setdefault(self._id, Comment(self._id, number, author, body, now, now))

    def add_check(self, name: str, head: str, app: str) -> Check:
        """Make a check run."""
        self._id += 1
        return self.checks.setdefault(self._id, Check(self._id, name, head, app))
