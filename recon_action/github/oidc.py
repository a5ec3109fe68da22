"""The job's OIDC token, in which GitHub says whose job this is; a cluster that trusts GitHub's issuer needs no secret.

Decides when a new one is asked for, and what is said of it. What a cluster makes of it is the cluster's.
"""

import json
import ssl
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http import client as http
from typing import Any, Final

from recon_action.errors import ClusterError, UsageError
from recon_action.github.denied import Denied, Need, Reason, refused, senseless, unreachable
from recon_action.github.patience import Patience
from recon_action.model.bearer import BearerOf, claims_of, moment

URL: Final = "ACTIONS_ID_TOKEN_REQUEST_URL"
TOKEN: Final = "ACTIONS_ID_TOKEN_REQUEST_TOKEN"  # noqa: S105 - the variable's name
_NEED = Need("give the job's OIDC token", "id-token: write")
_PERMISSION = "add `id-token: write` to the job's `permissions:`, which replace those of the workflow"
_TOLD = {
    "iss": "issuer",
    "aud": "audience",
    "sub": "subject",
    "repository_id": "repository_id",
    "repository_owner_id": "repository_owner_id",
}
_TIMEOUT = 10  # seconds for one answer
_LARGEST = 1 << 20  # bytes of an answer
_MARGIN = 60.0  # seconds before its end at which a token is renewed; less if it lives for a few minutes only
_SHORT = 60.0  # seconds that a token counts for which does not say how long it lives


@dataclass(frozen=True, slots=True)
class Source:
    """Where the runner gives tokens out, and to whom they are addressed.

    Args:
        url: of the runner's variable.
        secret: that it is asked with.
        audience: whom a token is meant for.
        verify: whether GitHub's certificate is checked, or the file with the authority that it is checked against.
    """

    url: str
    secret: str = field(repr=False)
    audience: str
    verify: bool | str = True

    @classmethod
    def of(cls, environ: Mapping[str, str], audience: str, verify: str) -> "Source":
        """The one that the runner's variables name; `verify` is `true`, `false` or a path.

        Raises:
            UsageError: the job has none.
        """
        url, secret = environ.get(URL, ""), environ.get(TOKEN, "")
        if not url or not secret:
            if environ.get("GITHUB_ACTIONS") != "true":
                raise UsageError(
                    "auth github-oidc: only a job of GitHub Actions has an OIDC token",
                    hint="use a kubeconfig here",
                )
            raise UsageError(
                "auth github-oidc: the job may not have an OIDC token",
                hint=f"{_PERMISSION}; GitHub gives none to pull requests of forks",
            )
        if urllib.parse.urlsplit(url).scheme not in {"https", "http"}:
            raise UsageError(
                f"{URL}: {url!r} is no web address",
                hint="the runner sets it itself; don't set it in the workflow",
            )
        source = cls(url, secret, audience, {"true": True, "false": False}.get(verify.lower(), verify))
        try:
            _context(source.verify)
        except OSError as error:
            raise UsageError(
                f"input ssl-verify: {verify}: {error.strerror or 'holds no certificate'}",
                hint="name a file with the certificate authority, as PEM",
            ) from error
        return source

    @property
    def host(self) -> str:
        """Who is asked."""
        return urllib.parse.urlsplit(self.url).netloc

    @property
    def address(self) -> str:
        """The URL with the audience, which joins what the runner's has in its query."""
        parts = urllib.parse.urlsplit(self.url)
        query = [pair for pair in urllib.parse.parse_qsl(parts.query, keep_blank_values=True) if pair[0] != "audience"]
        return parts._replace(query=urllib.parse.urlencode([*query, ("audience", self.audience)])).geturl()


@dataclass(frozen=True, slots=True)
class _Held:
    """A token, and until when it is good."""

    text: str = field(repr=False)
    until: float
    replaces_refused: bool


def job_token(
    environ: Mapping[str, str], audience: str, mask: Callable[[Iterable[str]], None], verify: str = "true"
) -> BearerOf:
    """Makes the source of this job's token.

    Args:
        environ: the step's environment.
        audience: whom the token is meant for.
        mask: hides values in the log.
        verify: how GitHub's certificate is checked: `true`, `false` or a path.

    Raises:
        UsageError: the job has none.
    """
    source = Source.of(environ, audience, verify)
    mask([source.secret])
    return lambda wait: JobToken(source, mask, Patience(wait))


class JobToken:
    """The token of this job, renewed before it ends; safe to use from several threads."""

    def __init__(
        self,
        source: Source,
        mask: Callable[[Iterable[str]], None],
        patience: Patience,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Ask for nothing yet.

        Args:
            source: where tokens come from.
            mask: hides values in the log.
            patience: how long to insist.
            clock: monotonic seconds.
        """
        self._source = source
        self._mask = mask
        self._patience = patience
        self._clock = clock
        self._lock = threading.Lock()
        self._held: _Held | None = None

    def token(self, refused: str = "") -> str:
        """A token that is good for some time yet; one that was refused is replaced, but its successor is not.

        Raises:
            ClusterError: GitHub gives none.
        """
        with self._lock:  # threads that find it at its end wait for the one that asks
            held = self._held
            is_refused = held is not None and refused == held.text and not held.replaces_refused
            if held is None or is_refused or self._clock() >= held.until:
                held = self._held = self._renewed(replaces_refused=is_refused)
            return held.text

    def remedy(self) -> str:
        """Whose token it is, as the token says it, and what the API server has to be told."""
        claims = claims_of(self._held.text) if self._held else {}
        said = ", ".join(f"{word} {_said(claims.get(name))}" for name, word in _TOLD.items())
        return (
            f"the job's token says: {said}; the API server's AuthenticationConfiguration must name this issuer and "
            "audience, and its rules let these claims in (docs/access.md); which rule doesn't is in its log alone"
        )

    def _renewed(self, *, replaces_refused: bool) -> _Held:
        asked = self._clock()
        try:
            text = self._patience.insist(self._ask)
        except Denied as denied:
            hint = denied.hint
            if denied.reason in {Reason.FORBIDDEN, Reason.UNAUTHORISED}:
                hint = _PERMISSION
            elif denied.reason is Reason.UNREACHABLE and denied.passing:
                hint = f"check the proxy, and whether the runner's network lets out to {self._source.host}"
            raise ClusterError(denied.message, hint=hint) from denied
        return _Held(text, asked + _good_for(claims_of(text)), replaces_refused)

    def _ask(self) -> str:
        """The one request.

        Raises:
            Denied: it gives no token.
        """
        source = self._source
        request = urllib.request.Request(source.address, headers={"Accept": "application/json"})  # noqa: S310 - checked
        # Not handed on to wherever an answer leads.
        request.add_unredirected_header("Authorization", f"Bearer {source.secret}")
        try:
            opener = urllib.request.build_opener(urllib.request.HTTPSHandler(context=_context(source.verify)))
            with opener.open(request, timeout=_TIMEOUT) as response:
                answer = _decoded(response.read(_LARGEST))
        except urllib.error.HTTPError as error:
            with error:
                said = _decoded(error.read(_LARGEST).replace(source.secret.encode(), b"***"))
            headers = {name.lower(): value for name, value in error.headers.items()}
            raise refused(_NEED, error.code, said, headers, time.time()) from error
        except (OSError, http.HTTPException) as error:
            raise unreachable(_NEED, error) from error
        text = answer.get("value") if isinstance(answer, dict) else None
        if not isinstance(text, str) or not claims_of(text):
            raise senseless(_NEED)
        self._mask([text])  # before anybody has it who could show it
        return text


def _good_for(claims: Mapping[str, Any]) -> float:
    """For how many seconds a token is used that was issued just now; by its own clock, as ours may be wrong."""
    issued, end = moment(claims, "iat"), moment(claims, "exp")
    life = end - issued if issued is not None and end is not None else _SHORT
    return life - min(_MARGIN, life / 4 + 1)  # `exp` counts whole seconds


def _context(verify: bool | str) -> ssl.SSLContext:  # noqa: FBT001 - as `client.Access` has it
    context = ssl.create_default_context(cafile=verify if isinstance(verify, str) else None)
    if verify is False:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def _decoded(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None


def _said(claim: Any) -> str:
    return ", ".join(map(str, claim)) if isinstance(claim, list) else str(claim or "(none)")
