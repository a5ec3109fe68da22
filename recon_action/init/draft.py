"""Which files a repository needs, and what is in them, given what was seen. Reads nothing but our own examples."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Final

from recon_action.config.file import NAME
from recon_action.errors import UsageError
from recon_action.init.pin import ACTION, Pin
from recon_action.init.sight import Found, Sight

# Each workflow by the example that it is made of, and what it is for.
WORKFLOWS: Final[Mapping[str, str]] = {
    "pull-request": "tells of a pull request what it would change in the cluster",
    "push": "applies what is pushed to the default branch",
    "schedule": "finds drift, and corrects it, each hour",
}
_FOLDER: Final = ".github/workflows"
_SCHEMA: Final = "https://raw.githubusercontent.com/recon-action/recon-action/main/docs/recon.schema.json"
_PLAIN: Final = re.compile(r"[A-Za-z][A-Za-z0-9._/-]*")
_WORDS: Final = frozenset({"false", "n", "no", "null", "off", "on", "true", "y", "yes"})  # YAML means something else
_STEP: Final = f"      - uses: {ACTION}@v1\n        with:\n"
_KEY: Final = "        env:\n          SOPS_AGE_KEY: ${{ secrets.SOPS_AGE_KEY }} # decrypts what SOPS has encrypted\n"
_MOST_NAMED: Final = 12


@dataclass(frozen=True, slots=True)
class Cluster:
    """The cluster that is meant, if it could be asked: its address, and the UID of its namespace kube-system."""

    server: str = ""
    uid: str = ""


@dataclass(frozen=True, slots=True)
class File:
    """A file to be written: where, from the repository's root, what is in it, and what it is for."""

    path: str
    text: str = field(repr=False)
    purpose: str


@dataclass(frozen=True, slots=True)
class Draft:
    """All that is to be written.

    Args:
        files: the files.
        paths: the PATHs that they name.
        secrets: the secrets that workflows read, and what each is.
    """

    files: tuple[File, ...]
    paths: tuple[str, ...]
    secrets: Mapping[str, str]


def draft(sight: Sight, paths: Sequence[str], pin: Pin, cluster: Cluster) -> Draft:
    """What `sight` calls for.

    Args:
        sight: what was seen.
        paths: the PATHs that were named, from the repository's root; () leaves the choice to us.
        pin: the action's commit.
        cluster: the one that is meant.

    Raises:
        UsageError: there are no manifests, or several of which nobody can see which are meant.
    """
    chosen = tuple(paths) or (_only(sight.sources).path,)
    if not sight.sources:
        raise _none(chosen)
    if odd := [path for path in chosen if "${{" in path or "\n" in path]:
        raise UsageError(f"a workflow can't name {odd[0]!r}", hint="rename it")
    secrets = {"KUBECONFIG": "the text of a kubeconfig with these rights"}
    if sight.has_age:
        secrets["SOPS_AGE_KEY"] = "the age key that decrypts, AGE-SECRET-KEY-1…"
    workflows = [
        File(f"{_FOLDER}/recon-{name}.yml", _workflow(name, sight, chosen, pin), purpose)
        for name, purpose in WORKFLOWS.items()
    ]
    return Draft(
        (File(NAME, _config(cluster), "says what this repository wants of its cluster"), *workflows), chosen, secrets
    )


def _only(sources: Sequence[Found]) -> Found:
    """The one source that must be meant."""
    if not sources:
        raise _none(())
    if len(sources) == 1:
        return sources[0]
    listed = [f"  {found.path}: {found.sort}" for found in sources[:_MOST_NAMED]]
    more = [f"  and {len(sources) - _MOST_NAMED} more"] if len(sources) > _MOST_NAMED else []
    raise UsageError(
        "\n".join(["which of these make one cluster can't be seen:", *listed, *more]),
        hint=f"name them: recon-action init {sources[0].path}",
    )


def _none(paths: Sequence[str]) -> UsageError:
    where = f"in {', '.join(paths)}" if paths else "in this repository"
    return UsageError(
        f"no Kubernetes manifests, kustomization or chart {where}", hint="add some first, or name where they are"
    )


def _config(cluster: Cluster) -> str:
    lines = [f"# yaml-language-server: $schema={_SCHEMA}", "# All keys: docs/reference.md#reconyaml"]
    if cluster.uid:
        lines += [f"# {cluster.server} and no other cluster is written to.", f"clusterUID: {json.dumps(cluster.uid)}"]
    else:
        lines += [
            "# The only cluster that may be written to. Each report shows the UID:",
            "# clusterUID: 00000000-0000-0000-0000-000000000000",
        ]
    return "\n".join([*lines, ""])


def _workflow(name: str, sight: Sight, paths: Sequence[str], pin: Pin) -> str:
    """The example of that name, for this repository."""
    text = (files("recon_action.init") / "workflows" / f"{name}.yml").read_text("utf-8")
    text = text.replace("branches: [main]", f"branches: [{_scalar(sight.branch)}]")
    step = _STEP.replace(f"{ACTION}@v1", f"{pin.action}@{pin.ref}" + (f" # {pin.tag}" if pin.tag else ""))
    if sight.has_age and name != "pull-request":  # a preview decrypts nothing
        step = step.replace("        with:\n", f"{_KEY}        with:\n")
    text = _replaced(text, _STEP, step)
    return _replaced(text, "          paths: k8s\n", _paths(paths))


def _paths(paths: Sequence[str]) -> str:
    if len(paths) == 1:
        return f"          paths: {_scalar(paths[0])}\n"
    return "".join(["          paths: |\n", *(f"            {path}\n" for path in paths)])


def _replaced(text: str, old: str, new: str) -> str:
    """`text` with `old`, which it holds once, replaced."""
    before, found, after = text.partition(old)
    if not found or old in after:
        raise ValueError(f"the example does not hold {old!r} once")
    return f"{before}{new}{after}"


def _scalar(text: str) -> str:
    return text if _PLAIN.fullmatch(text) and text.lower() not in _WORDS else json.dumps(text)
