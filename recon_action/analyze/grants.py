"""From single permissions to the rules of roles: each once, what another one covers left out, alike ones joined."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from recon_action.model.permissions import EVERYWHERE, Purpose, Rule

ANY: Final = "*"
_VERBS: Final = ("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "bind", "escalate")


@dataclass(frozen=True, slots=True)
class Permission:
    """One thing that may be done.

    Args:
        group: the API group.
        resource: the plural; "" where a URL is meant.
        verb: what.
        name: of the only object; "" means all.
        url: of what is no resource.
    """

    group: str
    resource: str
    verb: str
    name: str = ""
    url: str = ""

    def covers(self, other: "Permission") -> bool:
        """Whether who has this needs `other` no more."""
        if self.url or other.url:
            return _is_within(other.url, self.url) and self.verb in {ANY, other.verb}
        pairs = ((self.group, other.group), (self.resource, other.resource), (self.verb, other.verb))
        return all(mine in {ANY, its} for mine, its in pairs) and self.name in {"", other.name}


_Texts = tuple[str, ...]
Needed = Mapping[str, Mapping[Permission, Purpose]]  # by namespace; "" is the whole cluster


def rules(needed: Needed) -> dict[str, tuple[Rule, ...]]:
    """The rules that grant `needed` and nothing else, by namespace."""
    everywhere = needed.get(EVERYWHERE, {})
    found = {}
    for namespace, permissions in sorted(needed.items()):
        wider = () if namespace == EVERYWHERE else everywhere
        kept = {
            one: purpose
            for one, purpose in permissions.items()
            if not any(other.covers(one) for other in (*wider, *(each for each in permissions if each != one)))
        }
        if kept:
            found[namespace] = tuple(_joined(kept))
    return found


def _joined(permissions: Mapping[Permission, Purpose]) -> Iterator[Rule]:
    """Permissions as rules: the same verbs on several resources of one group are one rule."""
    verbs: defaultdict[tuple[Purpose, str, str, str, str], list[str]] = defaultdict(list)
    for one, purpose in permissions.items():
        verbs[purpose, one.group, one.name, one.resource, one.url].append(one.verb)
    things: defaultdict[tuple[Purpose, str, str, _Texts], list[tuple[str, str]]] = defaultdict(list)
    for (purpose, group, name, resource, url), done in verbs.items():
        things[purpose, group, name, tuple(sorted(done, key=_place))].append((resource, url))
    names: defaultdict[tuple[Purpose, str, _Texts, _Texts, _Texts], list[str]] = defaultdict(list)
    for (purpose, group, name, done_in_order), those in things.items():
        resources, urls = (tuple(sorted(filter(None, texts))) for texts in zip(*those, strict=True))
        names[purpose, group, resources, done_in_order, urls].append(name)
    order = list(Purpose)
    made = [Rule(*key[:4], tuple(sorted(filter(None, those))), key[4]) for key, those in names.items()]
    yield from sorted(made, key=lambda rule: (order.index(rule.purpose), rule.group, rule.resources, rule.names))


def _place(verb: str) -> tuple[int, str]:
    return _VERBS.index(verb) if verb in _VERBS else len(_VERBS), verb


def _is_within(url: str, pattern: str) -> bool:
    """Whether a role's URL `pattern` has `url`; a star counts at its end alone."""
    if not url or not pattern:
        return False
    return url.startswith(pattern[:-1]) if pattern.endswith(ANY) else url == pattern
