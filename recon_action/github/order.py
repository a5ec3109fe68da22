"""The first line of a comment, read as an order: `/recon VERB …`.

Pure. Anybody may have written it: what it may not mean is no order, and whether one is carried out is decided
elsewhere. What else a comment says is not looked at, so neither a quotation nor a code block orders anything.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from recon_action.analyze.hold import hold_length
from recon_action.model.digest import is_digest
from recon_action.model.duration import duration

PREFIX: Final = "/recon"
DESTRUCTIVE: Final = "--allow-destructive"
LONGEST_SNOOZE: Final = timedelta(days=30)
_LONGEST = 500  # characters of the line
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
# `deploy`, `Deployment`, `deployments.apps`, `deployments.v1.apps`.
_KIND = re.compile(r"[A-Za-z][A-Za-z0-9]{0,62}(\.[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?)?")
_NAME = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9._:]{0,251}[A-Za-z0-9])?")  # of roles, which may hold colons and capitals
_NAMESPACE = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")


@dataclass(frozen=True, slots=True)
class Diff:
    """Compare, and say what differs; of a pull request, what it changes.

    Args:
        commit: SHA of the head that was looked at, "" if it was not named.
    """

    commit: str = ""

    @property
    def line(self) -> str:
        """As it is written."""
        return f"{PREFIX} diff {self.commit}".rstrip()


@dataclass(frozen=True, slots=True)
class Apply:
    """Carry out a plan.

    Args:
        digest: the plan's.
        allow_destructive: whether it may delete what holds other things or data.
    """

    digest: str
    allow_destructive: bool = False

    @property
    def line(self) -> str:
        """As it is written."""
        return f"{PREFIX} apply {self.digest}{f' {DESTRUCTIVE}' if self.allow_destructive else ''}"


@dataclass(frozen=True, slots=True)
class Hold:
    """Leave an object as it is for a time.

    Args:
        named: `KIND/NAME`.
        period: how long.
        reason: why.
        namespace: of the object, "" for the target's.
    """

    named: str
    period: timedelta
    reason: str
    namespace: str = ""

    @property
    def line(self) -> str:
        """As it is written, less the reason."""
        where = f" -n {self.namespace}" if self.namespace else ""
        return f"{PREFIX} hold {self.named}{where} {_spelled(self.period)}"


@dataclass(frozen=True, slots=True)
class Snooze:
    """Have the drift issue silent for a time."""

    period: timedelta

    @property
    def line(self) -> str:
        """As it is written."""
        return f"{PREFIX} snooze {_spelled(self.period)}"


@dataclass(frozen=True, slots=True)
class Help:
    """Say what can be ordered."""

    @property
    def line(self) -> str:
        """As it is written."""
        return f"{PREFIX} help"


@dataclass(frozen=True, slots=True)
class Misread:
    """Something that begins like an order and is none.

    Args:
        what: is wrong with it, free of what was written.
    """

    what: str

    @property
    def line(self) -> str:
        """What of it is certain."""
        return PREFIX


Order = Diff | Apply | Hold | Snooze | Help | Misread


def read_order(text: str) -> Order | None:
    """The order on the first line of a comment; None if that is about something else."""
    line = text.split("\n", 1)[0].removesuffix("\r").replace("\t", " ")
    if not f"{line} ".startswith(f"{PREFIX} "):
        return None
    if len(line) > _LONGEST:
        return Misread(f"its line is longer than {_LONGEST} characters")
    if not line.isprintable():
        return Misread("its line holds characters that can't be seen")
    _, *words = line.split()
    if not words:
        return Help()
    read = _VERBS.get(words[0])
    return read(words[1:]) if read else Misread("there is no such command")


def _diff(words: Sequence[str]) -> Order:
    match words:
        case []:
            return Diff()
        case [commit] if _COMMIT.fullmatch(commit):
            return Diff(commit)
        case _:
            return Misread("`diff` takes nothing, or the full SHA of a pull request's head")


def _apply(words: Sequence[str]) -> Order:
    match words:
        case [digest] if is_digest(digest):
            return Apply(digest)
        case [digest, flag] if is_digest(digest) and flag == DESTRUCTIVE:
            return Apply(digest, allow_destructive=True)
        case _:
            return Misread(f"`apply` takes the digest of a plan, and perhaps `{DESTRUCTIVE}`")


def _hold(words: Sequence[str]) -> Order:
    match words:
        case [named, "-n", namespace, period, *reason] if _NAMESPACE.fullmatch(namespace):
            return _held(named, namespace, period, " ".join(reason))
        case [named, period, *reason] if period != "-n":
            return _held(named, "", period, " ".join(reason))
        case _:
            return Misread("`hold` takes an object, a time and a reason")


def _held(named: str, namespace: str, period: str, reason: str) -> Order:
    kind, _, name = named.partition("/")
    if not _KIND.fullmatch(kind) or not _NAME.fullmatch(name):
        return Misread("`hold` takes an object as KIND/NAME, such as `deployment/web`")
    try:
        length = hold_length(period)
    except ValueError:
        return Misread("`hold` takes a time of a day at most, such as `30m` or `2h`")
    return Hold(named, length, reason, namespace) if reason else Misread("`hold` takes a reason: reports show it")


def _snooze(words: Sequence[str]) -> Order:
    try:
        (period,) = words
        seconds = duration(period)
    except ValueError:
        return Misread("`snooze` takes a time, such as `12h` or `3d`")
    if not 0 < seconds <= LONGEST_SNOOZE.total_seconds():
        return Misread(f"`snooze` takes a time of {LONGEST_SNOOZE.days} days at most")
    return Snooze(timedelta(seconds=seconds))


def _spelled(period: timedelta) -> str:
    seconds = int(period.total_seconds())
    sizes = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}
    return next(f"{seconds // size}{unit}" for unit, size in sizes.items() if not seconds % size)


_VERBS: Mapping[str, Callable[[Sequence[str]], Order]] = {
    "apply": _apply,
    "diff": _diff,
    "help": lambda _words: Help(),
    "hold": _hold,
    "snooze": _snooze,
}
