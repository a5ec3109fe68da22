"""What the reader gets in the place of a folder that was rendered, or of a file that was decrypted."""

from collections.abc import Callable
from dataclasses import dataclass, field

from recon_action.desired.documents import Document
from recon_action.desired.faults import Fault
from recon_action.model import Manifest, Skipped

Make = Callable[[Manifest, Document], Manifest | Fault]


@dataclass(frozen=True, slots=True)
class Rendered:
    """What became of a source.

    Args:
        data: the objects, as YAML.
        make: completes each of them: where it comes from, and what of it is secret.
        blame: the file that a fault in the data is told of, given the fault and its document.
        faults: why there are none.
        skipped: why nothing is made of it by itself.
        secrets: values that were encrypted.
    """

    data: bytes = field(default=b"", repr=False)
    make: Make | None = None
    blame: Callable[[Fault, Document], Fault] | None = None
    faults: tuple[Fault, ...] = ()
    skipped: Skipped | None = None
    secrets: frozenset[str] = field(default=frozenset(), repr=False)
