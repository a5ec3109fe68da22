"""Seeded random changes of Kubernetes objects, as people, tools and Git make them. Pure: a body in, a body out."""

import copy
import random
from collections.abc import Iterator
from typing import Any

Body = dict[str, Any]
_Route = tuple[str | int, ...]

# Changing these makes another object, or is refused.
_IDENTITY = frozenset({"apiVersion", "kind", "metadata", "status"})
_QUANTITY_PARENTS = frozenset({"limits", "requests", "hard"})


def mutated(body: Body, rng: random.Random) -> Body:
    """`body` with one random change somewhere in what a person would edit."""
    body = copy.deepcopy(body)
    routes = [route for route in _routes(body) if route[0] not in _IDENTITY or route[:2] in _EDITABLE]
    if not routes:
        return body
    for route in rng.sample(routes, len(routes)):
        *way, last = route
        parent = _at(body, tuple(way))
        before = copy.deepcopy(parent)
        _change(parent, last, rng)
        if parent != before or repr(parent) != repr(before):
            return body
    return body


def respelled(body: Body, rng: random.Random) -> Body:
    """`body` with one value in another form: of a quantity, a number or a string, null, or empty."""
    body = copy.deepcopy(body)
    routes = [route for route in _routes(body) if route[0] not in _IDENTITY or route[:2] in _EDITABLE]
    for route in rng.sample(routes, len(routes)):
        *way, last = route
        parent = _at(body, tuple(way))
        value = parent[last]
        if isinstance(value, str) and value.isdecimal() and len(way) and way[-1] in _QUANTITY_PARENTS:
            parent[last] = rng.choice([f"{value}000m", int(value), f"{value}.0"])
        elif isinstance(value, bool):
            parent[last] = rng.choice([int(value), None])
        elif isinstance(value, int):
            parent[last] = rng.choice([str(value), None, float(value) + 0.0])
        elif isinstance(value, dict | list):
            parent[last] = rng.choice([type(value)(), None])
        else:
            parent[last] = rng.choice(["", None])
        return body
    return body


def reordered(body: Body, rng: random.Random) -> Body:
    """`body` with one list of at least two items in another order; unchanged if it has none."""
    body = copy.deepcopy(body)
    lists = [value for route in _routes(body) if isinstance(value := _at(body, route), list) and len(value) > 1]
    if lists:
        chosen = rng.choice(lists)
        chosen.append(chosen.pop(0))
    return body


def partial(body: Body, rng: random.Random) -> Body | None:
    """An apply configuration of one field of `body` with another value; None if nothing lends itself."""
    candidates = [("metadata", "labels"), ("metadata", "annotations"), ("data",), ("spec",)]
    rng.shuffle(candidates)
    for way in candidates:
        parent = _at(body, way, default={})
        scalars = [key for key, value in parent.items() if isinstance(value, str | int)] if parent else []
        if not scalars:
            continue
        key = rng.choice(sorted(scalars))
        value: Any = {key: _other(parent[key], rng)}
        for name in reversed(way):
            value = {name: value}
        metadata = {key: body["metadata"][key] for key in ("name", "namespace") if key in body["metadata"]}
        value["metadata"] = metadata | value.get("metadata", {})
        return {"apiVersion": body["apiVersion"], "kind": body["kind"]} | value
    return None


_EDITABLE = frozenset({("metadata", "labels"), ("metadata", "annotations")})


def _routes(value: Any, way: _Route = ()) -> Iterator[_Route]:
    if way:
        yield way
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _routes(item, (*way, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _routes(item, (*way, index))


def _at(body: Any, way: _Route, default: Any = None) -> Any:
    for step in way:
        if isinstance(body, dict) and step not in body:
            return default
        body = body[step]
    return body


def _change(parent: Any, last: str | int, rng: random.Random) -> None:
    value = parent[last]
    if isinstance(value, dict):
        if rng.random() < 0.3:
            del parent[last]
        else:
            value[f"added-{rng.randrange(100)}"] = rng.choice(["x", "1"])
    elif isinstance(value, list):
        sort = rng.randrange(4)
        if sort == 0 and len(value) > 1:
            value.append(value.pop(0))
        elif sort == 1 and value:
            value.pop(rng.randrange(len(value)))
        elif value:
            value.append(_variant(rng.choice(value), rng))
    elif rng.random() < 0.25:
        del parent[last]
    else:
        parent[last] = _other(value, rng)


def _variant(item: Any, rng: random.Random) -> Any:
    """An item like `item`, with another identity."""
    item = copy.deepcopy(item)
    if isinstance(item, dict):
        scalars = [key for key, value in item.items() if isinstance(value, str | int)]
        for key in scalars:
            item[key] = _other(item[key], rng)
        return item
    return _other(item, rng)


def _other(value: Any, rng: random.Random) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + rng.randrange(1, 4)
    if isinstance(value, str):
        return f"{value}{rng.randrange(1, 10)}"
    return value
