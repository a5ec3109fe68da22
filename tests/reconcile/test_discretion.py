"""Progress that keeps secrets."""

from recon_action.model import Quiet
from recon_action.reconcile.discretion import Discreet
from recon_action.redact import Secrets


class _Display(Quiet):
    def __init__(self) -> None:
        self.said: list[object] = []

    def step(self, title: str, total: int | None = None) -> None:
        self.said.append((title, total))

    def advance(self, count: int = 1) -> None:
        self.said.append(count)

    def note(self, text: str) -> None:
        self.said.append(text)


def test_notes_are_scrubbed() -> None:
    """Steps and counts are ours; a note may hold what a controller or an event says of a Secret."""
    display = _Display()
    discreet = Discreet(display, Secrets(frozenset({"s3cr3t-p4ss"})))
    discreet.step("waiting", 2)
    discreet.advance()
    discreet.note("Pod shop/web: CrashLoopBackOff: can't log in with s3cr3t-p4ss")
    assert display.said == [("waiting", 2), 1, "Pod shop/web: CrashLoopBackOff: can't log in with ***"]
    assert "s3cr3t" not in repr(discreet)
