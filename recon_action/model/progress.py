"""How a long step says that it is alive; `cli` draws it, everything else only tells."""

from typing import Protocol


class Progress(Protocol):
    """A display of one step at a time. Calls may come from several threads."""

    def step(self, title: str, total: int | None = None) -> None:
        """A new step begins; `total` is how many `advance` it will take, None if unknown."""

    def advance(self, count: int = 1) -> None:
        """`count` more of the step is done."""

    def note(self, text: str) -> None:
        """A line worth keeping in the log."""


class Quiet:
    """A display that shows nothing."""

    def step(self, title: str, total: int | None = None) -> None:
        """Show nothing."""

    def advance(self, count: int = 1) -> None:
        """Show nothing."""

    def note(self, text: str) -> None:
        """Show nothing."""
