"""The fake GitHub's door: what a token may, which fault a request meets, and whether both sides keep the contract."""

import json
import re
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from local_server import Answer, Asked, LocalServer, local_server

from fake_github import contract
from fake_github.operations import JSON, Call, RefusedError, ask_graphql, carry_out
from fake_github.state import State

# What a request needs at least one of; reading, in a public repository, needs none.
PERMISSIONS = {
    "branches": ("contents",),
    "check-runs": ("checks",),
    "collaborators": ("metadata",),
    "comments": ("issues", "pull_requests"),
    "issues": ("issues",),
    "pulls": ("pull_requests",),
}


@dataclass
class Fault:
    """What the next requests meet that it fits.

    Args:
        method: their method; "" is any.
        path: a regular expression that is found in their path.
        status: answered instead.
        message: in that answer.
        body: of that answer, if it is to be another than one with the message.
        headers: of that answer.
        times: how many requests meet it.
        after: the request is carried out first, and only its answer lost.
        unchanged: it is answered as if carried out, and texts stay as they are.
        latency: seconds before anything is done.
        reset: the connection breaks instead of an answer.
    """

    method: str = ""
    path: str = ""
    status: int = 0
    message: str = "Server Error"
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    times: int = 1
    after: bool = False
    unchanged: bool = False
    latency: float = 0.0
    reset: bool = False

    def fits(self, request: Asked) -> bool:
        """Whether `request` meets it."""
        return self.times > 0 and self.method in {"", request.method} and bool(re.search(self.path, request.path))

    @property
    def answer(self) -> Answer | None:
        """What it answers instead; None if it leaves the answer alone."""
        plain = {"message": self.message, "documentation_url": "https://docs.github.com"}
        body = plain if self.body is None else self.body
        return Answer(body, self.status, JSON | self.headers, reset=self.reset) if self.status or self.reset else None


class FakeGitHub(LocalServer):
    """GitHub with one repository, acme/shop, as one token sees it.

    Attributes:
        prefix: of the API's paths, "/api/v3" on an Enterprise Server.
        state: what there is.
        permissions: of the token: name to "read" or "write".
        is_public: whether everybody may read.
        faults: what the next requests meet.
        before: called with each request before anything is done with it.
        violations: where a request or an answer is not as GitHub describes it.
    """

    def __init__(self, prefix: str = "") -> None:
        super().__init__()
        self.prefix = prefix
        self.state = State()
        self.permissions = dict.fromkeys(("checks", "contents", "issues", "metadata", "pull_requests"), "write")
        self.is_public = True
        self.faults: list[Fault] = []
        self.before: Callable[[Asked], object] = lambda _request: None
        self.violations: list[str] = []
        self._guard = threading.RLock()

    @property
    def api(self) -> str:
        """What the runner would put into GITHUB_API_URL."""
        return self.url + self.prefix

    def requests(self, method: str = "", path: str = "") -> list[Asked]:
        """The requests so far of that method whose path matches."""
        return [one for one in self.asked if method in {"", one.method} and re.search(path, one.path)]

    def next(self, request: Asked) -> Answer:
        """Do what `request` says; what to answer."""
        self.before(request)
        with self._guard:
            self.asked.append(request)
            fault = next((one for one in self.faults if one.fits(request)), Fault(times=0))
            fault.times -= 1
        time.sleep(fault.latency)
        with self._guard:
            if fault.answer and not fault.after:
                return fault.answer
            texts = (*self.state.comments.values(), *self.state.issues.values())
            kept = [(one, one.body) for one in texts]
            answer = self._answer(request)
            if fault.unchanged:
                for one, body in kept:
                    one.body = body  # type: ignore[assignment]
            return fault.answer or answer

    def _answer(self, request: Asked) -> Answer:
        parts = urlsplit(request.path)
        body = json.loads(request.body) if request.body else None
        if parts.path == f"{self.prefix.removesuffix('/v3')}/graphql":
            return ask_graphql(self.state, body)
        of = contract.operation(request.method, parts.path.removeprefix(self.prefix))
        if of is None:
            self.violations.append(f"no such operation: {request.method} {request.path}")
            return Answer({"message": "Not Found"}, 404, JSON)
        query = dict(parse_qsl(parts.query))
        if found := list(contract.faults_of_request(of, query, body)):
            self.violations += found
            return Answer({"message": "Validation Failed"}, 422, JSON)
        try:
            self._allow(of)
            answer = carry_out(self.state, Call(of, query, body or {}, self.api))
        except RefusedError as refused:
            answer = refused.answer
        shown = None if answer.body == b"" else answer.body
        self.violations += contract.faults_of_answer(of, answer.status, shown)
        return answer

    def _allow(self, of: contract.Operation) -> None:
        level = "read" if of.method == "GET" else "write"
        if of.template == "/user" or (self.is_public and level == "read"):
            return
        needed = PERMISSIONS[next(kind for kind in PERMISSIONS if kind in of.template)]
        allowed = {"read", "write"} if level == "read" else {"write"}
        if not any(self.permissions.get(name) in allowed for name in needed):
            header = {"X-Accepted-GitHub-Permissions": "; ".join(f"{name}={level}" for name in needed)}
            raise RefusedError(403, "Resource not accessible by integration", header)


@contextmanager
def fake_github(prefix: str = "", tls: ssl.SSLContext | None = None) -> Iterator[FakeGitHub]:
    """A running fake; at the end nobody may have broken GitHub's description."""
    fake = FakeGitHub(prefix)
    with local_server(fake, tls):
        yield fake
    if fake.violations:
        raise AssertionError("\n".join(fake.violations))
