"""Runs the programs: each found once, with an environment of its own, and without the network unless that is allowed.

What they are told, and what their answers mean, is decided by who calls.
"""

import os
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from recon_action.desired.sources.tools import PROGRAMS, tool_places
from recon_action.errors import ProgramError
from recon_action.programs.places import find
from recon_action.programs.run import Completed, run

_NOWHERE: Final = "http://127.0.0.1:9"  # the port that discards: what speaks HTTP ends here
_ALWAYS: Final = ("PATH", "TZ")
_ONLINE: Final = (
    "HOME", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_FILE",
    "SSL_CERT_DIR", "SSH_AUTH_SOCK", "GIT_ASKPASS", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSL_CAINFO", "XDG_CONFIG_HOME",
    "DOCKER_CONFIG", "HELM_CONFIG_HOME", "HELM_REGISTRY_CONFIG", "HELM_REPOSITORY_CONFIG",
)  # fmt: skip
_KEYS: Final = (
    "HOME", "XDG_CONFIG_HOME", "GNUPGHOME", "GPG_AGENT_INFO", "SOPS_AGE_KEY", "SOPS_AGE_KEY_FILE", "SOPS_AGE_KEY_CMD",
    "SOPS_AGE_SSH_PRIVATE_KEY_FILE", "SOPS_AGE_SSH_PRIVATE_KEY_CMD", "SOPS_GPG_EXEC", "SOPS_DECRYPTION_ORDER",
)  # fmt: skip
_ONLINE_KEYS: Final = ("SOPS_", "AWS_", "AZURE_", "GOOGLE_", "CLOUDSDK_", "VAULT_", "HUAWEICLOUD_", "ACTIONS_ID_TOKEN_")
_OFFLINE: Final = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"), _NOWHERE) | {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_TERMINAL_PROMPT": "0",
}
_LIMIT: Final = 64 << 20


class Toolbox:
    """The programs, for the time of one reading.

    Args:
        environ: whose PATH, and whose keys.
        network: whether they may use the network.
        timeout: seconds that one of them may take.
        limit: bytes that one of them may write.
    """

    def __init__(
        self, environ: Mapping[str, str], *, network: bool = False, timeout: float = 300.0, limit: int = _LIMIT
    ) -> None:
        self.network = network
        self._environ = environ
        self._timeout = timeout
        self._limit = limit
        self._ended = threading.Event()
        self._found: dict[str, Path] = {}
        self._lock = threading.Lock()
        self._home: tempfile.TemporaryDirectory[str] | None = None

    def close(self) -> None:
        """Remove what the programs left."""
        if self._home:
            self._home.cleanup()

    def end(self) -> None:
        """Stop what is running: nobody waits for it any more."""
        self._ended.set()

    @property
    def home(self) -> Path:
        """A folder of our own, gone afterwards, that nobody else can read; in memory, where that is possible."""
        with self._lock:
            if self._home is None:
                self._home = tempfile.TemporaryDirectory(
                    prefix="recon-action-", dir=None if self.network else _memory()
                )
            return Path(self._home.name)

    def path(self, name: str) -> Path:
        """Where the program is.

        Raises:
            ProgramError: nowhere.
        """
        with self._lock:
            if name not in self._found:
                program = next(program for program in PROGRAMS if program.name == name)
                found = find(program, tool_places(self._environ))
                if found is None:
                    raise ProgramError(
                        f"{name} is needed and not on this machine",
                        hint=f"put it on PATH, or run `recon-action tools install {name}`",
                    )
                self._found[name] = found
            return self._found[name]

    def run(self, name: str, arguments: Sequence[str], *, data: bytes | None = None) -> Completed:
        """Run a program in a folder of its own; `data` is what it reads on its stdin.

        Raises:
            ProgramError: it is missing, takes too long, or writes too much.
        """
        argv = [str(self.path(name)), *arguments]
        return run(
            argv,
            cwd=self.home,
            env=self.environment(name),
            timeout=self._timeout,
            input=data,
            limit=self._limit,
            ended=self._ended,
        )

    def environment(self, name: str) -> dict[str, str]:
        """All that a program sees of the environment."""
        return self._keys() if name == "sops" else self._plain()

    def _plain(self) -> dict[str, str]:
        """For kustomize and helm: no credentials but those for what the network is allowed for."""
        home = self.home
        (home / "tmp").mkdir(exist_ok=True)
        own = {
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home / "config"),
            "HELM_CONFIG_HOME": str(home / "helm/config"),
            # Plugins of the user, or of a repository that says where helm's folders are, are programs.
            "HELM_PLUGINS": str(home / "none"),
            "HELM_NO_PLUGINS": "1",
            "HELM_CACHE_HOME": str(home / "helm/cache"),
            "HELM_DATA_HOME": str(home / "helm/data"),
            "TMPDIR": str(home / "tmp"),
        }
        return own | self._kept(_ALWAYS) | (self._kept(_ONLINE) if self.network else _OFFLINE)

    def _keys(self) -> dict[str, str]:
        """For sops: keys on this machine, and credentials of key services where they may be asked."""
        if not self.network:
            return self._kept((*_ALWAYS, *_KEYS)) | _OFFLINE | {"AWS_EC2_METADATA_DISABLED": "true"}
        services = [name for name in self._environ if name.startswith(_ONLINE_KEYS)]
        return self._kept((*_ALWAYS, *_KEYS, *_ONLINE, *services))

    def _kept(self, names: Sequence[str]) -> dict[str, str]:
        return {name: self._environ[name] for name in names if name in self._environ}


def _memory() -> str | None:
    """The folder of the memory's file system; None if there is none, or little room in it."""
    folder = Path("/dev/shm")  # noqa: S108 - ours is made in it, with a name of its own, for nobody else to read
    try:
        room = os.statvfs(folder)
    except OSError:
        return None
    has_room = os.access(folder, os.W_OK) and room.f_bavail * room.f_frsize > 2 * _LIMIT
    return str(folder) if has_room else None
