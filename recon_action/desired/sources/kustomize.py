"""Builds kustomizations, and has kustomize tell where each object comes from.

That is asked for in the kustomization itself (`buildMetadata`), so it is built in a copy of what it is built from; the
repository's own files stay as they are.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from recon_action.desired.faults import Fault
from recon_action.desired.sources.closure import Closure
from recon_action.desired.sources.toolbox import Toolbox
from recon_action.model import Position

_ASKED: Final = "originAnnotations"
_KEY: Final = "buildMetadata"
_LONGEST: Final = 600  # characters of an error
_ERROR: Final = re.compile(r"^Error: ", re.MULTILINE)
_WARNING: Final = re.compile(r"^# Warning: .*$", re.MULTILINE)
_BLOCK: Final = re.compile(rb"\A(?:---[ \t]*\n|#[^\n]*\n|[ \t]*\n)*+[A-Za-z]+:")
_END: Final = re.compile(rb"^\.\.\.", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Built:
    """What kustomize has made.

    Args:
        data: the objects.
        seen_from: the folder that the paths in their annotations are relative to.
        keep: whether the kustomization itself wants those annotations.
    """

    data: bytes
    seen_from: Path
    keep: bool


def asking(closure: Closure) -> bytes | None:
    """The file of a kustomization that asks where objects come from; None if it does so by itself, or can't."""
    metadata = closure.value.get(_KEY, [])
    if not closure.value or not isinstance(metadata, list) or _ASKED in metadata:
        return None
    data = closure.file.read_bytes()
    if _KEY not in closure.value and _BLOCK.match(data) and not _END.search(data):
        return data + b"\n%b: [%b]\n" % (_KEY.encode(), _ASKED.encode())
    return json.dumps({**closure.value, _KEY: [*metadata, _ASKED]}).encode()


def build(closure: Closure, folder: Path, toolbox: Toolbox, helm: Sequence[str], *, is_copy: bool) -> Built | Fault:
    """Build the kustomization in `folder`: its own, or a copy of it.

    Args:
        closure: what it is built from.
        folder: where it is built.
        toolbox: has kustomize.
        helm: options for its charts, if it has any.
        is_copy: whether it is one.

    Raises:
        ProgramError: kustomize, or helm, is missing, or has to be stopped.
    """
    # As to Flux, files may lie anywhere in the repository: the closure has seen that they do; the copy has no others.
    options = ["--load-restrictor", "LoadRestrictionsNone"] if closure.is_bounded and is_copy else []
    if closure.has_charts:
        options += ["--enable-helm", "--helm-command", str(toolbox.path("helm")), *helm]
    done = toolbox.run("kustomize", ("build", str(folder), *options))
    if done.code:
        return _fault(closure, done.stderr, folder)
    return Built(done.stdout, folder, keep=_ASKED in (closure.value.get(_KEY) or ()))


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
