"""The commits that a preview or a validation compares: how they are treated, and what they declare."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from recon_action.config.file import NAME, ConfigFile, read_config, with_file
from recon_action.desired import Tree, commit_of, laid_out, load, merge_base, revision_of
from recon_action.errors import DesiredError, UsageError
from recon_action.model import AskTarget, Body, Desired, Revision, Settings
from recon_action.reconcile.reporting import rules_of
from recon_action.redact import Secrets


def repository_of(settings: Settings) -> Revision:
    """The repository that the PATHs lie in.

    Raises:
        UsageError: they lie in none.
    """
    revision = revision_of(settings.paths)
    if revision is None:
        raise UsageError(
            f"{settings.paths[0]} lies in no Git repository, and two commits of one are compared",
            hint="name PATHs of a repository, or leave the commits out",
        )
    return revision


def config_in(config: str, paths: Sequence[str], base: str, head: str) -> ConfigFile:
    """What recon.yaml says in the commit that a preview of `base` and `head` compares with.

    Args:
        config: the file; "" means recon.yaml in the current folder.
        paths: the PATHs, in whose repository it is looked up; of () in that of the file.
        base: a commit by any name.
        head: a commit by any name.
    """
    revision = revision_of(paths or [str(Path(config or NAME).parent)])
    if revision is None:
        return ConfigFile()
    try:
        before = merge_base(revision.root, commit_of(revision.root, base), commit_of(revision.root, head))
    except DesiredError:
        if paths:
            return ConfigFile()  # whoever compares the commits says what is wrong with them
        raise
    with laid_out(revision, before, [config or NAME]) as tree:
        return read_config(tree.paths[0]) if tree.paths else ConfigFile()


def configured(settings: Settings, revision: Revision, commit: str, config: str) -> Settings:
    """`settings` and what recon.yaml says in a commit; one that the commit lacks says nothing."""
    with laid_out(revision, commit, [config or NAME]) as tree:
        return with_file(settings, tree.paths[0]) if tree.paths else settings


def values_of(settings: Settings, revision: Revision) -> list[str]:
    """The files of values that charts are rendered with."""
    named = (file for chart in settings.sources.charts for file in chart.values)
    return [*settings.sources.values, *(str(Path(revision.root, file)) for file in named)]


def desired_in(tree: Tree, settings: Settings, target: AskTarget | None = None) -> Desired:
    """The manifests of a commit; none if it has none of the PATHs."""
    if not tree.paths:
        return Desired((), revision=tree.revision)
    sources = replace(
        settings.sources,
        values=tuple(map(tree.moved, settings.sources.values)),
        decrypt=bool(settings.sources.decrypt),  # what is proposed may not use keys unasked
    )
    max_size = settings.max_file_size
    return load(tree.paths, revision=tree.revision, max_size=max_size, settings=sources, target=target)


def secrets_of_commits(
    commits: Iterable[Desired], settings: Settings, secrets_of: Callable[[Iterable[Body]], Secrets]
) -> Secrets:
    """What must not be shown of what commits declare."""
    found = Secrets()
    for desired in commits:
        bodies = [manifest.body for manifest in desired.manifests]
        found |= secrets_of(bodies) | Secrets.at(rules_of(desired, settings), bodies) | Secrets(desired.secrets)
    return found
