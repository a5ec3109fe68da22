"""What is known of the objects that are waited for, and for which of them more has to be learnt. No I/O."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace

from recon_action.act.streams import Gone, Sight
from recon_action.analyze.health import health_without
from recon_action.analyze.patience import TIMEOUT, patience
from recon_action.model import Body, ObjectRef, Problem, Resource, Trouble, ref_of
from recon_action.model.health import Health, Status

# How long a status that may not speak of the latest change is doubted: a controller looks within a moment, if at all.
_SETTLING = 5.0
# What is waited for, and what to do if it doesn't come.
_HEALTHY = "healthy", f"if it only takes longer, raise the timeout, or annotate the object with its own: {TIMEOUT}"
_GONE = "gone", "the controllers that its finalizers name have to remove them"


@dataclass(frozen=True, slots=True)
class Waited:
    """What waiting came to.

    Args:
        health: of every object that was looked at.
        problem: why nothing more could be learnt, if time ran out over it.
        troubles: of the objects that failed, or for which time ran out: what they were waiting for.
    """

    health: Mapping[ObjectRef, Health]
    problem: Problem | None = None
    troubles: Mapping[ObjectRef, Problem] = field(default_factory=dict)


class Waiting:
    """The objects, their health, and until when each of them is waited for.

    Args:
        bodies: as last seen.
        judge: gives the health of a body.
        goal: what is waited for: that they are Current, or NotFound.
        doubted: those whose status may not speak of the latest change.
        began: when waiting began, in monotonic seconds.
        seconds: how long each is waited for, if its annotation doesn't say otherwise.
    """

    def __init__(
        self,
        bodies: Mapping[ObjectRef, Body],
        judge: Callable[[Body], Health],
        *,
        goal: Status,
        doubted: Collection[ObjectRef],
        began: float,
        seconds: float,
    ) -> None:
        self.bodies = dict(bodies)
        self.health = {ref: judge(body) for ref, body in bodies.items()}
        self._judge = judge
        self._goal = goal
        self._doubted = doubted
        self._began = began
        self._allowed = {ref: seconds if (own := patience(body)) is None else own for ref, body in bodies.items()}
        self._problems: dict[Resource, Problem] = {}
        self.now = began
        self.pending = {ref for ref in bodies if not self._is_done(ref)}

    def is_over(self) -> bool:
        """Whether there is nothing more to wait for: all is well, something can't heal, or time is up."""
        return self.failed or all(self._due(ref) <= self.now for ref in self.pending)

    @property
    def failed(self) -> bool:
        """Whether something has failed."""
        return any(self.health[ref].status is Status.FAILED and not self._is_doubted(ref) for ref in self.pending)

    @property
    def left(self) -> float:
        """Seconds until time is up for all."""
        return max((self._due(ref) for ref in self.pending), default=self.now) - self.now

    def tick(self, now: float) -> None:
        """It is `now`: what was doubted for long enough is believed."""
        self.now = now
        self.pending = {ref for ref in self.pending if not self._is_done(ref)}

    @property
    def problem(self) -> Problem | None:
        """Why nothing is learnt just now of some kind."""
        return next(iter(self._problems.values()), None)

    def learn(self, sight: Sight) -> None:
        """Learn from what a stream saw."""
        seen = sight.seen
        if isinstance(seen, Problem):
            self._problems[sight.resource] = seen
            return
        if seen is None:
            self._problems.pop(sight.resource, None)
            return
        ref = seen.ref if isinstance(seen, Gone) else ref_of(seen)
        if ref not in self.bodies:
            return
        if isinstance(seen, Gone):
            self.health[ref] = self._gone(seen)
        else:
            self.health[ref] = self._judge(seen)
            self.bodies[ref] = seen
        (self.pending.discard if self._is_done(ref) else self.pending.add)(ref)

    def result(self, causes: Mapping[ObjectRef, str]) -> Waited:
        """What it all came to; `causes` are those that were found."""
        health = self.health | {
            ref: replace(self.health[ref], message="; ".join(filter(None, (self.health[ref].message, cause))))
            for ref, cause in causes.items()
        }
        troubles = {ref: self._trouble(ref, health[ref]) for ref in sorted(self.pending)}
        problem = None if self.failed or not self.pending else self.problem
        return Waited(health, problem, {ref: one for ref, one in troubles.items() if one is not None})

    def _gone(self, seen: Gone) -> Health:
        if self._goal is Status.NOT_FOUND:
            return Health(Status.NOT_FOUND)
        return health_without(seen.last or self.bodies[seen.ref])

    def _trouble(self, ref: ObjectRef, health: Health) -> Problem | None:
        said = health.message or health.status.value
        if health.status is Status.FAILED and not self._is_doubted(ref):
            return Problem(Trouble.UNHEALTHY, said, "it will not heal by itself: correct what the message says")
        if self._due(ref) > self.now:
            return None  # another one has failed
        what, hint = _GONE if self._goal is Status.NOT_FOUND else _HEALTHY
        return Problem(Trouble.TIMEOUT, f"not {what} within {self._allowed[ref]:g} s: {said}", hint)

    def _is_done(self, ref: ObjectRef) -> bool:
        return self.health[ref].status is self._goal and not self._is_doubted(ref)

    def _is_doubted(self, ref: ObjectRef) -> bool:
        return not self.health[ref].certain and ref in self._doubted and self.now < self._began + _SETTLING

    def _due(self, ref: ObjectRef) -> float:
        return self._began + self._allowed[ref]
