"""How long publishing insists: one patience for all that a run sends to GitHub.

Decides whether and when something is tried again; what passes by itself is `denied`'s to say. The cluster's requests
have a patience of their own (`cluster.retry`): there a thousand requests fail together, here one after the other, and
GitHub asks for minutes.
"""

import time
from collections.abc import Callable
from typing import Final, TypeVar

from recon_action.github.denied import Denied

LIMIT: Final = 120.0  # seconds that a run may lose to what fails, all told; nothing in a cluster waits for them
_TRIES = 5  # of one request
_FIRST = 1.0  # seconds of the first pause; each further one is twice as long

_Answer = TypeVar("_Answer")


class Patience:
    """What is left of a run's patience with GitHub."""

    def __init__(
        self,
        wait: Callable[[float], bool],
        clock: Callable[[], float] = time.monotonic,
        limit: float = LIMIT,
    ) -> None:
        """Begin with all of it.

        Args:
            wait: waits so many seconds, and gives whether the run is to end; then nothing is tried any more.
            clock: monotonic seconds.
            limit: seconds that may be lost.
        """
        self._wait = wait
        self._clock = clock
        self._left = limit

    def insist(self, send: Callable[[], _Answer]) -> _Answer:
        """What `send` gives, at the first attempt that does not fail; only for what may be sent twice.

        Raises:
            Denied: it doesn't pass, or not in time.
        """
        tries = 0
        while True:
            began = self._clock()
            try:
                return send()
            except Denied as denied:
                tries += 1
                self._left -= self._clock() - began
                self.pause(denied, tries)

    def pause(self, denied: Denied, tries: int) -> None:
        """Wait until what was denied for the `tries`th time may be tried again.

        Raises:
            Denied: it is to be tried no more.
        """
        if denied.passing is None or tries >= _TRIES:
            raise denied
        pause = max(denied.passing.pause or 0.0, _FIRST * 2 ** (tries - 1))
        if pause > self._left or self._wait(pause):
            raise denied
        self._left -= pause
