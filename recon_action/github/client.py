"""GitHub's API for one repository: every request goes through here, and every failure comes out as a `Denied`.

PyGithub knows addresses, tokens and the pauses between writes. Its objects are not used: they send requests behind
attributes, and its retries send a POST again that GitHub may have carried out, which is a second comment. What is
published, and what an answer means, may not live here.
"""

import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from recon_action import __version__
from recon_action.errors import PublishError
from recon_action.github.denied import Denied, Need, refused, senseless, unreachable
from recon_action.github.patience import Patience

if TYPE_CHECKING:
    from github.Requester import Requester

API: Final = "https://api.github.com"
BOT: Final = "github-actions[bot]"  # the author of what a job's own token writes
_PAGE = 100  # items, the most that GitHub gives; its default of 30 is how comments get lost
_TIMEOUT = 15  # seconds for one answer

_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class Access:
    """How GitHub is reached.

    Args:
        token: of a job, an app or a person.
        url: of the API: api.github.com, a GitHub Enterprise Server's /api/v3, or api.NAME.ghe.com.
        verify: whether its certificate is checked, or the file with the authority that it is checked against.
        write_pause: seconds between two writes, as GitHub asks for.
    """

    token: str = field(repr=False)
    url: str = API
    verify: bool | str = True
    write_pause: float = 1.0

    @classmethod
    def of(cls, environ: Mapping[str, str], token: str, verify: str) -> "Access":
        """Where the runner says that GitHub is; `verify` is `true`, `false` or a path.

        Raises:
            PublishError: the runner's address is none.
        """
        url = (environ.get("GITHUB_API_URL") or API).rstrip("/")
        if not url.startswith(("https://", "http://")):
            raise PublishError(
                f"GITHUB_API_URL: {url!r} is no web address",
                hint="the runner sets it itself; don't set it in the workflow",
            )
        return cls(token, url, {"true": True, "false": False}.get(verify.lower(), verify))


class Client:
    """GitHub, as far as one repository and one token go."""

    def __init__(self, access: Access, repository: str, patience: Patience) -> None:
        """Connect; nothing is sent yet.

        Args:
            access: how.
            repository: `owner/name`.
            patience: how long to insist.
        """
        self._patience = patience
        self._requester = _requester(access)
        self._repository = f"/repos/{repository}"
        self._login = ""

    def get(self, path: str, need: Need, **parameters: str | int) -> Any:
        """What stands at `path` of the repository, as JSON.

        Raises:
            Denied: it can't be got.
        """
        return self.insist(lambda: self._request("GET", path, need, parameters))[1]

    def pages(self, path: str, need: Need, key: str = "", **parameters: str | int) -> Iterator[dict[str, Any]]:
        """All items of the list at `path`, page by page.

        Args:
            path: below the repository.
            need: what for.
            key: what the list is called in its answer, if it is not the whole of it.
            parameters: of the query.

        Raises:
            Denied: a page can't be got.
        """
        page = 1
        while page:
            query = {**parameters, "per_page": _PAGE, "page": page}
            headers, answer = self.insist(partial(self._request, "GET", path, need, query))
            items = answer.get(key) if key and isinstance(answer, dict) else answer
            if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
                raise senseless(need)
            yield from items
            page = page + 1 if 'rel="next"' in headers.get("link", "") else 0

    def send(self, method: str, path: str, need: Need, body: Mapping[str, Any] | None = None) -> Any:
        """Write, once; the caller looks what came of it before it tries again.

        Raises:
            Denied: it was not done, or nobody knows.
        """
        return self._request(method, path, need, {}, body)[1]

    def graphql(self, query: str, variables: Mapping[str, Any], need: Need) -> dict[str, Any]:
        """The `data` of a GraphQL query, once.

        Raises:
            Denied: it has none.
        """
        requester = self._requester
        answer = self._ask(lambda: requester.graphql_query(query, dict(variables)), need)[1]
        data = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(data, dict):
            raise senseless(need)
        return data

    def insist(self, send: Callable[[], _Answer]) -> _Answer:
        """What `send` gives, tried again while it may pass; only for what may be done twice."""
        return self._patience.insist(send)

    def pause(self, denied: Denied, tries: int) -> None:
        """Wait before what was denied for the `tries`th time is looked at again; raises it if it won't pass."""
        self._patience.pause(denied, tries)

    def login(self) -> str:
        """Who we are, as the author of what we write is called."""
        if not self._login:
            self._login = self._viewer() or self._user() or BOT
        return self._login

    def _viewer(self) -> str:
        need = Need("tell whose token this is")
        try:
            return _login(self.insist(lambda: self.graphql("query { viewer { login } }", {}, need)).get("viewer"))
        except Denied:  # some personal tokens may not use GraphQL
            return ""

    def _user(self) -> str:
        try:
            _, user = self.insist(lambda: self._ask_json("GET", "/user", Need("tell whose token this is"), {}))
        except Denied:  # the token of a job or an app is no user's
            return ""
        return _login(user)

    def _request(
        self, method: str, path: str, need: Need, parameters: Mapping[str, Any], body: Any = None
    ) -> tuple[dict[str, Any], Any]:
        return self._ask_json(method, self._repository + path, need, parameters, body)

    def _ask_json(
        self, method: str, path: str, need: Need, parameters: Mapping[str, Any], body: Any = None
    ) -> tuple[dict[str, Any], Any]:
        requester = self._requester
        return self._ask(lambda: requester.requestJsonAndCheck(method, path, dict(parameters), input=body), need)

    def _ask(self, request: Callable[[], tuple[dict[str, Any], Any]], need: Need) -> tuple[dict[str, Any], Any]:
        """The one request: headers and answer."""
        from github import GithubException  # noqa: PLC0415 - a quarter of a second, and most commands need none of it

        try:
            return request()
        except GithubException as error:
            raise refused(need, error.status, error.data, error.headers or {}, time.time()) from error
        except (OSError, RuntimeError, ValueError) as error:  # no answer; one from elsewhere; one that is no JSON
            raise unreachable(need, error) from error


def is_by(author: str, login: str) -> bool:
    """Whether `author`, as REST names it, is who `login` names; GraphQL leaves the `[bot]` of an app out."""
    return bool(author) and login in {author, author.removesuffix("[bot]")}


def _requester(access: Access) -> "Requester":
    from github import Auth, Github  # noqa: PLC0415 - as above

    if access.verify is False:  # the workflow has said so; a warning for each request says nothing more
        warnings.filterwarnings("ignore", message="Unverified HTTPS request")
    return Github(
        auth=Auth.Token(access.token),
        base_url=access.url,
        verify=access.verify,
        user_agent=f"recon-action/{__version__}",
        timeout=_TIMEOUT,
        per_page=_PAGE,
        lazy=True,
        retry=None,
        seconds_between_requests=None,
        seconds_between_writes=access.write_pause or None,
    ).requester


def _login(of: Any) -> str:
    login = of.get("login") if isinstance(of, dict) else None
    return login if isinstance(login, str) else ""
