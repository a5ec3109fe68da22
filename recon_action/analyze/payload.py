"""What we would send for a manifest: normalised, so that the server stores what Git means."""

import base64
import hashlib
from typing import Any

import orjson

from recon_action.model import Body, Manifest, Resource
from recon_action.model.inventory import PART_OF

# Set by the server; in a manifest they are left-overs of `kubectl get -o yaml`.
_SERVER_SET = frozenset(
    {
        "creationTimestamp",
        "deletionGracePeriodSeconds",
        "deletionTimestamp",
        "generation",
        "managedFields",
        "resourceVersion",
        "selfLink",
        "uid",
    }
)


def normalised(manifest: Manifest, resource: Resource) -> Body:
    """The manifest's body without what the server owns; shares unchanged parts with it.

    - server-set metadata goes;
    - `status` goes where the kind has it as a subresource: the server would ignore it there;
    - a Secret's `stringData` becomes `data`: the server merges it, but our entry would own
      `stringData`, and a key dropped in Git would stay for ever;
    - line breaks inside a Secret's base64 go: the server decodes past them and stores none;
    - empty `rules` beside an `aggregationRule` go: a controller fills them.
    """
    body = dict(manifest.body)
    body["metadata"] = {key: value for key, value in body["metadata"].items() if key not in _SERVER_SET}
    if "status" in resource.subresources:
        body.pop("status", None)
    if manifest.ref.group == "" and manifest.ref.kind == "Secret":
        _without_line_breaks(body)
        _merge_string_data(body)
    if body.get("aggregationRule") and not body.get("rules"):
        body.pop("rules", None)
    return body


def labelled(body: Body, applyset: str) -> Body:
    """`body` with the ApplySet's label: the payload."""
    metadata = body["metadata"]
    labels = {**(metadata.get("labels") or {}), PART_OF: applyset}
    return body | {"metadata": metadata | {"labels": labels}}


def payload_hash(manifest: Manifest, resource: Resource) -> str:
    """What the inventory remembers of the manifest that was applied: sha256, hex.

    Of a Secret it is taken of the source's bytes, so that the hash of an encrypted file says nothing
    about the values.
    """
    if manifest.source_hash:
        return manifest.source_hash
    return hashlib.sha256(orjson.dumps(normalised(manifest, resource), option=orjson.OPT_SORT_KEYS)).hexdigest()


def _without_line_breaks(body: Body) -> None:
    data = body.get("data")
    if isinstance(data, dict) and any(isinstance(value, str) and "\n" in value for value in data.values()):
        body["data"] = {
            key: value.replace("\n", "").replace("\r", "") if isinstance(value, str) else value
            for key, value in data.items()
        }


def _merge_string_data(body: Body) -> None:
    data, strings = body.get("data") or {}, body.get("stringData")
    if not isinstance(data, dict) or not isinstance(strings, dict):
        return  # nothing to merge, or the server says what is wrong with it
    if not all(isinstance(value, str) for value in strings.values()):
        return
    encoded: dict[str, Any] = {key: base64.b64encode(value.encode()).decode() for key, value in strings.items()}
    body["data"] = {**data, **encoded}
    del body["stringData"]
