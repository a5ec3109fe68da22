"""How long publishing insists, by a clock of the test's own."""

from dataclasses import dataclass, field

import pytest

from recon_action.github.denied import Denied, Need, refused
from recon_action.github.patience import Patience

NEED = Need("do it")


@dataclass
class Clock:
    """Time that passes by waiting alone, and by requests that take `each` seconds."""

    now: float = 0.0
    each: float = 0.0
    waits: list[float] = field(default_factory=list)
    is_over: bool = False

    def wait(self, seconds: float) -> bool:
        """Let time pass."""
        self.waits.append(seconds)
        self.now += seconds
        return self.is_over

    def patience(self) -> Patience:
        """All of it, by this clock."""
        return Patience(self.wait, lambda: self.now)

    def failing(self, *answers: Denied | str) -> str:
        """Insist on what gives `answers` in turn, the last one for ever."""
        rest = list(answers)

        def send() -> str:
            self.now += self.each
            answer = rest.pop(0) if len(rest) > 1 else rest[0]
            if isinstance(answer, Denied):
                raise answer
            return answer

        return self.patience().insist(send)


def denied(status: int, **headers: str) -> Denied:
    return refused(NEED, status, None, {name.replace("_", "-"): value for name, value in headers.items()}, 0)


def test_what_passes_is_tried_again() -> None:
    """Pauses grow, or are as long as GitHub asks."""
    clock = Clock()
    assert clock.failing(denied(502), denied(502), denied(429, retry_after="20"), "done") == "done"
    assert clock.waits == [1, 2, 20]


@pytest.mark.parametrize("status", [401, 403, 404, 410, 422])
def test_what_does_not_pass_is_tried_once(status: int) -> None:
    """Sending it again would give the same."""
    clock = Clock()
    with pytest.raises(Denied):
        clock.failing(denied(status), "done")
    assert clock.waits == []


def test_tries_are_few() -> None:
    """A server that fails is not asked for ever."""
    clock = Clock()
    with pytest.raises(Denied, match="502"):
        clock.failing(denied(502))
    assert clock.waits == [1, 2, 4, 8]


def test_a_limit_that_ends_later_is_not_waited_for() -> None:
    """An hour is too long: it is given up at once."""
    clock = Clock()
    with pytest.raises(Denied):
        clock.failing(denied(403, x_ratelimit_remaining="0", x_ratelimit_reset="3600"))
    assert clock.waits == []


def test_slow_failures_use_the_patience_up() -> None:
    """What a failing request takes counts as well."""
    clock = Clock(each=50)
    with pytest.raises(Denied):
        clock.failing(denied(502))
    assert clock.waits == [1, 2]


def test_one_patience_for_all() -> None:
    """A run loses two minutes at most, however many requests fail."""
    clock = Clock()
    patience = clock.patience()

    def send() -> str:
        raise denied(429)

    for _ in range(5):
        with pytest.raises(Denied):
            patience.insist(send)
    assert clock.waits == [60, 60]


def test_a_run_that_is_to_end_does_not_insist() -> None:
    """A signal while waiting ends it."""
    clock = Clock(is_over=True)
    with pytest.raises(Denied):
        clock.failing(denied(502), "done")
    assert clock.waits == [1]
