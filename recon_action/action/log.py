"""Progress as the runner's log shows it."""

from dataclasses import dataclass

from recon_action.github.runner import Runner


@dataclass(frozen=True, slots=True)
class Log:
    """Progress as lines of the log, which has no place for bars."""

    runner: Runner

    def step(self, title: str, total: int | None = None) -> None:
        """A step begins."""
        self.runner.say(f"{title} ({total})" if total is not None else title)

    def advance(self, count: int = 1) -> None:
        """Nothing is said of each."""

    def note(self, text: str) -> None:
        """Something worth knowing on the way."""
        self.runner.say(text)
