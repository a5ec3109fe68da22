"""What the server has already judged "same", remembered by a hash of all that its judgement rests on."""

import hashlib

import orjson

from recon_action.model import Body, LiveObject

_MOVING = frozenset({"managedFields", "resourceVersion", "generation"})


def memo_of(payload: Body, live: LiveObject, epoch: str) -> str:
    """A hash (sha256, hex) of payload, live, our entry and epoch; "" where nothing may be remembered.

    That is so while the epoch is unknown, and of a Secret: a hash of its values would be a guessing oracle.
    A controller that reports costs no request.
    """
    if not epoch or (live.ref.group, live.ref.kind) == ("", "Secret"):
        return ""
    own = live.own_entry
    parts = [payload, standing(live), [own.version, own.fields] if own else None, epoch]
    return hashlib.sha256(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)).hexdigest()


def standing(live: LiveObject) -> Body:
    """The object without its status and what every write moves."""
    metadata = {key: value for key, value in live.body["metadata"].items() if key not in _MOVING}
    return {key: value for key, value in live.body.items() if key != "status"} | {"metadata": metadata}
