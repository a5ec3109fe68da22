"""GitHub's own API description: what a request and an answer have to be like, and the smallest thing that is."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

DOCUMENT = json.loads((Path(__file__).parent / "openapi.json").read_text(encoding="utf-8"))
_BASE = "urn:github"
_TIME = "2026-12-01T05:00:00Z"


def _strict(of: Any) -> Any:
    """A request's schema without a key that it does not name: GitHub ignores such a key, and we would not notice."""
    if isinstance(of, list):
        return [_strict(item) for item in of]
    if not isinstance(of, dict):
        return of
    inner = {key: _strict(value) for key, value in of.items()}
    if isinstance(of.get("properties"), dict) and of.get("type") == "object":
        inner.setdefault("additionalProperties", False)
    return inner


for _path in DOCUMENT["paths"].values():
    for _operation in _path.values():
        _operation["requestBody"] = _strict(_operation["requestBody"])
# A fork can be deleted; the description does not know.
for _name in ("pull-request", "pull-request-simple"):
    _HEAD = DOCUMENT["components"]["schemas"][_name]["properties"]["head"]["properties"]
    _HEAD["repo"] = {"oneOf": [_HEAD["repo"], {"type": "null"}]}
_REGISTRY: Any = Registry().with_resource(_BASE, Resource(contents=DOCUMENT, specification=DRAFT202012))


@dataclass(frozen=True)
class Operation:
    """One operation: `GET /repos/{owner}/{repo}/issues`, and the values in its path."""

    method: str
    template: str
    values: Mapping[str, str]

    @property
    def name(self) -> str:
        """Method and template, less the repository."""
        return f"{self.method} {self.template.removeprefix('/repos/{owner}/{repo}')}"

    @property
    def described(self) -> Mapping[str, Any]:
        """What the description says of it."""
        return dict(DOCUMENT["paths"][self.template][self.method.lower()])

    @property
    def pointer(self) -> str:
        """Where it stands in the description."""
        return f"{_BASE}#/paths/{_escaped(self.template)}/{self.method.lower()}"


def operation(method: str, path: str) -> Operation | None:
    """The operation that `method` on `path` is; None if we never call it."""
    for template, methods in DOCUMENT["paths"].items():
        pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(template))
        found = re.fullmatch(pattern, path)
        if found and method.lower() in methods:
            return Operation(method, template, {name: unquote(value) for name, value in found.groupdict().items()})
    return None


def faults_of_request(of: Operation, query: Mapping[str, str], body: Any) -> Iterator[str]:
    """What is wrong with a request."""
    known = {one["name"]: one for one in of.described["parameters"]}
    for name, text in query.items():
        if name not in known or known[name]["in"] != "query":
            yield f"{of.name}: no parameter {name}"
        else:
            yield from _faults(f"{of.name}?{name}", known[name]["schema"], _typed(text, known[name]["schema"]))
    for name, text in of.values.items():
        yield from _faults(f"{of.name} {name}", known[name]["schema"], _typed(text, known[name]["schema"]))
    if of.described["requestBody"]:
        pointer = f"{of.pointer}/requestBody/content/{_escaped('application/json')}/schema"
        yield from _faults(f"{of.name} body", {"$ref": pointer}, body)
    elif body is not None:
        yield f"{of.name}: takes no body"


def faults_of_answer(of: Operation, status: int, body: Any) -> Iterator[str]:
    """What is wrong with an answer; a refusal that the description does not know is taken as it is."""
    answers = of.described["responses"]
    if str(status) not in answers:
        if status < 400:
            yield f"{of.name}: never answers {status}"
        return
    if answers[str(status)]:
        pointer = f"{of.pointer}/responses/{status}/content/{_escaped('application/json')}/schema"
        yield from _faults(f"{of.name} {status}", {"$ref": pointer}, body)
    elif body is not None:
        yield f"{of.name}: answers {status} without a body"


def sample(name: str) -> dict[str, Any]:
    """The smallest thing of schema `name`."""
    schema = DOCUMENT["components"]["schemas"][name]
    return dict(_smallest(schema | {"type": "object"} if "properties" in schema else schema))


def _escaped(part: str) -> str:
    return quote(part.replace("~", "~0").replace("/", "~1"), safe="~")


def _typed(text: str, schema: Mapping[str, Any]) -> Any:
    return int(text) if schema.get("type") == "integer" and re.fullmatch(r"-?\d+", text) else text


def _faults(what: str, schema: Mapping[str, Any], value: Any) -> Iterator[str]:
    for error in _validator(json.dumps(schema)).iter_errors(value):
        yield f"{what}: {error.json_path}: {error.message[-300:]}"


@cache
def _validator(schema: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads(schema), registry=_REGISTRY)


def _smallest(schema: Mapping[str, Any]) -> Any:
    match schema:
        case {"$ref": reference}:
            found = _smallest(DOCUMENT["components"]["schemas"][reference.rpartition("/")[2]])
        case {"anyOf": choices}:
            found = None if {"type": "null"} in choices else _smallest(choices[0])
        case {"oneOf": choices}:
            found = _smallest(choices[0])
        case {"allOf": parts}:
            found = {key: value for part in parts for key, value in _smallest(part).items()}
        case {"enum": [first, *_]}:
            found = first
        case {"type": list()}:
            found = None
        case {"properties": properties}:
            found = {name: _smallest(properties[name]) for name in schema.get("required", ())}
        case _:
            text = {"date-time": _TIME, "uri": "https://api.github.com/x"}.get(schema.get("format", ""), "x")
            plain = {"string": text, "integer": 1, "number": 1, "boolean": False, "array": []}
            found = plain.get(schema.get("type", ""), {})
    return found
