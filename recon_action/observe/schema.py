"""The server's OpenAPI v3 of the kinds in use, kept on disk by the server's own hash of each document.

Reads only; what a schema means is `analyze.schema`'s.
"""

import contextlib
import hashlib
import tempfile
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import orjson

from recon_action.analyze.schema import UNKNOWN, Schema, Types, reduced, schema_of
from recon_action.cluster import Cluster, RequestError
from recon_action.model import Problem, Resource

_INDEX = "/openapi/v3"
_DIGEST = 64  # hex digits of sha256


def usual_cache() -> Path:
    """Where documents are kept on this machine; XDG_CACHE_HOME moves it."""
    import platformdirs  # noqa: PLC0415 - only a comparison without the server needs it

    return platformdirs.user_cache_path("recon-action") / "openapi"


def read_schemas(cluster: Cluster, resources: Iterable[Resource], cache: Path) -> dict[Resource, Schema | Problem]:
    """The schema of each kind, or why it can't be read; one request, and one a group version not in `cache`.

    Args:
        cluster: where to ask.
        resources: the kinds.
        cache: a folder that need not exist, or be writable.
    """
    wanted = list(resources)
    try:
        index = cluster.read(_INDEX).get("paths") or {}
    except RequestError as error:
        return dict.fromkeys(wanted, error.problem)
    groups = sorted({_path(resource) for resource in wanted})
    documents = dict(zip(groups, cluster.each(partial(_types, cluster, index, cache), groups), strict=True))
    found: dict[Resource, Schema | Problem] = {}
    for resource in wanted:
        types = documents[_path(resource)]
        found[resource] = types if isinstance(types, Problem) else schema_of(types, resource)
    return found


def _path(resource: Resource) -> str:
    """What the index calls a group version."""
    return f"apis/{resource.api_version}" if resource.group else f"api/{resource.version}"


def _types(cluster: Cluster, index: Mapping[str, Any], cache: Path, path: str) -> Types | Problem:
    if path not in index:
        return UNKNOWN.types  # an API service that publishes nothing
    url = urlsplit(str(index[path].get("serverRelativeURL", "")))
    known = parse_qs(url.query).get("hash", [""])[0]
    name = hashlib.sha256(f"{cluster.server} {path}".encode()).hexdigest()[:32]
    file = cache / f"{name}-{hashlib.sha256(known.encode()).hexdigest()[:32]}.json"
    types = _kept(file) if known else None
    if types is not None:
        return types
    try:
        document = cluster.read(url.path)  # with a hash that has become old meanwhile, the server would redirect
    except RequestError as error:
        return error.problem
    schemas = (document.get("components") or {}).get("schemas") or {}
    types = {key: reduced(raw) for key, raw in schemas.items()}
    if known:
        _keep(file, types, older=f"{name}-*.json")
    return types


def _kept(file: Path) -> Types | None:
    """What `file` holds; None if it isn't there, or not as it was written."""
    try:
        data = file.read_bytes()
    except OSError:
        return None
    digest, content = data[:_DIGEST], data[_DIGEST:]
    if hashlib.sha256(content).hexdigest().encode() != digest:
        return None
    types: Types = orjson.loads(content)
    return types


def _keep(file: Path, types: Types, *, older: str) -> None:
    """Write `file` at once, and drop what its group version was before; without a place, nothing is kept."""
    content = orjson.dumps(types)
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=file.parent, prefix=".part-") as folder:
            part = Path(folder) / file.name
            part.write_bytes(hashlib.sha256(content).hexdigest().encode() + content)
            part.replace(file)
        for old in file.parent.glob(older):
            if old != file:
                old.unlink(missing_ok=True)
