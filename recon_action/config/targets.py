"""The targets of recon.yaml: which of them a run is about, and what each says in the options' place.

The command line, or an input, outweighs the environment, which outweighs the file; what a target says outweighs the
file's defaults. Nothing is read here.
"""

import os.path
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from recon_action.config.access import GITHUB_OIDC
from recon_action.config.option import option_name
from recon_action.config.options import settings
from recon_action.errors import UsageError
from recon_action.model import IgnoreRule, Settings

Values = Mapping[str, str | bool | Sequence[str]]

# Keys of a target, or of the defaults, that stand in an option's place.
OPTION_OF: Final = {
    "namespace": "namespace",
    "clusterUID": "cluster-uid",
    "prune": "prune",
    "additive": "additive",
    "wait": "wait",
    "timeout": "timeout",
}
ACCESS_OF: Final = {
    "kubeconfig": "kubeconfig",
    "context": "context",
    "auth": "auth",
    "audience": "audience",
    "server": "server",
    "certificateAuthority": "certificate-authority",
}
# Two ways of naming a cluster: who names it in one takes back what the file says in the other.
_BY_FILE: Final = frozenset({"kubeconfig", "context"})
_BY_URL: Final = frozenset({"server", "certificate-authority"})


@dataclass(frozen=True, slots=True)
class TargetEntry:
    """One target as recon.yaml has it, the file's defaults included.

    Args:
        name: of the target; "" if the file has none, and says only how any is treated.
        paths: as they are written, seen from the file's folder.
        values: by option.
        ignore: fields that keep their live value, beside those of the file.
    """

    name: str = ""
    paths: tuple[str, ...] = ()
    values: Values = field(default_factory=dict)
    ignore: tuple[IgnoreRule, ...] = ()


def entry(said: Mapping[str, Any], defaults: Mapping[str, Any], ignore: tuple[IgnoreRule, ...] = ()) -> TargetEntry:
    """What a target, and the defaults where it is silent, say."""
    own, usual = _values(said), _values(defaults)
    usual = {name: value for name, value in usual.items() if name not in _taken_back(own)}
    return TargetEntry(said.get("name", ""), tuple(said.get("paths", ())), usual | own, ignore)


def settings_of_targets(
    given: Values,
    entries: Sequence[TargetEntry],
    *,
    paths: Sequence[str] | None,
    folder: str = "",
    names: Callable[[str], str] = option_name,
    verbose: int = 0,
) -> tuple[Settings, ...]:
    """The settings of each target that is meant, in the file's order.

    Args:
        given: by option, only what somebody has said.
        entries: the file's.
        paths: the PATHs; () leaves them to the file, None is for a command that takes none.
        folder: of the file.
        names: how an error message calls an option.
        verbose: how much the log says.

    Raises:
        UsageError: a value is wrong, or no target is meant, or PATHs are for several.
    """
    said = {name: value for name, value in given.items() if value not in {"", ()}}
    meant = _meant(entries, str(said.get("target", "")), names, is_known=paths is not None)
    if paths and len(meant) > 1:
        raise UsageError(
            f"PATHs are one target's, and recon.yaml has {_named(meant)}",
            hint=f"name one by {names('target')}, or leave the PATHs out",
        )
    return tuple(_settings(said, one, paths, folder, names, verbose) for one in meant)


def without_access(entries: Sequence[TargetEntry]) -> tuple[TargetEntry, ...]:
    """`entries` without how the cluster is reached, where a file of the repository may not say that."""
    names = set(ACCESS_OF.values())
    return tuple(
        replace(one, values={name: value for name, value in one.values.items() if name not in names}) for one in entries
    )


def the_only(chosen: Sequence[Settings], what: str, names: Callable[[str], str] = option_name) -> Settings:
    """The one target of `chosen`.

    Raises:
        UsageError: there are several; `what` is what takes only one.
    """
    if len(chosen) > 1:
        raise UsageError(
            f"{what} takes one target, and recon.yaml has {', '.join(one.target for one in chosen)}",
            hint=f"name one by {names('target')}",
        )
    return chosen[0]


def _settings(
    said: Values,
    one: TargetEntry,
    paths: Sequence[str] | None,
    folder: str,
    names: Callable[[str], str],
    verbose: int,
) -> Settings:
    taken_back = _taken_back(said)
    usual = {name: _seen_from(folder, name, value) for name, value in one.values.items() if name not in taken_back}
    named = {"target": one.name} if one.name else {}
    if paths is not None:
        paths = paths or [os.path.join(folder, path) for path in one.paths]  # noqa: PTH118 - a glob is no path
    return settings({**usual, **named, **said}, paths=paths, names=names, verbose=verbose)


def _meant(
    entries: Sequence[TargetEntry], name: str, names: Callable[[str], str], *, is_known: bool
) -> Sequence[TargetEntry]:
    """The targets that `name` means, "" all; one that must not be known may have left the file."""
    if not name or not any(one.name for one in entries):
        return entries
    found = [one for one in entries if one.name == name]
    if not found and is_known:
        raise UsageError(
            f"{names('target')}: recon.yaml has no target {name}; it has {_named(entries)}",
            hint="name one of them, or add it to the file",
        )
    return found or [TargetEntry()]


def _values(said: Mapping[str, Any]) -> dict[str, str | bool]:
    found = {option: said[key] for key, option in OPTION_OF.items() if key in said}
    access = said.get("access", {})
    return found | {option: access[key] for key, option in ACCESS_OF.items() if key in access}


def _taken_back(said: Mapping[str, object]) -> set[str]:
    """Options of which nothing less weighty counts, as what was said names a cluster, or who asks, another way."""
    found = set[str]()
    if _BY_FILE & said.keys():
        found |= _BY_URL
    if "server" in said:
        found |= _BY_FILE
    if said.get("auth", GITHUB_OIDC) != GITHUB_OIDC:
        found |= {"audience", *_BY_URL}
    return found - said.keys()


def _seen_from(folder: str, name: str, value: Any) -> Any:
    """A value that names files, seen from the current folder."""
    if name != "kubeconfig":
        return value
    parts = str(value).split(os.pathsep)
    return os.pathsep.join(
        part if part.startswith("~") else os.path.join(folder, part)  # noqa: PTH118 - "" stays what it is
        for part in parts
    )


def _named(entries: Sequence[TargetEntry]) -> str:
    return ", ".join(one.name for one in entries)


def duplicates(names: Sequence[str]) -> Iterator[int]:
    """Which of `names` have stood there before."""
    return (number for number, name in enumerate(names) if name in names[:number])
