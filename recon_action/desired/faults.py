"""What is wrong with the files: found one by one, told all at once. Never holds a value of a file."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from recon_action.errors import DesiredError
from recon_action.model import Position

_SHOWN: Final = 1000  # lines that a person may still read, and that a log can hold


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that keeps a file from being read.

    Args:
        position: where.
        message: what is wrong, in one line; may quote keys, never values, which may be secret.
        hint: what to write instead.
    """

    position: Position
    message: str
    hint: str = ""

    def __str__(self) -> str:
        place = f"{self.position.file}:{self.position.line}:{self.position.column}"
        return f"{place}: {self.message}" + (f" — {self.hint}" if self.hint else "")


class ManifestError(DesiredError):
    """The files can't be read as manifests; `faults` holds every reason, in the order of the files."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        lines = [str(fault) for fault in self.faults[:_SHOWN]]
        if len(self.faults) > 1:
            lines.insert(0, f"the manifests have {len(self.faults)} faults:")
        if len(self.faults) > _SHOWN:
            lines.append(f"… and {len(self.faults) - _SHOWN} more")
        super().__init__("\n".join(lines), hint="correct the files named above; nothing was sent to the cluster")
