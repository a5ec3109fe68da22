"""The `kubeconfig` input: a path, or the file's text, plain or in base64, made a file for as long as it is used.

Decides which of these it is, and what of it must never show in the log. How the cluster is reached with it is
`cluster`'s.
"""

import base64
import binascii
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from recon_action.errors import UsageError

# Keys whose values are credentials, in YAML or JSON, of kubeconfigs and of what auth plugins keep in them; and the
# values of variables for a plugin whose names say it.
_SECRET = re.compile(
    r"""["']?\b(?:token|password|client-key-data|id-token|refresh-token|access-token|client-secret
          |name["']?\s*:\s*["']?\w{0,80}(?i:SECRET|TOKEN|PASSW|KEY)\w{0,80}["']?[\s,]+["']?value)["']?\s*:[ \t]*
        (?: [|>][-+0-9]*[ \t]*\n(?P<block>(?:[ \t]+\S.*(?:\n|$))+)
          | "(?P<double>(?:[^"\\]|\\.)*)" | '(?P<single>[^']*)' | (?P<plain>\S.*) )""",
    re.VERBOSE,
)
_IN_URL = re.compile(r"://[^/\s:@]*:([^/\s@]+)@")  # of a proxy, say
_LARGEST = 1 << 20  # bytes of a file that is looked through
_SHORTEST_SECRET = 4  # a mask hides its value everywhere, so one of a letter or two would ruin the log

_NO_SECRET = frozenset({"null", "true", "false"})


@contextmanager
def kubeconfig_file(value: str, environ: Mapping[str, str], mask: Callable[[Iterable[str]], None]) -> Iterator[str]:
    """The path of the kubeconfig that the input `value` means; a file made for it is gone afterwards.

    Args:
        value: the input; "" means KUBECONFIG, and without one the service account of the pod we run in.
        environ: the step's environment.
        mask: hides values in the log.

    Raises:
        UsageError: there is nothing to reach a cluster with. An empty secret must not end at localhost.
    """
    text = _text_of(value) if value else None
    if text is None:
        location = value or _from_environment(environ)
        files = [Path(file).expanduser() for file in location.split(os.pathsep) if _is_file(file)]
        if value and not files:
            raise UsageError(
                f"input kubeconfig: no such file: {_shown(value)}",
                hint="give a path inside the workspace or RUNNER_TEMP (the action runs in a container and sees "
                "no other), or the file's text, plain or in base64",
            )
        mask(secret for file in files for secret in secrets_of(_read(file)))
        yield location
        return
    mask(secrets_of(text))
    folder = environ.get("RUNNER_TEMP")
    with tempfile.NamedTemporaryFile(  # made with mode 0600
        "w",
        encoding="utf-8",
        prefix="kubeconfig-",
        dir=folder if folder and Path(folder).is_dir() else None,
    ) as file:
        file.write(text)
        file.flush()
        yield file.name


def secrets_of(text: str) -> list[str]:
    """The credentials in a kubeconfig's text, line by line as a log would show them, each once."""
    found: dict[str, None] = {}
    for match in _SECRET.finditer(text):
        value = next(group for group in match.groups() if group is not None)
        # A plain scalar ends with its line, or, in `{token: abc, …}`, where the next key or the end is.
        shorter = re.split(r"[,}]| #", value, maxsplit=1)[0] if match["plain"] else value
        for line in (*value.splitlines(), *shorter.splitlines()):
            found[line.strip()] = None
    found |= dict.fromkeys(_IN_URL.findall(text))
    return [secret for secret in found if len(secret) >= _SHORTEST_SECRET and secret not in _NO_SECRET]


def _from_environment(environ: Mapping[str, str]) -> str:
    named = environ.get("KUBECONFIG", "")
    if named or environ.get("KUBERNETES_SERVICE_HOST"):
        return named
    raise UsageError(
        "no kubeconfig: the input kubeconfig and the variable KUBECONFIG are both empty",
        hint="pass the secret that holds it, `kubeconfig: ${{ secrets.KUBECONFIG }}`; GitHub hands none to runs of "
        "forks and of Dependabot, nor to jobs outside of the secret's environment. auth: github-oidc needs no secret",
    )


def _is_file(name: str) -> bool:
    # os.path, which takes what can't be a path at all, a mangled secret say, for no file.
    return os.path.isfile(os.path.expanduser(name))  # noqa: PTH111, PTH113


def _read(file: Path) -> str:
    with file.open("rb") as opened:
        return opened.read(_LARGEST).decode(errors="replace")


def _text_of(value: str) -> str | None:
    """The kubeconfig's text if `value` holds it, plain or in base64; None if it can only be a path."""
    if "\n" in value or value.startswith("{") or "clusters:" in value:
        return _decoded(value) or value
    return _decoded(value)


def _decoded(value: str) -> str | None:
    try:
        text = base64.b64decode("".join(value.split()), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
    return text if "clusters" in text else None


def _shown(value: str) -> str:
    """A value that was meant as a path, cut: it may be a mangled kubeconfig, and an error must not tell it."""
    return repr(value) if len(value) <= 100 else f"{value[:20]!r}… ({len(value)} characters)"
