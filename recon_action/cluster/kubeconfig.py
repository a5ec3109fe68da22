"""A kubeconfig, one file or several: which context counts, and whether all that it names is there.

The `kubernetes` package reads the files and makes a configuration of what was chosen here. It is corrected where it
differs from kubectl: of several files the first that names a current context counts, a path is relative to the file
that holds it, a tokenFile is read again. What to do about what is missing is `remedies`'.
"""

import base64
import binascii
import logging
import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recon_action.cluster.kube import ConfigException, Configuration, kube_config
from recon_action.cluster.remedies import FLATTEN, NO_CONTEXT, auth_provider, plugin
from recon_action.errors import ReconError, UsageError

_CHECK = "check it with: kubectl config view"
_FILES = {"cluster": ("certificate-authority",), "user": ("client-certificate", "client-key", "tokenFile")}


@dataclass(frozen=True, slots=True)
class Loaded:
    """What of a kubeconfig no configuration holds.

    Args:
        namespace: the context's, "" if it names none.
        token_file: where the user's token stands; None if it stands in no file.
    """

    namespace: str
    token_file: Path | None = None


class _Complaints(logging.Handler):
    """What the loader only logs, to go on without credentials: that their plugin failed."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the message, on one line."""
        self.messages.append(" ".join(record.getMessage().split()))


def load_kubeconfig(location: str, context: str, configuration: Configuration, *, with_user: bool) -> Loaded:
    """Fill `configuration`.

    Args:
        location: path(s) as in KUBECONFIG.
        context: the context's name; "" means the current one.
        configuration: it gets server, certificates and credentials.
        with_user: whether its user counts; if not, no plugin is run and no certificate shown.

    Raises:
        UsageError: something is missing or wrong.
    """
    complaints = _Complaints()
    logging.getLogger().addHandler(complaints)
    try:
        merger = kube_config.KubeConfigMerger(location)
        chosen = _Chosen(merger, context, _passed_over(location))
        loaded = chosen.prepare(with_user=with_user)
        loader = kube_config.KubeConfigLoader(
            chosen.config, chosen.context, config_base_path=None, config_persister=merger.save_changes
        )
        loader.load_and_set(configuration)
    except ConfigException as error:
        raise UsageError(f"kubeconfig: {error}", hint=_CHECK) from error
    except ReconError:
        raise
    except Exception as error:  # the loader lets everything out that it trips over, its YAML reader's errors too
        # Their words may quote the file, so they stay inside.
        raise UsageError(f"{location} can't be read as a kubeconfig", hint=_CHECK) from error
    finally:
        logging.getLogger().removeHandler(complaints)
    if complaints.messages:
        raise UsageError(
            f"kubeconfig: the credential plugin failed: {'; '.join(complaints.messages)}", hint=chosen.plugin_remedy()
        )
    return loaded


class _Chosen:
    """The context, cluster and user that count."""

    def __init__(self, merger: Any, context: str, passed_over: str) -> None:
        if merger.config is None:
            raise ConfigException("Invalid kube-config file. No configuration found.")
        self.config = merger.config
        self._passed_over = passed_over
        current = (one.get("current-context") for one in merger.config_files.values())
        self.context = context or next(filter(None, current), "")
        if not self.context:
            named = f"name one with context: {self._names('contexts')}"
            raise UsageError(
                f"kubeconfig: no context is the current one{passed_over}",
                hint=named if merger.config.safe_get("contexts") else NO_CONTEXT,
            )
        self._of_context = self._entry("contexts", self.context).value["context"]
        self._cluster = self._of_context.get("cluster") or ""
        self._user = self._of_context.get("user") or ""

    def prepare(self, *, with_user: bool) -> Loaded:
        """See that all is there, and leave to the loader what it gets right."""
        cluster = self._mended("clusters", self._cluster, "cluster")
        server = cluster.get("server") or ""
        if not server.startswith(("https://", "http://")):
            raise UsageError(
                f"kubeconfig: the server of cluster {self._cluster!r} is {server!r}, which is no URL",
                hint="write it as https://HOST:PORT",
            )
        _require_base64(cluster, ("certificate-authority-data",))
        token_file = None
        if not with_user:
            self._replace("contexts", self.context, "context", {**self._of_context, "user": ""})
        elif self._user:
            token_file = self._prepare_user()
        return Loaded(str(self._of_context.get("namespace") or ""), token_file)

    def plugin_remedy(self) -> str:
        """What to do about a plugin that failed."""
        given = self._entry("users", self._user).value["user"].get("exec") or {}
        return plugin(str(given.get("command") or ""), self._user)

    def _prepare_user(self) -> Path | None:
        user = self._mended("users", self._user, "user")
        _require_base64(user, ("client-certificate-data", "client-key-data"))
        if len(str(user.get("token") or "").split()) > 1:
            raise UsageError(f"kubeconfig: the token of user {self._user!r} is no token", hint="it holds white space")
        token_file = user.get("tokenFile")
        if token_file:  # as kubectl has it, before a token
            self._replace("users", self._user, "user", {})
            return Path(token_file)
        provider = (user.get("auth-provider") or {}).get("name", "")
        hint = auth_provider(provider, self._user)
        if hint and user.get("token"):
            self._replace("users", self._user, "user", {**user, "auth-provider": {}})
        elif hint:
            raise UsageError(f"kubeconfig: user {self._user!r} needs the auth provider {provider}", hint=hint)
        elif user.get("exec") and not user.get("token"):
            self._require_plugin(user["exec"])
        return None

    def _require_plugin(self, given: Mapping[str, Any]) -> None:
        command = str(given.get("command") or "")
        path = next((one["value"] for one in given.get("env") or () if one["name"] == "PATH"), None)
        if command and shutil.which(command, path=path) is None:
            raise UsageError(
                f"kubeconfig: user {self._user!r} needs the credential plugin {command}, which is not here",
                hint=plugin(command, self._user),
            )

    def _mended(self, kind: str, name: str, key: str) -> dict[str, Any]:
        """The entry of that name, whose files are named from the root, and are there."""
        node = self._entry(kind, name)
        held = dict(node.value[key] or {})
        folder = Path(node.path).absolute().parent
        for file in _FILES[key]:
            if not held.get(file) or held.get(f"{file}-data"):
                continue
            held[file] = str(folder / held[file])
            if not Path(held[file]).is_file():
                raise UsageError(f"kubeconfig: the {file} of {key} {name!r} is not here: {held[file]}", hint=FLATTEN)
        command = (held.get("exec") or {}).get("command", "")
        if os.sep in command:
            held["exec"] = {**held["exec"], "command": str(folder / command)}
        self._replace(kind, name, key, held)
        return held

    def _entry(self, kind: str, name: str) -> Any:
        found = next((node for node in self.config.value[kind] if node.value["name"] == name), None)
        if found is None:
            what = f"there is no {kind.removesuffix('s')} {name!r}"
            named = f", which context {self.context!r} names" if kind != "contexts" else ""
            raise UsageError(f"kubeconfig: {what}{named}{self._passed_over}", hint=f"there is: {self._names(kind)}")
        return found

    def _replace(self, kind: str, name: str, key: str, held: Mapping[str, Any]) -> None:
        """Put `held` into an entry of the merged configuration; what the loader may write back is not touched."""
        nodes = self.config.value[kind]
        at = next(number for number, node in enumerate(nodes) if node.value["name"] == name)
        nodes[at] = kube_config.ConfigNode(nodes[at].name, {**nodes[at].value, key: held}, nodes[at].path)

    def _names(self, kind: str) -> str:
        return ", ".join(str(node.value["name"]) for node in self.config.value[kind]) or "none"


def _passed_over(location: str) -> str:
    """The files of a list that are not there, which kubectl passes over as well."""
    missing = [file for file in location.split(os.pathsep) if file and not Path(file).expanduser().is_file()]
    return f" (not found: {', '.join(missing)})" if missing else ""


def _require_base64(entry: Mapping[str, Any], keys: Iterable[str]) -> None:
    for key in keys:
        try:
            base64.b64decode(str(entry.get(key) or ""), validate=True)
        except binascii.Error:
            raise UsageError(f"kubeconfig: {key} is no base64", hint="it was cut or mangled on its way here") from None
