"""The options that say how the cluster is reached, and what they mean together."""

from collections.abc import Callable, Mapping

from recon_action.config.option import Option, option_name
from recon_action.errors import UsageError
from recon_action.model import Access

GITHUB_OIDC = "github-oidc"
_KUBECONFIG = "kubeconfig"

ACCESS: tuple[Option, ...] = (
    Option(
        "kubeconfig",
        "Kubeconfig file(s), joined by ':'. Default: KUBECONFIG, ~/.kube/config, in-cluster.",
        metavar="FILE",
    ),
    Option("context", "Context of the kubeconfig. Default: its current one.", metavar="NAME"),
    Option(
        "auth",
        "Who asks: the kubeconfig's user, or the GitHub job by its own OIDC token (docs/access.md).",
        default=_KUBECONFIG,
        choices=(_KUBECONFIG, GITHUB_OIDC),
    ),
    Option(
        "audience",
        "Whom that OIDC token is meant for, as the API server's configuration names it.",
        metavar="NAME",
    ),
    Option(
        "server",
        "API server's URL, in place of a kubeconfig; with auth: github-oidc.",
        metavar="URL",
    ),
    Option(
        "certificate-authority",
        "Authority of that server's certificate: a file, or PEM, plain or in base64. Default: the system's.",
        metavar="FILE|PEM",
    ),
)


def access_of(values: Mapping[str, object], names: Callable[[str], str] = option_name) -> Access:
    """`Access` from `values`, keyed by `Option.name`; what is missing or "" takes its default.

    Raises:
        UsageError: a value is wrong, or they don't go together; the message names them as `names` does.
    """
    given = {option.name: str(values.get(option.name) or "").strip() for option in ACCESS}
    auth = given["auth"] or _KUBECONFIG
    if auth not in {_KUBECONFIG, GITHUB_OIDC}:
        raise UsageError(
            f"{names('auth')}: {auth!r} is none of {_KUBECONFIG}, {GITHUB_OIDC}", hint="leave it out for a kubeconfig"
        )
    server, authority = given["server"], given["certificate-authority"]
    if auth == GITHUB_OIDC and not given["audience"]:
        raise UsageError(
            f"{names('audience')} is missing: {GITHUB_OIDC} asks for a token that is meant for this cluster alone",
            hint=f"{names('audience')}: a name that the API server's configuration lists as well (docs/access.md)",
        )
    if auth != GITHUB_OIDC and (stray := [name for name in ("audience", "server") if given[name]]):
        raise UsageError(
            f"{names(stray[0])} goes with {names('auth')} {GITHUB_OIDC} alone",
            hint=f"set {names('auth')} as well, or leave {names(stray[0])} out",
        )
    if server and (other := [name for name in ("kubeconfig", "context") if given[name]]):
        raise UsageError(f"{names('server')} and {names(other[0])} name a cluster each", hint="leave one of them out")
    if server and not server.startswith("https://"):
        raise UsageError(
            f"{names('server')}: {server!r} does not begin with https://, and a token is sent over nothing else",
            hint=f"{names('server')}: https://HOST or https://HOST:PORT",
        )
    if authority and not server:
        raise UsageError(
            f"{names('certificate-authority')} goes with {names('server')} alone",
            hint="in a kubeconfig it is certificate-authority-data of the cluster",
        )
    return Access(given["kubeconfig"], given["context"], given["audience"], server, authority)
