"""Fields that some owners hold and Git does not mention: which of them would go if the owners gave them up.

A difference of ownership alone is none to tell of: what another owner keeps, what the server would fill in
again, and what is not there any more stays out. Whose fields are looked at, and what becomes of them, is
`takeover`'s and `additive`'s.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from recon_action.analyze.directives import OURS
from recon_action.analyze.equality import same
from recon_action.analyze.fields import Node, child
from recon_action.analyze.fieldset import difference, item_of, node_at, of_paths, placed, union, unmentioned
from recon_action.analyze.filled import is_filled
from recon_action.analyze.value import value_at
from recon_action.model import ABSENT, Body, FieldPath, LiveObject
from recon_action.model.inventory import PART_OF

# Copies of what it applied, which an applier keeps for its own use.
COPIES = ("kubectl.kubernetes.io/last-applied-configuration", "kapp.k14s.io/original", "kapp.k14s.io/original-diff-md5")
_ANNOTATIONS = ("metadata", "annotations")
_NOT_OF_GIT = frozenset(
    {
        # `kubectl rollout restart` writes it: removing it would start another rollout.
        ("spec", "template", "metadata", "annotations", "kubectl.kubernetes.io/restartedAt"),
        (*_ANNOTATIONS, "deprecated.daemonset.template.generation"),
        ("metadata", "labels", PART_OF),
        *((*_ANNOTATIONS, name) for name in COPIES),
    }
)


@dataclass(frozen=True, slots=True)
class Surplus:
    """What Git does not mention.

    Args:
        found: the fields worth a word, each with its live value.
        fields: what has to change hands so that these go: they, and what makes sense only beside them.
    """

    found: tuple[tuple[FieldPath, Any], ...] = ()
    fields: Node = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Filling:
    """What is known of the values that the server fills in by itself.

    Args:
        built_in: whether the kind is Kubernetes' own, whose defaults are known here.
        fresh: of other kinds: the object as the server would make it anew of the payload; None if it wasn't asked.
    """

    built_in: bool = True
    fresh: Body | None = field(default=None, repr=False)

    def has(self, path: FieldPath, live: Body, payload: Body) -> bool:
        """Whether the live value at `path` is one."""
        if self.built_in:
            return is_filled(path, live, payload)
        return self.fresh is not None and same(value_at(live, path), value_at(self.fresh, path))


def surplus(fields: Node, kept: Node, payload: Body, live: LiveObject, filling: Filling) -> Surplus:
    """What of `fields` the payload lacks.

    Args:
        fields: what the owners hold.
        kept: what others hold, and would keep.
        payload: what we would send.
        live: the object as stored.
        filling: what the server fills in by itself.
    """
    shape = union(*(entry.fields for entry in live.entries))
    found: list[tuple[FieldPath, Any]] = []
    moving: list[Node] = []
    spared: list[FieldPath] = []
    for root, node in unmentioned(fields, payload):
        paths = list(_paths(root, node, node_at(kept, root)))
        spared += [path for path in paths if _is_not_of_git(path)]
        told = [
            (path, value)
            for path in paths
            if not _is_not_of_git(path)
            and not _is_container(path, shape)
            and (value := value_at(live.body, path)) is not ABSENT
            and not filling.has(path, live.body, payload)
        ]
        if told:
            found += told
            moving.append(placed(root, node))
    return Surplus(tuple(found), difference(union(*moving), union(kept, of_paths(spared))))


def mentioned(fields: Node, body: Body) -> Node:
    """What of `fields` the `body` has."""
    return difference(fields, union(*(placed(path, node) for path, node in unmentioned(fields, body))))


def first_of_each(found: Sequence[tuple[FieldPath, Any]], known: set[FieldPath]) -> Iterator[tuple[FieldPath, Any]]:
    """Those of `found` that are not `known` yet, which they become."""
    for path, value in found:
        if path not in known:
            known.add(path)
            yield path, value


def _paths(path: FieldPath, node: Node, kept: Node | None) -> Iterator[FieldPath]:
    """The fields of `node` that nobody keeps; an item of a list whole, unless someone keeps a part of it."""
    if kept == {}:
        return
    is_item = not isinstance(path.items[-1], str)
    if not node.keys() - {"."} or (is_item and kept is None):
        if kept is None:
            yield path
        return
    for key, below in node.items():
        if key != ".":
            item = item_of(key)
            yield from _paths(path / item, below, child(kept, item) if kept else None)


def _is_container(path: FieldPath, shape: Node) -> bool:
    """Whether a map or list is merged, so that a leaf for it stands for nothing that it holds."""
    node = node_at(shape, path)
    return isinstance(path.items[-1], str) and node is not None and bool(node.keys() - {"."})


def _is_not_of_git(path: FieldPath) -> bool:
    """Whether the field is other tools' bookkeeping, or our own, which no manifest has to mention."""
    items = path.items
    if items in _NOT_OF_GIT or items[0] == "status":
        return True
    return items[:2] == _ANNOTATIONS and str(items[-1]).startswith(OURS)
