"""In which order objects are applied and deleted: what they need of each other, sorted, and cut into few levels.

A name in a field gives way where it would close a circle; an order that an annotation asks for does not, and then
the circle is an error. Deletion runs in reverse, and nothing stops it: what annotations of the past ask for gives
way to what the server needs.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import chain, groupby, pairwise

from recon_action.analyze.prerequisites import Need, Needs, Objects, Strength
from recon_action.analyze.references import API_SERVICE, HOOKS, POLICIES
from recon_action.errors import DesiredError
from recon_action.model import Bucket, ObjectRef, Verdict
from recon_action.model.settings import LIVING_OWNERS

# What judges or serves other requests comes last, or it would do so before what stands behind it runs.
_LAST = frozenset({API_SERVICE, *HOOKS, *POLICIES, *((group, f"{kind}Binding") for group, kind in POLICIES)})
_REVERSED = Need(Strength.REFERENCE, "")

_Graph = dict[ObjectRef, Needs]  # of each object, what comes before it
_Rank = tuple[int, bool]  # wave, and whether it comes last in it


@dataclass(frozen=True, slots=True)
class Place:
    """Where an object stands that has something to do.

    Args:
        level: from 0; those of one level don't wait for each other.
        needs: what comes before, and must not have failed: it has something to do, has failed already, or is on its
            way out of the cluster.
        awaits: what comes before, and must be ready.
    """

    level: int
    needs: frozenset[ObjectRef] = frozenset()
    awaits: frozenset[ObjectRef] = frozenset()


def require_order(objects: Objects) -> None:
    """Make sure that waves and depends-on contradict neither each other nor what the server needs.

    Raises:
        DesiredError: they do; the message prints the circle, and what makes each step of it.
    """
    asked = [ref for ref in objects if objects[ref].directives.depends_on]
    lowest = min(map(objects.wave, objects), default=0)
    is_usual = all(objects.wave(ref) == lowest for ref in objects.foundations)
    for ref in asked if is_usual else objects:
        for other, need in objects.firm(ref).items():
            if objects.wave(other) > objects.wave(ref):
                waves = f"wave {objects.wave(ref)} comes before wave {objects.wave(other)}"
                raise _circle([(other, ref, need.why), (ref, other, waves)])
    # What is left goes with the waves or stays in one: only depends-on can close a circle.
    _sorted(_graph(objects.firm, asked), Strength.ORDER)


def places(objects: Objects, moving: Collection[ObjectRef], *, reverse: bool = False) -> dict[ObjectRef, Place]:
    """The place of each of `moving`; the other objects carry order through.

    Args:
        objects: the set.
        moving: those that have something to do.
        reverse: whether it is to delete them: what needs an object goes before it.
    """
    # What stands on a deletion is not found by what that needs, so whatever may be in its way is looked at, too.
    others = (ref for ref in objects if _is_open(objects[ref])) if reverse else ()
    graph = _graph(objects.needs, chain(moving, others))
    sequence = _sorted(graph, Strength.NATURE if reverse else Strength.ORDER)
    ranks = _ranks(objects, moving, graph, sequence)
    sequence.sort(key=ranks.__getitem__)
    if reverse:
        graph = _turned(graph)
        sequence.reverse()
    levels = _levels(moving, graph, sequence, ranks)
    needs, awaits = _gathered(objects, moving, graph, sequence)
    return {ref: Place(levels[ref], needs[ref], awaits[ref]) for ref in moving}


def is_ours(verdict: Verdict) -> bool:
    """Whether an object is ours to apply and to wait for: not failed, not passed over, and no other tool's."""
    return verdict.bucket not in {Bucket.FAILED, Bucket.SKIPPED} and verdict.owner not in LIVING_OWNERS


def _is_open(verdict: Verdict) -> bool:
    """Whether an object that has nothing to do may be in the way all the same: it failed, or it is about to be gone."""
    live = verdict.live
    return verdict.bucket is Bucket.FAILED or (verdict.manifest is None and live is not None and live.is_terminating)


def _graph(needs: Callable[[ObjectRef], Needs], start: Iterable[ObjectRef]) -> _Graph:
    """`start`, and all that it needs, as far back as it goes."""
    graph: _Graph = {}
    queue = list(start)
    while queue:
        ref = queue.pop()
        if ref not in graph:
            graph[ref] = needs(ref)
            queue += graph[ref]
    return graph


def _sorted(graph: _Graph, firm: Strength) -> list[ObjectRef]:
    """The objects, each after what it needs; what closes a circle and is weaker than `firm` is taken out of `graph`."""
    while True:
        try:
            return list(TopologicalSorter(graph).static_order())
        except CycleError as error:
            steps = [(before, after, graph[after][before]) for before, after in pairwise(error.args[1])]
        before, after, weakest = min(steps, key=lambda step: step[2].strength)
        if weakest.strength >= firm:
            raise _circle([(one, other, need.why) for one, other, need in steps])
        del graph[after][before]


def _circle(steps: Sequence[tuple[ObjectRef, ObjectRef, str]]) -> DesiredError:
    """The error that prints a circle, given as (before, after, why)."""
    names = [str(steps[0][0]), *(str(after) for _, after, _ in steps)]
    reasons = [f"{before} → {after}: {why}" for before, after, why in steps]
    return DesiredError(
        "\n".join([f"these objects wait for each other: {' → '.join(names)}", *reasons]),
        hint="change a sync-wave or a depends-on so that one of them can come first",
    )


def _ranks(
    objects: Objects, moving: Collection[ObjectRef], graph: _Graph, sequence: Iterable[ObjectRef]
) -> dict[ObjectRef, _Rank]:
    """The rank of each object: its own, or the highest of what it needs."""
    ranks: dict[ObjectRef, _Rank] = {}
    for ref in sequence:
        own = objects.wave(ref), ref in moving and (ref.group, ref.kind) in _LAST
        ranks[ref] = max([own, *(ranks[other] for other in graph[ref])])
    return ranks


def _turned(graph: _Graph) -> _Graph:
    turned: _Graph = {ref: {} for ref in graph}
    for ref, needs in graph.items():
        for other in needs:
            turned[other][ref] = _REVERSED
    return turned


def _levels(
    moving: Collection[ObjectRef], graph: _Graph, sequence: Iterable[ObjectRef], ranks: Mapping[ObjectRef, _Rank]
) -> dict[ObjectRef, int]:
    """The lowest level of each object; only what has something to do takes one up."""
    levels: dict[ObjectRef, int] = {}
    top = -1
    for _, equals in groupby(sequence, key=ranks.__getitem__):
        floor = top + 1
        for ref in equals:
            levels[ref] = max([floor, *(levels[other] + (other in moving) for other in graph[ref])])
            if ref in moving:
                top = max(top, levels[ref])
    return levels


def _gathered(
    objects: Objects, moving: Collection[ObjectRef], graph: _Graph, sequence: Iterable[ObjectRef]
) -> tuple[dict[ObjectRef, frozenset[ObjectRef]], dict[ObjectRef, frozenset[ObjectRef]]]:
    """What each object needs and awaits: directly, or behind objects that have nothing to do."""
    all_needs: dict[ObjectRef, frozenset[ObjectRef]] = {}
    all_awaits: dict[ObjectRef, frozenset[ObjectRef]] = {}
    for ref in sequence:
        needs: set[ObjectRef] = set()
        awaits: set[ObjectRef] = set()
        for other, need in graph[ref].items():
            moves = other in moving
            if moves or _is_open(objects[other]):
                needs.add(other)
            stays = need.strength is not Strength.NATURE and is_ours(objects[other])
            if need.ready and (moves or stays):
                awaits.add(other)
            if not moves:
                needs |= all_needs[other]
                awaits |= all_awaits[other]
        all_needs[ref], all_awaits[ref] = frozenset(needs), frozenset(awaits)
    return all_needs, all_awaits
