"""What comes before an object of a set, and why: what they say of each other, and what annotations ask for.

Both ends lie within the set: what is named and isn't there is the cluster's business. What follows from all of it
for the order of a run is `order`'s.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from itertools import chain
from typing import Any, Final

from recon_action.analyze.references import (
    API_SERVICE,
    BINDINGS,
    HOOKS,
    POLICIES,
    SERVING,
    TEMPLATES,
    account_of,
    accounts_of,
    claim_of,
    parameters_of,
    pods_of,
    references,
    selects,
    services_of,
)
from recon_action.analyze.value import as_map
from recon_action.model import Body, ObjectRef, Verdict
from recon_action.model.capabilities import BUILT_IN

NAMESPACE: Final = ("", "Namespace")
DEFINITION: Final = ("apiextensions.k8s.io", "CustomResourceDefinition")
_LIMITS: Final = (("", "LimitRange"), ("", "ResourceQuota"))
_BUDGET: Final = ("policy", "PodDisruptionBudget")


class Strength(IntEnum):
    """What gives way to what where objects wait for each other in a circle."""

    REFERENCE = 0  # a name in a field
    ORDER = 1  # an annotation
    NATURE = 2  # without the one, the server has no place for the other


@dataclass(frozen=True, slots=True)
class Need:
    """Why one object comes after another.

    Args:
        strength: what it gives way to.
        why: the reason, as a part of a sentence.
        ready: whether the other must be ready, not only there.
    """

    strength: Strength
    why: str
    ready: bool = False


Needs = dict[ObjectRef, Need]
_LIES_IN: Final = Need(Strength.NATURE, "it lies in that namespace", ready=True)
_IS_OF: Final = Need(Strength.NATURE, "it is of that kind", ready=True)
_ASKED: Final = Need(Strength.ORDER, "it says so by its depends-on", ready=True)
_NAMES: Final = Need(Strength.REFERENCE, "it refers to it")
_CALLS: Final = Need(Strength.REFERENCE, "it is served by it", ready=True)


class Objects:
    """The objects of a set, and what each of them needs of the others."""

    def __init__(self, verdicts: Iterable[Verdict]) -> None:
        self._verdicts = {verdict.ref: verdict for verdict in verdicts}
        self._kinds: dict[tuple[str, str], list[ObjectRef]] = defaultdict(list)
        for ref in self._verdicts:
            self._kinds[ref.group, ref.kind].append(ref)
        self._homes = {ref.name: ref for ref in self._kinds.get(NAMESPACE, ())}
        self._definitions = {self._defined(ref): ref for ref in self._kinds.get(DEFINITION, ())}

    def __iter__(self) -> Iterator[ObjectRef]:
        return iter(self._verdicts)

    def __getitem__(self, ref: ObjectRef) -> Verdict:
        return self._verdicts[ref]

    @property
    def foundations(self) -> Iterator[ObjectRef]:
        """The namespaces and definitions, which others need by their nature."""
        return chain(self._homes.values(), self._definitions.values())

    def wave(self, ref: ObjectRef) -> int:
        """The wave that an object is in."""
        return self._verdicts[ref].directives.wave

    def firm(self, ref: ObjectRef) -> Needs:
        """What an object needs by its nature and by its annotations, waves apart."""
        needs: Needs = {}
        if home := self._homes.get(ref.namespace):
            needs[home] = _LIES_IN
        definition = self._definitions.get((ref.group, ref.kind))
        if definition is not None and definition != ref:
            needs[definition] = _IS_OF
        asked = self._verdicts[ref].directives.depends_on
        return needs | {other: _ASKED for other in asked if other in self._verdicts and other not in needs}

    def needs(self, ref: ObjectRef) -> Needs:
        """All that an object needs; what annotations ask for the other way round is left out."""
        body = self._body(ref)
        if not body:
            return self.firm(ref)
        named = dict.fromkeys((*references(ref, body), *self._implied(ref, body)), _NAMES)
        named |= dict.fromkeys(self._backends(ref, body), _CALLS)
        return {other: need for other, need in named.items() if self._may_precede(other, ref)} | self.firm(ref)

    def _may_precede(self, other: ObjectRef, ref: ObjectRef) -> bool:
        verdict = self._verdicts.get(other)
        if verdict is None or other == ref or verdict.directives.wave > self.wave(ref):
            return False
        return ref not in verdict.directives.depends_on

    def _implied(self, ref: ObjectRef, body: Body) -> Iterator[ObjectRef]:
        """What an object needs without naming it."""
        kind = (ref.group, ref.kind)
        if kind in TEMPLATES:
            _, spec = pods_of(ref, body)
            yield from self._bindings.get(account_of(ref, spec), ())
            yield from self._limits.get(ref.namespace, ())
        elif kind == ("", "PersistentVolumeClaim"):
            yield from self._volumes.get(ref, ())
        elif kind == _BUDGET:
            selector = as_map(body.get("spec")).get("selector")
            if isinstance(selector, dict):
                yield from self._serving(ref.namespace, selector)
        elif kind in POLICIES and (definition := self._definitions.get(parameters_of(body))):
            yield definition
        elif self._is_held(ref, body):
            yield from self._of(*SERVING)

    def _is_held(self, ref: ObjectRef, body: Body) -> bool:
        """Whether an orphan goes only once its controller lets it go: that may run in any workload of the set."""
        finalizers = as_map(body.get("metadata")).get("finalizers")
        return bool(finalizers) and ref.group not in BUILT_IN and self._verdicts[ref].manifest is None

    def _backends(self, ref: ObjectRef, body: Body) -> Iterator[ObjectRef]:
        """The workloads that answer for an APIService or a webhook configuration."""
        if (ref.group, ref.kind) not in {API_SERVICE, *HOOKS}:
            return
        for service in services_of(ref, body):
            if service in self._verdicts:
                labels = as_map(as_map(self._body(service).get("spec")).get("selector"))
                if labels:
                    yield from self._serving(service.namespace, {"matchLabels": labels})

    def _serving(self, namespace: str, selector: Body) -> Iterator[ObjectRef]:
        label = next(iter(as_map(selector.get("matchLabels")).items()), None)
        return (ref for ref, labels in self._pods.get((namespace, str(label)), ()) if selects(selector, labels))

    def _body(self, ref: ObjectRef) -> Body:
        verdict = self._verdicts[ref]
        source = verdict.manifest or verdict.live
        return source.body if source else {}

    def _defined(self, definition: ObjectRef) -> tuple[str, str]:
        spec = as_map(self._body(definition).get("spec"))
        return str(spec.get("group", "")), str(as_map(spec.get("names")).get("kind", ""))

    @cached_property
    def _bindings(self) -> Mapping[ObjectRef, list[ObjectRef]]:
        """The bindings of each ServiceAccount."""
        found = defaultdict(list)
        for ref in self._of(*BINDINGS):
            for account in accounts_of(ref, self._body(ref)):
                found[account].append(ref)
        return found

    @cached_property
    def _limits(self) -> Mapping[str, list[ObjectRef]]:
        """Quotas and ranges of each namespace."""
        found = defaultdict(list)
        for ref in self._of(*_LIMITS):
            found[ref.namespace].append(ref)
        return found

    @cached_property
    def _volumes(self) -> Mapping[ObjectRef, list[ObjectRef]]:
        """The volumes that are kept for each claim."""
        found = defaultdict(list)
        for ref in self._of(("", "PersistentVolume")):
            found[claim_of(self._body(ref))].append(ref)
        return found

    @cached_property
    def _pods(self) -> Mapping[tuple[str, str], list[tuple[ObjectRef, dict[str, Any]]]]:
        """What runs Pods, with their labels, by namespace and each of the labels; and by none, all of a namespace."""
        found = defaultdict(list)
        for ref in self._of(*SERVING):
            labels, _ = pods_of(ref, self._body(ref))
            for label in (None, *labels.items()):
                found[ref.namespace, str(label)].append((ref, labels))
        return found

    def _of(self, *kinds: tuple[str, str]) -> Iterator[ObjectRef]:
        return (ref for kind in kinds for ref in self._kinds.get(kind, ()))
