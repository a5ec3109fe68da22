"""Builds kustomizations."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from recon_action.desired.faults import Fault
from recon_action.desired.sources.closure import Closure
from recon_action.desired.sources.toolbox import Toolbox
from recon_action.model import Position

_LONGEST: Final = 600  # characters of an error
_ERROR: Final = re.compile(r"^Error: ", re.MULTILINE)
_WARNING: Final = re.compile(r"^# Warning: .*$", re.MULTILINE)


def build(closure: Closure, folder: Path, toolbox: Toolbox, helm: Sequence[str]) -> bytes | Fault:
    """Build the kustomization in `folder`.

    Args:
        closure: what it is built from.
        folder: its own, or that of a copy, which has to be one if it is spread.
        toolbox: has kustomize.
        helm: options for its charts, if it has any.

    Raises:
        ProgramError: kustomize, or helm, is missing, or has to be stopped.
    """
    # As to Flux, files may lie anywhere in the repository: the closure has seen that they do; the copy has no others.
    options = ["--load-restrictor", "LoadRestrictionsNone"] if closure.is_spread else []
    if closure.has_charts:
        options += ["--enable-helm", "--helm-command", str(toolbox.path("helm")), *helm]
    done = toolbox.run("kustomize", ("build", str(folder), *options))
    return done.stdout if done.code == 0 else _fault(closure, done.stderr, folder)


def _fault(closure: Closure, stderr: str, folder: Path) -> Fault:
    """An error of kustomize, at the file that it names, else at what the kustomization calls it."""
    text = _ERROR.sub("", _WARNING.sub("", stderr)).strip().replace(str(folder), ".")
    named = [named for named in closure.named if named.text in text]
    if named:
        position = max(named, key=lambda one: len(one.text)).position
    else:
        files = [file for file in closure.files if file.name in text]
        position = Position(str(max(files, key=lambda file: len(str(file)), default=closure.file)), 1)
    line = " ".join(text.split())
    return Fault(position, f"kustomize: {line[:_LONGEST]}{'…' if len(line) > _LONGEST else ''}")
