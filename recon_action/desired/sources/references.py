"""What a kustomization names: files, folders, charts, and addresses elsewhere.

Follows kustomize's fields one by one; what a name leads to, and whether it may, is `closure`'s.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Final

_FOLDERS: Final = ("resources", "bases", "components")
_PLUGINS: Final = ("generators", "transformers", "validators")
_FILES: Final = ("crds", "configurations", "patchesStrategicMerge")
_WITH_PATH: Final = ("patches", "patchesJson6902", "replacements")
_GENERATORS: Final = ("configMapGenerator", "secretGenerator")
_ADDRESS: Final = re.compile(
    r"(?:git::)?(?:[a-z][a-z0-9+.-]*://|[a-z][a-z0-9-]*@[^/\s]+:|(?:www\.)?github\.com[/:])", re.IGNORECASE
)


class Use(Enum):
    """What becomes of what is named."""

    SOURCE = auto()  # objects, or another kustomization
    PLUGIN = auto()  # a file that may name more files
    PART = auto()  # a patch, a schema
    VALUE = auto()  # the text itself ends up in an object
    CHART = auto()  # a chart's folder


Route = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Reference:
    """One thing that is named.

    Args:
        text: a path, seen from the kustomization's folder, or an address.
        route: where in the file it stands.
        use: what becomes of it.
        repository: of a chart: where it is fetched from if its folder is missing.
    """

    text: str
    route: Route
    use: Use
    repository: str = ""

    @property
    def is_inline(self) -> bool:
        """Whether a plugin's configuration is written out in place."""
        return "\n" in self.text

    @property
    def is_address(self) -> bool:
        """Whether it lies on another machine, or in another repository."""
        return bool(_ADDRESS.match(self.text))


def references(value: Mapping[str, Any]) -> Iterator[Reference]:
    """All that a kustomization names, in the order of `Use`."""
    for key in _FOLDERS:
        yield from _texts(value.get(key), (key,), Use.SOURCE)
    for key in _PLUGINS:
        yield from _texts(value.get(key), (key,), Use.PLUGIN)
    for key in _FILES:
        yield from _texts(value.get(key), (key,), Use.PART)
    for key in _WITH_PATH:
        for route, item in _items(value, key):
            yield from _texts(item.get("path"), (*route, "path"), Use.PART)
    openapi = value.get("openapi")
    if isinstance(openapi, Mapping):
        yield from _texts(openapi.get("path"), ("openapi", "path"), Use.PART)
    for key in _GENERATORS:
        for route, item in _items(value, key):
            for inner in ("files", "envs", "env"):
                yield from _texts(item.get(inner), (*route, inner), Use.VALUE, named=inner == "files")
    yield from _charts(value)


def generated(value: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Kind and name of each object that a kustomization generates."""
    for key, kind in zip(_GENERATORS, ("ConfigMap", "Secret"), strict=True):
        yield from ((kind, str(item["name"])) for _, item in _items(value, key) if item.get("name"))


def all_texts(value: Any) -> Iterator[str]:
    """Every text in a value: of a plugin's configuration nobody knows which are paths."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from all_texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from all_texts(item)


def _charts(value: Mapping[str, Any]) -> Iterator[Reference]:
    shared = value.get("helmGlobals")
    home = shared.get("chartHome") if isinstance(shared, Mapping) else None
    for route, item in (*_items(value, "helmCharts"), *_items(value, "helmChartInflationGenerator")):
        for key in ("valuesFile", "values", "additionalValuesFiles"):
            yield from _texts(item.get(key), (*route, key), Use.VALUE)
        name, version, repository = (str(item.get(key) or "") for key in ("name", "version", "repo"))
        name = name or str(item.get("chartName") or "")
        folder = f"{name}-{version}/{name}" if version and repository else name
        yield Reference(f"{item.get('chartHome') or home or 'charts'}/{folder}", route, Use.CHART, repository)


def _items(value: Mapping[str, Any], key: str) -> list[tuple[Route, Mapping[str, Any]]]:
    items = value.get(key)
    if not isinstance(items, list):
        return []
    return [((key, index), item) for index, item in enumerate(items) if isinstance(item, Mapping)]


def _texts(value: Any, route: Route, use: Use, *, named: bool = False) -> Iterator[Reference]:
    """A text, or a list of them; what is written out in place names nothing, unless it configures a plugin."""
    if isinstance(value, str):
        text = value.partition("=")[2] if named and "=" in value else value
        if text and ("\n" not in text or use is Use.PLUGIN):
            yield Reference(text, route, use)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, str):
                yield from _texts(item, (*route, index), use, named=named)
