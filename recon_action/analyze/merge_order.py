"""The order of a merged list's items, as structured-merge-diff, the server's library for it, puts them."""

from collections.abc import Iterator, Sequence

from recon_action.model import ItemKey, ItemValue

Key = ItemKey | ItemValue


def merge_order(live: Sequence[Key], desired: Sequence[Key]) -> Iterator[Key]:
    """Every item of both, once: those of `desired` in its order, foreign ones near where they were.

    Neither side may hold an item twice.
    """
    old, new = set(live), set(desired)
    shared = iter([key for key in desired if key in old])
    awaited = next(shared, None)
    at, to = 0, 0
    while at < len(live) or to < len(desired):
        if at < len(live) and live[at] not in new:
            yield live[at]
            at += 1
        elif at < len(live) and live[at] != desired[to] and awaited is not None and awaited != live[at]:
            at += 1  # a shared item, but its turn comes later
        else:
            is_shared = at < len(live) and live[at] == desired[to]
            at += is_shared
            if awaited == desired[to]:
                awaited = next(shared, None)
            yield desired[to]
            to += 1
