"""Progress that keeps secrets: what is noted while acting holds the words of strangers, of controllers and events."""

from dataclasses import dataclass, field

from recon_action.model import Progress
from recon_action.redact import Secrets


@dataclass(frozen=True, slots=True)
class Discreet:
    """Another display, to which no secret value gets.

    Args:
        display: the other one.
        secrets: what must not be shown.
    """

    display: Progress
    secrets: Secrets = field(repr=False)

    def step(self, title: str, total: int | None = None) -> None:
        """A new step; its title is ours."""
        self.display.step(title, total)

    def advance(self, count: int = 1) -> None:
        """`count` more is done."""
        self.display.advance(count)

    def note(self, text: str) -> None:
        """A line without secrets."""
        self.display.note(self.secrets.scrub(text))
