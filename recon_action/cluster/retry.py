"""Requests sent again, where what made them fail passes by itself.

What passes is `failure`'s to say, and only an answer's body tells: a 500 is a webhook that still starts, or a manifest
that will never fit. urllib3's own retries see status and headers alone, count attempts instead of seconds, and sleep
through an interrupt. tenacity has a loop that would do, but none of what is particular here: what the server asks for,
an address that may be wrong, one patience with what makes a thousand requests fail at once; around those its loop
saves three lines, for one more dependency. So the loop is ours, and urllib3's `Retry` does what it is good at: it
knows how long the next pause is.
"""

import logging
import math
import random
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from urllib3 import Retry

from recon_action.cluster.failure import RequestError

_log = logging.getLogger(__name__)

_LIMIT = 30.0  # seconds for which one request is tried
_FIRST = 0.5  # the same for a server that has not answered anything yet: its address may be wrong
_LONGEST = 15.0  # of the pauses that a server may ask for
_SPREAD = 1.5  # by which they are drawn out, for it asks all that it refuses at once for the same
# Pauses of 0, 0.5, 1, 2, 4 and then 8 seconds, and up to a quarter more: what was refused together comes apart.
_BACKOFF = Retry(total=None, backoff_factor=0.25, backoff_max=8, backoff_jitter=0.25)

_Answer = TypeVar("_Answer")


class Patience:
    """How long a connection insists; safe to use from several threads.

    A request is tried for half a minute, and so is all that one source makes fail: if a webhook has been away for
    that long, the next thousand objects that it judges are tried twice each and no longer.
    """

    def __init__(self, wait: Callable[[float], bool], *, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin without experience.

        Args:
            wait: waits so many seconds, and gives whether the run is to end; then nothing is tried any more.
            clock: monotonic seconds.
        """
        self._wait = wait
        self._clock = clock
        self._lock = threading.Lock()
        self._has_answered = False
        self._faults: dict[str, tuple[float, float]] = {}  # by source: since when, and last seen when
        self._told: dict[str, float] = {}  # by source: when

    def insist(self, send: Callable[[], _Answer], what: str) -> _Answer:
        """What `send` gives, at the first attempt that doesn't fail.

        Args:
            send: sends the request; it may be called several times.
            what: what the log calls it.

        Raises:
            RequestError: the failure doesn't pass, or not in time.
        """
        began, backoff, source = self._clock(), _BACKOFF, ""
        while True:
            try:
                answer = send()
            except RequestError as error:
                error.tries += len(backoff.history)
                self._has_answered |= bool(error.problem.status)
                if error.passing is None:
                    self._faults.pop(source, None)
                    raise
                backoff, source = backoff.increment(), error.passing.source
                pause = self._pause(error, backoff.get_backoff_time(), began, self._failing_since(source))
                if pause is None or self._wait(pause):
                    raise _given_up(error) from error
                _log.log(self._level(source), "%s: %s; trying again", what, error.message)
            else:
                self._has_answered = True
                self._faults.pop(source, None)
                return answer

    def _failing_since(self, source: str) -> float:
        """Since when `source` fails, now that it has again."""
        now = self._clock()
        with self._lock:
            since, last = self._faults.get(source, (now, now))
            since = since if now - last <= _LIMIT else now
            self._faults[source] = since, now
        return since

    def _level(self, source: str) -> int:
        """How loud the log is: it tells of a source twice a minute."""
        now = self._clock()
        with self._lock:
            if now - self._told.get(source, -math.inf) <= _LIMIT:
                return logging.DEBUG
            self._told[source] = now
        return logging.WARNING

    def _pause(self, error: RequestError, backoff: float, began: float, since: float) -> float | None:
        """Seconds until the next attempt; None if there is to be none."""
        now, is_first = self._clock(), error.tries == 1
        end = began + (_LIMIT if self._has_answered else _FIRST)
        if not is_first:
            end = min(end, since + _LIMIT)
        if now >= end and not (is_first and self._has_answered):
            return None
        asked = (error.passing.pause if error.passing else None) or 0
        asked *= random.uniform(1, _SPREAD)  # noqa: S311 - a delay, no secret
        return max(0.0, min(max(backoff, min(asked, _LONGEST)), end - now))


def _given_up(error: RequestError) -> RequestError:
    """`error`, which tells how often it was tried, if it was more than once."""
    if error.tries == 1:
        return error
    problem = replace(error.problem, message=f"{error.message} (tried {error.tries} times)")
    return RequestError(problem, error.passing, error.tries)
