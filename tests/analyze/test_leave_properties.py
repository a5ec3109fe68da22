"""What holds of fields left to others, whatever the object."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from objects import body_of, entry_of, live_of

from recon_action.analyze.fieldset import difference, intersection, node_at
from recon_action.analyze.leave import leave
from recon_action.analyze.payload import labelled
from recon_action.analyze.value import value_at
from recon_action.model import ABSENT, Body, FieldPath, ItemKey

_NAMES, _KEYS = ["a", "b", "c"], ["x", "y"]
_MAPS = st.dictionaries(st.sampled_from(_NAMES), st.integers(0, 2), min_size=1)
_ITEMS = st.dictionaries(st.sampled_from(_KEYS), _MAPS, min_size=1).map(
    lambda items: [{"name": name, **fields} for name, fields in items.items()]
)
_OBJECTS = st.fixed_dictionaries({"map": _MAPS, "list": _ITEMS, "whole": _ITEMS})
_PATHS = st.sets(
    st.one_of(
        st.sampled_from(_NAMES).map(lambda name: FieldPath(("map", name))),
        st.tuples(st.sampled_from(["list", "whole"]), st.sampled_from(_KEYS), st.sampled_from(_NAMES)).map(
            lambda parts: FieldPath((parts[0], ItemKey((("name", parts[1]),)), parts[2]))
        ),
        st.sampled_from(_KEYS).map(lambda key: FieldPath(("list", ItemKey((("name", key),))))),
    ),
    min_size=1,
    max_size=4,
)


def _owned(body: Body) -> dict[str, Any]:
    """What an apply of `body` owns: `whole` is replaced as one."""
    items = {
        f'k:{{"name":"{item["name"]}"}}': {".": {}, **{f"f:{field}": {} for field in item}} for item in body["list"]
    }
    return {"f:map": {f"f:{name}": {} for name in body["map"]}, "f:list": items, "f:whole": {}}


@settings(deadline=None, max_examples=300)
@given(git=_OBJECTS, live=_OBJECTS, applied=_OBJECTS, paths=_PATHS)
def test_live_values_are_kept(git: Body, live: Body, applied: Body, paths: set[FieldPath]) -> None:
    """A field that is left to others is neither sent otherwise than it is live, nor reset for want of it."""
    payload, own = labelled(body_of(**git), "ours"), _owned(applied)
    stored = live_of(body_of(**live), entry_of(own), entry_of(_owned(live), "other"), label="ours")
    left = leave(payload, stored, dict.fromkeys(paths, ""), {}, built_in=False)
    for path in paths:
        here, sent = value_at(stored.body, path), value_at(left.payload, path)
        item = FieldPath(path.items[:2])
        if len(path) == 3 and value_at(stored.body, item) is ABSENT:
            continue  # an item that is new is made whole, as Git says
        if path.items[0] == "whole" and value_at(payload, item) is ABSENT:
            continue  # Git took the whole item out
        assert sent in (ABSENT, here), path
        still = node_at(difference(own, left.disown), path)
        assert still is None or sent is not ABSENT or here is ABSENT, path
    sent_fields = _owned({"map": {}, "list": []} | {key: left.payload[key] for key in git if key in left.payload})
    mentioned = {key: below for key, below in sent_fields.items() if below and key != "f:whole"}
    assert not intersection(left.disown, mentioned)
