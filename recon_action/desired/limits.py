"""How much of one file is read: a hostile one must not eat the runner's memory, or its hours.

One number decides, the size in bytes. What a file of that size may hold is in proportion to what real manifests hold.
"""

from dataclasses import dataclass
from typing import Final

from recon_action.model import Settings

MOST_FAULTS: Final = 10_000  # of one file: nobody reads the rest

_DEFAULT: Final = Settings(paths=()).max_file_size
_BYTES_A_VALUE = 10  # a line of a real manifest, its key and its value, has twenty and more
_BYTES_A_DOCUMENT = 256


@dataclass(frozen=True, slots=True)
class Limits:
    """What one file may hold.

    Args:
        size: bytes; a larger file is refused unread.
    """

    size: int = _DEFAULT

    def __str__(self) -> str:
        """As a person writes it: `16 MiB`."""
        for unit, factor in (("MiB", 1 << 20), ("KiB", 1 << 10)):
            if not self.size % factor:
                return f"{self.size // factor} {unit}"
        return f"{self.size} bytes"

    @property
    def values(self) -> int:
        """Keys and values, what aliases stand for included."""
        return self.size // _BYTES_A_VALUE

    def can_pass(self, size: int) -> bool:
        """Whether so many bytes can hold too many values."""
        return size > 2 * self.values  # the shortest takes two

    @property
    def documents(self) -> int:
        """Documents, empty ones included."""
        return self.size // _BYTES_A_DOCUMENT


DEFAULT: Final = Limits()


class TooMuchError(ValueError):
    """A file holds more than is read of one."""


class Meter:
    """What may still come: of one file, and of aliases in all files together.

    Args:
        limits: what one file may hold.

    Attributes:
        is_counting: whether keys and values have to be counted.
        left: how many more the file may hold.
        aliased: how many aliases stood for, in all files.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.is_counting = False
        self.left = limits.values
        self.aliased = 0
        self._text = limits.size

    def begin(self, size: int) -> None:
        """Another file, of that many bytes; of one that is too small to hold too much nothing is counted."""
        self.is_counting = self.limits.can_pass(size)
        self.left = self.limits.values

    def count(self, values: int = 1) -> None:
        """So many more values were read.

        Raises:
            TooMuchError: there are too many.
        """
        self.left -= values
        if self.left < 0:
            raise TooMuchError(f"more than {self.limits.values:,} keys and values")

    def expand(self, values: int, text: int) -> None:
        """An alias stands for so many values, with so many characters.

        Raises:
            TooMuchError: aliases stand for too much.
        """
        self.aliased += values
        self._text -= text
        if self.aliased > self.limits.values or self._text < 0:
            raise TooMuchError("aliases that stand for more than a file may hold")
