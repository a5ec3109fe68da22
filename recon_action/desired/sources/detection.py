"""Which folder is a source, by the names of its files, and which file may be encrypted, by its bytes."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

KUSTOMIZATIONS: Final = ("kustomization.yaml", "kustomization.yml", "Kustomization")
CHARTS: Final = ("Chart.yaml", "Chart.yml")
CIPHER: Final = b"ENC[AES256_GCM,"  # in whatever SOPS has encrypted, if only in its own signature


class Kind(StrEnum):
    """What has to be done with a folder."""

    KUSTOMIZE = "kustomize"
    HELM = "helm"


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder that is a source.

    Args:
        path: as it was named or found.
        kind: what it is.
        base: the repository that nothing may leave; "" if there is none.
        named: whether it is a PATH itself.
    """

    path: str
    kind: Kind
    base: str = ""
    named: bool = False


_KINDS: Final = dict.fromkeys(KUSTOMIZATIONS, Kind.KUSTOMIZE) | {CHARTS[0]: Kind.HELM}


def kind_of(names: Iterable[str]) -> Kind | None:
    """What the folder with files of these `names` is; a kustomization may have its chart beside it."""
    found = {kind for name in names if (kind := _KINDS.get(name))}
    return Kind.KUSTOMIZE if Kind.KUSTOMIZE in found else next(iter(found), None)


def kustomization_in(folder: Path) -> Path | None:
    """The file that makes `folder` a kustomization; None if there is none."""
    return next((file for name in KUSTOMIZATIONS if (file := folder / name).is_file()), None)
